"""The page and the pictures, of a small result; and the command's own ends."""
import html
import json
import resource
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.bench.acceptance import __main__ as command
from tests.bench.acceptance import acceptance_report as report
from tests.bench.acceptance import acceptance_results as results
from tests.bench.acceptance import acceptance_table as table
from tests.bench.acceptance import runner
from tests.bench.acceptance.acceptance_plan import GuestPlan
from tests.bench.acceptance.acceptance_scenario import load_all, parse
from tests.bench.acceptance.test_acceptance_results import record
from tests.bench.selectors import HISTORICAL_SERVICE_TIME, OURS
from tests.vm.kernels import DIRECTORY, KERNELS, directory_kernels
from tests.vm.places import CHECKOUT
from tests.vm.progress import CommandFailed
from tests.vm.test_directory_kernel import lay_out

SCENARIO = parse("step.toml", "step", {
    "title": "a <step>", "number": 7, "clock": "virtual", "transport": "test disk",
    "paths": [{"delay_us": 5000}, {"delay_us": 5000}],
    "jobs": [{"rw": "randread", "depths": [16], "seconds": 3}],
    "changes": [{"at": 1, "path": 0, "set": {"delay_us": 35000}}]})
TRACE = {"t": [0.0, 0.5, 1.0, 1.5, 2.0], "taken": [[0, 0], [5, 5], [10, 10], [11, 19], [11, 29]],
         "latency_t": [0.1, 0.2], "latency_us": [5000, 9000]}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    directory = tmp_path_factory.mktemp("report")
    records = [record(selector, iops, scenario="step") for selector, iops in (("round-robin", 300), (OURS, 200))]
    records += [{"scenario": "step", "selector": OURS, "kernel": "6.12", "commit": "0123456",
                 "repetition": 0, "trace": TRACE}]
    report.write(directory, results.Evaluation(records, {"step": SCENARIO}))
    return directory


def test_the_page_needs_nothing_else(written):
    page = (written / "report.html").read_text()
    assert page.count("<svg") == page.count("</svg>") == 2
    for outside in ("<script", "<link", "<img", "@import", 'src="', "url(http"):
        assert outside not in page, outside


def test_the_page_tells_what_was_measured_and_what_was_missed(written):
    page = (written / "report.html").read_text()
    assert "a &lt;step&gt;" in page
    assert "exact: virtual time, test disk; paths: delay_us 5000; delay_us 5000" in page
    assert "acceptance: gmean=0.667 worst=0.667 worst_p99=1.000" in page
    assert page.count('<tr class="missed">') == 2
    assert "Linux 6.12; sources 0123456" in page
    assert "the median of 1 interleaved repetitions" in page


def test_our_arguments_are_told(written, tmp_path):
    assert "arguments" not in (written / "report.html").read_text()
    records = [record("round-robin", 300, scenario="step"),
               record(OURS, 400, scenario="step", arguments={"by_operation": 1, "window_ms": 50})]
    found = results.Evaluation(records, {"step": SCENARIO})
    report.write(tmp_path, found)
    told = f"{OURS}'s arguments: by_operation 1, window_ms 50"
    assert html.escape(told) in (tmp_path / "report.html").read_text()
    assert told in table.text(found, red=False).splitlines()


def test_the_page_tells_how_long_it_took(written):
    page = (written / "report.html").read_text()
    assert f'<tr class="ours"><td>{OURS}</td><td>1.0 s</td><td>never</td></tr>' in page


