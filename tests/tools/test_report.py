"""dm-lw report: a recording shown as dm-lw stat showed it then, and as a page."""
# promise output/record

import html.parser
import json
import os
import random
import re
import shutil
import sys

import pytest

from dm_lw.history import chart, episodes, timeline

from . import trees
from .conftest import write_maps

TICK = 10                       # seconds between samples


@pytest.fixture
def file(tmp_path):
    return tmp_path / "recording"


@pytest.fixture
def recorded(tool, sys_tree, clock, file):
    """Three samples; the last one a tick after the second."""
    clock.later[:] = [lambda: write_maps(sys_tree, 3000, slow_done=910, probes=15)]
    tool("record", str(file), str(TICK), "3")
    return file


def test_as_stat_showed_it(tool, sys_tree, clock, file):
    """The same reports, but for the first's rates, which are means since the paths are known."""
    def become():
        write_maps(sys_tree, 3000, slow_done=910, probes=15)
    start = clock.now
    shown = {}
    for options in ((), ("-c",), ("-o", "path,read,knee,failures"), ("-j",)):
        clock.now = start
        write_maps(sys_tree, 1000, slow_done=900, probes=5)
        clock.later[:] = [become]
        time_option = () if "-j" in options else ("-t",)
        shown[options] = tool("stat", *options, *time_option, str(TICK), "3")
    clock.now = start
    write_maps(sys_tree, 1000, slow_done=900, probes=5)
    clock.later[:] = [become]
    tool("record", str(file), str(TICK), "3")
    for options, expected in shown.items():
        if "-j" in options:
            assert [without_unused(json.loads(line)) for line in tool(
                "report", "-j", str(file)).splitlines()] == [
                    without_unused(json.loads(line)) for line in expected.splitlines()]
        else:
            assert tool("report", str(file), *options) == expected


def without_unused(document):
    """Size classes without any I/O are not recorded."""
    for found in document["maps"]:
        for path in found["paths"]:
            for parts in ("classes", "operations"):
                path[parts] = {name: values for name, values in path[parts].items() if values["done"]}
    return document


def reports(out):
    return [re.match("[0-9]{4}-[0-9-]* [0-9:]*", part).group() for part in out.split("\n\n")]


def test_times_intervals_and_counts(tool, recorded):
    assert reports(tool("report", str(recorded))) == [
        "2025-11-21 13:00:00", "2025-11-21 13:00:10", "2025-11-21 13:00:20"]
    for words, expected in ((["--from", "2025-11-21 13:00:05"], ["10", "20"]), (["20"], ["00", "20"]),
                            (["--to", "2025-11-21T13:00:10"], ["00", "10"]), (["1", "2"], ["00", "10"]),
                            (["--from", "2025-11-21", "--to", "2025-11-22"], ["00", "10", "20"])):
        assert [each[-2:] for each in reports(tool("report", str(recorded), *words))] == expected
    assert "has no sample of that time" in tool.fails("report", str(recorded), "--from", "2025-11-22")


def test_clock_that_runs_backwards(tool, recorded):
    """Another boot, though it tells the same start: no interval or rate is below zero, and the page has a pause."""
    *lines, last = recorded.read_text().splitlines()
    recorded.write_text("\n".join([*lines, re.sub('"clock":[0-9.]+', '"clock":5', last)]) + "\n")
    documents = [json.loads(line) for line in tool("report", "-j", str(recorded)).splitlines()]
    assert [each["interval_s"] for each in documents] == [None, TICK, None]
    assert documents[2]["maps"][0]["paths"][0]["ios_per_s"] > 0
    assert len(reports(tool("report", str(recorded), str(TICK)))) == 3
    assert "recording goes on" in tool("report", str(recorded), "--html", "-")


def test_only_the_maps_named(tool, recorded):
    for name in ("mpathb", "dm-10", "36001405bbbb", "/dev/mapper/mpathb"):
        found = tool("report", str(recorded), name)
        assert "mpathb" in found and "mpatha" not in found
    assert "recording has no map that is called x; it has: mpatha, mpathb" in tool.fails(
        "report", str(recorded), "x")


