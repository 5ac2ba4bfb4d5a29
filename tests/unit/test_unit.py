"""The cmocka programs as items of the one test run."""
# promise numbers/overflow: No signed overflow anywhere | by: UndefinedBehaviorSanitizer

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build" / "unit"


def unit_tests():
    """(program, test) as they stand in the sources."""
    for source in sorted(HERE.glob("*_test.c")):
        for test in re.findall(r"cmocka_unit_test\((\w+)\)", source.read_text()):
            yield pytest.param(source.stem, test, id=f"{source.stem}-{test}")


@pytest.fixture(scope="session")
def results():
    subprocess.run(["make", "-s", "-C", str(HERE), f"OUT={OUT}", "all"], check=True)
    outputs = {}
    for source in HERE.glob("*_test.c"):
        done = subprocess.run([str(OUT / source.stem)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300)
        outputs[source.stem] = done.stdout
    return outputs


@pytest.mark.parametrize("program, test", unit_tests())
def test_unit(results, program, test):
    assert re.search(rf"^\[ +OK +\] {test}$", results[program], re.M), results[program]
