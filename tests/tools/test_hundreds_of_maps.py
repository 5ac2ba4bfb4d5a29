"""What one line tells of a map is no page for hundreds of them; and no map among them is passed over."""
import json

import pytest

from dm_lw import disable, doctor, enable
from dm_lw.doctor import checks_multipath, finding
from dm_lw.maps import MOST_NAMES, likest, some

from .fake_site import OURS, USUAL, FakeSite, is_the_host

COUNT = 40
NAMES = ["360014056e1%022x" % number for number in range(COUNT)]


@pytest.fixture
def site(in_memory, clock, monkeypatch):
    return is_the_host(FakeSite(in_memory, *NAMES), monkeypatch, (disable, doctor, enable))


def selects_it_for_all(site):
    site.set_drop_in(OURS)
    site.read_last = site.configuration()


def test_doctor_tells_alike_findings_in_a_few_lines(site, run):
    """Each map uses another selector than is configured: JSON has all, text the first ones and their number."""
    selects_it_for_all(site)
    assert site.selectors[0] == USUAL
    status, out, _ = run("doctor", "-q")
    of_maps = [line for line in out.splitlines() if line.startswith("warn  maps ")]
    assert status and len(of_maps) == doctor.MOST + 1
    assert of_maps[-1].endswith("%d more like that" % (COUNT - doctor.MOST))
    assert max(map(len, out.splitlines())) <= 400
    _, out, _ = run("doctor", "-j")
    assert sum(each["check"] == "maps" for each in json.loads(out)["checks"]) == COUNT
    assert "%d warnings" % COUNT in doctor.summary([finding.WARN] * COUNT)


def test_two_more_are_told(site):
    """A line that says "1 more" would take as much place as the finding."""
    for count in (1, doctor.MOST, doctor.MOST + 1):
        found = [("maps", finding.Finding(finding.WARN, str(number), "do")) for number in range(count)]
        assert doctor.few(found) == found
    mixed = [("maps", finding.Finding(finding.OK, "a"))] * 20 + [("maps", finding.Finding(finding.WARN, "b", "do"))] * 20
    assert len(doctor.few(mixed)) == 2 * (doctor.MOST + 1)


def test_line_about_all_maps_is_short(site):
    selects_it_for_all(site)
    site.reconfigure()
    (told,) = checks_multipath.maps(site)
    assert told.text == "latency-weighted: %s and %d more" % (", ".join(NAMES[:MOST_NAMES]), COUNT - MOST_NAMES)


def test_enable_changes_all_and_says_what_stands_in_the_way_of_all(site, run):
    status, out, _ = run("enable")
    assert status == 0 and site.users() == list(range(COUNT))
    assert sum("(was %s)" % USUAL in line for line in out.splitlines()) == COUNT
    assert run("disable")[0] == 0 and site.users() == []
    site.own_table = 'overrides {\n\tpath_selector "%s"\n}\n' % USUAL
    status, _, err = run("enable", "--timeout", "20")
    assert status == 1 and len(err) < 1000 and "and %d more use %s" % (COUNT - MOST_NAMES, USUAL) in err
    assert "dm-lw enable --section overrides" in err


def test_name_that_is_misspelled(site, run):
    """The likest come first, and not all."""
    meant = NAMES[20]
    status, out, err = run("stat", meant[1:])
    assert (status, out) == (1, "") and len(err) < 500
    assert meant in err.partition("there are: ")[2] and "and %d more" % (COUNT - MOST_NAMES) in err


def test_some_names():
    assert some([]) == "none" and some("abc") == "a, b, c"
    nine = [str(number) for number in range(MOST_NAMES + 1)]
    assert some(nine) == ", ".join(nine)
    assert some(nine + ["9"]) == ", ".join(nine[:MOST_NAMES]) + " and 2 more"
    assert likest(["b", "a"], "a") == "b, a"
    assert likest([*"bcdefghijklm", "mpatha"], "mpathb").startswith("mpatha, b, c")


def test_not_all_is_known(site, run):
    """Of other users than root, no monitoring program may hear that all is well."""
    selects_it_for_all(site)
    site.reconfigure()
    site.root_user = False
    status, out, _ = run("doctor", "-q")
    results = {line.split()[0] for line in out.splitlines() if not line.startswith(" ")}
    assert status == (1 if "warn" in results else 2 if "fail" in results else 3) and "skip" in results
    assert [doctor.STATUSES[result] for result in ("fail", "warn", "skip", "ok")] == [2, 1, 3, 0]
