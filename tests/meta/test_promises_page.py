"""Promises stand at their tests; docs/promises.md is made of them, and none goes lost."""
import pytest

from . import promises

FEWEST = 126    # it only grows

WHOLE = """# promise numbers/one: Costs are
#   finite | by: eye | check: no | full: `host`

def first():
    pass


@# promise numbers/two: Shares add up
@marked
def second():
    pass
""".replace("@#", "#")
OTHER = """/* promise numbers/one, numbers/two */
/* Says why. */
static u64 third(void)
"""


def test_page_is_up_to_date():
    assert promises.PAGE.read_text() == promises.page(promises.of_the_tests()), "make promises"


def test_no_promise_is_lost():
    assert len(promises.of_the_tests()) >= FEWEST
    assert promises.PAGE.read_text().count("\n| ") - len(promises.SECTIONS) >= FEWEST


def test_marks_are_read():
    found = promises.read({"a.py": WHOLE, "b.c": OTHER})
    assert [(key, one.text) for key, one in found.items()] == [("numbers/one", "Costs are finite"), ("numbers/two", "Shares add up")]
    assert found["numbers/one"].fields == {"by": "eye", "check": "no", "full": "`host`"}
    assert found["numbers/two"].places == [("a.py", "second"), ("b.c", "third")]
    told = promises.page(found)
    assert "| Costs are finite | `a.py`; `third` in `b.c`; eye | no | `host` |\n" in told
    assert "| Shares add up | `second` in `a.py`; `third` in `b.c` | yes | |\n" in told


@pytest.mark.parametrize("text, error", [
    ("# promise numbers/one", "no text at any test for numbers/one"),
    ("# promise numbers/one: A\n# promise numbers/one: B", "has a text already at a.py"),
    ("# promise numbers/one: A | test: no", "'test: no' is none of by, check, full"),
    ("# promise numbers/one A", "wanted ': TEXT' or more names, found 'A'")])
def test_bad_mark_is_told(text, error):
    with pytest.raises(ValueError, match=error):
        promises.read({"a.py": text + "\n"})
