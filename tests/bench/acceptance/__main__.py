"""The acceptance suite: `sudo python3 -m tests.bench.acceptance`, from the checkout; see README.md.

Each scenario is a guest in which fio runs over all selectors in turn.
"""
import argparse
import dataclasses
import functools
import json
import os
import sys
from pathlib import Path
from typing import Dict, List, Tuple

from tests.bench.records import Record
from tests.bench.scenario_values import check_options
from tests.lib.whole_file import write_whole
from tests.vm import command_line
from tests.vm.kernels import KERNELS, directory_kernels
from tests.vm.places import CHECKOUT
from tests.vm.progress import exit_status, say

from . import acceptance_results as results
from . import acceptance_table as table
from . import runner
from .acceptance_plan import LEAST_REPETITIONS, SELECTORS, GuestPlan, Scenario
from .acceptance_scenario import load_all, load_files, load_long
from .acceptance_worst import LongRuns

OUT = CHECKOUT / "build" / "acceptance"
GUESTS_KERNELS = {**KERNELS, **directory_kernels(os.environ)}
NOT_QUICK = "; --quick leaves those of which the file says quick = true"
EPILOG = f"""exit status: 0 if all that was asked for ran, also if marks were missed, which are shown in red and
listed; 1 if something did not run; 3 if a mark was missed and --strict was given.
Fewer than {LEAST_REPETITIONS} repetitions are for trying things out."""


def argument(text: str) -> Tuple[str, int]:
    name, _, value = text.partition("=")
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER such as by_operation=0")
    return name, int(value)


