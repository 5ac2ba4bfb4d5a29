"""What is written beside the tool says what the tool does: man page, completion, examples."""
import argparse
import re
import shutil
import subprocess

import pytest

from dm_lw import cli, columns, tunables
from tests.dm.lib.options import OPTIONS

from .conftest import TOOLS

ROOT = TOOLS.parent
COMPLETION = TOOLS / "completion/dm-lw"


def commands():
    """The parser of each command."""
    (sub,) = [action for action in cli.parser()._actions
              if isinstance(action, argparse._SubParsersAction)]
    return sub.choices


def options(parser):
    return {option for action in parser._actions for option in action.option_strings}


def man_page():
    """Without the markup."""
    text = (TOOLS / "dm-lw.8").read_text()
    text = re.sub(r"\\f[BIPR]", "", text).replace("\\-", "-")
    return re.sub(r"^\.[A-Z]+ ", "", text, flags=re.M).replace('"', "").replace(" , ", ", ")


@pytest.mark.parametrize("command", commands())
def test_man_page_has_each_command_and_option(command):
    assert ".SS dm-lw %s\n" % command in (TOOLS / "dm-lw.8").read_text()
    section = man_page().split("\ndm-lw %s\n" % command)[-1]
    for option in options(commands()[command]) - {"-h", "--help"}:
        assert re.search(r"(?<![\w-])%s(?![\w-])" % option, section), option


@pytest.mark.parametrize("name", columns.COLUMNS)
def test_man_page_has_each_column(name):
    table = man_page().split("COLUMNS\n.TS")[1].split(".TE")[0]
    assert name in re.sub(r"T\{.*?T\}|\t[^\n]*", "", table, flags=re.S).split()


@pytest.mark.parametrize("tunable", [*tunables.OF_MAP.values(), *tunables.OF_PATH.values()],
                         ids=lambda tunable: tunable.name)
def test_man_page_has_each_tunable(tunable):
    default = ", %d" % OPTIONS[tunable.name][2] if tunable.name in OPTIONS else ""
    assert "%s\t%d-%d%s\t" % (tunable.name, tunable.least, tunable.most, default) in man_page()


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*/README.md")]),
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_are_whole(page):
    """A row behind an empty line is no row, unless it is the first of a table."""
    lines = page.read_text().splitlines() + [""]
    for before, line, after in zip([""] + lines, lines, lines[1:]):
        if line.startswith("|") and not before:
            assert set(after) <= set("|-: ") and after, line


@pytest.mark.parametrize("tunable", [*tunables.OF_MAP.values()],
                         ids=lambda tunable: tunable.name)
def test_ranges_are_the_modules(tunable):
    text = "".join(path.read_text() for path in sorted((ROOT / "src").glob("*.[ch]")))
    least, most = re.search(r"LW_OPTION\(%s, (\w+), (\w+)\)" % tunable.name, text).groups()
    if not most.isdigit():
        most = re.search(r"#define\s+%s\s+(\d+)U?\b" % most, text).group(1)
    assert (tunable.least, tunable.most) == (int(least), int(most))


def test_man_page_is_well_formed():
    if not shutil.which("groff"):
        pytest.skip("no groff here")
    done = subprocess.run(["groff", "-man", "-t", "-Tutf8", "-ww", "-z", str(TOOLS / "dm-lw.8")],
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def complete(*words):
    """What bash offers for the last word."""
    script = "compopt() { :; }; source %s; COMP_WORDS=(dm-lw %s); COMP_CWORD=%d; _dm_lw;" \
             " printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
                 COMPLETION, " ".join("'%s'" % word for word in words), len(words))
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_completion_of_commands():
    assert set(complete("")) == set(commands())
    assert complete("sh") == ["show"]
    assert complete("--sysfs", "/tmp", "re") == ["reset"]


@pytest.mark.parametrize("command", commands())
def test_completion_of_options(command):
    known = {option for option in options(commands()[command]) if option.startswith("--")}
    assert set(complete(command, "-")) == known


def test_completion_of_columns():
    assert set(complete("stat", "-o", "")) == set(columns.COLUMNS)
    assert complete("stat", "-o", "path,lat") == ["path,latency"]
    assert complete("stat", "-o", "+kn") == ["+knee"]


def test_completion_of_tunables():
    assert set(complete("set", "mpatha", "")) == {name + "=" for name in tunables.OF_MAP}
    assert complete("set", "-n", "mpatha/sda", "") == ["prefer="]


def test_kernel_page_names_every_setting():
    text = (ROOT / "docs/latency-weighted.rst").read_text()
    for name in [*tunables.OF_MAP, *tunables.OF_PATH]:
        assert name in text
