"""The programs: built by make, run with their output in one piece."""
import pathlib
import subprocess

from tools.tables import options

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
BUILD = HERE.parents[1] / "build" / "fuzz"
CORPUS = HERE / "corpus"
SYNTAX = HERE / "options.dict"          # words beside the options' names and words


class BuildFailed(Exception):
    """With what the compiler said."""


def build(directory=BUILD, target="all", **variables):
    """Where the programs are, compiled if need be; variables of the Makefile may be given."""
    command = ["make", "-C", str(HERE), "-j2", "--no-print-directory", f"BUILD={directory}",
               *(f"{name}={value}" for name, value in variables.items()),
               target if target == "all" else f"{directory}/{target}"]
    made = run(*command)
    if made.returncode:
        raise BuildFailed(made.stdout)
    return directory


def run(*command):
    return subprocess.run([str(word) for word in command], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def dictionary():
    """Words for libFuzzer."""
    words = [word for each in options.read() for word in (each.name, *(each.limits if each.is_word else ()))]
    return "".join(f'"{word}"\n' for word in words) + SYNTAX.read_text()


def fuzz_options(built, found, *arguments):
    """libFuzzer from the corpus on; inputs that lead to new code go to the directory `found`, one
    that breaks something, too."""
    inputs = found / "inputs"
    inputs.mkdir(exist_ok=True, parents=True)
    (found / "options.dict").write_text(dictionary())
    return run(built / "options_fuzz", f"-dict={found / 'options.dict'}", "-max_len=600",
               f"-artifact_prefix={found}/", "-print_final_stats=1", *arguments, inputs, CORPUS)


def run_streams(built, first, count):
    return run(built / "events", first, count)
