"""What the commands that run guests have in common: `python3 -m tests.NAME`."""
import argparse
import sys
from typing import Callable

from .progress import exit_status


def parser(name: str, description: str, **more) -> argparse.ArgumentParser:
    """Of `python3 -m NAME`; the first line of the description is shown."""
    return argparse.ArgumentParser(prog=f"python3 -m {name}", description=description.split("\n")[0], **more)


def number(kind: type, least, most) -> Callable[[str], float]:
    """For an argument's type: an int or a float within these bounds."""
    def convert(text: str):
        found = kind(text)
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")
        return found
    convert.__name__ = kind.__name__    # what argparse calls it if the text is no number
    return convert


def run(parse: Callable, command: Callable[..., int], expected: tuple = ()) -> None:
    """Run the command with what the command line says, and end."""
    options = parse(sys.argv[1:])
    sys.exit(exit_status(lambda: command(options), expected))
