"""A tunable is three files, a value four: CONTRIBUTING's recipes, followed in a copy of the tree."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.lib.options import TABLE
from tests.vm.places import CHECKOUT
from tools.tables import options

PARTS = ["Makefile", "CONTRIBUTING.md", "contrib", "dkms.conf", "docs", "pytest.ini", "src", "tests", "tools"]
ABI = "docs/ABI/testing/sysfs-kernel-dm-latency-weighted"
# Written by `make tables` and with LW_WRITE_GOLDEN.
BY_VALUE = {"tools/dm-lw.8", "tools/completion/dm-lw", "tools/completion/_dm-lw"}
BY_TUNABLE = {*BY_VALUE, ABI, "docs/latency-weighted.rst", "tools/dm_lw/option_table.py"}

GOLDEN = ["tests/tools/test_stat.py", "tests/tools/test_captures.py", "tests/tools/test_prometheus.py"]
TESTS = [*GOLDEN, *(f"tests/tools/test_{name}.py" for name in ("documents", "completion", "set"))]
BOTH_WAYS = ["tunables_are_the_modules", "tables_are_written"]
# Not other documents, nor options of commands.
OURS = ["-k", "not links and not whole and not test_options and not test_choices and not test_names"]

# File: (the text before which the new one goes, the new one); None is the end of the file.
TUNABLE = {
    "src/option_defs.h": ("#undef LW_OPTION\n", """\
/* Less than report_ms. */
LW_OPTION(spare_ms, 1, 50, 7, ms,
	  "how long a (spare) \\"part\\" may be kept")

"""),
    "src/publish.c": (None, """
unsigned int lw_spare(const struct lw_selector *sel)
{
	return READ_ONCE(sel->config.spare_ms);
}
"""),
    "tests/tools/test_spare_tunable.py": (None, '''\
"""The tunable of the recipe."""


def test_is_set(tool):
    assert tool("set", "mpatha", "spare_ms=9") == "mpatha: spare_ms 7 -> 9\\n"
    assert tool.file("dm-0", "spare_ms").read_text() == "9\\n"
    assert tool.fails("set", "mpatha", "spare_ms=51") == 'dm-lw: spare_ms: "51" is not a number from 1 to 50\\n'
'''),
}
VALUE = {
    "src/admin/sysfs_path.c": ('\t{ .attr = { .name = "prefer", ', "\tLW_EVENT(spares, LW_EVENT_PROBE),\n"),
    ABI: ("What:\t\t/sys/kernel/dm-latency-weighted/<map>/paths/<path>/prefer\n", """\
What:		/sys/kernel/dm-latency-weighted/<map>/paths/<path>/spares
Date:		November 2026
KernelVersion:	5.10 (module version after 1.0.0)
Contact:	The dm-latency-weighted developers
Description:
		How many spare parts the path has.

"""),
    "tools/dm_lw/values.py": ('    Value("prefer", NUMBER', """\
    Value("spares", COUNT, column="spares", help="spare parts of the path",
          metrics=(Metric("path_spares_total", "Spare parts of the path."),)),
"""),
    "tests/tools/test_spare_value.py": (None, '''\
"""The value of the recipe."""


def test_is_shown(tool):
    tool.file("dm-0/paths/sda/spares").write_text("3\\\\n")
    assert tool("stat", "-o", "path,spares", "mpatha").split() == ["path", "spares", "sda", "3", "sdc", "0"]
    metrics = tool("stat", "--prometheus", "--prometheus-all")
    assert 'dm_lw_path_spares_total{device="mpatha",path="sda"} 3\\\\n' in metrics
'''.replace("\\\\", "\\")),
}


class Copy:
    """Of the tree, to be changed."""

    def __init__(self, top):
        self.top = top
        top.mkdir()
        for part in PARTS:
            source = CHECKOUT / part
            if source.is_dir():
                shutil.copytree(source, top / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, top / part)

    def follow(self, recipe):
        for name, (before, text) in recipe.items():
            file = self.top / name
            old = file.read_text() if file.exists() else ""
            if before is None:
                file.write_text(old + text)
            else:
                assert old.count(before) == 1, f"{name}: {before!r} is there {old.count(before)} times, not once"
                file.write_text(old.replace(before, text + before))

    def run(self, *command, **environment):
        """Its status and output."""
        done = subprocess.run(command, cwd=self.top, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=300, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment})
        return done.returncode, done.stdout

    def pytest(self, *words, **environment):
        return self.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, **environment)

    def must(self, result):
        assert result[0] == 0, result[1]

    def write_tables(self):
        """The files that were not up to date."""
        status, stale = self.run(sys.executable, "-m", "tools.tables", "--check")
        assert status == 1
        self.must(self.run("make", "-s", "tables", f"PYTHON={sys.executable}"))
        self.must(self.run(sys.executable, "-m", "tools.tables", "--check"))
        return set(re.findall(r"^(\S+): is not as the tables say: make tables$", stale, re.M))

    def write_golden(self):
        """As the recipes say."""
        self.must(self.pytest(*GOLDEN, "-k", "json or page or captured", LW_WRITE_GOLDEN="1"))

    def both_ways_fail(self):
        status, output = self.pytest(*(f"tests/tools/test_documents.py::test_{name}" for name in BOTH_WAYS))
        assert status == 1 and "2 failed" in output, output

    def compile(self, source):
        """As the simulated kernel has it."""
        objects = self.top / "objects"
        self.must(self.run("make", "-s", "-C", "tests/sim", f"BUILD={objects}", f"{objects}/src/{source}.o"))


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path / "tree")


def recipe(title):
    """The section of CONTRIBUTING, which has five lines."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text().split(f"### {title}\n\n")[1].split("\n\n")[0]
    assert [line[:3] for line in text.splitlines()] == ["1. ", "2. ", "3. ", "4. ", "5. "]
    return text


