"""Golden output from what a real kernel showed; capture.py tells how it was had."""
# promise output/views: Each view of `dm-lw` shows the captured state of a guest, to the letter and in a terminal
#   (tmux; screens in `build/terminal`); without the module it says so in one line, or shows the disks' counters
# promise output/record

import json
from pathlib import Path

import pytest

from . import trees
from .conftest import Tool

CAPTURES = Path(__file__).resolve().parent / "captures"


@pytest.fixture(params=["trixie"])
def captured(request, in_memory, clock, capsys):
    """The tool at the first look; when it sleeps, it is the time of the second."""
    root = in_memory / "sys"

    def become(which):
        first, text = (CAPTURES / ("%s-%s.tree" % (request.param, which))
                       ).read_text().split("\n", 1)
        clock.now = float(first.split()[1])
        trees.write(text, root)

    become("before")
    clock.later.append(lambda: become("after"))
    return Tool(root, capsys), request.param


@pytest.mark.parametrize("name, words", [
    ("stat", ["stat", "2", "2"]),
    ("classes", ["stat", "-c", "2", "2"]),
    ("all-columns", ["stat", "-o", "path,device,source,weight,share,read,write,knee,probes,full,"
                                   "ignored,failures,prefer", "2", "2"]),
    ("json", ["stat", "-j", "mpatha"]),
    ("prometheus", ["stat", "--prometheus"]),
    ("show", ["show", "-i", "2"]),
    ("sorted", ["stat", "-zy", "--sort", "p99", "-o", "path,state,since,ios,p50,p90,p99,p99.9", "2", "1"]),
    ("latency", ["latency", "mpatha"]),
    ("latency-interval", ["latency", "mpatha", "2", "1"]),
    ("latency-json", ["latency", "-j", "mpatha", "2", "1"]),
])
def test_captured(captured, golden, name, words):
    tool, kernel = captured
    golden("%s-%s.txt" % (kernel, name), tool(*words))


@pytest.mark.parametrize("name, words", [
    ("san-report.txt", ["-c"]),
    ("san-states.txt", ["--state", "slow,failed,ramping"]),
    ("san-page.html", ["--html", "-"]),
])
def test_recorded(tool, golden, name, words):
    """In a guest, by capture_san.py, while a network became slow and healed, and a path failed and came back."""
    golden(name, tool("report", *words, str(CAPTURES / "san.recording")))


def test_how_much_a_sample_takes():
    """What the documents say: 250 bytes at the most for each path under load, without the first line."""
    lines = (CAPTURES / "san.recording").read_text().splitlines()
    first = json.loads(lines[0])["state"]["maps"]
    paths = sum(len(found["paths"]) for found in first.values())
    assert paths == 4 and sum(map(len, lines[1:])) <= 250 * paths * len(lines[1:])
