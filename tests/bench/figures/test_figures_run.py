"""Running steps: what is done is kept, what fails is told."""
import json
import os
import sys
from pathlib import Path

import pytest

from tests.bench.figures import __main__ as command
from tests.bench.figures import documents, sources, store
from tests.bench.figures.run import Runner
from tests.bench.figures.steps import STEPS, Step, slug
from tests.bench.figures.steps_done import LOG, Progress

COMMIT = "abc1234"


def read(directory):
    return json.loads((directory / "results.json").read_text())


def step(name, program, **more):
    return Step(name, [sys.executable, "-c", program, "{out}"], read, **more)


WRITES = "import sys; print('said'); open(sys.argv[1] + '/results.json', 'a').write('7')"


@pytest.fixture
def progress(tmp_path):
    return Progress(COMMIT, tmp_path)


def run(progress, *steps, now=COMMIT):
    return Runner(progress, lambda: now, {each.name: 1.5 for each in steps}).run(list(steps))


def test_what_is_done_is_not_done_again(progress, said):
    steps = [step("one", WRITES), step("two", WRITES, alone=False), step("three", WRITES, alone=False)]
    assert run(progress, *steps) == []
    assert (progress.of("one") / LOG).read_text() == "said\n"
    (progress.of("two") / "done.json").unlink()      # as if it had been cut off
    again = Progress(COMMIT, progress.directory.parent)
    assert again.done("one") and not again.done("two")
    assert run(again, *steps) == []
    assert read(again.of("one")) == read(again.of("two")) == 7
    assert "1 of 3 steps to do" in said.readouterr().err


def test_how_long_the_rest_takes_is_told(progress, said):
    """Two of 1.5 minutes run at a time; the first one before them is alone."""
    run(progress, step("one", WRITES), step("two", WRITES, alone=False), step("three", WRITES, alone=False))
    assert "one, some 2 min; of all some 3 left" in said.readouterr().err


def test_a_new_step_takes_some_minutes(tmp_path):
    file = tmp_path / "figures.json"
    assert store.minutes(file)["new"] == store.NEW
    store.save(store.document({"one": {"commit": COMMIT, "minutes": 65.5}}), file)
    assert (store.minutes(file)["one"], store.minutes(file)["new"]) == (65.5, store.NEW)


@pytest.mark.parametrize("program, told", [
    ("raise SystemExit(3)", "exit status 3"), ("pass", "FileNotFoundError"),
    ("import sys; open(sys.argv[1] + '/results.json', 'w').write('[')", "JSONDecodeError")])
def test_a_step_that_fails_does_not_take_the_others_with_it(progress, said, program, told):
    assert run(progress, step("bad", program), step("good", WRITES)) == ["bad"]
    assert progress.done("good") and not progress.done("bad")
    assert told in said.readouterr().err


@pytest.mark.parametrize("error", [ZeroDivisionError("division by zero"), AttributeError("no such thing")])
def test_a_reader_that_fails_does_not_take_the_others_with_it(progress, said, error):
    def fails(directory):
        raise error

    bad = Step("bad", [sys.executable, "-c", ""], fails)
    assert run(progress, bad, step("good", WRITES)) == ["bad"]
    assert progress.done("good") and not progress.done("bad")
    assert f"figures: bad failed: {type(error).__name__}: {error}; see " in said.readouterr().err


def test_sources_that_change_meanwhile_are_an_error(progress, said):
    assert run(progress, step("one", WRITES), now="1234abc") == ["one"]
    assert "the sources are those of 1234abc now" in said.readouterr().err


def test_nothing_is_kept_of_modified_sources(tmp_path):
    dirty = Progress(COMMIT + "+", tmp_path)
    dirty.begin("one")
    dirty.end("one", 5)
    assert dirty.done("one")["commit"] == "abc1234+"
    dirty.forget()
    assert not dirty.done("one")


def test_done_steps_replace_old_figures(progress):
    steps = {name: step(name, WRITES) for name in ("one", "two", "three")}
    run(progress, steps["one"])
    old = {name: {"commit": "0000aaa", "date": "2020-01-01", "results": 1} for name in ("one", "two", "gone")}
    found = store.collect(old, steps, progress)
    assert {name: each["commit"] for name, each in found.items()} == {"one": COMMIT, "two": "0000aaa"}
    assert found["one"]["results"] == 7