def paths_in_golden(text):
    documents = map(json.loads, text.splitlines())
    return [path for document in documents for found in document["maps"] for path in found["paths"]]


def test_a_tunable(copy):
    golden = copy.top / "tests/tools/golden/stat.json"
    before = golden.read_text()
    assert len(TUNABLE) == 3 and "`src/option_defs.h`" in recipe("a tunable")
    copy.follow(TUNABLE)
    copy.both_ways_fail()
    assert copy.write_tables() == BY_TUNABLE
    copy.write_golden()
    assert golden.read_text().replace(', "spare_ms": 7', "") == before
    copy.compile("publish")
    copy.must(copy.run("make", "-s", "-C", "tests/unit", f"OUT={copy.top}/objects", f"{copy.top}/objects/options_test"))
    copy.must(copy.run(copy.top / "objects/options_test"))
    copy.must(copy.pytest(*TESTS, "tests/tools/test_spare_tunable.py", *OURS))


def test_a_value(copy):
    golden = copy.top / "tests/tools/golden/stat.json"
    before = paths_in_golden(golden.read_text())
    assert len(VALUE) == 4 and all(f"`{name}`" in recipe("a value that dm-lw shows") for name in list(VALUE)[:3])
    copy.follow(VALUE)
    assert copy.write_tables() == BY_VALUE
    copy.write_golden()
    after = paths_in_golden(golden.read_text())
    assert [path.pop("spares") for path in after] == [0] * len(after) and after == before
    copy.compile("admin/sysfs_path")
    copy.must(copy.pytest(*TESTS, "tests/tools/test_spare_value.py", *OURS))


def test_tunable_that_the_module_does_not_have(copy):
    """In dm-lw alone."""
    table = copy.top / "tools/dm_lw/option_table.py"
    row = '    ("spare_ms", (1, 50), 7, "ms",\n     "no such"),\n'
    table.write_text(table.read_text().replace("OPTIONS = (\n", "OPTIONS = (\n" + row))
    copy.both_ways_fail()


@pytest.mark.parametrize("row, complaint", [
    ('LW_OPTION(spare, 5, 1, 3, ms, "x")', "spare: the default 3 is not from 5 to 1"),
    ('LW_OPTION(spare, 1, 5, 3, years, "x")', "spare: unit years is none of none, ms, percent, KiB"),
    ('LW_OPTION(spare, 1, LW_MOST, 3, ms, "x")', 'cannot read the row LW_OPTION(spare, 1, LW_MOST, 3, ms, "x")'),
    ('LW_CHOICE(spare, LW_C, "x", [LW_A] = "a", [LW_B] = "b")', "spare: no word is the default, LW_C"),
    ('LW_OPTION(window_ms, 1, 5, 3, ms, "x")', "an option is there twice: "),
    ('LW_FLAG(spare, 1, "x")', f"{len(TABLE)} of {len(TABLE) + 1} rows are LW_OPTION(...) or"),
])
def test_bad_row_is_told_in_a_line(tmp_path, row, complaint):
    path = tmp_path / "option_defs.h"
    text = (CHECKOUT / "src/option_defs.h").read_text()
    path.write_text(text.replace("#undef LW_OPTION\n", row + "\n\n#undef LW_OPTION\n"))
    with pytest.raises(ValueError) as error:
        options.read(path)
    assert str(error.value).startswith(f"{path}: ") and complaint in str(error.value) and "\n" not in str(error.value)


def test_place_of_a_table_that_moved_is_named(copy):
    page = copy.top / "docs/latency-weighted.rst"
    page.write_text(page.read_text().replace("Default Meaning", "Default What"))
    status, output = copy.run(sys.executable, "-m", "tools.tables")
    told = f"tables: {page}: no '=.* with '``prefer``.* behind it, or two of them\\n"
    assert status == 1 and re.fullmatch(told, output)