@pytest.mark.parametrize("words, told", [
    ([], "which recording? dm-lw report FILE"),
    (["x", "--from", "noon"], "\"noon\" is not a time like \"2026-11-25 10:00\""),
    (["x", "--from", ""], "\"\" is not a time like"),
    (["x", "--to", ""], "\"\" is not a time like"),
    (["x", "--to", "2026-13-01"], "\"2026-13-01\" is not a time"),
    (["x", "--with-identities"], "--with-identities is about --bundle"),
    (["x", "-o", "nosuch"], "no column is called \"nosuch\""),
    (["x", "--html", "a", "-j"], "not allowed with argument"),
])
def test_wrong_words(tool, words, told):
    assert told in tool.fails("report", *words, status=2)


def test_no_recording(tool, tmp_path):
    assert "nosuch: there is no such file" in tool.fails("report", str(tmp_path / "nosuch"))
    (tmp_path / "empty").write_text("")
    assert "empty has no sample" in tool.fails("report", str(tmp_path / "empty"))
    assert "is a directory; wanted is a regular file" in tool.fails("report", str(tmp_path))


@pytest.mark.parametrize("line, told", [
    ("{}", "it has neither a state nor a change"),
    ("[]", "it is not a JSON object"),
    ("x", "it is not JSON"),
    ("[" * 100000, "it is not JSON"),
    ('{"begin":2,"state":{}}', "it has format 2; this dm-lw reads 1"),
    ('{"begin":1,"state":{}}', "it does not tell when the recorder was started"),
    ('{"change":{}}', "it has no time"),
    ('{"time":3e11,"clock":1,"change":{}}', "it has no time"),
    ('{"time":1e300,"clock":1,"change":{}}', "time is not a number"),
    ('{"time":NaN,"clock":1,"change":{}}', "it is not JSON"),
    ('{"time":1,"clock":1,"change":{"maps":3}}', "maps is not an object"),
    ('{"time":1,"clock":1,"events":3,"change":{}}', "events are not a list of objects"),
    ('{"time":1,"clock":1,"events":[{"time":1,"map":"a"}],"change":{}}', "an event does not tell all"),
    ('{"time":1,"clock":1,"change":{"maps":{"dm-0":{"paths":{"sda":{"values":{"state":"odd"}}}}}}}',
     'state of sda is "odd"'),
    ('{"time":1,"clock":1,"change":{"maps":{"dm-0":{"paths":{"sda":{"values":{"done":"x"}}}}}}}',
     "done is not a number"),
    ('{"time":1,"clock":1,"change":{"maps":{"dm-0":{"name":"\\u001b[2J"}}}}', "name is not a word"),
])
def test_damaged(tool, recorded, line, told):
    """A line that is none, amid others: it was not left there by a kill."""
    text = recorded.read_text().splitlines()
    recorded.write_text("\n".join([text[0], line, *text[1:]]) + "\n")
    _, out, err = tool.run("report", str(recorded))
    assert "%s is not a dm-lw recording: line 2: %s" % (recorded, told) in err and err.count("\n") == 1
    assert out.count("mpatha") == 2             # what was before it is shown


