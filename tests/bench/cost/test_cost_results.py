"""What `make cost` makes of the guests' records."""
import pytest

from tests.bench.cost import cost_results as results
from tests.bench.cost.__main__ import count_plans, parse, rate_plans
from tests.bench.cost.cost_plan import NULL_BLK, TEST_DISK, UNSTAMPED, CountPlan, RatePlan
from tests.bench.cost.native import NATIVE_SELECTORS
from tests.bench.selectors import OURS


def counted(selector, batches, mode="rq", paths=2, repeat=1, disk=NULL_BLK):
    return {"measured": "instructions", "disk": disk, "queue_mode": mode, "paths": paths, "selector": selector,
            "repeat": repeat, "batches": batches}


def rated(selector, iops, number, cpus=2, mode="rq"):
    return {"measured": "iops", "cpus": cpus, "queue_mode": mode, "paths": 2, "selector": selector,
            "round": number, "iops": iops}


def natively(selector, ns, threads=1, paths=2):
    return {"measured": "native", "threads": threads, "paths": paths, "selector": selector, "disturbed": 0,
            "program_ns": 5, "low": ns - 1, "ns": ns, "high": ns + 1}


COUNTS = [counted("round-robin", [1000, 1001, 1000]), counted("service-time", [1040, 1050, 1060]),
          counted(OURS, [1050, 1050, 1100]), counted(OURS, [1048, 1048, 1048], repeat=2)]


def test_figure_is_the_median_and_the_spread_that_of_the_guests():
    figure = results.instructions(COUNTS)["rq", 2][OURS]
    assert (figure.value, figure.spread) == (1049, 2)
    assert results.repeats(COUNTS) == (
        "batches of one run differ by 10.5 instructions an I/O as a rule and by 50.0 at most; "
        "the medians of 2 guests that did the same by up to 2.0")


def test_table_shows_the_difference_to_the_cheapest():
    head, names, row = results.instructions_table(COUNTS, NULL_BLK).splitlines()
    assert names.split() == ["paths", "cheapest", "round-robin", "service-time", OURS]
    assert row.split() == ["request-based", "2", "1000", "+0", "+50", "+49"]


@pytest.mark.parametrize("paths, ours, met", [(2, 1200, True), (2, 1201, False), (8, 1280, True), (8, 1281, False)])
@pytest.mark.parametrize("mode, name", [("rq", "request"), ("bio", "bio")])
def test_instructions_are_held_against_the_cheapest(paths, ours, met, mode, name):
    marks = results.marks([counted("round-robin", [1000], mode, paths), counted("service-time", [1040], mode, paths),
                           counted(OURS, [ours], mode, paths)])
    assert [(mark.name, mark.met) for mark in marks] == [(f"{name}{paths}", met)]
    assert ("MISSED" in marks[0].line()) != met


@pytest.mark.parametrize("threads, ours, met", [(1, 20, True), (1, 21, False), (2, 19, True), (2, 20, False)])
def test_natively_no_slower_on_one_cpu_and_faster_on_two(threads, ours, met):
    mark, = results.marks([natively("service-time", 20, threads), natively(OURS, ours, threads)])
    assert (mark.name, mark.met) == (f"native{threads}", met)


def test_native_table_says_what_was_disturbed():
    row = [natively(name, 20) for name in NATIVE_SELECTORS]
    lines = results.native_table(row).splitlines()
    assert lines[-1].split() == ["1", "2", *["20.0", "(2.0)"] * len(row), "1.00"]
    row[0]["disturbed"] = 3
    assert results.native_table(row).splitlines()[-1].startswith("in 3 of the slices")


def test_rates_are_compared_round_by_round():
    """A host that is busy in one round slows both, and a round in which one had bad luck is one."""
    records = [rated("round-robin", 100, 0), rated(OURS, 101, 0), rated("round-robin", 10, 1),
               rated(OURS, 10.2, 1), rated("round-robin", 100, 2), rated(OURS, 50, 2)]
    mark, = results.marks(records)
    assert (mark.name, mark.met) == ("request_iops_2", True)
    assert mark.value == pytest.approx(1.01)


def test_what_time_stamps_cost_is_shown_apart():
    records = COUNTS + [counted(OURS, [2000], disk=TEST_DISK), counted(UNSTAMPED, [1900], disk=TEST_DISK)]
    assert results.instructions(records)["rq", 2][OURS].value == 1049
    row = results.instructions_table(records, TEST_DISK).splitlines()[-1]
    assert row.split()[-3:] == ["1900", "+100", "+0"]


def test_last_line_is_for_machines():
    rates = [rated(selector, 100, number) for number in range(3)
             for selector in ("round-robin", "queue-length", "service-time", OURS)]
    native = [natively(name, 20, threads) for threads in (1, 2) for name in NATIVE_SELECTORS]
    *_, marks, _, last = results.report(COUNTS + rates + native).splitlines()
    assert marks == "3 of 4 marks met"
    assert last == "cost: request2=+49 native1=1.000 native2=1.000"


def test_parts_can_be_left_out():
    options = parse(["--only", "instructions", "--paths", "2", "--paths", "8"])
    assert [plan.paths for plan in count_plans(options)] == [[2, 8]] * 4
    assert rate_plans(options) == []
    assert count_plans(parse(["--only", "native"])) == rate_plans(parse(["--only", "native"])) == []
    assert {plan.disk for plan in count_plans(parse(["--paths", "32"]))} == {NULL_BLK}
    assert [plan.cpus for plan in rate_plans(parse(["--only", "iops"]))] == [2, 4]


@pytest.mark.parametrize("plan", [CountPlan([OURS], NULL_BLK, [1, 2], 100, 3, 1), RatePlan([OURS], 2, 2, 3, 1)])
def test_plan_survives_its_file(plan):
    assert type(plan).from_json(plan.to_json()) == plan
    assert plan.label.startswith("cost-")
