"""docs/figures.json: for each step its commit, its date, and its figures."""
import json
from collections import Counter, defaultdict

from tests.lib.whole_file import write_whole
from tests.vm.places import CHECKOUT

from . import summary

FILE = CHECKOUT / "docs/figures.json"
SEVERAL = "several"
NEW = 3                 # minutes for a step that it does not have yet; most take fewer
DEPTH = 4               # of nested tables that have a line for each entry
SEPARATOR = " / "       # between the keys of a figure's name; some keys have a plain "/"


def load(file=FILE):
    return json.loads(file.read_text())


def steps_in(file=FILE):
    """The steps that it has; none if there is no such file."""
    return load(file)["steps"] if file.exists() else {}


def minutes(file=FILE):
    """How long each step took last, on the machine of those figures."""
    return defaultdict(lambda: NEW, {name: step["minutes"] for name, step in steps_in(file).items()})


def save(document, file=FILE):
    write_whole(file, dumped(document) + "\n")


def document(steps):
    """The file's content: with the commit, if it is one, and what is summed up over several steps."""
    commits = {step["commit"] for step in steps.values()}
    return {"commit": commits.pop() if len(commits) == 1 else SEVERAL, "steps": steps,
            "summary": summary.of(steps)}


def collect(old, steps, progress):
    """The steps' entries, those that this commit has done in place of old ones."""
    found = {}
    for name, step in steps.items():
        done = progress.done(name)
        if done:
            found[name] = {"commit": done["commit"], "date": done["date"], "minutes": round(done["seconds"] / 60, 1),
                           "results": step.read(progress.of(name))}
        elif name in old:
            found[name] = old[name]
    return found


def figure(figures, name):
    """What is called so: `summary / quick / gmean`, or a step's `demo / depth`; LookupError if nothing is."""
    first, *keys = name.split(SEPARATOR)
    value = figures["summary"] if first == "summary" else figures["steps"][first]["results"]
    for key in keys:
        value = value[key]
    return value


def commits(figures, steps):
    """{commit: its steps}, of those that there are; the most frequent first."""
    known = [name for name in steps if name in figures["steps"]]
    count = Counter(figures["steps"][name]["commit"] for name in known)
    return {commit: [name for name in known if figures["steps"][name]["commit"] == commit]
            for commit, _ in count.most_common()}


def dumped(value, depth=DEPTH, indent=""):
    """JSON for people and for diff: tables on lines of their own down to that depth, the rest in one line."""
    if not isinstance(value, dict) or not depth or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + " "
    return "{\n" + ",\n".join(f"{inner}{json.dumps(key, ensure_ascii=False)}: {dumped(each, depth - 1, inner)}"
                              for key, each in value.items()) + f"\n{indent}}}"
