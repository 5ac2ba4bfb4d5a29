"""Each check of dm-lw doctor that looks at multipath's configuration, in files or as multipathd has it."""
# promise output/doctor: `dm-lw doctor` finds faults of the system and of its configuration | full: `guests-*`

import pytest
from dm_lw.doctor import checks_conf, checks_multipath

from .fake_host import ONE_GROUP, TABLE, host_with_multipathd, only

OURS = "latency-weighted 0"
CONF = "etc/multipath.conf"
SECTION = '%s {\n\tpath_selector "%s"\n}\n'
DEVICE = 'devices {\n\tdevice {\n\t\tvendor "A"\n\t\tproduct "B"\n\t\t%s\n\t}\n}\n'
MAP = 'multipaths {\n\tmultipath {\n\t\twwid "3600"\n\t\t%s\n\t}\n}\n'


@pytest.fixture
def host(tmp_path):
    host = host_with_multipathd(tmp_path)
    host.write("sys/dev/block/8:0/device/vendor", "A       \n")
    host.write("sys/dev/block/8:0/device/model", "B\n")
    return host


def multipathd_has(host, *sections):
    """What it answers: its own defaults, and these."""
    host.answer("multipathd show config", SECTION % ("defaults", "service-time 0") + "".join(sections))


def test_selected(host):
    host.set_drop_in(OURS)
    assert only(checks_conf.selector(host)) == (
        "ok", "selected in /etc/multipath/conf.d/zz-latency-weighted.conf:2 (defaults)")


def test_not_selected(host):
    assert only(checks_conf.selector(host))[0] == "warn"


@pytest.mark.parametrize("value, expected, why", [
    ("latency-weighted 2 window_ms 50", "warn", "has arguments"),
    ("latency-weighted  0", "warn", "blanks"),
    ("latency-weighted 0 ", "warn", "blanks"),
    ("latency-weighted", "fail", "wrong count"),
    ("latency-weighted 1", "fail", "wrong count"),
    ("latency-weighted x", "fail", "wrong count"),
    ("latency-weighted 0 window_ms 50", "fail", "wrong count"),
])
def test_selected_badly(host, value, expected, why):
    host.set_drop_in(value)
    result, text = only(checks_conf.selector(host))
    assert result == expected and why in text


@pytest.mark.parametrize("value, right", [("1 queue_mode bio", "2 queue_mode bio"), ("queue_if_no_path", "0"),
                                          ("3 queue_if_no_path", "1 queue_if_no_path")])
def test_features_with_a_wrong_count(host, value, right):
    host.set_drop_in(OURS)
    host.write(CONF, DEVICE % f'features "{value}"')
    (finding,) = checks_conf.selector(host)
    assert finding.result == "warn" and finding.text.startswith(
        f'/etc/multipath.conf:5 (devices device): features "{value}" has a wrong count of words: multipath-tools 0.9.4')
    assert finding.advice == f'write "{right}"'


def test_later_file_wins(host):
    host.set_drop_in(OURS)
    host.write("etc/multipath/conf.d/zz.conf", 'defaults {\n\tpath_selector "round-robin 0"\n}\n')
    result, text = only(checks_conf.selector(host))
    assert result == "warn" and text.startswith("/etc/multipath/conf.d/zz.conf:2 (defaults) says")


def test_configuration_is_garbage(host):
    host.set_drop_in(OURS)
    host.write("etc/multipath.conf", b'}}}{"\x00\xff path_selector "\n{ { }\npath_selector\n"')
    assert only(checks_conf.selector(host))[0] == "ok"


@pytest.mark.parametrize("text, line", [
    ('overrides\n{\n\tpath_selector "latency-weighted 0"\n}\n', 3),
    ('defaults { path_selector "latency-weighted 0" }\n', 1),
    ('defaults {\n\trr_weight uniform path_selector "latency-weighted 0"\n}\n', 2),
    ('devices {\n\tdevice {\n\t\tvendor "A"\n\t\tpath_selector "latency-weighted 0"\n\t}\n}\n', 4),
    ('blacklist {\n\tdevice { vendor ".*" product ".*" }\n}\ndefaults {\n\tpath_selector latency-weighted\n}\n', 5),
])
def test_line_that_multipath_passes_over(host, text, line):
    host.write(CONF, text)
    passed_over, nothing = checks_conf.selector(host)
    assert passed_over.result == "warn" and passed_over.text.startswith("/etc/multipath.conf:%d: " % line)
    assert nothing.text.startswith("multipath is not configured")


@pytest.mark.parametrize("text", ['defaults\n{\n\tpath_selector "latency-weighted 0\n}\n',
                                  '\ufeffdefaults {\n\u00a0\n\u00a0path_selector "latency-weighted 0" "x\n}\n'])
def test_line_that_counts(host, text):
    host.write(CONF, text)
    assert only(checks_conf.selector(host)) == ("ok", "selected in /etc/multipath.conf:3 (defaults)")


