"""Each check of dm-lw doctor that looks at multipathd and its maps; and the whole report."""
# promise output/doctor

import json

import pytest
from dm_lw.doctor import checks_multipath as checks
from dm_lw import doctor
from dm_lw.doctor import perform

from .fake_host import ONE_GROUP, TABLE, TWO_GROUPS, host_with_multipathd, only

OURS = "latency-weighted 0"
LW = "sys/kernel/dm-latency-weighted/dm-0/"


@pytest.fixture
def host(tmp_path):
    return host_with_multipathd(tmp_path)


def test_daemon_runs(host):
    assert only(checks.daemon(host)) == ("ok", "multipathd is running")


@pytest.mark.parametrize("configured, expected", [(True, "fail"), (False, "warn")])
def test_daemon_does_not_run(host, configured, expected):
    host.write("proc/12/comm", "bash\n")
    if configured:
        host.set_drop_in(OURS)
    result, text = only(checks.daemon(host))
    assert result == expected and "is not running" in text


@pytest.mark.parametrize("answer", ["fail\n", "timeout\n"])
def test_daemon_does_not_answer(host, answer):
    host.answer("multipathd show daemon", answer)
    (finding,) = perform(checks.daemon, host)
    assert finding.result == "warn" and finding.text.endswith(answer.strip())


@pytest.mark.parametrize("said, expected", [
    ("multipath-tools v0.8.5 (11/09, 2020)", "ok"),
    ("multipath-tools v0.15.1 (08/27, 2026)", "ok"),
    ("multipath-tools v0.7.9 (08/11, 2018)", "warn"),
    ("multipath-tools v0.8.4", "ok"),
    ("multipath-tools v0.8.3", "warn"),
    ("multipath-tools vX.Y", "warn"),
    ("", "warn"),
])
def test_version(host, said, expected):
    host.answer("multipath -h", err=said + "\n", status=1)
    (finding,) = perform(checks.version, host)
    assert finding.result == expected


def test_maps_use_it(host):
    assert only(checks.maps(host)) == ("ok", "latency-weighted: mpatha")


def test_map_does_not_use_it(host):
    host.add_map("dm-1", "mpathb")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "latency-weighted"),
                    TABLE % ("mpathb", ONE_GROUP % "service-time"))
    assert only(checks.maps(host)) == ("warn", "mpathb uses service-time 0")


def test_map_that_lost_all_paths_uses_nothing(host):
    host.add_map("dm-1", "mpathb")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "latency-weighted"),
                    "mpathb: 0 2048 multipath 1 queue_if_no_path 0 0 0")
    assert only(checks.maps(host))[0] == "ok"


def test_maps_made_by_hand_are_nobodys_business(host):
    host.add_map("dm-0", "mpatha", uuid="")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "service-time"))
    assert only(checks.maps(host)) == ("ok", "there are no multipath maps")


def test_no_maps(host):
    host.set_tables()
    assert only(checks.maps(host)) == ("ok", "there are no multipath maps")


@pytest.mark.parametrize("line", ["mpatha: 0 8 multipath", "mpatha: 0 8 multipath 0 0 x 1",
                                  "mpatha: 0 8 multipath 0 0 1 1 latency-weighted 0 3 1 8:0 1\n",
                                  "mpatha: 0 8 multipath \x00"])
def test_table_is_garbage(host, line):
    host.set_tables(line)
    for check in (checks.maps, checks.grouping):
        (finding,) = perform(check, host)
        assert finding.result == "warn" and "nobody understands" in finding.text


def test_grouping(host):
    assert only(checks.grouping(host))[0] == "ok"


def test_failover_leaves_no_choice(host):
    host.set_tables(TABLE % ("mpatha", TWO_GROUPS % (("latency-weighted",) * 2)))
    (finding,) = checks.grouping(host)
    assert finding.result == "warn" and "2 groups of one path" in finding.text
    assert "path_grouping_policy" in finding.advice


def test_one_path_is_no_fault_of_grouping(host):
    host.set_tables(TABLE % ("mpatha", "1 1 latency-weighted 0 1 1 8:0 1"))
    assert only(checks.grouping(host))[0] == "ok"


def add_module_files(host, accounting="1", latency_source="stamps"):
    host.write(LW + "name", "mpatha\n")
    host.write(LW + "accounting", accounting + "\n")
    host.write(LW + "paths/sda/latency_source", latency_source + "\n")


@pytest.mark.parametrize("accounting, latency_source, expected", [
    ("1", "stamps", "ok"), ("1", "none", "ok"), ("1", "little", "warn"), ("0", "little", "warn"),
    ("0", "stamps", "warn"), ("\x00\xff", "\xff", "ok"),
])
def test_accounting(host, accounting, latency_source, expected):
    add_module_files(host, accounting, latency_source)
    assert only(checks.accounting(host))[0] == expected


def test_no_stamps_are_normal_for_old_bio_based_maps(host):
    add_module_files(host, latency_source="little")
    host.running = "5.10.0-46-amd64"
    table = TABLE.replace("1 queue_if_no_path", "2 queue_mode bio")
    host.set_tables(table % ("mpatha", ONE_GROUP % "latency-weighted"))
    assert only(checks.accounting(host))[0] == "ok"


def test_maps_that_are_only_observed(host):
    assert only(checks.choose(host)) == ("ok", "no map uses latency-weighted")
    add_module_files(host)
    for rule in ("", "latency\n"):             # none: a module before it
        host.write(LW + "choose", rule)
        assert only(checks.choose(host)) == ("ok", "no map only observes")
    host.write(LW + "choose", "round-robin\n")
    assert only(checks.choose(host)) == (
        "ok", "mpatha observes only, and I/O goes by round-robin; dm-lw set --persist mpatha choose=latency changes that")


def test_without_the_module(host):
    assert only(checks.accounting(host))[0] == "ok"


def test_unprivileged(host):
    host.root_user = False
    found = doctor.diagnose(host)
    skipped = [name for name, finding in found if finding.result == "skip"]
    assert skipped == ["maps", "reloads", "grouping"]


def test_report(host):
    host.set_drop_in(OURS)
    host.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
    host.set_tables(TABLE % ("mpatha", TWO_GROUPS % (("latency-weighted",) * 2)))
    found = doctor.diagnose(host)
    text = doctor.as_text(found, colour=False, quiet=False)
    assert text.splitlines()[-1] == "2 warnings"
    assert "warn  grouping    mpatha has 2 groups of one path: the selector has no choice\n" in text
    assert all(len(line) <= 120 for line in text.splitlines())
    assert "\033[33;1mwarn\033[0m" in doctor.as_text(found, colour=True, quiet=False)
    document = json.loads(doctor.as_json(found))
    assert document["version"] == 1
    assert [each["check"] for each in document["checks"]] == list(doctor.CHECKS)
    assert {each["result"] for each in document["checks"]} == {"ok", "warn"}
