"""The series for the kernel's tree: made of our sources, applied, checked and compiled as that tree would."""
# promise lifecycle/upstream-series: The series for the kernel's tree applies there, `checkpatch --strict` finds
#   nothing, and it compiles without a warning | check: 7.2 | full: `builds`: after each patch in the whole tree, as
#   a module and built in

import os
import re
import shutil
import subprocess

import pytest

from tests.vm import upstream_module
from tests.vm.places import CHECKOUT
from upstream import edits, leave_out, series, sources

PATCHES = 3
COMPILE = "make -C /lib/modules/{release}/build M=/root/upstream W=1 modules 2>&1"


def run(*command, **more):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)


@pytest.fixture(scope="module")
def linux(workshop):
    return upstream_module.linux(workshop.kernel)


@pytest.fixture(scope="module")
def patches(linux, tmp_path_factory):
    """As a user makes them, the cover letter first."""
    out = tmp_path_factory.mktemp("series")
    done = run("make", "-s", "-C", CHECKOUT, "upstream", f"LINUX={linux}", f"OUT={out}")
    assert done.returncode == 0, done.stdout
    found = sorted(out.glob("*.patch"))
    assert done.stdout.split() == [str(path) for path in found]
    return found


def apply(tree, patches):
    """As a maintainer does."""
    for command in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "base"], ["am", "-q", *patches]):
        done = run("git", "-C", tree, "-c", "user.name=A Maintainer", "-c", "user.email=maintainer@example.org",
                   *command, env={**os.environ, **series.NO_SETTINGS})
        assert (done.returncode, done.stdout) == (0, ""), command


def test_series_applies_and_is_what_was_compiled(linux, patches, tmp_path):
    """Nor does git complain of white space."""
    tree = shutil.copytree(linux, tmp_path / "tree")
    apply(tree, patches[1:])
    found = {str(path.relative_to(tree)): path.read_text()
             for path in (tree / sources.DRIVER).rglob("*") if path.is_file()}
    assert found == sources.driver_files()
    assert (tree / series.PAGE).exists()
    entry = (tree / series.MAINTAINERS).read_text().split(f"\n{series.TITLE}\n")[1].split("\n\n")[0]
    assert [name for name in re.findall(r"^F:\t(.*)$", entry, re.M) if not (tree / name).exists()] == []


def test_cover_letter_is_filled_in(patches):
    text = patches[0].read_text()
    assert len(patches) == 1 + PATCHES and f"[PATCH 0/{PATCHES}] dm mpath: " in text
    assert "applies to 7." in text and "{" not in text.split("\n-- ")[0] and "*** " not in text


# A row of the table of options ends without a semicolon, and each macro uses some of its columns, as in linux/lsm_hooks.h.
FOR_ROWS = r":(\d+): WARNING:(?:TRAILING_SEMICOLON|MACRO_ARG_UNUSED): "
OF_THE_TABLE = r"\+#define LW_(OPTION|PARAM)\("


@pytest.mark.parametrize("number", range(1, PATCHES + 1))
def test_checkpatch_finds_nothing(linux, patches, number):
    done = run("perl", "scripts/checkpatch.pl", "--strict", "--no-color", "--terse", "--show-types", patches[number],
               cwd=linux)
    lines = patches[number].read_text().splitlines()
    found = [line for line in done.stdout.splitlines() if not line.startswith("total: ")]
    allowed = [line for line in found for at in re.findall(FOR_ROWS, line)
               if re.match(OF_THE_TABLE, lines[int(at) - 1])]
    assert found == allowed and done.returncode == bool(allowed), done.stdout


def test_compiles_without_warning(workshop):
    """As a module, with that tree's own declarations of the interface."""
    directory = workshop.upper / "root/upstream"
    shutil.rmtree(directory, ignore_errors=True)
    upstream_module.UpstreamModule().place(workshop.kernel, directory)
    status, output = workshop.run(COMPILE.format(release=workshop.release))
    assert status == 0 and (directory / "dm-latency-weighted.ko").exists(), output
    assert not workshop.complaints(output)


def test_nothing_is_there_for_nobody():
    """What only the left out parts used is left out, too: each name is used, each field read or written."""
    text = "\n".join(sources.driver_files().values())
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    declarations = re.compile(r"^\w[^\n=]*\b(lw_\w+)\([^;{]*\);", re.MULTILINE)
    names = set(re.findall(r"^\w[^\n;{}=]*?\b(lw_\w+)\(", code, re.MULTILINE))
    fields = set(re.findall(r"^\t[\w ]+[ *]+(\w+)(?:\[\w+\])?(?: ____cacheline_aligned)?;[ \t]*$", code, re.MULTILINE))
    assert len(names) > 100 and len(fields) > 100
    used = declarations.sub("", code)
    assert {name for name in names | fields if len(re.findall(rf"\b{name}\b", used)) == 1} == set()


