"""dm-lw set: all or nothing, and checked before anything is written."""
import os
import signal

import pytest

from dm_lw import sysfs, tunables


def values(tool, *names):
    return [int(tool.file("dm-0", name).read_text()) for name in names]


def test_set(tool):
    out = tool("set", "mpatha", "window_ms=100", "tolerance=5")
    assert out == "mpatha: window_ms 50 -> 100\nmpatha: tolerance 12 -> 5\n"
    assert values(tool, "window_ms", "tolerance") == [100, 5]
    assert tool.file("dm-10/window_ms").read_text() == "20\n"


def test_choose(tool):
    assert tool("set", "mpatha", "choose=round-robin", "tolerance=5") == (
        "mpatha: choose latency -> round-robin\nmpatha: tolerance 12 -> 5\n")
    assert tool.file("dm-0/choose").read_text() == "round-robin\n"
    assert "mpatha: choose round-robin\n" in tool("set", "mpatha")


def test_dry_run(tool):
    assert tool("set", "-n", "dm-0", "window_ms=100") == "mpatha: window_ms 50 -> 100\n"
    assert values(tool, "window_ms") == [50]


@pytest.mark.parametrize("where", ["mpatha/sdc", "dm-0/sdc", "/dev/mapper/mpatha/sdc",
                                   "/dev/dm-0/sdc", "36001405aaaa/8:32"])
def test_path(tool, where):
    assert tool("set", where, "prefer=1") == "mpatha/sdc: prefer 0 -> 1\n"
    assert tool.file("dm-0/paths/sdc/prefer").read_text() == "1\n"


def test_path_with_a_slash(tool):
    tool.file("dm-0/paths/sdc").rename(tool.file("dm-0/paths/cciss!c0d0"))
    assert tool("set", "mpatha/cciss/c0d0", "prefer=1") == "mpatha/cciss/c0d0: prefer 0 -> 1\n"


@pytest.mark.parametrize("words, complaint", [
    (["mpatha", "window_ms=4"], "window_ms: \"4\" is not a number from 5 to 1000"),
    (["mpatha", "window_ms="], "window_ms: \"\" is not a number from 5 to 1000"),
    (["mpatha", "window_ms=-5"], "window_ms: \"-5\" is not a number"),
    (["mpatha", "window_ms=1_0"], "is not a number"),
    (["mpatha", "tolerance=5", "window_ms=2000"], "from 5 to 1000"),
    (["mpatha", "speed=1"], "there is no \"speed\" to set here, but: ewma_shift,"),
    (["mpatha", "prefer=1"], "prefer is set on a path"),
    (["mpatha/sda", "window_ms=50"], "window_ms is set on a map, not on a path"),
    (["mpatha/sdq", "prefer=1"], "mpatha has no path sdq; it has: sda, sdc"),
    (["mpathz", "window_ms=50"], "no map is called mpathz; there are: mpatha, mpathb"),
    (["mpathz/sda", "prefer=1"], "no map is called mpathz; there are: mpatha, mpathb"),
    (["/dev/mapper/mpathz", "window_ms=50"], "no map is called /dev/mapper/mpathz"),
    (["mpatha", "choose=fastest"], "choose: \"fastest\" is none of latency, queue-length, round-robin"),
    (["mpatha", "choose=1"], "choose: \"1\" is none of"),
    (["mpatha", "probe_min_ms=6000"],
     "probe_min_ms: 6000 is more than probe_max_ms, which is 5000"),
    (["mpatha", "probe_min_ms=600", "probe_max_ms=500"], "600 is more than probe_max_ms"),
])
def test_refused(tool, words, complaint):
    before = {name: tool.file("dm-0", name).read_text() for name in tunables.OF_MAP}
    assert complaint in tool.fails("set", *words)
    assert before == {name: tool.file("dm-0", name).read_text() for name in tunables.OF_MAP}


@pytest.mark.parametrize("words", [["--persist", "mpatha"], ["mpatha", "window_ms"], ["mpatha", "max_penalty=1",
                                                                       "max_penalty=2"]])
def test_wrong_usage(tool, words):
    tool.fails("set", *words, status=2)


def test_values_only(tool):
    assert "mpatha: window_ms 50\nmpatha: tolerance 12\n" in tool("set", "mpatha")
    assert tool("set", "mpatha/sda") == "mpatha/sda: prefer 0\n"


def test_older_module(tool):
    tool.file("dm-0/max_penalty").unlink()
    assert "has no" in tool.fails("set", "mpatha", "max_penalty=10")


@pytest.fixture
def module(monkeypatch):
    """What was written, in order; it refuses what is in `refuses`, and crossed limits."""
    class Module:
        written = []
        refuses = set()

        def write(self, tree, value, *names):
            key = names[-1]
            limits = {name: tree.number(*names[:-1], name)
                      for name in ("probe_min_ms", "probe_max_ms")}
            limits[key] = value
            if key in self.refuses or limits["probe_min_ms"] > limits["probe_max_ms"]:
                raise OSError(22, os.strerror(22))
            self.written.append((key, value))
            with open(tree.path(*names), "w") as file:
                file.write("%d\n" % value)

    module = Module()
    monkeypatch.setattr(sysfs.Sysfs, "write", lambda tree, *args: module.write(tree, *args))
    return module


@pytest.mark.parametrize("least, most", [(10, 50), (6000, 9000), (200, 9000), (10, 4000)])
def test_probe_limits_never_cross(tool, module, least, most):
    tool("set", "mpatha", "probe_min_ms=%d" % least, "probe_max_ms=%d" % most)
    tool("set", "mpatha", "probe_max_ms=5000", "probe_min_ms=100")
    assert len(module.written) == 4


def test_all_or_nothing(tool, module):
    """If the module refuses one after all, those before it are taken back."""
    module.refuses = {"max_penalty"}
    complaint = tool.fails("set", "mpatha", "window_ms=100", "tolerance=5", "max_penalty=30")
    assert "max_penalty: Invalid argument; nothing was changed" in complaint
    assert module.written == [("window_ms", 100), ("tolerance", 5), ("tolerance", 12),
                              ("window_ms", 50)]


def test_what_cannot_be_taken_back_is_told(tool, module):
    """The first error, and what is left; the others are taken back."""
    class Refuses:
        def __contains__(self, key):
            return key == "max_penalty" or ("tolerance", 5) in module.written and key == "tolerance"
    module.refuses = Refuses()
    complaint = tool.fails("set", "mpatha", "window_ms=100", "tolerance=5", "max_penalty=30")
    assert "max_penalty: Invalid argument; could not be taken back: tolerance 12 -> 5\n" in complaint
    assert values(tool, "window_ms", "tolerance", "max_penalty") == [50, 5, 20]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_waits_until_all_is_set(tool, module, monkeypatch, number):
    before = signal.signal(number, signal.default_int_handler)
    write = module.write

    def interrupted(*args):
        write(*args)
        signal.raise_signal(number)
    monkeypatch.setattr(module, "write", interrupted)
    try:
        assert tool.run("set", "mpatha", "window_ms=100", "tolerance=5")[0] == 130
    finally:
        signal.signal(number, before)
    assert values(tool, "window_ms", "tolerance") == [100, 5]
