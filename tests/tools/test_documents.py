"""What is written beside the tool says what the tool does: man page, examples."""
# promise output/documents: Documents and shell completions agree with the programs

import re
import shutil
import subprocess
import sys

import pytest
from dm_lw import cli, columns, doctor, signals, tunables, values
from dm_lw.maps import NoModule

from tests.lib.options import DEFAULTS, OPTIONS, WORDS

from .conftest import TOOLS, commands, options

ROOT = TOOLS.parent


def man_page():
    """Without the markup."""
    return plain((TOOLS / "dm-lw.8").read_text())


def plain(text):
    text = re.sub(r"\\f[BIPR]", "", text).replace("\\-", "-")
    return re.sub(r"^\.[A-Z]+ ", "", text, flags=re.M).replace('"', "").replace(" , ", ", ")


def section_of(command):
    """The command's own section, with the markup."""
    text = (TOOLS / "dm-lw.8").read_text().split(".SS dm-lw %s\n" % command)[1]
    return re.split(r"^\.S[SH] ", text, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("command", commands())
def test_man_page_has_the_options_of_each_command(command):
    """In its tagged paragraphs, all of them and no other."""
    tags = re.findall(r"^\.T[PQ]\n(\.B.*)", section_of(command), re.MULTILINE)
    told = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", plain("\n".join(tags))))
    assert told == options(commands()[command]) - {"-h", "--help"}


def test_man_page_has_the_checks_of_doctor():
    """In the order in which they are made."""
    tags = re.findall(r"^\.TP\n\.B ([a-z]+)$", section_of("doctor"), re.MULTILINE)
    assert tags == list(doctor.CHECKS)


@pytest.mark.parametrize("name", columns.COLUMNS)
def test_man_page_has_each_column(name):
    table = man_page().split("COLUMNS\n.TS")[1].split(".TE")[0]
    assert name in re.sub(r"T\{.*?T\}|\t[^\n]*", "", table, flags=re.S).split()


def test_tables_are_written():
    """Otherwise `make tables` was forgotten."""
    done = subprocess.run([sys.executable, "-B", "-m", "tools.tables", "--check"], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("tunable", [*tunables.OF_MAP.values(), *tunables.OF_PATH.values()],
                         ids=lambda tunable: tunable.name)
def test_man_page_has_each_tunable(tunable):
    if tunable.name in WORDS:
        assert "%s\t%s\t" % (tunable.name, DEFAULTS[tunable.name]) in man_page()
        assert all(word in man_page() for word in WORDS[tunable.name])
        return
    default = ", %d" % OPTIONS[tunable.name][2] if tunable.name in OPTIONS else ""
    row = r"%s\t%d-%d(?: ms| KiB| %%)?%s\t" % (tunable.name, tunable.least, tunable.most, default)
    assert re.search(row, man_page())


@pytest.mark.parametrize("name, values", OPTIONS.items())
def test_parameters_page_has_each_range(name, values):
    row = r"^``%s``\s+%d-%d(?: ms| KiB| %%)?\s+%d\s" % (name, *values)
    assert re.search(row, (ROOT / "docs/latency-weighted.rst").read_text(), re.M)


@pytest.mark.parametrize("name, words", WORDS.items())
def test_parameters_page_has_each_word(name, words):
    text = (ROOT / "docs/latency-weighted.rst").read_text()
    assert re.search(r"^``%s``\s+a word\s+%s\s" % (name, words[0]), text, re.M)
    assert all("``%s``" % word in text for word in words)


each_page = pytest.mark.parametrize(
    "page", sorted(page for pages in ("*.md", "docs/**/*.md", "contrib/*.md", "tests/**/README.md") for page in ROOT.glob(pages)),
    ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def anchors(page):
    """Of its headings, as GitHub and GitLab make them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*?)\s*$", page.read_text(), re.M)}


@each_page
def test_links_lead_to_headings(page):
    links = re.findall(r"\]\(([^)#\s]*\.md|)#([^)]+)\)", page.read_text())
    assert [(file, anchor) for file, anchor in links if "://" not in file
            and anchor not in anchors(page.parent / file if file else page)] == []


@each_page
def test_tables_are_whole(page):
    """A row behind an empty line is no row, unless it is the first of a table."""
    lines = page.read_text().splitlines() + [""]
    for before, line, after in zip([""] + lines, lines, lines[1:]):
        if line.startswith("|") and not before:
            assert set(after) <= set("|-: ") and after, line


# The module's table as its compiler reads it.
AS_THE_COMPILER = """
#define LW_OPTION(option, least, most, value, ...) NUMBER option least most value
#define LW_CHOICE(option, value, text, ...) WORD option __VA_ARGS__
#include "option_defs.h"
"""


def options_of_the_module():
    """(least, most) or all words, by name."""
    rows = subprocess.run(["cc", "-E", "-P", "-I", ROOT / "src", "-"], input=AS_THE_COMPILER, text=True, check=True,
                          stdout=subprocess.PIPE, timeout=60).stdout
    found = {}
    for number, least, most, word, texts in re.findall(
            r'NUMBER (\w+) (\d+) (\d+) \d+|WORD (\w+)((?: *\[\w+\] = "[^"]*",?)+)', rows):
        found[number or word] = (int(least), int(most)) if number else tuple(re.findall('"(.*?)"', texts))
    return found


def test_tunables_are_the_modules():
    """All of the module's are dm-lw's, and the reverse, with the same limits and in the same order."""
    known = {name: tunable.words if isinstance(tunable, tunables.Choice) else (tunable.least, tunable.most)
             for name, tunable in tunables.OF_MAP.items()}
    assert list(known.items()) == list(options_of_the_module().items())
    assert list(known) == list(DEFAULTS)


def test_each_parameter_of_the_module_is_of_the_table():
    """But for the one that is no option of a map."""
    found = {(path.name, name) for path in sorted((ROOT / "src").rglob("*.[ch]"))
             for name in re.findall(r"\bmodule_param\w*\((\w+)", path.read_text())}
    assert found == {("options.c", "option"), ("use.c", "policy_max_us")}


def test_values_are_those_of_the_abi():
    """A guest compares the ABI with the module's files (test_sysfs.py)."""
    text = (ROOT / "docs/ABI/testing/sysfs-kernel-dm-latency-weighted").read_text()
    where = r"^What:\t\t/sys/kernel/dm-latency-weighted/<map>/paths/<path>/"
    assert set(re.findall(where + r"(\w+)$", text, re.M)) == {"device", *values.keys(*values.FILES), *values.NOT_SHOWN}
    for part, table in (("class", values.CLASS_VALUES), ("operation", values.OPERATION_VALUES)):
        assert set(re.findall(where + r"<%s>/(\w+)$" % part, text, re.M)) == {value.key for value in table}


def test_each_value_stands_once():
    for name in ("key", "column"):
        names = [getattr(value, name) for value in values.VALUES if getattr(value, name)]
        assert len(names) == len(set(names)), name


def test_reasons_for_a_choice_are_the_modules():
    """In the page about tracepoints, and in both scripts that count them."""
    names = re.search(r"lw_reason_text.*?__print_symbolic(.*?)\n\n", (ROOT / "src/trace.h").read_text(), re.S).group(1)
    reasons = re.findall(r'{ (\d+), "(\w+)" }', names)
    in_order = " ".join(name for _, name in reasons)
    assert [number for number, _ in reasons] == [str(number) for number in range(len(reasons))]
    assert re.findall(r"(\d) `(\w+)`", (ROOT / "docs/tracing.md").read_text().split("| `reason` |")[1]) == reasons
    assert re.findall(r'@why\[(\d+)\] = "(\w+)"', (ROOT / "docs/examples/choose.bt").read_text()) == reasons
    assert 'split("%s", why' % in_order in (ROOT / "docs/examples/choose.sh").read_text()


def test_man_page_is_well_formed():
    if not shutil.which("groff"):
        pytest.skip("no groff here")
    done = subprocess.run(["groff", "-man", "-t", "-Tutf8", "-ww", "-z", str(TOOLS / "dm-lw.8")],
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_man_page_fits_the_terminal():
    if not shutil.which("groff"):
        pytest.skip("no groff here")
    page = subprocess.run(["groff", "-man", "-t", "-Tascii", "-P-cbou", "-rLL=80n",
                           str(TOOLS / "dm-lw.8")], stdout=subprocess.PIPE, text=True, timeout=60)
    assert [line for line in page.stdout.splitlines() if len(line) > 80] == []
    assert page.stdout.count("\n") > 400


def test_man_page_is_well_formed_for_mandoc():
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here")
    done = subprocess.run(["mandoc", "-T", "lint", str(TOOLS / "dm-lw.8")], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.stdout == ""


def test_page_of_the_selector(tmp_path):
    """latency-weighted(7) is the page in docs/, in 80 columns, with a line for apropos."""
    page = tmp_path / "latency-weighted.7"
    page.write_bytes(subprocess.run([TOOLS / "make-man7"], stdout=subprocess.PIPE, check=True, timeout=60).stdout)
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.stdout == ""
    text = subprocess.run(["groff", "-man", "-t", "-Tascii", "-P-cbou", "-rLL=80n", page], stdout=subprocess.PIPE,
                          text=True, timeout=60).stdout
    source = (ROOT / "docs/latency-weighted.rst").read_text()
    assert [line for line in text.splitlines() if len(line) > 80 and line.strip() not in source] == []
    assert "latency-weighted - dm-multipath path selector by latency" in text
    for heading in re.findall(r"^(\w.*)\n==+$", source, re.M):
        assert heading == "dm-latency-weighted" or "\n%s\n" % heading.upper() in text


def test_tables_of_the_man_page_hold_no_macros():
    """mandoc shows them as text."""
    for table in re.findall(r"^\.TS\n(.*?)^\.TE", (TOOLS / "dm-lw.8").read_text(), re.M | re.S):
        assert not re.search(r"^\.(?!T)[A-Z]", table, re.M), table


def test_man_page_has_the_exit_statuses():
    table = man_page().split("EXIT STATUS\n.TS")[1].split(".TE")[0]
    told = {int(word) for line in table.splitlines() if re.match(r"[0-9 ]+\t", line)
            for word in line.split("\t")[0].split()}
    interrupted = {128 + number for number in signals.SIGNALS}
    assert cli.INTERRUPTED in interrupted
    assert told == {0, 1, 2, NoModule.STATUS, *interrupted, cli.PIPE_CLOSED}


def test_version():
    """The one of dkms.conf, which the module has, too."""
    (number,) = re.findall('PACKAGE_VERSION="(.*)"', (ROOT / "dkms.conf").read_text())
    done = subprocess.run([sys.executable, str(TOOLS / "dm-lw"), "--version"], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (done.returncode, done.stdout) == (0, "dm-lw %s\n" % number)


def test_options_before_the_command():
    section = man_page().split("\nOPTIONS\n")[1].split("EXIT STATUS")[0]
    for option in options(cli.parser()):
        assert re.search(r"(?<![\w-])%s(?![\w-])" % option, section), option


def test_kernel_page_names_every_setting():
    text = (ROOT / "docs/latency-weighted.rst").read_text()
    for name in [*tunables.OF_MAP, *tunables.OF_PATH]:
        assert name in text
