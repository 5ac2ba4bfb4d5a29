"""Every figure and table of the documents, anew: `sudo python3 -m tests.bench.figures`, from the checkout.

What is done of a commit is kept: cut off, the same command goes on from there. At the end
docs/figures.json and the documents have the new figures.
"""
import shutil

from tests.vm import command_line
from tests.vm.places import CHECKOUT
from tests.vm.progress import say

from . import sources, store
from .documents import outdated, write
from .run import Runner, share
from .steps import STEPS
from .steps_done import Progress

DO = {"run": "what is not done yet, then as write", "list": "show the steps",
      "write": "docs/figures.json and the documents, with what is done",
      "render": "the documents anew, from docs/figures.json", "check": "whether they are as that file has them"}


def parse(arguments):
    parser = command_line.parser("tests.bench.figures", __doc__)
    parser.add_argument("do", nargs="?", choices=DO, default="run", metavar="WHAT",
                        help="; ".join(f"{word}: {text}" for word, text in DO.items()) + " (%(default)s)")
    parser.add_argument("--step", action="append", choices=STEPS, metavar="NAME", help="only this one; see list")
    parser.add_argument("--dirty", action="store_true",
                        help="although sources are modified; the commit gets a \"+\", and nothing is kept")
    return parser.parse_args(arguments)


def listing(progress):
    minutes = store.minutes()

    def state(step):
        done = progress.done(step.name)
        return f"done in {done['seconds'] / 60:.0f} min" if done else f"some {minutes[step.name]:.0f} min"

    steps = STEPS.values()
    left = sum(share(step, minutes) for step in steps if not progress.done(step.name))
    return "\n".join([*(f"{step.name:40} {state(step)}" for step in steps),
                      f"{progress.commit}: some {left / 60:.1f} hours left"])


def write_figures(progress):
    """What this commit has done, and of the rest what was there; then the documents."""
    figures = store.document(store.collect(store.steps_in(), STEPS, progress))
    store.save(figures)
    if progress.done("demo"):
        shutil.copyfile(progress.of("demo") / "picture.png", CHECKOUT / "docs/demo.png")
    changed = write(figures)
    say(f"docs/figures.json has {len(figures['steps'])} of {len(STEPS)} steps, commit: {figures['commit']}; "
        f"changed: {', '.join(changed) or 'no document'}")


def measure(options):
    def current():
        return sources.commit(options.dirty)

    progress = Progress(current())
    with progress.alone():
        if progress.commit.endswith("+"):
            progress.forget()
        failed = Runner(progress, current, store.minutes()).run([STEPS[name] for name in options.step or STEPS])
        if failed:
            say(f"failed: {', '.join(failed)}; the same command tries them again, `write` does without")
            return 1
        write_figures(progress)
    return 0


def run(options):
    if options.do == "run":
        return measure(options)
    if options.do == "list":
        print(listing(Progress(sources.commit(dirty=True).rstrip("+"))))
    elif options.do == "write":
        write_figures(Progress(sources.commit()))
    elif options.do == "render":
        say(f"changed: {', '.join(write(store.load())) or 'no document'}")
    else:
        wrong = outdated(store.load())
        print("\n".join(wrong))
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(ValueError, LookupError))
