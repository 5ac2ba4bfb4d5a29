"""The documents say what docs/figures.json says, and quote nothing else."""
import re

import pytest

from tests.bench.figures import store, summary
from tests.bench.figures.documents import EVERYWHERE, each, outdated
from tests.bench.figures.prose import allowed
from tests.bench.figures.steps import STEPS

FIGURES = store.load()


def test_documents_are_those_of_the_figures():
    wrong = outdated(FIGURES)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name, text", [(name, text) for name, texts in allowed().items() for text in texts])
def test_each_exception_is_needed_and_explained(name, text):
    documents = dict(each())
    assert any(text in file.read_text() for file in (documents.values() if name == EVERYWHERE else [documents[name]]))
    assert allowed()[name][text]


def test_each_figure_is_of_a_step_and_of_a_commit():
    assert set(FIGURES["steps"]) <= set(STEPS)
    for name, step in FIGURES["steps"].items():
        assert re.fullmatch("[0-9a-f]{7}", step["commit"]), name
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", step["date"]), name


def test_the_commit_is_the_only_one_or_told_to_be_several():
    commits = {step["commit"] for step in FIGURES["steps"].values()}
    assert FIGURES["commit"] == (commits.pop() if len(commits) == 1 else store.SEVERAL)


def test_sums_are_those_of_the_steps():
    assert FIGURES["summary"] == summary.of(FIGURES["steps"])


def test_the_file_can_be_reviewed():
    text = store.FILE.read_text()
    assert text == store.dumped(FIGURES) + "\n"
    assert len(text) < 300_000


def test_each_missed_scenario_is_spoken_of_and_no_other():
    text = dict(each())["docs/performance.md"].read_text()
    section = re.search(r"^## What was missed, and why\n(.*?)^## ", text, re.S | re.M)[1]
    table, prose = re.search(r"<!-- figures: acceptance-missed -->(.*?)<!-- /figures -->(.*)", section, re.S).groups()
    scenarios = {name.removeprefix("acceptance-") for name in FIGURES["steps"]}
    missed = set(re.findall(r"^\| `([^`]+)`", table, re.M))
    assert missed == set(re.findall(r"`([^`]+)`", prose)) & scenarios
