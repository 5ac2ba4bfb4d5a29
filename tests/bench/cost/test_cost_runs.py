"""From the guests' programs to the files, with everything that needs a guest replaced."""
import contextlib
import json

import pytest

from tests.bench import in_guest as guest
from tests.bench.cost import __main__ as command
from tests.bench.cost import cost_runs as bench
from tests.bench.cost import count, rate
from tests.bench.cost.cost_plan import LISTENING, POLICY, SELECTORS, UNSTAMPED
from tests.bench.cost.native import NATIVE_SELECTORS
from tests.bench.cost.test_cost_results import counted, natively
from tests.bench.selectors import OURS
from tests.lib.fio import Result
from tests.vm.progress import CommandFailed, exit_status


class Records(list):
    """With the maps that they are of."""

    def __init__(self):
        super().__init__()
        self.maps = set()       # (variant, whether its disks are stamped)


@pytest.fixture
def records(monkeypatch, tmp_path):
    """What the guests' programs record, on a host: reads of a file, and fio's answer made up."""
    file = tmp_path / "device"
    file.write_bytes(bytes(4096))
    found = Records()

    @contextlib.contextmanager
    def mapped(disks, variant, queue_mode):
        class Map:
            path = file
        found.maps.add((variant, disks[0]))
        yield Map

    @contextlib.contextmanager
    def disks(kind, count, stamped=True):
        yield [stamped] * count

    for program in (count, rate):
        monkeypatch.setattr(program, "mapped", mapped)
        monkeypatch.setattr(program, "quick_disks", disks)
    # a file system in memory does not know direct reads
    monkeypatch.setattr(count.os, "O_DIRECT", 0)
    monkeypatch.setattr(count, "idle_ns", lambda: 0)
    monkeypatch.setattr(rate.fio, "run", lambda path, **options: Result(1000, 0, 0, 0, 0))
    monkeypatch.setattr(guest, "record", lambda **fields: found.append(fields))
    return found


def program_of(plan):
    return {"tests.bench.cost.count": count, "tests.bench.cost.rate": rate}[plan.module]


def test_whole_run(monkeypatch, tmp_path, records, capsys):
    machines = []

    def run_guest(plan, content, kernel, machine):
        del records[:]
        machines.append((kernel.name, machine.icount, machine.cpus))
        program_of(plan).run(type(plan).from_json(plan.to_json()))
        return list(records)

    monkeypatch.setattr("tests.bench.run_guest.run_guest", run_guest)
    commits = ["when it began"]
    monkeypatch.setattr("tests.bench.run_guest.commit", lambda: commits[-1])
    monkeypatch.setattr("tests.bench.run_guest.layer", lambda kernel, drivers: commits.append("later") or tmp_path)
    monkeypatch.setattr(bench.native, "run", lambda directory: [
        natively(name, 20, threads) for threads in (1, 2) for name in NATIVE_SELECTORS])
    monkeypatch.setattr(command, "READS", 3)
    monkeypatch.setattr(command, "ROUNDS", 2)
    out = tmp_path / "out"
    assert command.run(command.parse(["--kernel", "sid", "--guests", "1", "--out", str(out)])) == 0
    assert machines == [("sid", True, 2)] * 4 + [("sid", False, 2), ("sid", False, 4)]
    kept = json.loads((out / "results.json").read_text())
    counted = [record for record in kept["records"] if record["measured"] == "instructions"]
    assert len(counted) == 2 * (2 * 5 * 7 + 2 * 4 * 2)
    assert {record["commit"] for record in counted} == {"when it began"}
    assert {record.get("kernel") for record in kept["records"]} == {"sid", None}
    assert len(kept["marks"]) == 4 + 4 + 2
    assert (out / "cost.png").read_bytes().startswith(b"\x89PNG")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("cost: request2=+") and last.endswith(" native1=1.000 native2=1.000")


@pytest.fixture
def run(monkeypatch):
    """The command into that directory; guests and the native part only record. (status, what ran)"""
    ran = []
    monkeypatch.setattr(bench, "run", lambda *_: ran.append("guests") or [counted(OURS, [1000])])
    monkeypatch.setattr(bench.native, "run", lambda directory: ran.append("native") or [])

    def run_into(directory):
        options = command.parse(["--out", str(directory)])
        return exit_status(lambda: command.run(options)), ran
    return run_into


def test_a_directory_that_cannot_be_is_told_before_anything_runs(run, said, tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    assert run(file) == (1, [])
    error, = said.readouterr().err.splitlines()
    assert str(file) in error and file.read_text() == "kept"


def test_guests_figures_are_kept_although_the_native_part_does_not_compile(run, monkeypatch, tmp_path):
    def fail(directory):
        raise CommandFailed("the native program does not compile")
    monkeypatch.setattr(bench.native, "run", fail)
    assert run(tmp_path / "out") == (1, ["guests"])
    assert json.loads((tmp_path / "out/results.json").read_text())["records"] == [counted(OURS, [1000])]


def test_tables_are_shown_although_nothing_can_be_drawn(run, said, monkeypatch, tmp_path):
    def fail(*_):
        raise OSError("No space left on device")
    monkeypatch.setattr(bench, "picture", fail)
    assert run(tmp_path / "out") == (1, ["guests", "native"])
    assert OURS in said.readouterr().out


def test_without_accounting_the_disks_have_no_stamps(monkeypatch, records):
    monkeypatch.setattr(command, "READS", 3)
    for plan in command.count_plans(command.parse(["--paths", "2"])):
        count.run(plan)
    assert records.maps == {*((name, True) for name in [*SELECTORS, POLICY, *LISTENING]), (UNSTAMPED, False)}


def test_what_listens_is_measured_last(monkeypatch, records):
    monkeypatch.setattr(command, "READS", 3)
    count.run(command.count_plans(command.parse(["--paths", "2", "--paths", "4"]))[0])
    listens = [record["selector"] in LISTENING for record in records]
    assert any(listens) and listens == sorted(listens)


def test_selectors_take_turns_at_being_first(records):
    rate.run(command.rate_plans(command.parse(["--only", "iops"]))[0])
    first = [record["selector"] for record in records
             if record["queue_mode"] == "bio"][::len(SELECTORS)]
    assert first[:5] == [*SELECTORS, SELECTORS[0]]
