"""dm-lw stat --prometheus: the format, and the file. What it may not be: test_output.py."""
import os
import re
import subprocess
import sys
import time

import pytest

from dm_lw import prometheus
from dm_lw.sysfs import Sysfs

from . import trees
from .conftest import TOOLS, Tool

ALL = ("--prometheus", "--prometheus-all")
BOTH = pytest.mark.parametrize("words", [ALL[:1], ALL])
SAMPLE = re.compile(r'([a-z][a-z0-9_]*)(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e-]+')


def test_page(tool, golden):
    golden("stat.prom", tool("stat", "--prometheus"))
    golden("stat-all.prom", tool("stat", *ALL))


@BOTH
def test_each_metric_has_help_and_type_and_stands_together(tool, words):
    seen = []
    for line in tool("stat", *words).splitlines():
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


@BOTH
def test_no_series_twice(tool, words):
    lines = [line.rsplit(" ", 1)[0] for line in tool("stat", *words).splitlines()
             if not line.startswith("#")]
    assert len(lines) == len(set(lines))


def test_operations_that_were_done(tool):
    """By label; a path whose operations nobody asked for has none."""
    lines = [line for line in tool("stat", *ALL).splitlines() if line.startswith("dm_lw_path_operation_")]
    of_sda = 'device="mpatha",path="sda",operation='
    assert lines == ["dm_lw_path_operation_base_latency_seconds{%s\"read\"} 0.001" % of_sda,
                     "dm_lw_path_operation_base_latency_seconds{%s\"write\"} 0.002" % of_sda,
                     "dm_lw_path_operation_base_latency_seconds{%s\"other\"} 9e-05" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"read\"} 800" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"write\"} 200" % of_sda,
                     "dm_lw_path_operation_done_total{%s\"other\"} 3" % of_sda]


def series(tool, path, *words):
    return [line for line in tool("stat", *words).splitlines() if 'path="%s"' % path in line]


def test_dozen_of_series_for_each_path(tool):
    """Of a disk that the kernel has counters of; the others are asked for."""
    for device in ("8:0", "8:32"):
        stat = tool.root / "dev/block" / device / "stat"
        stat.parent.mkdir(parents=True)
        stat.write_text("10 0 2000 5 1 0 4000 0 0 0 0\n")
    for path in ("sda", "sdc"):
        assert len(series(tool, path, "--prometheus")) == 12
        assert set(series(tool, path, "--prometheus")) < set(series(tool, path, *ALL))
        assert len(series(tool, path, *ALL)) > 30


def test_slow_and_failed(tool):
    """For alerts: a path that stalls is as bad as a slow one."""
    tool.file("dm-0/paths/sda/state").write_text("probing\n")
    tool.file("dm-0/paths/sda/latency_us").write_text("8000000\n")
    out = tool("stat", "--prometheus")
    for path, slow, failed in (("sda", 1, 0), ("sdc", 1, 0), ("sdb", 0, 0), ("sdd", 0, 1)):
        assert 'path="%s"} %d\n' % (path, slow) in out.partition("# HELP dm_lw_path_slow")[2].partition("# HELP")[0]
        assert 'path="%s"} %d\n' % (path, failed) in out.partition("# HELP dm_lw_path_failed")[2].partition("# HELP")[0]


def test_labels_are_node_exporters(tool):
    """Those of node_dmmultipath_path_state and node_dmmultipath_device_info, so that they can be joined."""
    out = tool("stat", "--prometheus")
    assert 'dm_lw_map_info{device="mpatha",sysfs_name="dm-0",uuid="mpath-36001405aaaa"} 1\n' in out
    assert 'dm_lw_path_failed{device="mpathb",path="sdd"} 1\n' in out


MAPS, PATHS, LARGEST = 400, 8, 4_000_000        # a database host; bytes
READS = 11              # files for each path; the CPU time is these, as long as nothing else grows


def write_large_host(root):
    """Each map has the same paths behind links: a host of 3,200 paths is quickly made."""
    names = ["sd%s" % letter for letter in "abcdefgh"]
    trees.write(trees.map_text("dm-0", "m", "w", {
        name: trees.path_files("65:%d" % number) for number, name in enumerate(names)}), root)
    for number in range(PATHS):
        (root / "dev/block" / ("65:%d" % number)).mkdir(parents=True)
        (root / "dev/block" / ("65:%d" % number) / "stat").write_text("10 0 2000 5 1 0 4000 0 0 0 0\n")
    module = root / "kernel/dm-latency-weighted"
    for number in range(1, MAPS):
        wwid = "3600140500000000000000000%08x" % number
        trees.write("kernel/dm-latency-weighted/dm-%d/name %s\nblock/dm-%d/dm/uuid mpath-%s" % (
            number, wwid, number, wwid), root)
        (module / ("dm-%d" % number) / "paths").symlink_to(module / "dm-0/paths")


def test_scrape_of_a_large_host(in_memory, capsys, monkeypatch):
    """The files that it reads are counted, as seconds depend on the machine; it took 0.7 s of CPU."""
    root = in_memory / "large"
    write_large_host(root)
    reads, content = [], Sysfs.content
    monkeypatch.setattr(Sysfs, "content", lambda *words, **options: reads.append(words) or content(*words, **options))
    begun = time.process_time()
    out = Tool(root, capsys)("stat", "--prometheus")
    taken = time.process_time() - begun
    lines = out.count("\n")
    told = "%d lines, %d bytes, %d files, %.2f s of CPU" % (lines, len(out), len(reads), taken)
    print(told)
    assert MAPS * PATHS * 12 < lines < MAPS * PATHS * 12 + 2 * MAPS and len(out) < LARGEST, told
    assert len(reads) <= MAPS * (PATHS * READS + 4), told
    assert taken < 10, told


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
