"""Run make check-full, or some of its parts: `sudo python3 -m tests.full`, from the checkout."""
import json
import re
import subprocess
import sys
import time
from typing import Dict, List

from tests.lib.commit import commit
from tests.lib.whole_file import write_whole
from tests.vm import command_line
from tests.vm.places import CHECKOUT
from tests.vm.progress import say

from .parts import PARTS, Part, chosen

OUT = CHECKOUT / "build" / "check-full"
RESULTS = CHECKOUT / "docs" / "check-full.json"
DOCUMENT = CHECKOUT / "docs" / "reliability.md"
BLOCK = re.compile(r"(?<=<!-- check-full -->\n).*?(?=<!-- /check-full -->)", re.DOTALL)
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
NO_COUNTS = [0, 1, 0]   # of a part that ended before it could say more


def parse(arguments):
    parser = command_line.parser("tests.full", __doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="by number or name; default all")
    parser.add_argument("--list", action="store_true", help="list the parts and what became of them last")
    parser.add_argument("--render", action="store_true", help="write that list into docs/reliability.md")
    return parser.parse_args(arguments)


def run_part(part: Part) -> Dict[str, object]:
    """Its output goes to a file and to ours; what it came to."""
    log, start, tested = OUT / f"{part.name}.log", time.time(), commit()    # not a later one
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *part.arguments]
    say(f"part {part.name}: {part.title}; about {part.minutes} minutes; log {log}")
    last = ""
    with log.open("w") as file, subprocess.Popen(command, cwd=CHECKOUT, text=True, errors="replace",
                                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            file.write(line)
            print(line, end="", flush=True)
            last = line.strip() or last
    told = COUNTS.fullmatch(last)
    counts = [int(each) for each in told.groups()] if told else NO_COUNTS
    if process.returncode and not counts[1]:
        counts[1] = 1
    return {"part": part.name, "date": time.strftime("%Y-%m-%d", time.gmtime(start)), "commit": tested,
            "minutes": round((time.time() - start) / 60), "counts": counts}


def results() -> Dict[str, dict]:
    """The last one of each part."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(record: Dict[str, object]) -> None:
    """In the file, and in the document."""
    write_whole(RESULTS, json.dumps({**results(), record["part"]: record}, indent=1) + "\n")
    write_whole(DOCUMENT, rendered())


def rendered() -> str:
    return BLOCK.sub(lambda _: table() + "\n", DOCUMENT.read_text())


def table() -> str:
    """The parts, and what became of each when it last ran."""
    lines = ["| | part | is | run on | commit | minutes | passed, failed, skipped |",
             "|---|---|---|---|---|---|---|"]
    found = results()
    for number, part in enumerate(PARTS, 1):
        ran = found.get(part.name)
        lines.append(f"| {number} | `{part.name}` | {part.title} | " + (
            f"{ran['date']} | {ran['commit']} | {ran['minutes']} | {', '.join(map(str, ran['counts']))} |" if ran
            else f"not yet | | about {part.minutes} | |"))
    return "\n".join(lines)


def run(options) -> int:
    if options.render:
        write_whole(DOCUMENT, rendered())
    if options.list or options.render:
        print(table())
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    records: List[dict] = []
    for part in chosen(options.parts):
        records.append(run_part(part))
        keep(records[-1])
    print(table())
    passed, failed, skipped = (sum(column) for column in zip(*(each["counts"] for each in records)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(LookupError,))