def test_multipathd_has_it(host):
    host.set_drop_in(OURS, "overrides")
    multipathd_has(host, SECTION % ("overrides", OURS))
    assert only(checks_conf.selector(host))[0] == "ok"


@pytest.mark.parametrize("has, told", [([], "no such setting"), ([SECTION % ("overrides", "queue-length 0")], '"queue-length 0"')])
def test_multipathd_does_not_have_it_yet(host, has, told):
    host.set_drop_in(OURS, "overrides")
    multipathd_has(host, *has)
    assert only(checks_conf.selector(host)) == (
        "warn", "/etc/multipath/conf.d/zz-latency-weighted.conf:2 (overrides) is not in force: multipathd has " + told)


def test_multipathd_still_has_it(host):
    multipathd_has(host, SECTION % ("overrides", OURS))
    found = checks_conf.selector(host)
    assert [each.text for each in found] == [
        'multipathd has "latency-weighted 0" in overrides, and no file says so any more',
        "multipath is not configured to use latency-weighted"]


def test_who_may_not_ask_multipathd_reads_the_files(host):
    host.root_user = False
    host.set_drop_in(OURS)
    multipathd_has(host)
    assert only(checks_conf.selector(host))[0] == "ok"


def advice(host):
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "queue-length"))
    (finding,) = checks_multipath.maps(host)
    assert finding.result == "warn" and finding.text == "mpatha uses queue-length 0"
    return finding.advice


QUEUE = 'path_selector "queue-length 0"'


def set_beside_drop_in(host, asked, setting):
    """In multipath.conf; multipathd has it, too, if it can be asked."""
    host.set_drop_in(OURS)
    host.write(CONF, setting)
    if asked:
        multipathd_has(host, SECTION % ("defaults", OURS), setting)


@pytest.mark.parametrize("asked", [True, False])
def test_map_that_the_administrator_exempted(host, asked):
    set_beside_drop_in(host, asked, MAP % QUEUE)
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "queue-length"))
    assert only(checks_multipath.maps(host)) == (
        "ok", "mpatha uses queue-length 0: /etc/multipath.conf:4 (multipaths multipath) says so for this map")


def test_exemption_that_multipathd_alone_still_has(host):
    """The administrator removed it from the file."""
    host.set_drop_in(OURS)
    multipathd_has(host, SECTION % ("defaults", OURS), MAP % QUEUE)
    assert advice(host) == "multipathd reconfigure"


@pytest.mark.parametrize("asked", [True, False])
def test_device_of_a_file_wins_for_the_map(host, asked):
    set_beside_drop_in(host, asked, DEVICE % QUEUE)
    assert advice(host) == ("/etc/multipath.conf:5 (devices device) says so and wins; "
                            "this would do: dm-lw enable --section overrides")


def test_device_of_multipaths_own_table_wins(host):
    host.set_drop_in(OURS)
    multipathd_has(host, SECTION % ("defaults", OURS), DEVICE % QUEUE)
    assert "enable --section overrides" in advice(host)


def test_device_without_product_does_not_win(host):
    host.set_drop_in(OURS)
    host.write(CONF, (DEVICE % QUEUE).replace("product", "#"))
    assert advice(host) == "multipathd reconfigure"


def test_setting_that_reloads_maps(host):
    host.set_drop_in(OURS)
    host.write(CONF, DEVICE % "rr_min_io_rq 4")
    assert only(checks_conf.reloads(host)) == (
        "warn", "multipathd reloads mpatha at each reconfigure: /etc/multipath.conf:5 (devices device) says rr_min_io_rq 4")
    multipathd_has(host, SECTION % ("defaults", OURS), (DEVICE % "rr_min_io_rq 2"))
    assert "multipathd show config says rr_min_io_rq 2" in only(checks_conf.reloads(host))[1]


def test_features_that_reload_maps(host):
    host.write(CONF, 'defaults {\n\tfeatures "3 queue_if_no_path queue_mode mq"\n}\n')
    (finding,) = checks_conf.reloads(host)
    assert finding.text == ("multipathd reloads mpatha at each reconfigure: /etc/multipath.conf:2 (defaults) says"
                            " features 3 queue_if_no_path queue_mode mq, but the kernel shows none")
    assert finding.advice == 'write what the kernel shows: features "0"'


@pytest.mark.parametrize("setting", [
    "rr_weight priorities", "rr_min_io_rq 1", "rr_min_io 100", 'features "1 queue_if_no_path"', "features 0",
    'features "2 queue_mode bio"', 'features "1 wrong count"'])
def test_setting_that_reloads_nothing(host, setting):
    host.write(CONF, DEVICE % setting)
    assert only(checks_conf.reloads(host)) == ("ok", "no map is reloaded without need")


def test_newer_multipathd_takes_no_notice(host):
    host.answer("multipath -h", err="multipath-tools v0.15.1 (08/27, 2026)\n", status=1)
    host.write(CONF, DEVICE % "rr_min_io_rq 4")
    assert only(checks_conf.reloads(host))[0] == "ok"
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "queue-length"))
    assert only(checks_conf.reloads(host))[0] == "ok"
