"""dm-lw doctor: what goes wrong in the field, and what to do about it."""
import itertools
import json
import textwrap
from dataclasses import replace

from ..errors import LwError
from ..host import Host, NotPermitted
from ..sysfs import printable
from ..table import coloured, wants_colour
from . import checks_conf, checks_kept, checks_kernel, checks_multipath, checks_policy
from .finding import FAIL, OK, SKIP, WARN, skip, warn

# By name, in the order in which one would look. Each takes the host and returns Findings.
CHECKS = {
    "module": checks_kernel.module,
    "kernels": checks_kernel.other_kernels,
    "signature": checks_kernel.signature,
    "initramfs": checks_kernel.initramfs,
    "multipathd": checks_multipath.daemon,
    "version": checks_multipath.version,
    "selector": checks_conf.selector,
    "maps": checks_multipath.maps,
    "reloads": checks_conf.reloads,
    "grouping": checks_multipath.grouping,
    "paths": checks_multipath.paths,
    "accounting": checks_multipath.accounting,
    "choose": checks_multipath.choose,
    "kept": checks_kept.tunables,
    "policy": checks_policy.policies,
    "clock": checks_kernel.clock,
    "nvme": checks_kernel.nvme,
}
COLOURS = {FAIL: "31;1", WARN: "33;1", OK: "32", SKIP: "36"}
# The worst first; of monitoring programs, 3 means that it is not known.
STATUSES = {FAIL: 2, WARN: 1, SKIP: 3, OK: 0}
JSON_VERSION = 1
WIDTH = 100
MOST = 5                # findings of a check with the same result
INDENT = " " * 18       # of advice: below the text


def add_parser(commands):
    parser = commands.add_parser(
        "doctor", allow_abbrev=False, help="look for what can go wrong, and tell what to do",
        description="Check the module, the kernels, multipath's configuration and the maps. Exit"
                    " status: 0 all is well, 1 there are warnings, 2 something fails, 3 all is well as far as"
                    " others than root can tell.")
    parser.add_argument("-j", "--json", action="store_true", help="JSON for other programs")
    parser.add_argument("-q", "--quiet", action="store_true", help="only what is not well")
    parser.set_defaults(run=run)


def run(args):
    found = diagnose(Host(sysfs=args.sysfs))
    status = next(status for result, status in STATUSES.items()
                  if result in (OK, *(finding.result for _, finding in found)))
    if args.quiet:
        found = [item for item in found if item[1].result != OK]
    text = as_json(found) if args.json else as_text(found, wants_colour("auto"), args.quiet)
    if text:
        print(text)
    return status


def diagnose(host):
    """(name of the check, Finding), of all checks."""
    return [(name, finding) for name in CHECKS for finding in perform(CHECKS[name], host)]


def perform(check, host):
    try:
        return check(host)
    except NotPermitted as error:
        return skip(str(error), "run dm-lw doctor as root")
    except LwError as error:
        return warn("cannot tell: %s" % error, "repair that, and run dm-lw doctor again")


def as_json(found):
    return json.dumps({"version": JSON_VERSION, "checks": [
        dict(check=name, **vars(finding)) for name, finding in found]}, indent=2)


def few(found):
    """(check, Finding): the first findings of a check with the same result, and how many more there are."""
    result = []
    for key, alike in itertools.groupby(found, key=lambda item: (item[0], item[1].result)):
        alike = list(alike)
        more = len(alike) - MOST if len(alike) > MOST + 1 else 0
        result += alike[:len(alike) - more]
        if more:
            last = alike[-1][1]
            result.append((key[0], replace(last, text="%d more like that" % more,
                                           advice=last.advice and "dm-lw doctor -j tells all")))
    return result


def as_text(found, colour, quiet):
    lines = []
    for name, finding in few(found):
        result = coloured("%-4s" % finding.result, COLOURS[finding.result] if colour else None)
        lines.append("%s  %-10s  %s" % (result, name, printable(finding.text)))
        if finding.result != OK:
            lines += textwrap.wrap("-> " + printable(finding.advice), WIDTH, initial_indent=INDENT,
                                   subsequent_indent=INDENT + "   ", break_long_words=False,
                                   break_on_hyphens=False)
    if not quiet:
        lines.append(summary([finding.result for _, finding in found]))
    return "\n".join(lines)


def summary(results):
    counts = [(results.count(FAIL), "failed"), (results.count(WARN), "warnings" if results.count(WARN) > 1 else "warning"),
              (results.count(SKIP), "skipped")]
    told = ", ".join("%d %s" % item for item in counts if item[0])
    return told or "all is well"
