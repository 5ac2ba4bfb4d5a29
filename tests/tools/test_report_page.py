"""The page of dm-lw report: its head, its lines, and what of many samples is drawn."""
import re
import statistics
from types import SimpleNamespace

import pytest

from dm_lw.history import chart, timeline
from dm_lw.maps import STATES
from dm_lw.page import colour

from . import trees
from .conftest import Tool
from .test_captures import CAPTURES
from .test_report import TICK, file, recorded  # noqa: F401


def test_head_and_legend(tool, recorded):  # noqa: F811
    """What the recorder told of its machine; each path by its colour; what it did."""
    page = tool("report", str(recorded), "--html", "-")
    assert re.search(r"<p>kernel \S+, (module \S+, )?tool \S+</p>", page)
    for title in ("I/Os a second", "share, %", "latency"):
        assert page.count('>%s<' % title) == 2
    assert "MB a second" not in page            # no disk counted anything
    assert re.search(r'stroke: %s;[^>]*/></svg> sda' % colour(0), page)


def test_all_values_have_their_place():
    """A line for each path, where it was there; at most two points a pixel, the largest latency among them."""
    times = [float(moment) for moment in range(10000)]
    values = [1.0] * 10000
    values[5000] = 99.0
    points = chart.thin(list(zip(times, values)), max)
    assert len(points) <= 2 * (chart.RIGHT - chart.LEFT) and (5000.0, 99.0) in points
    assert chart.thin([(0.0, 1), (2.0, 2)], max) == [(0.0, 1), (2.0, 2)]
    assert {figure: of_part for _, figure, _, _, of_part in chart.CHARTS}["latency_us"] is max
    assert list(chart.pieces([(0, 1), (1, None), (2, 2), (3, 3)])) == [[(0, 1)], [(2, 2), (3, 3)]]
    assert list(chart.stretches([0, 1, 2, 3, 4], ["active", "active", None, "failed", "active"])) == [
        (0, 1, "active"), (3, 4, "failed"), (4, 4, "active")]
    assert set(chart.STATE_COLOURS) == set(STATES)


def test_rates_of_many_samples_are_means():
    """A rate that is 0 in every other sample is neither a block of colour nor what it never was for long."""
    points = chart.thin([(float(moment), moment % 2) for moment in range(20 * chart.POINTS)], statistics.fmean)
    assert len(points) <= chart.POINTS and all(0.45 <= value <= 0.55 for _, value in points[:-1])
    assert all(of_part is statistics.fmean for _, figure, _, _, of_part in chart.CHARTS if figure != "latency_us")


def test_shares_of_many_paths_are_told_apart(tool, sys_tree, clock, file):  # noqa: F811
    """Sixteen paths of 6 per cent each would be one line at the bottom of 100."""
    def write(done):
        trees.write(trees.map_text("dm-0", "mpatha", "36001405aaaa", {
            "sd%s" % letter: trees.path_files("8:%d" % (16 * place), done=done + place, share="6.25")
            for place, letter in enumerate("abcdefghijklmnop")}), sys_tree)
    tool.remove_map("dm-10")
    tool.remove_map("dm-0")
    write(1000)
    clock.later[:] = [lambda: write(2000)]
    tool("record", str(file), str(TICK), "2")
    page = tool("report", str(file), "--html", "-")
    marks = [float(mark) for mark in re.findall(r'text-anchor="end">([0-9.]+)</text>', page)]
    assert marks[:3] == [0, 5, 10]
    assert max(len(entry) for entry in re.findall('<span class="path">.*?</span>', page)) < 300 and page.count('class="path"') == 16


def test_in_flight_is_a_mean_of_time():
    """Not what a sample met: 20 I/Os a second of 30 ms are 0.6 in flight. Of I/Os that hang, the disk counts none."""
    row = {"disk_reads_per_s": 15, "disk_writes_per_s": 5, "disk_latency_us": 30000, "inflight": 1, "state": "active"}
    assert timeline.in_flight(row) == pytest.approx(0.6)
    assert timeline.in_flight(dict(row, disk_reads_per_s=0, disk_writes_per_s=0, disk_latency_us=None)) == 0
    assert timeline.in_flight(dict(row, state="stalled")) == 1
    assert timeline.in_flight(dict(row, disk_reads_per_s=None)) == 1


def test_target_ports(in_memory, clock, capsys, file):  # noqa: F811
    """In the head, beside each path, and in the events; in tables, too. They are looked up once."""
    root = in_memory / "san"
    capture = (CAPTURES / "san.tree").read_text().split("\n", 1)[1]
    trees.write(capture, root)
    san = Tool(root, capsys)
    clock.later[:] = [lambda: (root / "kernel/dm-latency-weighted/dm-0/paths/sdc/state").write_text("failed\n"), lambda: None]
    san("record", str(file), str(TICK), "3")
    assert file.read_text().count("10.77.1.2:3260") == 2
    page = san("report", str(file), "--html", "-")
    assert re.search(r"<p>Target ports:\s+10.77.1.2:3260 \(2 paths\),\s+10.77.2.2:3260 \(2 paths\)\s+</p>", page)
    assert "</svg> sda (10.77.2.2:3260)</span>" in page and "<td>sdc (10.77.1.2:3260)<td>failed, was active" in page
    table = san("report", str(file), "-o", "path,hctl,port,hba", "1", "1").splitlines()
    assert ["sda", "0:0:0:0", "10.77.2.2:3260", "10.77.2.1"] in [line.split() for line in table]


def test_pause_in_a_long_recording_is_not_drawn():
    times = [*range(2000), *range(90000, 92000)]
    axis = chart.Axis(times[0], times[-1])
    scale = chart.Linear([1.0], "{:g}".format)
    path = SimpleNamespace(figures={"inflight": [1.0] * 2000 + [None] + [1.0] * 1999})
    assert len(list(chart.lines(axis, 0, 90, [(path, times)], "inflight", scale, max))) == 2
