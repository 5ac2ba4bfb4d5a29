"""Selectors side by side on the test disk: `sudo python3 -m tests.bench.exact`, from the checkout.

Guests in virtual time (QEMU -icount, one CPU) measure, so that the figures do not depend
on the host: the cases of cases.py, then the scenarios of exact_scenarios.py.
"""
from pathlib import Path
from typing import List, Tuple

from tests.bench.plan import Plan
from tests.bench.records import Record, prepare_file
from tests.bench.run_guest import HISTORICAL_SERVICE_TIME, Guests, gathered
from tests.vm import command_line
from tests.vm.places import CHECKOUT
from tests.vm.progress import say

from . import exact_results as results
from . import exact_runs as bench
from .cases import CASES
from .exact_plan import SELECTORS, CasePlan, TracePlan
from .exact_scenarios import SCENARIOS

OUT = CHECKOUT / "build" / "exact"


def parse(arguments):
    depths = sorted({depth for case in CASES.values() for depth in case.depths})
    parser = command_line.parser("tests.bench.exact", __doc__)
    parser.add_argument("--case", action="append", choices=CASES, metavar="NAME",
                        help=f"only this one of: {'; '.join(CASES)}".replace("%", "%%"))
    parser.add_argument("--depth", action="append", type=int, choices=depths, metavar="N",
                        help=f"only this one of {', '.join(map(str, depths))}")
    parser.add_argument("--trace", nargs="*", choices=SCENARIOS, metavar="NAME",
                        help=f"only scenarios, all or some of: {', '.join(SCENARIOS)}")
    parser.add_argument("--selector", action="append", choices=SELECTORS, metavar="NAME",
                        help=f"only this one of: {', '.join(SELECTORS)}")
    parser.add_argument("--runtime", type=command_line.number(float, 0.1, 3600), default=3, metavar="S",
                        help="virtual seconds for each figure (%(default)s)")
    parser.add_argument("--json", type=Path, default=OUT / "results.json", metavar="FILE",
                        help="where the figures go, and beside it the scenarios' traces and pictures; figures "
                             "of other cases stay (build/exact/results.json)")
    parser.add_argument("--guests", type=int, choices=range(1, 9), default=2, metavar="N",
                        help="at a time; each takes one CPU of the host (%(default)s)")
    return parser.parse_args(arguments)


def case_plans(options) -> List[Plan]:
    """One guest for each case; none if some scenarios were asked for."""
    if options.trace is not None and not options.case:
        return []
    found = []
    for name in options.case or CASES:
        depths = [depth for depth in CASES[name].depths
                  if not options.depth or depth in options.depth]
        if depths:
            found.append(CasePlan(selectors=options.selector or SELECTORS, case=name, depths=depths,
                                  runtime=options.runtime))
    return found


def trace_plans(options) -> List[Plan]:
    """One guest for each scenario; none if some cases were asked for."""
    if options.trace is None and (options.case or options.depth):
        return []
    return [TracePlan(selectors=options.selector or SELECTORS, scenario=name)
            for name in options.trace or SCENARIOS]


def measured(plans: List[Plan], at_a_time: int) -> Tuple[List[Record], List[str]]:
    """All records, and what went wrong."""
    return gathered(Guests(drivers=[HISTORICAL_SERVICE_TIME]).run(plans, at_a_time))


def run(options) -> int:
    prepare_file(options.json)
    bench.kept_figures(options.json)  # an error in it ends this now, not after all guests
    records, failures = measured(case_plans(options) + trace_plans(options), options.guests)
    traces = [record for record in records if "scenario" in record]
    figures = [record for record in records if "case" in record]
    if traces:
        print(bench.traces_report(traces) + "\n")
    if figures:
        print(results.report(figures), flush=True)
    for failure in failures:
        say(f"error: {failure}")
    if figures:
        bench.keep_figures(figures, options.json)
    if traces:
        bench.keep_traces(traces, options.json.parent)
    if not failures and results.ratios(figures):
        print(results.verdict(figures))
    return 1 if failures else 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(ValueError,))