@pytest.mark.parametrize("name", ["step", "step-over-time"])
def test_pictures_are_files_too(written, name):
    assert (written / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(written / f"{name}.svg").getroot().tag.endswith("svg")


def acceptance(*arguments):
    return subprocess.run([sys.executable, "-m", "tests.bench.acceptance", *map(str, arguments)], cwd=CHECKOUT,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_report_only_reads_what_a_run_left(tmp_path):
    records = [record(selector, iops, scenario="equal-2")
               for selector, iops in (("round-robin", 100), (OURS, 101))]
    (tmp_path / "results.json").write_text(json.dumps(records))
    done = acceptance("--report-only", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "acceptance: gmean=1.010 worst=1.010 worst_p99=1.000"
    assert (tmp_path / "report.html").exists()
    assert acceptance("--report-only", tmp_path, "--strict").returncode == 3


@pytest.mark.parametrize("arguments, told", [
    (["--report-only", "no/such/directory"], "results.json"),
    (["--selector", "native-numa", "--scenario", "step"], "no scenario is left"),
])
def test_what_cannot_be_is_one_line_and_status_1(arguments, told):
    done = acceptance(*arguments)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and told in done.stderr


WRONG_TYPE = json.dumps([{**record(OURS, 100, scenario="equal-2"), "iops": "many"}])


@pytest.mark.parametrize("content, told", [
    (WRONG_TYPE, "a value that no run leaves (TypeError("),
    ("[", "is not JSON"), ('{"a": 1}', "is not a list of records"), ("[1]", "is not a list of records"),
    ('[{"a": 1}]', "record 0 has no 'scenario'")])
def test_report_only_tells_what_is_wrong_with_its_file(tmp_path, content, told):
    file = tmp_path / "results.json"
    file.write_text(content)
    done = acceptance("--report-only", tmp_path)
    assert done.returncode == 1
    error, = done.stderr.splitlines()
    assert str(file) in error and told in error


def test_progress_counts_figures_and_tells_the_time_left(said, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("tests.bench.acceptance.runner.time.monotonic", lambda: now[0])
    listener = runner.Progress(total=4).listener("step")
    listener.feed(b"run 1 of 2: round-robin\ndone: round")
    now[0] = 130.0
    listener.feed(b"-robin, 300 IOPS\n\n")
    assert said.readouterr().err.splitlines() == [
        "lw: [0/4] step: run 1 of 2: round-robin", "lw: [1/4, 90 s left] step: round-robin, 300 IOPS"]


def test_a_guest_that_fails_does_not_take_the_others_with_it(monkeypatch):
    def run_guest(plan, *_, **__):
        if plan.subject == "hang":
            raise CommandFailed("hang: guest lost")
        return [{"scenario": plan.subject}]

    commits = ["when it began"]
    for name, value in (("layer", lambda *_, **__: commits.append("later")), ("commit", lambda: commits[-1]),
                        ("run_guest", run_guest)):
        monkeypatch.setattr(f"tests.bench.run_guest.{name}", value)
    scenarios = load_all()
    plans = [GuestPlan.of(scenarios[name], [OURS], 1) for name in ("iscsi-real-time", "hang", "step")]
    kept = []
    records, failures = runner.run(plans, KERNELS["trixie"], 2, keep=lambda found: kept.append(len(found)))
    assert kept == [1, 2]
    assert records == [{"scenario": "step", "commit": "when it began"},
                       {"scenario": "iscsi-real-time", "commit": "when it began"}]
    assert failures == ["hang: guest lost"]


def test_results_on_a_full_disk_leave_those_before(tmp_path):
    file, records = tmp_path / "results.json", [record(OURS, 100)]
    command.keep(file, records)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))     # fails as a full disk does, after 100 bytes
    try:
        with pytest.raises(OSError, match=f"^{file}: "):
            command.keep(file, 2 * records)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert results.read(file) == records
    assert list(tmp_path.iterdir()) == [file]


def left_on(kernel):
    """Of a scenario's selectors; and what is compiled for them."""
    scenario = load_all()["hang"]
    plan = GuestPlan.of(scenario, scenario.selectors, 1)
    runner.leave_out_compiled([plan], kernel)
    return plan.selectors, [driver.name for driver in runner.drivers_for([plan], kernel)]


def test_what_is_compiled_for_one_kernel_is_left_out_on_others():
    for kernel, wanted in (("trixie", True), ("sid", False)):
        selectors, drivers = left_on(KERNELS[kernel])
        assert (HISTORICAL_SERVICE_TIME in selectors) is ("dm-historical-service-time" in drivers) is wanted


def test_kernel_of_another_distribution_brings_its_own_selectors(tmp_path):
    lay_out(tmp_path, "fedora")
    kernel = directory_kernels({"LW_KERNEL_DIR": str(tmp_path)})[DIRECTORY]
    assert HISTORICAL_SERVICE_TIME not in left_on(kernel)[0]
    (modules,) = tmp_path.glob("lib/modules/*")
    (modules / "dm-historical-service-time.ko.xz").touch()
    selectors, drivers = left_on(kernel)
    assert HISTORICAL_SERVICE_TIME in selectors and not drivers
