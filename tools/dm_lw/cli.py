"""From the command line to the command, and from an error to one line and an exit status."""
import argparse
import contextlib
import importlib
import os
import signal
import sys

from .errors import Interrupted, LwError, where_and_why
from .sysfs import Sysfs, printable, standing_for_sys
from .version import VERSION

# Modules of the commands. Each has add_parser(commands), which sets the default "run": called
# with the parsed arguments, returns an exit status or None.
COMMANDS = {"stat": "stat", "show": "show", "latency": "latency", "topology": "topology",
            "events": "events", "record": "history.record", "report": "history.report",
            "policy": "policies.command", "set": "settings", "unset": "unset", "apply": "apply", "reset": "reset",
            "enable": "enable", "disable": "disable", "doctor": "doctor", "bench": "bench"}

WRONG_USAGE = 2
INTERRUPTED = 130           # as a shell has it: 128 + SIGINT
PIPE_CLOSED = 141           # 128 + SIGPIPE


class Parser(argparse.ArgumentParser):
    def rest_of_words(self):
        """Where words after an option go, as in "stat mpatha -x 1": argparse takes the words at one place only."""
        words = [action for action in self._actions if not action.option_strings]
        return words[-1].dest if words and words[-1].nargs == "*" else None

    def error(self, message):
        super().error(printable(message))


def parser(command=None):
    """For this command, or else for all: to import those takes longer than most commands do."""
    top = Parser(
        prog="dm-lw", allow_abbrev=False,
        description="See and steer multipath maps of the path selector latency-weighted.",
        epilog="MAP is an alias, dm-N, a file in /dev or a WWID. Details: man dm-lw")
    top.add_argument("--sysfs", metavar="DIR", type=standing_for_sys, default=Sysfs(),
                     help="a directory that stands for /sys, such as a copy from another host")
    top.add_argument("--version", action="version", version="%(prog)s " + VERSION)
    commands = top.add_subparsers(metavar="COMMAND", dest="command")
    for name in [command] if command in COMMANDS else COMMANDS:
        importlib.import_module("." + COMMANDS[name], __package__).add_parser(commands)
        commands.choices[name].set_defaults(parser=commands.choices[name])
    return top


def parse(argv):
    """The arguments. Of "dm-lw" alone, the list of commands; "help" and "version" are options, too."""
    if argv[:1] == ["help"]:
        argv = argv[1:2] + ["--help"]
    elif argv[:1] == ["version"]:
        argv = ["--version"]
    top = parser(*argv[:1])
    args, unknown = top.parse_known_args(argv)
    if args.command is None:
        top.print_help(sys.stderr)
        raise SystemExit(WRONG_USAGE)
    rest = args.parser.rest_of_words()
    if rest and not any(word.startswith("-") for word in unknown):
        setattr(args, rest, [*getattr(args, rest), *unknown])
        return args
    if unknown:                 # not argparse's error, which has the usage of all commands
        args.parser.error("unrecognized arguments: %s" % " ".join(unknown))
    return args


def main(argv, on_interrupt=None):
    """Run a command; the exit status. `on_interrupt` handles SIGINT from when it is caught here."""
    # A character that the terminal cannot show is no reason to fail.
    sys.stderr = sys.stderr or open(os.devnull, "w")        # None if it was closed
    if sys.stdout is None:
        return complain("standard output is closed", 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        args = parse(argv)
        if on_interrupt is not None:        # not before: Python's import may lose an exception
            signal.signal(signal.SIGINT, on_interrupt)
        status = args.run(args) or 0
        sys.stdout.flush()
        return status
    except (LwError, Interrupted) as error:
        return complain(error, error.status)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        give_up(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        give_up(sys.stdout)
        return complain(where_and_why(error), 1)


def give_up(stream):
    """Drop unwritten output: Python would try again at exit, and fail for that."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(message, status):
    with contextlib.suppress(OSError):      # the exit status tells it, too
        print("dm-lw: %s" % printable(message), file=sys.stderr)
    give_up(sys.stderr)
    return status
