"""Definitions in place of the module's own, as variants and planted bugs have them."""
# promise tests/planted-in-module

import pytest

from tests.lib.definitions import Misfit, copied, sections

MODULE = """\
#define LW_MOST	8	/* of them */

/* How many. */
static inline int lw_count(const struct lw_path *p,
			   int more)
{
	if (more) {
		return p->count + more;
	}
	return lw_count_of(p);
}

static int lw_use(const struct lw_path *p)
{
	return lw_count(p, LW_MOST);
}
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "src/model").mkdir(parents=True)
    (tmp_path / "src/model/count.h").write_text(MODULE)
    (tmp_path / "src/other.c").write_text("int lw_other(void)\n{\n\treturn lw_use(NULL);\n}\n")
    return tmp_path / "src"


def changed(source, code, *texts):
    return (copied(source, source.parent / "copy", code, *texts) / "model/count.h").read_text()


def test_function_takes_the_place_of_the_other(source):
    new = "static int lw_use(const struct lw_path *p)\n{\n\treturn 0;\n}\n"
    assert changed(source, new) == MODULE[:MODULE.index("static int lw_use")] + new


def test_function_may_call_the_one_as_it_is(source):
    new = "static inline int lw_count(const struct lw_path *p, int more)\n{\n\treturn lw_count_as_it_is(p, 2 * more);\n}\n"
    text = changed(source, f"/* Twice. */\n{new}")
    assert text.index("static inline int lw_count_as_it_is(const") < text.index("return lw_count_of(p);") < text.index(new)
    assert text.endswith(MODULE[MODULE.index("\nstatic int lw_use"):])


def test_macro_takes_the_place_of_the_other(source):
    assert changed(source, "#define LW_MOST 2\n") == MODULE.replace("#define LW_MOST	8	/* of them */", "#define LW_MOST 2")


def test_text_is_replaced(source):
    assert "p->count - more" in changed(source, "", ("p->count + more", "p->count - more"))


@pytest.mark.parametrize("code, texts, told", [
    ("int lw_none(void)\n{\n}\n", [], "0 times in src/, not once: lw_none"),
    ("#define LW_NONE 1\n", [], "0 times in src/, not once: LW_NONE"),
    ("int x;\n", [], "neither a function nor a macro: intx;"),
    ("", [("lw_use", "")], "2 times in src/, not once: 'lw_use'"),
])
def test_misfit_is_named(source, code, texts, told):
    with pytest.raises(Misfit) as error:
        changed(source, code, *texts)
    assert str(error.value).replace("copy/", "src/") == told


def test_sections_by_name():
    assert sections("/* top */\n/* bug: one */\na\n/* bug: two */\nb\n", "bug") == {"one": "a\n", "two": "b\n"}


def test_section_that_stands_there_twice_is_refused():
    with pytest.raises(Misfit, match="variant"):
        sections("/* variant: one */\n/* variant: two */\n/* variant: one */\n", "variant")