def test_comments_name_nothing_that_is_left_out():
    """Nor do options, parameters and the page."""
    texts = {**sources.driver_files(), series.PAGE: series.page.text()}
    words = r"debugfs|dm-lw|tracepoint|admin/|docs/|tests/|compat|histogram|accounting|uevent|report|latency-weighted/<|lw_map"
    assert [(name, line) for name, text in texts.items() for line in text.splitlines() if re.search(words, line)] == []


def test_what_is_no_tree_is_named(tmp_path):
    done = run("make", "-s", "-C", CHECKOUT, "upstream", f"LINUX={tmp_path}", f"OUT={tmp_path}/out")
    assert done.returncode
    assert done.stdout.startswith(
        f"upstream: {tmp_path} is no kernel tree with device-mapper multipath: it has no MAINTAINERS\n")
    assert not (tmp_path / "out").exists()


def test_tree_that_has_it_is_refused(linux, tmp_path):
    tree = shutil.copytree(linux, tmp_path / "tree")
    (tree / sources.DRIVER).mkdir()
    with pytest.raises(LookupError, match=f"tree has {sources.DRIVER} already: wanted a tree without"):
        series.write(tree, tmp_path / "out", "A Name <name@example.org>")


def test_no_file_of_others_is_touched(linux, patches):
    before = {path: path.read_text() for path in patches}
    done = run("make", "-s", "-C", CHECKOUT, "upstream", f"LINUX={linux}", f"OUT={patches[0].parent}")
    assert done.returncode and done.stdout.startswith(
        f"upstream: {patches[0].parent} has something already: wanted a new directory, or an empty one\n")
    assert {path: path.read_text() for path in patches[0].parent.iterdir()} == before


def test_author_is_a_name_and_an_address():
    done = run("make", "-s", "-C", CHECKOUT, "upstream", "LINUX=.", "AUTHOR=nobody")
    assert done.returncode and "'nobody' is not a name and an address, such as A Name <name@example.org>" in done.stdout


def test_source_that_changed_is_named(monkeypatch):
    monkeypatch.setitem(sources.TEXTS, "path.c", [(edits.cut, r"^\tno such line;\n")])
    with pytest.raises(LookupError) as error:
        sources.driver_files()
    assert str(error.value).startswith("src/path.c is not as upstream/sources.py knows it: 0 times in place of once:")


def test_name_that_is_gone_is_named(monkeypatch):
    monkeypatch.setattr(sources, "NAMES", [*sources.NAMES, "lw_no_such"])
    with pytest.raises(LookupError, match=r"src/ has no lw_no_such, which upstream/sources.py leaves out"):
        sources.driver_files()


WHOLE = """\
/* What it is. */
static int lw_look(struct lw_map *map);

struct lw_thing {
	u64 kept;	/* stays */
	/* Says more. */
	u64 seen_ns;	/* when
			 * it was seen */
};

static int lw_do(struct lw_thing *t)
{
	u64 was = t->seen_ns, is = t->kept;
	int err;

	/* Needs a look. */
	err = lw_look(t->map);
	if (err)
		goto no_look;
	if (is && t->seen_ns && is > 1) {
		t->seen_ns = is;
		lw_use(is);
	}
	for_each_cpu(cpu)
		if (cpu)
			lw_look(cpu);
	return 0;

no_look:
	return is > 2 || lw_look(t);
}
"""
LESS = """\
struct lw_thing {
	u64 kept;	/* stays */
};

static int lw_do(struct lw_thing *t)
{
	u64 is = t->kept;
	int err;

	if (is && is > 1)
		lw_use(is);
	return 0;

	return is > 2;
}
"""


def test_names_take_along_what_uses_them():
    """A comment, the check of an error, an operand, braces, the head of a loop, a label."""
    assert leave_out.left_out(WHOLE, ["lw_look", "seen_ns"]).strip() == LESS.strip()


def test_branch_before_an_else_stays():
    with pytest.raises(LookupError, match=r"an else after 'lw_look\(\);'"):
        leave_out.left_out("static void f(void)\n{\n\tif (a)\n\t\tlw_look();\n\telse\n\t\tb();\n}\n", ["lw_look"])
