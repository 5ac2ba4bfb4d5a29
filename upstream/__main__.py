"""Write the path selector as a patch series for a kernel tree: `python3 -m upstream LINUX`."""
import argparse
import re
import shutil
import sys
from pathlib import Path

from . import series, sources

OUT = sources.TOP / "build" / "upstream"


def maintainer() -> str:
    """Of the packages: a name and an address that stand for the project."""
    return re.search(r"^Maintainer: (.*)$", (sources.TOP / "debian/control").read_text(), re.MULTILINE)[1]


def person(text: str) -> str:
    if not re.fullmatch(r"[^<>\n]+ <[^<>@\s]+@[^<>@\s]+>", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name and an address, such as A Name <name@example.org>")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m upstream", description=__doc__.split(":")[0])
    parser.add_argument("linux", type=Path, metavar="LINUX", help="a kernel tree, which is only read")
    parser.add_argument("--out", type=Path, help="a new directory for the patches; build/upstream, which is made anew")
    parser.add_argument("--author", type=person, default=maintainer(), help="who signs them off: A Name <address>")
    options = parser.parse_args()
    try:
        series.read(options.linux)      # before what was made against another tree goes
        if not options.out:
            shutil.rmtree(OUT, ignore_errors=True)
        patches = series.write(options.linux, options.out or OUT, options.author)
    except (LookupError, OSError) as error:
        print(f"upstream: {error}", file=sys.stderr)
        return 1
    print("\n".join(map(str, patches)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