def parse(arguments, names: List[str]):
    parser = command_line.parser("tests.bench.acceptance", __doc__, epilog=EPILOG)
    parser.add_argument("--list", action="store_true", help="show the scenarios and end")
    parser.add_argument("--quick", action="store_true", help="only the scenarios that are marked quick")
    parser.add_argument("--long", action="store_true",
                        help="only those of a minute each, of which the worst run counts; without it and "
                             "without --scenario none of these")
    parser.add_argument("--file", action="append", type=Path, metavar="PATH",
                        help="instead of the scenarios here that of this TOML file; tests/bench/acceptance/README.md has "
                             "the format")
    parser.add_argument("--scenario", action="append", metavar="NAME",
                        help=f"only this one of: {', '.join(names)}")
    parser.add_argument("--selector", action="append", choices=SELECTORS, metavar="NAME",
                        help="only this one of those that a scenario has")
    parser.add_argument("--argument", action="append", type=argument, default=[], metavar="NAME=NUMBER",
                        help="of latency-weighted's table line, such as by_operation=0; a scenario's own one of that "
                             "name does not count then")
    parser.add_argument("--kernel", choices=GUESTS_KERNELS, default="trixie", help="of the guests (%(default)s)")
    parser.add_argument("--repeat", type=command_line.number(int, 1, 100), metavar="N",
                        help=f"runs of each, of which the median counts; unless the scenario says otherwise "
                             f"{LEAST_REPETITIONS}")
    parser.add_argument("--guests", type=int, choices=range(1, 9), default=2, metavar="N",
                        help="at a time, in virtual time; each takes a CPU of the host (%(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="for results.json, report.html and pictures (build/acceptance; with --file a directory "
                             "in it that is called as the file, with --long the directory long in it)")
    parser.add_argument("--report-only", type=Path, metavar="DIR",
                        help="run nothing: the report again, from DIR/results.json")
    parser.add_argument("--strict", action="store_true", help="exit with status 3 if a mark is missed")
    return parser.parse_args(arguments)


def directory(options) -> Path:
    """The results of a file, and of the long ones, are beside those of the suite, which they leave as they are."""
    return options.out or (OUT / "+".join(path.stem for path in options.file) if options.file else
                           OUT / "long" if options.long else OUT)


def chosen(options, scenarios: Dict[str, Scenario]) -> List[Scenario]:
    for name in options.scenario or []:
        if name not in scenarios:
            raise ValueError(f"--scenario: {name!r} is none of {', '.join(scenarios)}")
    return [scenario for scenario in scenarios.values()
            if (not options.quick or scenario.quick)
            and (scenario.long or not options.long)
            and (not scenario.long or options.long or options.scenario or options.file)
            and (not options.scenario or scenario.name in options.scenario)]


def with_arguments(scenarios: Dict[str, Scenario], given: Dict[str, int]) -> Dict[str, Scenario]:
    """Those of the command line count."""
    check_options("--argument", given)
    return {name: dataclasses.replace(scenario, arguments={**scenario.arguments, **given})
            for name, scenario in scenarios.items()}


def plans_for(options, scenarios: List[Scenario]) -> List[GuestPlan]:
    plans = []
    for scenario in scenarios:
        selectors = [name for name in scenario.selectors
                     if not options.selector or name in options.selector]
        if selectors:
            plans.append(GuestPlan.of(scenario, selectors, options.repeat or 0))
    return plans


def word_for(scenario: Scenario) -> str:
    """The option that chooses it, if there is one."""
    return "quick" if scenario.quick else "long" if scenario.long else ""


def listing(scenarios: Dict[str, Scenario]) -> str:
    return "\n".join(f"{each.number or '':2}  {each.name:24} {word_for(each):6} {each.transport:10} "
                     f"{each.clock:8} {each.title}" for each in scenarios.values())


def keep(path: Path, records: List[Record]) -> None:
    """After each scenario: hours of measuring are not lost to an interruption, or to a disk that is full."""
    write_whole(path, json.dumps(records, indent=1) + "\n")


def show(records: List[Record], scenarios: Dict[str, Scenario], out: Path) -> List[results.Mark]:
    """Write the report; print the tables and the marks, of which all are returned."""
    long_ones = LongRuns(records, scenarios)
    found = results.Evaluation([each for each in records if not is_long(each, scenarios)], scenarios)
    if not found.scenarios and not long_ones.cells:
        raise ValueError("there is no result to report")
    if long_ones.cells:
        print(long_ones.text(red=sys.stdout.isatty()))
    if found.scenarios:
        show_medians(found, out)
    else:
        say(f"results.json is in {out}")
    for verdict in (long_ones.verdict, found.verdict):
        if verdict:
            print(verdict)
    return [*long_ones.marks, *found.marks]


def is_long(record: Record, scenarios: Dict[str, Scenario]) -> bool:
    return record["scenario"] in scenarios and scenarios[record["scenario"]].long


def show_medians(found: results.Evaluation, out: Path) -> None:
    from . import acceptance_report as report  # matplotlib takes a second: not for --help

    report.write(out, found)
    print(table.text(found, red=sys.stdout.isatty()))
    say(f"report.html, results.json and the pictures are in {out}")


def show_again(options, scenarios: Dict[str, Scenario]) -> List[results.Mark]:
    """What a run left, which somebody may have edited."""
    file = options.report_only / "results.json"
    records = results.read(file)
    try:
        return show(records, scenarios, options.report_only)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{file}: a value that no run leaves ({error!r})") from None


def run(options, known: Dict[str, Scenario]) -> int:
    scenarios = with_arguments(load_files(options.file) if options.file else known, dict(options.argument))
    if options.list:
        print(listing(scenarios))
        return 0
    failures: List[str] = []
    if options.report_only:
        marks = show_again(options, scenarios)
    else:
        out = directory(options)
        plans = plans_for(options, chosen(options, scenarios))
        if not plans:
            raise ValueError("no scenario is left of what was asked for" + NOT_QUICK * options.quick)
        out.mkdir(parents=True, exist_ok=True)
        records, failures = runner.run(plans, GUESTS_KERNELS[options.kernel], options.guests,
                                       functools.partial(keep, out / "results.json"))
        for failure in failures:
            say(f"error: {failure}")
        marks = show(records, scenarios, out) if records or not failures else []
    missed = options.strict and not all(mark.met for mark in marks)
    return 1 if failures else 3 if missed else 0


def main() -> int:
    try:
        scenarios = {**load_all(), **load_long()}
    except ValueError as error:
        say(f"error: {error}")
        return 1
    options = parse(sys.argv[1:], list(scenarios))
    return exit_status(lambda: run(options, scenarios), expected=(ValueError, LookupError))


if __name__ == "__main__":
    sys.exit(main())