@pytest.mark.parametrize("seed", range(8))
def test_garbage(tool, recorded, seed):
    """Bytes that differ anywhere: reports and pages, or one line that tells what is wrong."""
    chance = random.Random(seed)
    content = bytearray(recorded.read_bytes())
    for _ in range(chance.choice([1, 5, 50])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    recorded.write_bytes(bytes(content))
    for options in ([], ["-j"], ["-c"], ["--html", "-"]):
        status, _, err = tool.run("report", str(recorded), *options)
        assert status in (0, 1) and err.count("\n") == status, err


class Outline(html.parser.HTMLParser):
    """What a page refers to, and whether each SVG element has an end."""

    def __init__(self):
        super().__init__()
        self.open, self.links, self.charts = [], [], 0

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href")]
        if tag == "svg" or self.open:
            self.open.append(tag)
        self.charts += ("role", "img") in attributes

    def handle_endtag(self, tag):
        if self.open:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass


def outline(page):
    found = Outline()
    found.feed(page)
    assert found.open == [] and found.links == []
    return found


def test_page(tool, recorded, tmp_path):
    page = tmp_path / "page.html"
    assert tool("report", str(recorded), "--html", str(page)) == ""
    text = page.read_text()
    assert outline(text).charts == 2
    assert text == tool("report", str(recorded), "--html", "-")
    assert "3 samples" in text and "2025-11-21 13:00:00 to 2025-11-21 13:00:20 (20 s)" in text
    assert outline(tool("report", str(recorded), "mpatha", "--html", "-")).charts == 1


def test_page_replaces_regular_files_only(tool, recorded, tmp_path):
    os.mkfifo(str(tmp_path / "fifo"))
    assert "is a FIFO; wanted is a regular file" in tool.fails(
        "report", str(recorded), "--html", str(tmp_path / "fifo"))
    assert "there is no directory" in tool.fails("report", str(recorded), "--html", str(tmp_path / "no/page"))


def test_names_are_no_markup(tool, sys_tree, clock, file):
    clock.later.clear()
    tool.file("dm-0/name").write_text("<script>alert(1)</script>\n")
    tool("record", str(file), "1", "1")
    page = tool("report", str(file), "--html", "-")
    assert "<script>" not in page and "&lt;script&gt;" in page


def told(tool, file):
    """The events of a page: time, map, path, what."""
    page = tool("report", str(file), "--html", "-")
    assert outline(page).charts
    return [tuple(re.split("<td>", line)[1:]) for line in page.splitlines() if line.startswith("<tr><td>")]


def test_events(tool, sys_tree, clock, file):
    """A state has the time at which it changed, and what came and went between two samples is told."""
    def change(**values):
        trees.write(trees.map_text("dm-0", "mpatha", "36001405aaaa", {"sda": trees.path_files("8:0", **values)}),
                    sys_tree)
    def unload():
        root.rename(gone)
        shutil.rmtree(str(sys_tree / "block"))
    noon = trees.NOON
    root, gone = tool.file(), tool.root / "gone"
    slow = dict(state="probing", state_since="%d.5" % (noon + 3))
    back = dict(state="active", state_since="%d" % (noon + 17))
    failed = dict(back, state_since="%d" % (noon + 28), failures=2)
    clock.later[:] = [lambda: change(**slow), lambda: change(**back), lambda: change(**failed),
                      unload, lambda: gone.rename(root)]
    _, _, err = tool.run("record", str(file), str(TICK), "6")
    assert "recording goes on" in err
    clock.now += 3600
    tool("record", str(file), str(TICK), "1")
    assert told(tool, file) == [
        ("2025-11-21 13:00:03", "mpatha", "sda", "slow, was active", "13.5 s"),
        ("2025-11-21 13:00:28", "mpatha", "sda", "active again, failed twice in between", ""),
        ("2025-11-21 13:00:40", "", "", "the module is not loaded any more", ""),
        ("2025-11-21 13:00:40", "mpatha", "", "is gone", ""),
        ("2025-11-21 13:00:40", "mpathb", "", "is gone", ""),
        ("2025-11-21 13:00:50", "", "", "the module is loaded", ""),
        ("2025-11-21 13:00:50", "mpatha", "", "is there", ""),
        ("2025-11-21 13:00:50", "mpathb", "", "is there", ""),
        ("2025-11-21 14:00:50", "", "", "recording goes on; the last sample was 1 h before", "")]


def test_paths_that_come_and_go(tool, sys_tree, clock, file):
    path, kept = tool.file("dm-10/paths/sdd"), tool.root / "kept"
    clock.later[:] = [lambda: path.rename(kept), lambda: kept.rename(path)]
    tool("record", str(file), str(TICK), "3")
    assert [event[1:4] for event in told(tool, file)] == [("mpathb", "sdd", "is gone"), ("mpathb", "sdd", "is there")]


def state_change(seconds, state, reported=False, path="sda"):
    return timeline.Event(seconds, "mpatha", path, "became slow" if reported else state, state, reported)


def test_each_state_has_a_length():
    """A report and what the samples saw are one; the way back is no event of its own; one goes on to the end."""
    events = [state_change(10, "slow"), state_change(9, "slow", reported=True), state_change(40, "active"),
              state_change(41, "active", path="sdb"), state_change(60, "failed"), state_change(61, "slow", path="sdb")]
    found = episodes.episodes(events, 100)
    assert [(each.event.time, each.event.path, each.event.text, each.lasted) for each in found] == [
        (9, "sda", "became slow", "31 s"), (41, "sdb", "active", ""), (60, "sda", "failed", "40 s, and goes on"),
        (61, "sdb", "slow", "39 s, and goes on")]


def test_recovery_is_told_once():
    """By the module's report and by the state that a later sample shows, in either order."""
    for recovered in (38, 42):
        events = [state_change(10, "slow"), state_change(recovered, "active", reported=True), state_change(40, "active")]
        assert len(episodes.episodes(events, 100)) == 1


def test_at_most_a_screen_of_events():
    """Those of which a report was made, failures, and the longest."""
    short = [state_change(100 + 10 * n, state) for n in range(200) for state in ("slow", "active")]
    rare = [state_change(50, "slow", True), state_change(51, "active"), state_change(5000, "failed"), state_change(5001, "slow"),
            state_change(9000, "active")]
    found = episodes.episodes(short + rare, 9999)
    shown, left_out = episodes.screen(found)
    assert len(shown) == episodes.SCREEN and left_out == len(found) - episodes.SCREEN
    assert (shown[0].event.time, [each.event.time for each in shown[-2:]]) == (50, [5000, 5001])


def test_scale_of_values_next_to_nothing():
    assert chart.Linear([5e-324], "{:g}".format).top == 1e-3


@pytest.mark.parametrize("first, last, expected", [
    (0, 20, ["13:00:00", "13:00:05", "13:00:10", "13:00:15", "13:00:20"]),
    (3, 3600 * 8, ["14:00", "15:00", "16:00", "17:00", "18:00", "19:00", "20:00", "21:00"]),
    (0, 86400 * 40, ["11-23 00:00", "11-28 00:00", "12-03 00:00", "12-08 00:00", "12-13 00:00", "12-18 00:00",
                     "12-23 00:00", "12-28 00:00"]),
    (0, 0, ["13:00:00"]),
])
def test_times_on_the_axis(clock, first, last, expected):
    axis = chart.Axis(trees.NOON + first, trees.NOON + last)
    assert [axis.tick_label(moment) for moment in axis.ticks()][-8:] == expected
    assert axis.x(trees.NOON + first) == chart.LEFT


@pytest.mark.parametrize("values, marks", [
    ([1200, 31000], ["1 ms", "10 ms", "100 ms"]), ([0, 0], ["1 us", "10 us"]), ([1e6], ["1 s", "10 s"])])
def test_logarithmic_scale(values, marks):
    scale = chart.Logarithmic(values, chart.duration)
    assert [text for _, text in scale.marks()] == marks
    assert scale.part(0) == 0 and all(0 <= scale.part(value) <= 1 for value in values)


def test_spans():
    assert [timeline.span(seconds) for seconds in (0.25, 59, 61, 3600, 7500, 90000)] == [
        "0.25 s", "59 s", "1 min 1 s", "1 h", "2 h 5 min", "1 d 1 h"]


def test_page_without_jinja2(tool, recorded, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert "needs Python's jinja2 (Debian: python3-jinja2)" in tool.fails("report", str(recorded), "--html", "-")
    assert "mpatha" in tool("report", str(recorded))


def test_sorted_and_filtered(tool, recorded):
    """As dm-lw stat does it; percentiles are not there."""
    found = tool("report", str(recorded), "--state", "probing,failed")
    assert "sda" not in found and len(reports(found)) == 3
    assert len(reports(tool("report", str(recorded), "--omit-idle", "--state", "failed"))) == 1
    assert "no path that you want to see" in tool.fails("report", str(recorded), "--state", "ramping")
    assert tool("report", "--sort", "latency", str(recorded), "1", "1").splitlines()[2].split()[2] == "sdc"
    for options in (["--sort", "p99"], ["-o", "p99"]):
        assert "percentiles are not recorded" in tool.fails("report", str(recorded), *options, status=2)


@pytest.mark.parametrize("words, told", [
    (["--bundle", "a", "--from", "garbage"], "--bundle packs the whole recording"),
    (["--bundle", "a", "--sort", "latency"], "--bundle packs the whole recording"),
    (["--html", "a", "-z"], "--html draws all paths"), (["--html", "a", "-o", "path"], "--html draws all paths"),
    (["-o", ""], "no column is called")])
def test_words_that_mean_nothing_there(tool, recorded, words, told):
    assert told in tool.fails("report", *words, str(recorded), status=2)


@pytest.mark.parametrize("words", [["--html"], ["--bundle"]])
def test_recording_is_not_replaced(tool, recorded, words):
    """Where a name was forgotten, the next word is the recording's."""
    before = recorded.read_bytes()
    told = tool.fails("report", *words, str(recorded), *([str(recorded)] if words == ["--html"] else []))
    assert "is a recording of dm-lw, which nothing replaces" in told and recorded.read_bytes() == before
