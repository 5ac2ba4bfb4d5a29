"""dm-lw report BEFORE --against AFTER: what two recordings of the same maps tell together."""
# promise output/any-selector

import json
import re
import shutil

import pytest

from . import trees

PATHS = {"sde": "8:64", "sdf": "8:80"}
SAMPLES = 4


class Recordings:
    """Of a map with a fast path and one of 31 ms, before and after the switch to latency-weighted."""

    def __init__(self, tool, clock, directory):
        self.tool, self.clock, self.directory = tool, clock, directory

    def record(self, name, fast, slow, fast_us=2000, slow_us=31000, ours=False, size=1, paths=None, writes=0):
        """In each 10 s the paths do so many reads."""
        paths = paths or PATHS
        shutil.rmtree(str(self.tool.root / "block/dm-3"), ignore_errors=True)
        if ours:
            trees.write(trees.map_text("dm-3", "mpatho", "3600other", {
                path: trees.path_files(number) for path, number in paths.items()}), self.tool.root)

        def work(times):
            texts = (trees.disk_text("8:64", fast * times, fast_us, writes * times, 500),
                     trees.disk_text("8:80", slow * times, slow_us))
            for text in texts:
                words = text.split()
                for place in (3, 7):
                    words[place] = str(int(words[place]) * size)
                trees.write(" ".join(words) + "\n", self.tool.root)
        trees.write(trees.other_map_text("dm-3", "mpatho", "3600other", paths), self.tool.root)
        work(1)
        self.clock.later[:] = [lambda n=n: work(n) for n in range(2, SAMPLES + 1)]
        file = str(self.directory / name)
        self.tool("record", file, "10", str(SAMPLES))
        return file

    def compare(self, before, after, *words):
        return self.tool("report", before, *words, "--against", after)

    def document(self, *files):
        (found,) = json.loads(self.compare(*files, "mpatho", "-j"))["maps"]
        return found

    def verdict(self, **after):
        """Of 1000 I/Os a second before, half by each path, and this after."""
        found = self.document(self.record("before", 5000, 5000), self.record("after", **after))
        return found["comparable"], found["why"]


@pytest.fixture
def recordings(tool, clock, tmp_path):
    return Recordings(tool, clock, tmp_path)


@pytest.fixture
def files(recordings):
    """As service-time and latency-weighted do it, for a program that waits for each of 16 I/Os."""
    return recordings.record("before", 5000, 5000), recordings.record("after", 70000, 100, ours=True)


def test_text(recordings, files, golden):
    golden("against.txt", recordings.compare(*files, "mpatho").replace(str(recordings.directory), "DIRECTORY"))


def test_document(recordings, files):
    found = recordings.document(*files)
    old, new = (found["all"][when] for when in ("before", "after"))
    assert (old["ios_per_s"], old["latency_us"], old["inflight"], old["tail_us"]) == (1000, 16500, 16.5, 31000)
    assert (new["ios_per_s"], new["io_bytes"], new["read_percent"], new["tail_us"]) == (7010, 4096, 100, 2000)
    assert found["change"]["ios_per_s"] == 7.01
    assert found["selectors"] == {"before": "an unknown selector", "after": "latency-weighted"}
    assert [found["paths"]["sdf"][when]["share_percent"] for when in ("before", "after")] == [50, 100 / 701]


def test_a_program_that_waits_does_more(recordings, files):
    """With as many in flight; what it does more is the gain."""
    found = recordings.document(*files)
    assert found["comparable"] and found["why"].startswith("the load was alike: 1000 I/Os a second with 16.5 in flight")


@pytest.mark.parametrize("after, alike, told", [
    (dict(fast=9990, slow=10), True, "the load was alike: "),
    (dict(fast=500, slow=0), False, "the load was another one"),
    (dict(fast=200, slow=200), False, "the load was another one: 1000 I/Os a second with 16.5 in flight before, 40 with"),
    (dict(fast=5000, slow=5000, size=16), False, "I/Os had 4.0 KiB before, 64.0 after"),
    (dict(fast=5000, slow=5000, writes=5000), False, "100 % were reads before, 67 % after"),
    (dict(fast=5000, slow=0, paths={"sde": "8:64"}), False, "it had 2 paths before, 1 after"),
    (dict(fast=10, slow=10), False, "there were fewer than 100 I/Os after"),
])
def test_whether_they_may_be_compared(recordings, after, alike, told):
    found, why = recordings.verdict(**after)
    assert found is alike and told in why


def test_page(recordings, files, tmp_path):
    page = recordings.compare(*files, "--html", "-")
    assert "mpatho: an unknown selector before, latency-weighted after" in page
    assert "They may be compared: the load was alike" in page and 'class=no' not in page
    # The other maps did nothing.
    assert page.count("<h2>") == 1 and len(re.findall("<tr class=after>", page)) == 3
    file = tmp_path / "page.html"
    assert recordings.compare(*files, "--html", str(file)) == "" and file.read_text() == page


def test_one_recording_cut_in_two(recordings, clock, files):
    """--to cuts what was before, --from what came after."""
    trees_of_both = recordings.record("both", 5000, 5000)
    noon = "2025-11-21 13:%02d:%02d" % divmod(int(clock.now) % 3600, 60)
    recordings.record("both", 70000, 100)
    text = recordings.compare(trees_of_both, trees_of_both, "mpatho", "--to", noon, "--from", noon)
    assert re.search("^before: .*both, .*5 samples$", text, re.M)
    assert re.search("After, by before: IOPS 7.01 x", text)


@pytest.mark.parametrize("words, told", [
    (["10"], "--against compares whole recordings: without an interval"),
    (["-o", "path"], "--against compares all paths: only with MAP"),
    (["--bundle", "x"], "--against compares all paths: only with MAP"),
])
def test_options_that_are_wrong(recordings, files, words, told):
    before, after = files
    assert told in recordings.tool.fails("report", before, *words, "--against", after, status=2)


def test_recordings_without_a_map_in_common(recordings, files, tool, clock, tmp_path):
    before, _ = files
    tool.remove_map("dm-3")
    clock.later.clear()
    tool("record", str(tmp_path / "without"), "10", "2")
    assert "have no map in common that did I/O" in tool.fails("report", before, "--against", str(tmp_path / "without"))
    assert "there is no such file" in tool.fails("report", before, "--against", str(tmp_path / "none"))
