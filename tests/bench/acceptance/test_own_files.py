"""Somebody's own scenario files: read, refused in one line, documented."""
import json
import re
from pathlib import Path

import pytest

from tests.bench import scenario_values as values
from tests.bench.acceptance import acceptance_plan as plan
from tests.bench.acceptance import acceptance_scenario as scenario
from tests.bench.acceptance.__main__ import OUT, chosen, directory, parse, with_arguments
from tests.bench.acceptance.acceptance_scenario import ScenarioError, load_files
from tests.bench.acceptance.test_acceptance_report import acceptance
from tests.bench.acceptance.test_acceptance_results import record
from tests.bench.selectors import OURS
from tests.sim import scenario_file
from tests.vm.places import CHECKOUT

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE / "examples").glob("*.toml"))
README = (HERE / "README.md").read_text()
SHORT = 'title = "mine"\nquick = {quick}\n[[paths]]\n[[paths]]\n[[jobs]]\nrw = "randread"\ndepths = [8]\n'


def own(path, quick=False):
    path.write_text(SHORT.format(quick=str(quick).lower()))
    return path


def test_there_is_an_example():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_right_and_run_in_the_simulator_too(path):
    assert load_files([path])[path.stem].exact
    assert scenario_file.load(path)
    assert f"acceptance FILE={path.relative_to(CHECKOUT)}" in path.read_text() and path.name in README


def test_files_are_instead_of_the_suites_own(tmp_path):
    done = acceptance("--list", "--file", own(tmp_path / "step.toml"), "--file", own(tmp_path / "mine.toml"))
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["step", "mine"]


def test_other_options_choose_from_the_files(tmp_path):
    files = [own(tmp_path / "slow.toml"), own(tmp_path / "fast.toml", quick=True)]

    def names(*arguments):
        words = [word for path in files for word in ("--file", str(path))]
        return [each.name for each in chosen(parse([*words, *arguments], []), load_files(files))]

    assert names() == ["slow", "fast"]
    assert names("--quick") == ["fast"]
    assert names("--scenario", "slow") == ["slow"]
    with pytest.raises(ValueError, match="--scenario: 'step' is none of slow, fast"):
        names("--scenario", "step")


def test_an_argument_of_the_command_line_counts(tmp_path):
    path = own(tmp_path / "mine.toml")
    path.write_text("arguments = { by_operation = 1, window_ms = 50 }\n" + path.read_text())
    given = dict(parse(["--argument", "by_operation=0", "--argument", "histogram=1"], []).argument)
    assert with_arguments(load_files([path]), given)["mine"].arguments == {
        "by_operation": 0, "window_ms": 50, "histogram": 1}


@pytest.mark.parametrize("text, status, told", [
    ("by_operation", 2, "argument --argument: 'by_operation' is not NAME=NUMBER such as by_operation=0"),
    ("by_operation=-1", 2, "'by_operation=-1' is not NAME=NUMBER"),
    ("by_operation=2", 1, "--argument: by_operation = 2 is not a whole number from 0 to 1"),
    ("by_op=1", 1, "--argument: unknown key 'by_op'; known are ewma_shift"),
])
def test_a_bad_argument_of_the_command_line_is_told(text, status, told):
    done = acceptance("--list", "--argument", text)
    assert done.returncode == status and not done.stdout
    assert told in done.stderr.splitlines()[-1]


def test_results_are_beside_those_of_the_suite():
    assert directory(parse([], [])) == OUT
    assert directory(parse(["--file", "a/one.toml"], [])) == OUT / "one"
    assert directory(parse(["--file", "a/one.toml", "--file", "two.toml"], [])) == OUT / "one+two"
    assert directory(parse(["--file", "one.toml", "--out", "x"], [])) == Path("x")


