"""What contrib/ has for monitoring: alert rules and dashboard, for any number of hosts."""
# promise output/alerts: Each alert is raised on the host and for as long as it should be, also after a path was
#   deleted; each panel of the dashboard tells hosts apart | by: promtool

import json
import re

import pytest

from dm_lw import prometheus

from . import promtool
from .conftest import TOOLS

ROOT = TOOLS.parent
RULES = ROOT / "contrib/dm-latency-weighted.rules.yml"
TESTS = ROOT / "tests/tools/alerts.yml"
DASHBOARD = json.loads((ROOT / "contrib/grafana-dashboard.json").read_text())
TARGETS = [(panel["title"], target) for panel in DASHBOARD["panels"] for target in panel["targets"]]
EACH_TARGET = pytest.mark.parametrize(
    "target", [target for _, target in TARGETS],
    ids=["%s %s" % (title, target["refId"]) for title, target in TARGETS])
HOSTS = ("one", "two")
# What Grafana puts in.
VARIABLES = {"$map": ".*", "$instance": ".*", "$__rate_interval": "5m"}


def metric_names():
    return default_names() | {prometheus.PREFIX + name for name in {"path_state", "path_latency_source"} | {
        metric.name for metric in prometheus.MORE_PATH_METRICS + prometheus.CLASS_METRICS
        + prometheus.OPERATION_METRICS}}


def default_names():
    """Without --prometheus-all."""
    return {prometheus.PREFIX + name for name in {"map_info", "module_loaded"} | {
        metric.name for metric in prometheus.PATH_METRICS}}


RECORDED = {"dm_lw_paths", "dm_lw_good_paths", "dm_lw_slow", "dm_lw_latency"}


def metrics_in(text):
    return set(re.findall(r"\bdm_lw_\w+", text))


def check_rules(file):
    done = promtool.run_tests(file)
    assert done.returncode == 0, done.stdout


def test_rules_use_metrics_that_there_are():
    found = metrics_in(RULES.read_text()) - RECORDED
    assert len(found) >= 4 and found <= default_names()


def test_panels_tell_what_they_need():
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            assert metrics_in(target["expr"]) <= default_names() or "only with --prometheus-all" in panel[
                "description"].lower(), panel["title"]


def test_names_do_not_clash():
    """Other rules of the site, as for node_exporter's dmmultipath, are about multipath, too."""
    text = RULES.read_text()
    assert all(name.startswith("DmLw") for name in re.findall("alert: (.*)", text))
    assert all(":dm_lw_" in name for name in re.findall("record: (.*)", text))


@EACH_TARGET
def test_panels_use_metrics_that_there_are(target):
    found = metrics_in(target["expr"])
    assert found and found <= metric_names()


@EACH_TARGET
def test_panels_tell_hosts_apart(target):
    assert target["legendFormat"].startswith("{{instance}} {{device}} {{path}}")
    for labels in re.findall(r"\b(?:by|on) \(([^)]*)\)", target["expr"]):
        assert "instance" in labels.split(", ")


def test_panels_are_numbered():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids)) >= 5


def test_each_alert_is_tested():
    raised = re.findall(r"alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:", TESTS.read_text())
    assert set(raised) == set(re.findall("alert: (.*)", RULES.read_text()))


def test_alert_rules_raise_alarms():
    check_rules(TESTS)


@pytest.fixture
def panels_show(tool, tmp_path):
    """Check samples by expression, on hosts that all have what dm-lw tells of the tree."""
    for device in ("8:0", "8:32"):
        stat = tool.root / "dev/block" / device / "stat"
        stat.parent.mkdir(parents=True)
        stat.write_text("10 0 2000 5 1 0 4000 0 0 0 0\n")
    series = [line.rsplit(" ", 1) for line in tool("stat", "--prometheus", "--prometheus-all").splitlines()
              if line.startswith("dm_lw_path_") or line.startswith("dm_lw_class_")]
    inputs = [{"series": name.replace("{", '{instance="%s",' % host), "values": value + "x10"}
              for name, value in series for host in HOSTS]

    def check(samples):
        file = tmp_path / "panels.json"         # JSON is YAML
        file.write_text(json.dumps({"tests": [{
            "interval": "1m", "input_series": inputs, "promql_expr_test": [
                {"expr": expression, "eval_time": "10m", "exp_samples": expected}
                for expression, expected in samples.items()]}]}))
        check_rules(file)
    return check


def expression(target):
    text = target["expr"]
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def test_each_panel_shows_each_host(panels_show):
    expected = [{"labels": '{instance="%s"}' % host, "value": 1} for host in HOSTS]
    panels_show({"count by (instance) (%s) > bool 1" % expression(target): expected
                 for _, target in TARGETS})


def test_state_is_that_of_one_host(panels_show):
    """Not the sum of what the maps of that name on all hosts have."""
    (panel,) = [panel for panel in DASHBOARD["panels"] if panel["title"] == "State"]
    (mapping,) = panel["fieldConfig"]["defaults"]["mappings"]
    shown = {value["text"]: int(number) for number, value in mapping["options"].items()}
    states = {("mpatha", "sda"): "used", ("mpatha", "sdc"): "slow or stalled",
              ("mpathb", "sdb"): "used", ("mpathb", "sdd"): "failed"}
    panels_show({expression(panel["targets"][0]): [
        {"labels": '{instance="%s",device="%s",path="%s"}' % (host, *path), "value": shown[state]}
        for path, state in states.items() for host in HOSTS]})
