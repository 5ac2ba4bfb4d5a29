"""The examples of policies, called as the module would call them: what each chooses, and what never."""
# promise output/policy-examples: Each example of a policy works as it says; it chooses the same in a kernel and in
#   the simulator | check: 7.2 | full: `guests-*`

import functools
import subprocess

import pytest

from . import engine, policy_host, policy_library
from .policy_host import FULL, SUSPECTED, UNUSABLE, HostPolicy

EXAMPLES = engine.ROOT / "contrib" / "policies"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.c"))
SDA, SDB = 8 << 20, 8 << 20 | 16


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return policy_host.Clock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Each is compiled once."""
    @functools.lru_cache(None)
    def build(name, words):
        return policy_library.build(EXAMPLES / f"{name}.c", words, tmp_path_factory.mktemp(name))
    return build


@pytest.fixture
def example(built, clock):
    clock.set(1)

    def make(name, *words, paths=((), ())):
        policy = HostPolicy(built(name, words))
        policy.paths = [dict(path) for path in paths]
        return policy
    return make


def test_layout_is_the_headers(tmp_path):
    source = tmp_path / "layout.c"
    source.write_text(policy_host.layout())
    for target in ("-m64", "--target=bpf"):
        done = subprocess.run(["clang", target, f"-I{policy_library.SOURCES}", "-I/usr/include/x86_64-linux-gnu", "-fsyntax-only",
                               source], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_at_most(name):
    assert len((EXAMPLES / f"{name}.c").read_text().splitlines()) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_unusable_path_is_never_chosen(example, name):
    """Whatever the I/O is, and whichever path it is."""
    policy = example(name)
    for bad in range(4):
        policy.paths = [dict(dev=SDA + i, state=UNUSABLE if i == bad else 0, latency_ns=1 + (i != bad), cost=1 + (i != bad))
                        for i in range(4)]
        chosen = {policy.choose(own=(bad + 1) % 4, nr_bytes=size, cpu=cpu, cgroup=9)
                  for size in (0, 4096, 1 << 20) for cpu in range(2) for _ in range(8)}
        assert bad not in chosen


@pytest.mark.parametrize("name", NAMES)
def test_without_a_usable_path_the_choice_stays(example, name):
    policy = example(name, paths=[dict(state=UNUSABLE)] * 3)
    assert [policy.choose(own=own, nr_bytes=size) for own in range(3) for size in (0, 4096)] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("name", NAMES)
def test_all_paths_that_fit(example, name):
    policy = example(name, paths=[dict(latency_ns=1000, cost=1000)] * policy_host.PATHS)
    assert all(0 <= policy.choose(own=3) < policy_host.PATHS for _ in range(40))


def test_least_latency(example):
    policy = example("least-latency", paths=[dict(latency_ns=500, ios=3), dict(latency_ns=900, ios=1)])
    assert policy.choose() == 1
    policy.paths[0]["ios"] = 2
    assert policy.choose() == 0
    policy.paths[0]["state"] = SUSPECTED
    assert policy.choose() == 1


def test_queue_depth(example):
    policy = example("nvme-queue-depth", paths=[dict(ios=3), dict(ios=2), dict(ios=2)])
    assert policy.choose() == 1
    policy.paths[1]["state"] = FULL
    assert policy.choose() == 2


def test_large_ios(example):
    policy = example("large-ios", f"path={SDB}", "large_kib=128",
                     paths=[dict(dev=SDA, cost=50), dict(dev=SDB, cost=10), dict(dev=SDB + 16, cost=20)])
    assert [policy.choose(nr_bytes=size) for size in (4096, (128 << 10) - 512, 128 << 10, 1 << 20)] == [2, 2, 1, 1]
    policy.paths[1]["state"] = UNUSABLE
    assert policy.choose(own=2, nr_bytes=1 << 20) == 2


def test_cgroup(example):
    policy = example("cgroup", f"path={SDA}", "cgroup=4711", paths=[dict(dev=SDA, cost=90), dict(dev=SDB, cost=10)])
    assert policy.choose(own=1, cgroup=4711) == 0
    assert policy.choose(own=0, cgroup=4712) == 1
    assert policy.choose(own=0, cgroup=0) == 0


def test_flushes(example):
    policy = example("flushes", paths=[dict(state=FULL), {}, {}])
    assert [policy.choose(own=2, nr_bytes=size) for size in (0, 4096)] == [1, 2]


def test_round_robin(example):
    policy = example("round-robin", paths=[{}, {}, {}])
    assert [policy.choose() for _ in range(5)] == [0, 1, 2, 0, 1]
    assert [policy.choose(cpu=7) for _ in range(2)] == [0, 1]
    policy.paths[2]["state"] = FULL
    assert [policy.choose() for _ in range(3)] == [0, 1, 0]


def test_rotation(example):
    policy = example("rotate", paths=[{}, {}, {}])
    assert [policy.choose(nr_bytes=64 << 10) for _ in range(10)] == [0] * 4 + [1] * 4 + [2] * 2
    policy.paths[2]["state"] = UNUSABLE
    assert [policy.choose(nr_bytes=64 << 10) for _ in range(6)] == [0] * 4 + [1] * 2
    policy = example("rotate", "rotate_kib=64", paths=[{}, {}])
    assert [policy.choose(nr_bytes=64 << 10) for _ in range(4)] == [0, 1, 0, 1]


def test_nvme_latency(example, clock):
    """Runs are as long as the inverse latencies say, of 64 in all; a window later they follow."""
    policy = example("nvme-latency", "window_ms=50", paths=[dict(latency_ns=1000000), dict(latency_ns=3000000)])
    chosen = [policy.choose() for _ in range(640)]
    assert abs(chosen.count(0) / chosen.count(1) - 3) < 0.4
    assert 8 < sum(now != before for before, now in zip(chosen, chosen[1:])) < 30
    policy.paths[0]["latency_ns"] = 9000000
    for window in range(100):
        clock.set(1.06 + 0.06 * window)
        policy.choose()
    chosen = [policy.choose() for _ in range(640)]
    assert abs(chosen.count(1) / chosen.count(0) - 3) < 0.4


@pytest.mark.parametrize("words, told", [
    (["size=1"], "has no constant size to set; it has: large_kib, path"),
    (["large_kib"], '"large_kib" is not NAME=VALUE'),
    (["path=1", "path=2"], "path is given twice"),
    (["path=99999999999"], "path=99999999999: wanted is a number of at most 32 bits"),
    (["path=sdb"], "path=sdb: the simulator knows numbers only"),
])
def test_bad_constants(tmp_path, words, told):
    with pytest.raises(engine.EngineFailed) as error:
        policy_library.build(EXAMPLES / "large-ios.c", words, tmp_path)
    assert told in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("text, told", [("int x", "error: expected"), ("int x;", "has no policy; wanted is one")])
def test_no_policy(tmp_path, text, told):
    (tmp_path / "x.c").write_text(text)
    with pytest.raises(engine.EngineFailed) as error:
        policy_library.build(tmp_path / "x.c", (), tmp_path)
    assert told in str(error.value)
