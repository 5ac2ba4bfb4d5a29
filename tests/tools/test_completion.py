"""What shells complete is what dm-lw takes: if not, `make completion` or `make tables` was forgotten."""
# promise output/documents

import re
import shlex
import shutil
import subprocess

import pytest
from dm_lw import cli, columns, tunables
from dm_lw.bench import fio_jobs

from .conftest import TOOLS, commands, options

BASH, ZSH = TOOLS / "completion/dm-lw", TOOLS / "completion/_dm-lw"


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def complete(*words):
    """What bash offers for the last word."""
    return run("bash", "-c", "compopt() { :; }; source %s; COMP_WORDS=(dm-lw %s); COMP_CWORD=%d;"
               " _dm_lw; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
                   BASH, " ".join("'%s'" % word for word in words), len(words))).split()


def test_options_before_the_command():
    assert set(complete("-")) == options(cli.parser())


def test_commands():
    assert set(complete("")) == set(commands())
    assert complete("sh") == ["show"]
    assert complete("--sysfs", "/tmp", "res") == ["reset"]


@pytest.mark.parametrize("command", commands())
def test_options(command):
    assert set(complete(command, "-")) == options(commands()[command])


@pytest.mark.parametrize("command", commands())
def test_choices(command):
    for action in commands()[command]._actions:
        if action.choices and action.option_strings:
            assert set(complete(command, action.option_strings[-1], "")) == set(action.choices)


def test_columns():
    assert set(complete("stat", "-o", "")) == set(columns.COLUMNS)
    assert complete("stat", "-o", "path,lat") == ["path,latency"]
    assert complete("stat", "--output", "+kn") == ["+knee"]


def test_tunables():
    assert set(complete("set", "mpatha", "")) == {name + "=" for name in tunables.OF_MAP}
    assert complete("set", "-n", "mpatha/sda", "") == ["prefer="]
    assert complete("--sysfs", "/tmp", "set", "mpatha", "win") == ["window_ms="]
    assert complete("unset", "mpatha", "win") == ["window_ms"]
    assert complete("unset", "mpatha/sda", "") == ["prefer"]


@pytest.mark.parametrize("name", ["mpatha", r"oracle\x20data", "a b", "a'b\"$(c)*", "-x"])
def test_names_are_offered_as_they_are_typed(name):
    typed = run("bash", "-c", "source %s; compgen -W \"$(printf '%%s\\n' \"$1\" | _dm_lw_quoted)\" -- ''" % BASH, "x", name)
    assert shlex.split(typed) == [name]


def test_jobs():
    assert set(complete("bench", "--job", "")) == set(fio_jobs.JOBS)


@pytest.fixture(scope="module")
def zsh():
    """What zsh has of all variables and functions that the file defines, by name."""
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    return run("zsh", "-f", "-c", "autoload -Uz compinit; compinit -D -u; eval \"$(<%s)\";"
               " typeset -m '_dm_lw*' '_shtab_dm_lw*'; functions -m '_dm_lw*' '_shtab_dm_lw*'" % ZSH)


@pytest.mark.parametrize("command", ["", *commands()])
def test_options_of_zsh(zsh, command):
    (specs,) = re.findall(r"^_shtab_dm_lw%s_options=\( *(.*) \)$" % ("_" + command if command else ""),
                          zsh, re.MULTILINE)
    shown = {spec.split("[")[0] for spec in shlex.split(specs)}     # descriptions name options, too
    told = {word for spec in shown if not re.match(r"\*?:", spec)
            for word in re.findall(r"-[\w-]*\w", spec)}
    assert told == options(commands()[command] if command else cli.parser())


def test_commands_and_words_of_zsh(zsh):
    for command in commands():
        assert re.search(r"[\s(]%s:'" % command, zsh), command
    for variable, known in (("map_keys", tunables.OF_MAP), ("path_keys", tunables.OF_PATH),
                            ("column_names", columns.COLUMNS), ("job_names", fio_jobs.JOBS)):
        (value,) = re.findall(r"^_dm_lw_%s=(.*)$" % variable, zsh, re.MULTILINE)
        assert shlex.split(value) == [" ".join(known)]


def test_functions_that_zsh_calls_are_there(zsh):
    called = set(re.findall(r":(_dm_lw_\w+)\"", ZSH.read_text()))
    assert len(called) >= 6
    for name in called:
        assert "\n%s () {\n" % name in zsh
