"""What is found in KERNEL_DIR, laid out as distributions' packages unpack."""
# promise lifecycle/directory-kernel: Guests boot a kernel of any distribution, from a directory | full: `host`

import pytest

from . import directory_kernel, kernels
from .progress import CommandFailed

RELEASE = "5.14.0-570.el9.x86_64"
LAYOUTS = {
    "debian": ("boot/vmlinuz-R", "usr/lib/modules/R", "usr/src/linux-headers-R"),
    "fedora": ("lib/modules/R/vmlinuz", "lib/modules/R", "usr/src/kernels/R"),
    "suse": ("usr/lib/modules/R/vmlinuz", "usr/lib/modules/R", "usr/src/linux-obj/x86_64/default"),
    "compiled": ("bzImage", "lib/modules/R", "lib/modules/R/build"),
}

# As on the machine where they are installed.
LINKS = {"fedora": f"/usr/src/kernels/{RELEASE}", "suse": "../../../src/linux-obj/x86_64/default"}


def lay_out(top, layout, leave_out=()):
    """A directory that is as these packages unpack, but for what is in the files."""
    image, modules, headers = (top / place.replace("R", RELEASE) for place in LAYOUTS[layout])
    for path in image, modules / "modules.builtin", headers / "Module.symvers":
        if path.name not in leave_out:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(layout)
    if layout in LINKS and modules.exists():
        (modules / "build").symlink_to(LINKS[layout])
    return image, modules, headers


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_distributions_are_found(tmp_path, layout):
    image, modules, headers = lay_out(tmp_path, layout)
    found = directory_kernel.look(str(tmp_path))
    assert (found.release, found.image, found.modules, found.headers) == (RELEASE, image, modules, headers)
    assert modules / "modules.builtin" in set(found.files())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("missing, told", [
    ("image", f"no image of {RELEASE}; wanted boot/vmlinuz-{RELEASE} or "), ("modules.builtin", "modules.builtin among them; found none"),
    ("Module.symvers", f"no headers of {RELEASE}; wanted usr/src/linux-headers-{RELEASE} or ")])
def test_what_is_missing_is_named(tmp_path, layout, missing, told):
    image = LAYOUTS[layout][0].replace("R", RELEASE).split("/")[-1]
    lay_out(tmp_path, layout, [image if missing == "image" else missing])
    with pytest.raises(CommandFailed) as refusal:
        directory_kernel.look(str(tmp_path))
    assert told in str(refusal.value) and f"KERNEL_DIR={tmp_path}" in str(refusal.value)


def test_headers_beside_the_modules_come_before_others(tmp_path):
    lay_out(tmp_path, "debian")
    _, _, headers = lay_out(tmp_path, "compiled")
    (tmp_path / "usr/lib").rename(tmp_path / "lib/other")
    assert directory_kernel.look(str(tmp_path)).headers == headers


def test_two_kernels_are_one_too_many(tmp_path):
    lay_out(tmp_path, "debian")
    (tmp_path / "usr/lib/modules/6.1").mkdir()
    (tmp_path / "usr/lib/modules/6.1/modules.builtin").touch()
    with pytest.raises(CommandFailed, match=f"found {RELEASE}, 6.1"):
        directory_kernel.look(str(tmp_path))


@pytest.mark.parametrize("merged, where", [(True, "usr/lib/modules"), (False, "lib/modules")])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layer_has_all_in_its_suites_places(tmp_path, monkeypatch, layout, merged, where):
    """Of bullseye's tree, /lib is no link."""
    top, base = tmp_path / "top", directory_kernel.Tree("any", tmp_path / "base")
    _, _, headers = lay_out(top, layout)
    base.root.mkdir(parents=True)
    if merged:
        (base.root / "lib").symlink_to("usr/lib")
    else:
        (base.root / "lib").mkdir()

    def chroot_run(_base, upper, command, *_):
        commands.append(command)
        for name in (".work", ".merged"):
            upper.with_name(upper.name + name).mkdir()

    commands = []
    monkeypatch.setattr(directory_kernel, "log_file", lambda name: tmp_path / name)
    monkeypatch.setattr(directory_kernel.layers, "chroot_run", chroot_run)
    monkeypatch.setattr(directory_kernel.layers, "pack", lambda *_: None)
    made = directory_kernel.Tree("any", tmp_path / "made", base)
    directory_kernel.build(directory_kernel.look(str(top)), made)
    assert commands == [f"depmod {RELEASE}"]
    assert (made.root / where / RELEASE / "modules.builtin").read_text() == layout
    assert (made.root / "boot" / f"vmlinuz-{RELEASE}").read_text() == layout
    link = made.root / where / RELEASE / "build"
    built = made.root / str(link.readlink()).lstrip("/") if link.is_symlink() else link
    assert (built / "Module.symvers").read_text() == layout
    assert (made.root / "lib").is_symlink() == merged
    assert headers.exists()


def test_other_files_are_another_layer(tmp_path):
    image, *_ = lay_out(tmp_path, "debian")
    base = directory_kernel.Tree("any", tmp_path / "base")

    def key():
        return directory_kernel.key(directory_kernel.look(str(tmp_path)), base)

    former = key()
    assert key() == former
    image.write_text("another kernel")
    assert key() != former


def test_environment_names_the_kernel():
    assert kernels.directory_kernels({}) == {}
    (kernel,) = kernels.directory_kernels({"LW_KERNEL_DIR": "/k", "LW_KERNEL_SUITE": ""}).values()
    assert (kernel.name, kernel.directory, kernel.suite) == ("directory", "/k", "trixie")
    assert kernel.owns("6.8.0-31-generic") and kernel.owns("6.12-rt-amd64")


def test_unknown_user_space_is_refused(tmp_path):
    (kernel,) = kernels.directory_kernels({"LW_KERNEL_DIR": str(tmp_path), "LW_KERNEL_SUITE": "noble"}).values()
    with pytest.raises(CommandFailed, match="SUITE=noble: wanted bullseye, bookworm, trixie, sid"):
        directory_kernel.tree_of(kernel)


UBUNTUS = "x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0-23ubuntu4) 13.2.0"
DEBIANS = "gcc-12 (Debian 12.2.0-14) 12.2.0"
RED_HATS = "gcc (GCC) 11.5.0 20240719 (Red Hat 11.5.0-5)"


@pytest.mark.parametrize("text, has, linked", [
    (UBUNTUS, ["gcc", "gcc-12"], {"x86_64-linux-gnu-gcc-13": "gcc"}),
    (UBUNTUS, ["gcc-9", "gcc-12", "gcc-ar-12"], {"x86_64-linux-gnu-gcc-13": "gcc-12"}),
    (DEBIANS, ["gcc-12"], {}),
    (RED_HATS, ["gcc", "gcc-12"], {}),
    (RED_HATS, ["gcc-9", "gcc-12"], {"gcc": "gcc-12"})])
def test_compiler_that_headers_name_is_the_suites(tmp_path, text, has, linked):
    """One that the suite has remains."""
    _, _, headers = lay_out(tmp_path / "top", "debian")
    (headers / ".config").write_text(f'CONFIG_CC_VERSION_TEXT="{text}"\n')
    made = directory_kernel.Tree("any", tmp_path / "made", directory_kernel.Tree("any", tmp_path / "base"))
    (made.base.root / "usr/bin").mkdir(parents=True)
    for name in has:
        (made.base.root / "usr/bin" / name).touch()
    directory_kernel.link_compiler(directory_kernel.look(str(tmp_path / "top")), made)
    assert {path.name: path.readlink().name for path in made.root.glob("usr/local/bin/*")} == linked
