"""When the harness stops to wait for a guest; the guest is a directory here, and has no process."""
import pytest

from tests.vm import patience, qemu
from tests.vm.patience import BOOT_LIMIT, PANIC, PANIC_LIMIT, Patience, Stopwatch
from tests.vm.testrun import START_LIMIT, Told

NOBODY = 0          # no process has this number; one of ours may wait for a CPU, which Patience() does not count


@pytest.fixture
def clock(monkeypatch):
    """A list with the time."""
    now = [1000.0]
    monkeypatch.setattr(patience.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def run_dir(tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("console.log", "verdict.log", "qemu.log", "out/results.jsonl"):
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.fixture
def told(run_dir):
    return Told(run_dir / "out/results.jsonl", patience=2, to_say_so=60)


@pytest.fixture
def over_after(clock, run_dir, told):
    """Seconds from now until nobody waits any longer."""
    waiting = Patience(NOBODY, run_dir, BOOT_LIMIT, told)

    def ask():
        begin = clock[0]
        while not waiting.why_over():
            clock[0] += 1
        return clock[0] - begin
    return ask


def tell(run_dir, text):
    with (run_dir / "out/results.jsonl").open("a") as results:
        results.write(text)


def near(limit):
    return pytest.approx(limit, abs=3)


def test_boot_that_does_not_end(over_after):
    assert over_after() == near(BOOT_LIMIT)


def test_pytest_that_does_not_begin(run_dir, over_after):
    (run_dir / "verdict.log").write_text("started\n")
    assert over_after() == near(2 * START_LIMIT)


def test_each_test_has_its_own_limit(run_dir, over_after, clock):
    (run_dir / "verdict.log").write_text("started\n")
    tell(run_dir, '{"id": "a", "when": "start", "limit": 900}\n')
    tell(run_dir, '{"id": "a", "when": "teardown", "outcome": "passed"}\n')
    tell(run_dir, '{"id": "b", "when": "start", "limit": 10}\n')
    tell(run_dir, '{"id": "b", "when": "lim')
    assert over_after() == near(2 * (10 + 60))


def test_panic_that_does_not_end(run_dir, over_after):
    (run_dir / "verdict.log").write_text("started\n")
    tell(run_dir, '{"id": "a", "when": "start", "limit": 900}\n')
    (run_dir / "console.log").write_text(f"[ 1.0] {PANIC}: Fatal exception\n")
    assert over_after() == near(PANIC_LIMIT)


def test_panic_that_only_qemu_knows_of(run_dir, over_after):
    (run_dir / "qemu.log").write_text("Guest crashed\n")
    assert over_after() == near(PANIC_LIMIT)


def test_all_of_it_may_be_limited(run_dir, clock):
    (run_dir / "verdict.log").write_text("started\n")
    waiting = Patience(NOBODY, run_dir, BOOT_LIMIT, lambda: (clock[0], 100), timeout=500)
    while not waiting.why_over():
        clock[0] += 1
    assert clock[0] - 1000 == near(500)


def test_panic_in_two_parts(run_dir):
    watch = patience.PanicWatch(run_dir)
    (run_dir / "console.log").write_text("x" * 100 + PANIC[:10])
    assert not watch.has_seen_panic()
    with (run_dir / "console.log").open("a") as console:
        console.write(PANIC[10:])
    assert watch.has_seen_panic()


def test_waiting_for_a_cpu_does_not_count(tmp_path, clock):
    def threads(**delays):
        for task, seconds in delays.items():
            (tmp_path / task).mkdir(exist_ok=True)
            (tmp_path / task / "schedstat").write_text(f"123 {int(seconds * 1e9)} 7\n")
    threads(main=5, cpu0=100)
    watch = Stopwatch(tmp_path)
    clock[0] += 60
    assert watch.seconds() == 60
    threads(main=6, cpu0=140, cpu1=30)      # one that is new
    assert watch.seconds() == 20
    watch.restart()
    clock[0] += 10
    assert watch.seconds() == 10


def test_host_that_does_not_tell_who_waits(tmp_path, clock):
    watch = Stopwatch(tmp_path / "none")
    clock[0] += 60
    assert watch.seconds() == 60


@pytest.mark.parametrize("script, seconds, boots", [
    ("exec sleep 600", 0.1, False), (f"exit {qemu.GUEST_SETUP_FAILED}", qemu.TRIAL_SECONDS, True),
    ("exit 1", qemu.TRIAL_SECONDS, False)])
def test_kvm_is_tried(monkeypatch, script, seconds, boots):
    monkeypatch.setattr(qemu.os, "access", lambda *_: True)
    monkeypatch.setattr(qemu, "base_command", lambda *_: ["sh", "-c", script])
    monkeypatch.setattr(qemu, "TRIAL_SECONDS", seconds)
    assert qemu.kvm_boots(None, None) == boots
