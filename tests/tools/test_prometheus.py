"""dm-lw stat --prometheus: the format, and the file. What it may not be: test_output.py."""
import os
import re
import subprocess
import sys

import pytest

from dm_lw import prometheus

from .conftest import TOOLS

SAMPLE = re.compile(r'([a-z][a-z0-9_]*)(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e-]+')


def test_page(tool, golden):
    golden("stat.prom", tool("stat", "--prometheus"))


def test_each_metric_has_help_and_type_and_stands_together(tool):
    seen = []
    for line in tool("stat", "--prometheus").splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in seen and line.endswith(".")
            seen.append(name)
        elif line.startswith("# TYPE "):
            assert line.split()[2] == seen[-1]
            assert (line.split()[3] == "counter") == seen[-1].endswith("_total")
        else:
            assert SAMPLE.fullmatch(line), line
            assert line.split("{")[0].split(" ")[0] == seen[-1]


def test_no_series_twice(tool):
    lines = [line.rsplit(" ", 1)[0] for line in tool("stat", "--prometheus").splitlines()
             if not line.startswith("#")]
    assert len(lines) == len(set(lines))


def test_operations_that_were_done(tool):
    """By label; a path whose operations nobody asked for has none."""
    lines = [line for line in tool("stat", "--prometheus").splitlines() if line.startswith("dm_lw_path_operation_")]
    of_sda = 'device="mpatha",path="sda",operation='
    assert lines == ["dm_lw_path_operation_base_latency_seconds{%s\"read\"} 0.001" % of_sda,
                     "dm_lw_path_operation_base_latency_seconds{%s\"write\"} 0.002" % of_sda,
                     "dm_lw_path_operation_base_latency_seconds{%s\"other\"} 9e-05" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"read\"} 800" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"write\"} 200" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"other\"} 3" % of_sda]


def test_file(tool, tmp_path):
    file = tmp_path / "dm_lw.prom"
    assert tool("stat", "--prometheus", str(file)) == ""
    assert file.read_text() == tool("stat", "--prometheus")
    assert file.stat().st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["dm_lw.prom"]


def test_file_is_replaced_not_written_over(tool, tmp_path):
    """Who has the old file open reads the old one to its end."""
    file = tmp_path / "dm_lw.prom"
    file.write_text("old\n")
    with open(file) as opened:
        tool("stat", "--prometheus", str(file), "mpatha")
        assert opened.read() == "old\n"
    assert "dm_lw_path_done_total" in file.read_text()


def test_file_is_renewed_at_each_interval(tool, tmp_path):
    file = tmp_path / "dm_lw.prom"
    tool("stat", "1", "2", "--prometheus", str(file))
    assert 'dm_lw_path_done_total{device="mpatha",path="sda"} 3000\n' in file.read_text()


def test_directory_that_is_not_there(tool, tmp_path):
    where = str(tmp_path / "none" / "dm_lw.prom")
    assert where in tool.fails("stat", "--prometheus", where)


@pytest.mark.parametrize("names", [[], ["mpatha"]])
def test_without_module_no_old_figures_stay(tool, tmp_path, names):
    file = tmp_path / "dm_lw.prom"
    file.write_text("dm_lw_path_done_total 5\n")
    tool.file().rename(tool.root / "gone")
    assert "older than this tool" in tool.fails(
        "stat", *names, "--prometheus", str(file), status=3)
    assert file.read_text().splitlines()[-1] == "dm_lw_module_loaded 0"
    assert "path_done" not in file.read_text()


@pytest.mark.parametrize("word, written", [('a"b', 'a\\"b'), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb")])
def test_labels_are_escaped(word, written):
    assert prometheus.escaped(word) == written


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_stdout_is_utf_8(sys_tree, encoding):
    """In any locale, as the format has no other escapes."""
    (sys_tree / "kernel/dm-latency-weighted/dm-0/name").write_text("mp\u00e4th\n", encoding="utf-8")
    done = subprocess.run([sys.executable, str(TOOLS / "dm-lw"), "--sysfs", str(sys_tree), "stat", "--prometheus"],
                          env=dict(os.environ, PYTHONIOENCODING=encoding), stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 0 and 'device="mp\u00e4th"' in done.stdout.decode("utf-8")


def test_no_maps_is_no_error(tool):
    for name in ("dm-0", "dm-10"):
        tool.file(name).rename(tool.root / name)
    assert tool("stat", "--prometheus").splitlines()[-1] == "dm_lw_module_loaded 1"
