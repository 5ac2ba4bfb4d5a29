"""Files of enable and disable that nothing brings back: dm-lw was killed, or somebody took away its drop-in."""
import os
import time

import pytest

from dm_lw import disable, doctor, enable
from dm_lw.doctor import checks_conf
from dm_lw.dropin import DropIn
from dm_lw.scope import AllMaps

from .fake_site import FakeSite, is_the_host

WHERE = "etc/multipath/conf.d/"
NAME = "zz-latency-weighted.conf"
SAVED, ASIDE = NAME + ".before-dm-lw", NAME + ".kept-by-dm-lw"
OLD = "latency-weighted.conf"
MINE = "defaults {\n\tno_path_retry 12\n}\n"


@pytest.fixture
def site(in_memory, clock, monkeypatch):
    return is_the_host(FakeSite(in_memory, "mpatha"), monkeypatch, (disable, doctor, enable))


def there(site):
    return {name: site.read(WHERE + name) for name in site.list(WHERE)}


def found(site):
    return [(each.text, each.advice) for each in checks_conf.selector(site) if "dm-lw" in each.text]


def advised(site):
    """Do what doctor says first."""
    (_, advice), = found(site)
    words = advice.partition(",")[0].partition(";")[0].split()
    {"mv": os.replace, "rm": os.unlink}[words[0]](*words[1:])


def test_nothing_is_left_of_what_comes_back(site, run):
    """Beside a drop-in of dm-lw, the saved file is to be there."""
    site.write(WHERE + NAME, MINE)
    assert run("enable")[0] == 0 and SAVED in there(site)
    assert found(site) == []
    assert run("disable")[0] == 0 and there(site) == {NAME: MINE}
    assert found(site) == []


def removed(site):
    os.unlink(site.path(WHERE + NAME))


def made_ones_own(site):
    site.write(WHERE + NAME, "# mine now\n")


@pytest.mark.parametrize("taken_away, told", [(removed, "that is there no more"), (made_ones_own, "that is not dm-lw's any more")])
def test_doctor_names_a_saved_file_and_what_brings_it_back(site, run, taken_away, told):
    site.write(WHERE + NAME, MINE)
    run("enable")
    taken_away(site)
    (text, _), = found(site)
    assert text == "%s is what was in %s before dm-lw enable, and %s: multipath does not read it" % (
        site.path(WHERE + SAVED), site.path(WHERE + NAME), told)
    advised(site)
    assert there(site) == {NAME: MINE} and found(site) == []


def test_disable_brings_it_back(site, run):
    site.write(WHERE + NAME, MINE)
    run("enable")
    removed(site)
    status, out, _ = run("disable", "--dry-run")
    assert status == 0 and "would put back" in out and SAVED in there(site)
    status, out, _ = run("disable")
    assert status == 0 and "back to what it was before dm-lw enable" in out
    assert there(site) == {NAME: MINE} and site.users() == []


def test_disable_brings_the_old_one_back(site, run):
    """Of a name that earlier versions used."""
    site.write(WHERE + OLD + ".before-dm-lw", MINE)
    assert len(found(site)) == 1
    assert run("disable")[0] == 0
    assert there(site) == {OLD: MINE} and found(site) == []


def test_saved_file_of_the_old_name_comes_back_with_the_drop_in(site, run):
    site.write(WHERE + OLD + ".before-dm-lw", MINE)
    DropIn(site, WHERE).write(AllMaps())
    assert found(site) == []
    assert run("disable")[0] == 0 and there(site) == {OLD: MINE}


def test_removal_of_the_package_tells_of_it(site, run):
    """After that there is no dm-lw to ask."""
    site.write(WHERE + SAVED, MINE)
    status, out, err = run("disable", "--if-enabled")
    assert (status, out) == (0, "") and there(site) == {SAVED: MINE}
    assert "mv %s %s" % (site.path(WHERE + SAVED), site.path(WHERE + NAME)) in err


@pytest.mark.parametrize("words", [("disable",), ("disable", "--if-enabled")])
def test_enable_that_was_killed_before_it_wrote(site, run, words):
    site.write(WHERE + NAME, MINE)
    os.link(site.path(WHERE + NAME), site.path(WHERE + SAVED))
    (text, advice), = found(site)
    assert "a dm-lw enable was killed" in text and advice == "rm " + site.path(WHERE + SAVED)
    status, out, _ = run(*words)
    assert status == 0 and "removed " in out and there(site) == {NAME: MINE} and found(site) == []


def test_enable_tells_what_it_does_with_it(site, run):
    """What was saved long ago is not what comes back."""
    site.write(WHERE + SAVED, MINE)
    status, out, _ = run("enable")
    assert status == 0 and there(site)[ASIDE] == MINE
    assert "%s: an earlier dm-lw enable saved it, and it does not come back: kept as %s" % (
        site.path(WHERE + SAVED), site.path(WHERE + ASIDE)) in out
    (text, advice), = found(site)
    assert ASIDE in text and "multipath does not read it" in text and "rm " + site.path(WHERE + ASIDE) in advice


def test_what_disable_put_aside(site, run):
    run("enable")
    site.write(WHERE + NAME, there(site)[NAME] + MINE)
    assert run("disable")[0] == 0
    (text, _), = found(site)
    assert text == "%s was put aside by dm-lw: multipath does not read it" % site.path(WHERE + ASIDE)


def test_file_that_was_being_written(site, clock):
    """A running dm-lw has one, too, for a moment."""
    scratch = WHERE + ".dm-lw.abcdef"
    site.write(scratch, "half")
    os.utime(site.path(scratch), (time.time(), time.time()))
    assert found(site) == []
    os.utime(site.path(scratch), (time.time() - 61, time.time() - 61))
    (text, advice), = found(site)
    assert "killed dm-lw" in text and advice == "rm " + site.path(scratch)