def test_the_report_of_a_file_can_be_made_again(tmp_path):
    path = own(tmp_path / "mine.toml")
    records = [record(selector, iops, scenario="mine", depth=8)
               for selector, iops in (("round-robin", 100), (OURS, 101))]
    (tmp_path / "results.json").write_text(json.dumps(records))
    done = acceptance("--report-only", tmp_path, "--file", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "acceptance: gmean=1.010 worst=1.010 worst_p99=1.000"
    assert "mine (exact: virtual time, test disk)" in done.stdout
    assert "<h2>mine</h2>" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("name, content, told", [
    ("none.toml", None, "No such file or directory"),
    ("mine.toml", b"title =\n", "no TOML: Invalid value (at line 1"),
    ("mine.toml", b"\xff\xfe", "no text in UTF-8"),
    ("mine.toml", b"x = " + b"[" * 100000, "nested too deeply"),
    ("mine.toml", b"x = " + b"9" * 5000, "no TOML: "),
    ("mine.toml", b"", "'title' is missing"),
    ("mine.toml", b"titel = 3", "unknown key 'titel'; known are title"),
    ("mine.toml", b"title = 3", "'paths' is missing"),
    ("my san.toml", b"", "up to 64 letters, digits, - and _, and then .toml, not 'my san.toml'"),
    ("my.san.toml", b"", "not 'my.san.toml'"),
])
def test_a_bad_file_is_one_line_and_leaves_earlier_results(tmp_path, name, content, told):
    path, out = tmp_path / name, tmp_path / "out"
    if content is not None:
        path.write_bytes(content)
    out.mkdir()
    (out / "results.json").write_text("[]")
    done = acceptance("--file", path, "--out", out)
    assert done.returncode == 1 and not done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"lw: error: {path}: ") and told in done.stderr
    assert (out / "results.json").read_text() == "[]"


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(ScenarioError, match="Is a directory"):
        load_files([tmp_path / ".." / tmp_path.name])


def test_two_files_of_one_name_are_refused(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(ScenarioError, match="another file is called mine, too; rename one of them"):
        load_files([own(tmp_path / "mine.toml"), own(tmp_path / "there" / "mine.toml")])


def rows():
    """{key: rest of its row} of the tables in README.md."""
    return dict(re.findall(r"^\| `(?:\[\[)?(\w+)(?:\]\])?` \| (.*) \|$", README, re.MULTILINE))


def fields(kind):
    return {each for each in kind.__dataclass_fields__ if each != "name"}


def test_all_keys_are_documented():
    wanted = fields(plan.Scenario) | fields(plan.Job) | fields(plan.Change)
    assert wanted | {key for known in scenario.PATH_KEYS.values() for key in known} <= set(rows())


def test_options_that_are_the_suites_own_are_documented():
    for key, taken in (("options", scenario.TAKEN), ("background", scenario.TAKEN_BESIDE)):
        assert all(f"`{each}`" in rows()[key] for each in taken)


@pytest.mark.parametrize("keys", [*scenario.PATH_KEYS.values(), scenario.SCENARIO_NUMBERS, scenario.JOB_NUMBERS,
                                  {"number": scenario.NUMBERS, "at": scenario.CHANGE_AT, "every": scenario.CHANGE_EVERY}])
def test_documented_ranges_are_those_that_are_checked(keys):
    for key, allowed in keys.items():
        text = rows()[key]
        if not isinstance(allowed, values.Range):
            assert all(f"`{each}`" in text for each in allowed)
        elif allowed == scenario.SWITCH:
            assert "| 0, 1 |" in text
        elif key == "jitter_ms":
            assert "| 0 to `delay_ms` |" in text
        else:
            assert f"{allowed.least} to {allowed.most}" in text
            assert key == "number" or ("| whole," in text) == allowed.whole


def test_documented_defaults_are_those_of_the_plan():
    for kind in (plan.Scenario, plan.Job):
        for each in kind.__dataclass_fields__.values():
            if isinstance(each.default, (str, float)) or type(each.default) is int:
                default = rows()[each.name].split(" | ")[-1].strip("`")
                assert default == (str(each.default).removesuffix(".0") if each.default else "none") or \
                    each.name == "label"