def test_figures_and_documents_are_replaced_whole(tmp_path, monkeypatch):
    """What was there stays as it was until the new one is complete: here by another name."""
    texts = {"figures.json": "{}", "document.md": "<!-- figures: sim -->\nold\n<!-- /figures -->\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"kept-{name}").hardlink_to(tmp_path / name)
    store.save(store.document({}), tmp_path / "figures.json")
    monkeypatch.setattr(documents, "each", lambda: [("document.md", tmp_path / "document.md")])
    assert documents.write(store.load(tmp_path / "figures.json")) == ["document.md"]
    assert "Not measured yet" in (tmp_path / "document.md").read_text()
    assert {name: (tmp_path / f"kept-{name}").read_text() for name in texts} == texts
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("make, told", [(os.mkfifo, "a FIFO"), (os.mkdir, "a directory")])
def test_what_is_no_regular_file_is_not_replaced(tmp_path, make, told):
    make(tmp_path / "figures.json")
    before = (tmp_path / "figures.json").stat()
    with pytest.raises(OSError, match=f"^{tmp_path}/figures.json is {told}; wanted is a regular file"):
        store.save(store.document({}), tmp_path / "figures.json")
    assert (tmp_path / "figures.json").stat() == before


def test_a_link_stays_one(tmp_path):
    (tmp_path / "figures.json").symlink_to("elsewhere.json")
    store.save(store.document({}), tmp_path / "figures.json")
    assert (tmp_path / "figures.json").is_symlink()
    assert store.load(tmp_path / "elsewhere.json")["steps"] == {}


@pytest.mark.parametrize("changed, dirty, expected", [("", False, "abc1234"), (" M src/main.c\n", True, "abc1234+")])
def test_figures_are_of_the_commit_that_changed_what_is_measured(monkeypatch, changed, dirty, expected):
    monkeypatch.setattr(sources, "git", lambda *words: changed if words[0] == "status" else COMMIT)
    assert sources.commit(dirty) == expected


def test_modified_sources_are_refused(monkeypatch):
    monkeypatch.setattr(sources, "git", lambda *words: " M src/main.c\n" if words[0] == "status" else COMMIT)
    with pytest.raises(sources.Modified, match="src/main.c"):
        sources.commit()


def test_modified_files_have_their_whole_names(repository):
    repository.write("src/main.c", "old\n")
    repository.commit()
    repository.write("src/main.c", "new\n")
    repository.write("src/added.c", "new\n")
    assert sources.modified() == ["src/main.c", "src/added.c"]


@pytest.mark.parametrize("name, counts", [
    ("src/main.c", True), ("dkms.conf", True), ("multipath.conf.d/some.example", True),
    ("tests/bench/demo/san.py", True), ("tests/bench/figures/steps.py", True),
    ("tests/bench/figures/struct_sizes.py", True), ("tests/bench/figures/readers/read_sim.py", True),
    ("tests/bench/figures/blocks/show_sim.py", False),
    ("tests/bench/figures/prose.py", False), ("tests/bench/figures/test_markers.py", False),
    ("tests/bench/README.md", False), ("docs/design.md", False), ("tests/unit/x_test.c", False)])
def test_what_is_measured_makes_figures_old(repository, name, counts):
    repository.write("src/module.c", "old\n")
    before = repository.commit()
    repository.write(name, "new\n")
    assert bool(sources.modified()) == counts
    after = repository.commit()
    assert sources.commit() == (after if counts else before)


def test_without_git_there_is_no_commit(monkeypatch):
    monkeypatch.setattr(sources, "git", lambda *words: "")
    with pytest.raises(ValueError, match="no checkout"):
        sources.commit()


def test_a_second_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LW_CACHE", str(tmp_path))
    monkeypatch.setattr(sources, "commit", lambda dirty: COMMIT + "+")
    monkeypatch.setattr(command, "Runner", lambda *_: pytest.fail("it ran"))
    running = Progress("1234abc")
    with running.alone():
        Progress(COMMIT + "+").begin("one")
        with pytest.raises(ValueError, match=f"^{tmp_path}/figures: another `make figures` runs there; wait"):
            command.run(command.parse([]))
        assert Progress(COMMIT + "+").of("one").exists()
    with running.alone():
        pass


@pytest.mark.parametrize("name", STEPS)
def test_each_step_has_a_command_with_its_directory(name):
    argv = STEPS[name].argv(lambda each: Path("/figures") / each)
    assert slug(name) == name
    assert not any("{" in word for word in argv)
    assert name.startswith("memory-") or any(f"/figures/{name}" in word for word in argv)
