"""Blocks and figures in a document that is made up."""
import pytest

from tests.bench.figures import prose
from tests.bench.figures.markers import BadMarker, rendered, without
from tests.bench.figures.prose import COMMIT, sections, unaccounted

FIGURES = {"summary": {"quick": {"gmean": 1.3456}},
           "steps": {"exact-5-35-ms": {"results": {"rows": {"5/35 ms, depth 1": {"iops": 12345.6}}}}}}
BLOCKS = {"one": lambda figures: f"{figures['summary']['quick']['gmean']:.1f} IOPS\n"}
OLD = """Before 1.2<!-- = summary / quick / gmean --> after.
<!-- figures: one -->
9.9 IOPS
<!-- /figures -->
Then 1<!-- = {name} --> and 1,000.0<!-- = {name} -->.
""".replace("{name}", "exact-5-35-ms / rows / 5/35 ms, depth 1 / iops")


def test_blocks_and_figures_are_rendered_and_stay_so():
    once = rendered(OLD, FIGURES, BLOCKS)
    assert once.splitlines() == [
        "Before 1.3<!-- = summary / quick / gmean --> after.",
        "<!-- figures: one -->", "1.3 IOPS", "<!-- /figures -->",
        "Then 12346<!-- = exact-5-35-ms / rows / 5/35 ms, depth 1 / iops --> and "
        "12,345.6<!-- = exact-5-35-ms / rows / 5/35 ms, depth 1 / iops -->."]
    assert rendered(once, FIGURES, BLOCKS) == once


@pytest.mark.parametrize("text", ["1<!-- = summary / quick / worst -->", "1<!-- = summary / quick -->",
                                  "1<!-- = demo / depth -->", "<!-- figures: two -->\n<!-- /figures -->",
                                  "12 <!-- = nothing / here -->", "1<!--= summary / quick / gmean -->",
                                  "1<!-- = summary / quick / gmean"])
def test_what_is_not_there_is_told(text):
    with pytest.raises(BadMarker):
        rendered(text, FIGURES, BLOCKS)


def test_lines_keep_their_numbers():
    assert without(OLD).splitlines()[4] == "Then  and ."


@pytest.mark.parametrize("text, found", [
    ("1.25 of it", ["1.25"]), ("3 % more", ["3 %"]), ("12,000 IOPS", ["12,000 IOPS"]), ("2 MiB/s", ["2 MiB/s"]),
    ("5 times as much", ["5 times"]), ("a 7x gain", ["7x"]), ("4.5 ms", ["4.5"]), ("it took 0.34.", ["0.34"]),
    ("depth 16, 30 ms", []), ("version 2.8.4", []), ("2026-11-23", []), ("in v1.2", []), ("4 KiB reads", []),
    ("1.25<!-- = summary / quick / gmean -->", []), ("a mark of 1.05", []), ("a mark of 1.05 or 1.051", ["1.051"]),
    ("tried at abc1234: 1.25", ["1.25"]), ("<!-- kernels -->\n6.12\n<!-- /kernels -->\n6.18", ["6.18"])])
def test_numbers_that_look_measured(text, found):
    assert [number for _, number in unaccounted(text, None, ["1.05"], history=False)] == found


def test_a_marker_without_its_number_is_named():
    with pytest.raises(BadMarker, match="<!-- = summary / quick / gmean -->"):
        rendered("12 <!-- = summary / quick / gmean -->", FIGURES, BLOCKS)


def test_history_names_its_commit(monkeypatch):
    monkeypatch.setattr(prose, "knows_commits", lambda text: True)
    monkeypatch.setattr(prose, "is_commit", lambda name: name == "abc1234")
    text = "## Tried\n\nAt 1.25 of it.\n\n- at abc1234:\n  1.5 times\n- 2.5 times\n| 3.5 | abc1234 |\n| 4.5 | |\n"
    assert unaccounted(text, ["Tried"], [], history=True) == [(3, "1.25"), (7, "2.5 times"), (9, "4.5")]


def test_history_is_of_a_commit_that_git_has(repository):
    repository.write("file", "text\n")
    commit = repository.commit()
    assert prose.knows_commits(f"{commit}, deadbe1")
    assert not prose.knows_commits("deadbe1")   # a squashed history
    assert prose.is_history(f"{commit}: 1.25", known=True)
    assert not prose.is_history("deadbe1: 1.25", known=True)
    assert not prose.is_history(f"{commit}, deadbe1: 1.25", known=True)
    assert not prose.is_history("1.25", known=False)
    assert prose.is_history("deadbe1: 1.25", known=False)


@pytest.mark.parametrize("git_says", ["", "true", "false\ntarball/"])
def test_a_tarball_or_shallow_clone_knows_no_commits(monkeypatch, git_says):
    monkeypatch.setattr(prose, "git", lambda *words: git_says if "--is-shallow-repository" in words else "")
    monkeypatch.setattr(prose, "is_commit", lambda name: True)
    assert not prose.knows_commits("abc1234")


@pytest.mark.parametrize("text, is_commit", [("abc1234", True), ("1234567", False), ("defaced", False),
                                             ("abc12345", False), ("(04098b2)", True)])
def test_a_commit_has_letters_and_digits(text, is_commit):
    assert bool(COMMIT.search(text)) == is_commit


def test_sections_by_their_titles():
    text = "intro\n## One\n1\n## Two\n2\n"
    assert sections(text, ["Two"]) == [(4, "## Two\n2\n")]
    with pytest.raises(ValueError):
        sections(text, ["Three"])
