"""Kernels with other interfaces than those of Debian, in place of which stands a tree of Debian whose checksum, own
selector and symbols are replaced: each is taken or refused as the tables of docs/kernels.md say."""
import re
from pathlib import Path

import pytest

KERNELS_PAGE = Path(__file__).resolve().parents[2] / "docs/kernels.md"
STAND_INS = "/lw/src/tests/build/stand_ins"
# What sees a difference between kernels; the rest of the module is compiled for real ones.
OBJECTS = "src/main.o src/io.o src/admin/measure.o src/compat/probed.o"
SUPPORTED = "supported are Linux 5.10 and later, RHEL 8.6 and later: docs/kernels.md"


def table(heading):
    """Rows of the page's table under a heading, by what their first cells have in backticks."""
    text = KERNELS_PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]
    return {re.match("`(.*?)`", cells[0])[1]: cells for cells in rows}


INTERFACES = table("The interface")
FUNCTIONS = table("What is probed for")
PROOFS = {"checksum": 3, "layout": 4}   # columns


def number(interface):
    """As the stand-ins take it: 508 for 5.8."""
    major, minor = interface.split(".")
    return int(major) * 100 + int(minor)


class StandIn:
    """A kernel that has an interface, and a proof of it, in the workshop."""

    def __init__(self, workshop, interface, proof):
        self.workshop = workshop
        self.modules = f"/lib/modules/{workshop.release}"
        self.selector = f"{self.modules}/kernel/drivers/md/dm-service-time.ko"
        self.made = f"/root/stand-in-{interface}"
        status, output = workshop.run(f"""
            set -e
            [ ! -e {self.made} ] || exit 0
            cp -r {STAND_INS} {self.made}
            make -C {self.modules}/build M={self.made} LW_INTERFACE={number(interface)} modules 2>&1
            [ -e /root/symvers ] || cp -L {self.modules}/build/Module.symvers /root/symvers""")
        assert status == 0, output
        self.checksum = f"$(awk '$2 == \"dm_register_path_selector\" {{ print $1 }}' {self.made}/Module.symvers)"
        if proof == "layout":
            self.checksum = "0x00000000"

    def make(self, missing="", prepare=""):
        """Compile what depends on the kernel, which has all that is probed for but what is missing, after other changes."""
        symbols = [name[:-2] for name in FUNCTIONS if name.endswith("()") and name != missing]
        header = f"/usr/src/linux-headers-*/include/{missing}" if missing.endswith(".h") else ""
        return self.workshop.make(prepare=f"""
            built={self.modules}/build
            rm $built/Module.symvers
            awk -F '\\t' -v OFS='\\t' -v checksum={self.checksum} -v symbols='{" ".join(symbols)}' '
                $2 == "dm_register_path_selector" {{ $1 = checksum }}
                $2 !~ /^(copy_from_kernel_nofault|blk_stat_.*)$/
                END {{
                    for (n = split(symbols, name, " "); n; n--)
                        print "0x00000001", name[n], "vmlinux", "EXPORT_SYMBOL_GPL", ""
                }}' /root/symvers >$built/Module.symvers
            mkdir -p {self.modules}/kernel/drivers/md
            rm -f {self.selector}*
            cp {self.made}/dm-service-time.ko {self.selector}
            for header in {header}; do [ ! -e $header ] || mv $header $header.hidden; done
            trap 'for each in {header}.hidden; do [ ! -e $each ] || mv $each ${{each%.hidden}}; done' EXIT
            {prepare}""", arguments=f"-C $built M=/root/module {OBJECTS}")


@pytest.fixture(params=PROOFS)
def proof(request, workshop):
    if request.param == "checksum" and workshop.run(
            f"grep -q '^CONFIG_MODVERSIONS=y' /lib/modules/{workshop.release}/build/.config")[0]:
        pytest.skip("this kernel has no modversions, so its headers give stand-ins no checksum")
    return request.param


def compiled_as(workshop):
    """What the compiled module says of itself, and how it turned out: table of callbacks, functions that it calls."""
    status, output = workshop.run("""
        set -e
        cd /root/module/src
        objcopy -O binary --only-section=.modinfo compat/probed.o /root/modinfo
        tr '\\0' '\\n' </root/modinfo
        readelf -sW main.o admin/measure.o | awk '/ lw_ps$/ { print "table", $3 } / UND blk_stat/ { print $8 }'""")
    assert status == 0, output
    return output


@pytest.mark.parametrize("interface", INTERFACES)
def test_interface_is_taken_or_refused(workshop, interface, proof):
    kernel = StandIn(workshop, interface, proof)
    verdict = INTERFACES[interface][PROOFS[proof]]
    for missing in ("", "blk_stat_disable_accounting()"):
        status, output = kernel.make(missing)
        if verdict == "refused":
            assert status and f"path_selector_type of {workshop.release} is not one that we know" in output, output
            assert SUPPORTED in output, output
            continue
        assert status == 0 and not workshop.complaints(output), output
        found = compiled_as(workshop)
        wanted = "genksyms:0x[0-9a-f]{8}" if proof == "checksum" else r"dm-service-time\.ko"
        assert re.search(rf"^probed=interface:{verdict},proof:{wanted},blk_stat_disable_accounting:"
                         f"{'no' if missing else 'yes'}$", found, re.M), found
        assert f"table {104 if number(verdict) >= 519 else 96}\n" in found
        assert "blk_stat_enable_accounting\n" in found
        assert ("blk_stat_disable_accounting\n" in found) == (not missing)


@pytest.mark.parametrize("missing", [name for name, row in FUNCTIONS.items() if row[-1] == "refused"])
@pytest.mark.parametrize("interface", INTERFACES)
def test_kernel_that_lacks_something_is_refused(workshop, interface, missing):
    """Whatever its interface, by one line and before anything is compiled."""
    status, output = StandIn(workshop, interface, "layout").make(missing)
    assert status, output
    assert f"{workshop.release} lacks {missing}; {SUPPORTED}" in output, output
    assert "CC [M]" not in output


@pytest.mark.parametrize("program, suffix", [("xz", ".xz"), ("zstd", ".zst")])
def test_program_that_is_missing_is_named(workshop, program, suffix):
    """The kernel's selector is there, but packed."""
    kernel = StandIn(workshop, "6.3", "layout")
    status, output = kernel.make(prepare=f"""
        mv {kernel.selector} {kernel.selector}{suffix}
        for program in $(command -v {program}); do
            mv $program /root/program
            trap "mv /root/program $program" EXIT
        done""")
    assert status, output
    assert f"{kernel.selector}{suffix}, which takes {program} to unpack: install {program}" in output, output
