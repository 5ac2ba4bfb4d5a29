"""The plugin of contrib/ for sos takes what a bundle has; it and the playbook use commands that dm-lw knows."""
# promise output/contrib: sos collects the content of a bundle; sos and the playbook call `dm-lw` with valid words |
#   by: `ansible-playbook --syntax-check` where Ansible is installed

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from types import ModuleType
from unittest import mock

import pytest
from dm_lw import cli, maps
from dm_lw.history import bundle
from dm_lw.kept import DIRECTORY

from .conftest import TOOLS

CONTRIB = TOOLS.parent / "contrib"
PLUGIN, PLAYBOOK = CONTRIB / "sos/latency_weighted.py", CONTRIB / "ansible/pilot.yml"
# What else tells what the bundle's file does.
COMMANDS = {"versions.txt": "dm-lw --version", "doctor.txt": "dm-lw doctor", "topology.json": "dm-lw topology --json",
            "table.txt": "dmsetup table --target multipath", "status.txt": "dmsetup status --target multipath",
            "kernel.txt": "journalctl --dmesg --boot --quiet --no-pager --grep='%s'" % bundle.LOGGED.pattern}


class StandIn:
    """Of sos' class, where sos is not installed."""

    def add_cmd_output(self, cmds, suggest_filename=None):
        pass

    def add_copy_spec(self, copyspecs, sizelimit=None):
        pass


def plugin(monkeypatch, base):
    module = ModuleType("sos.report.plugins")
    module.Plugin = base
    for name in ("IndependentPlugin", "DebianPlugin"):
        setattr(module, name, type(name, (), {}))
    for name in ("sos", "sos.report"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location(PLUGIN.stem, PLUGIN)
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec.loader.exec_module(found)
    return found.LatencyWeighted


def asked_for(monkeypatch, base):
    """Commands, and files; the calls are held against what the methods take."""
    monkeypatch.setattr("os.path.exists", lambda _: True)
    with mock.patch.object(base, "add_cmd_output", autospec=True) as commands, \
            mock.patch.object(base, "add_copy_spec", autospec=True) as files:
        cls = plugin(monkeypatch, base)
        cls.setup(object.__new__(cls))
    return all_of(commands), all_of(files)


def all_of(calls):
    """Each takes a word, or a list."""
    return [word for call in calls.call_args_list for word in
            ([call.args[1]] if isinstance(call.args[1], str) else call.args[1])]


def test_plugin_takes_what_a_bundle_has(monkeypatch):
    commands, files = asked_for(monkeypatch, StandIn)
    assert COMMANDS.keys() == bundle.SOURCES.keys() and set(COMMANDS.values()) <= set(commands)
    module = "/sys/%s/" % maps.MODULE
    assert {"/sys/" + maps.ROOT, module + "parameters", module + "version", module + "srcversion",
            "/sys/" + bundle.DEBUG, "/" + DIRECTORY} <= set(files)


def test_commands_of_the_plugin_exist(monkeypatch):
    for command in asked_for(monkeypatch, StandIn)[0]:
        program, *words = shlex.split(command)
        if program == "dm-lw" and words != ["--version"]:
            cli.parser().parse_args(words)


def test_sos_takes_what_the_plugin_says(monkeypatch):
    base = pytest.importorskip("sos.report.plugins", reason="sos is not installed here").Plugin
    commands, files = asked_for(monkeypatch, base)
    assert commands and files


def test_commands_of_the_playbook_exist():
    found = re.findall(r"argv: \[dm-lw, (.*)\]", PLAYBOOK.read_text())
    assert [words.split(",")[0] for words in found] == ["enable", "doctor", "disable"]
    for words in found:
        cli.parser().parse_args(words.split(", "))


def test_ansible_reads_the_playbook(tmp_path):
    if not shutil.which("ansible-playbook"):
        pytest.skip("ansible is not installed here")
    done = subprocess.run(["ansible-playbook", "--syntax-check", "-i", "localhost,", str(PLAYBOOK)], text=True, timeout=60,
                          env=dict(os.environ, HOME=str(tmp_path)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
