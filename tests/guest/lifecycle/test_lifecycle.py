"""What a map's tables and the module go through while they are in use."""
# promise service/reload: Tables can be reloaded at any time, and the new one keeps the estimates | full: `guests-*`
# promise lifecycle/disk-number: A disk that takes the number of another one gets none of its estimates | full:
#   `guests-*`

import contextlib
import statistics
import time

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib.command import CommandError, is_loaded, sh, unload_module, wait_until
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import ACTIVE, NEW, PROBING, RAMPING, Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = pytest.mark.virtual_time


@pytest.mark.upstream
@one_mode
def test_reload_keeps_what_was_learned(queue_mode):
    """A new table's selector starts with what the old one knew of the paths.

    One that knows nothing uses all paths alike, and at depth 4 has at once
    two or so I/Os on the slow one; a probe now and then is right.
    """
    with path_disks(2) as (fast, slow):
        fast.set(delay_us=10000)
        slow.set(delay_us=200000)
        with Multipath([fast, slow], SELECTOR, queue_mode) as mapped:
            with Load(mapped, iodepth=4) as load:
                load.warm_up(fast, ios=100)
                load.warm_up(slow, ios=1)
                time.sleep(0.5)                 # that I/O comes back
                slow.set(max_inflight=0)
                before = slow.used()
                for _ in range(3):
                    mapped.reload()
                    load.warm_up(fast, ios=30)
                assert slow.get("max_inflight") <= 1
                assert slow.used() - before <= 3
                load.watch(0.5)
                true = [mapped.learned(path).latency_us for path in (fast, slow)]
            time.sleep(0.1)                     # and the last window is closed
            known = [mapped.learned(path).latency_us for path in (fast, slow)]
            mapped.reload()
            assert [mapped.learned(path).latency_us
                    for path in (fast, slow)] == pytest.approx(known, rel=0.1)
            # Not at rest: without stamps, a window in which only the last I/O ends takes a quarter off.
            assert true[0] >= 9000 and true[1] >= 190000


def test_reinstated_path_has_to_prove_itself_after_a_reload_too():
    """The map is at rest, so no window of the old table takes notice of the reinstatement."""
    with path_disks(2) as paths, Multipath(paths, SELECTOR) as mapped:
        path = paths[0]
        with Load(mapped, iodepth=4) as load:
            load.warm_up(*paths)
        time.sleep(0.2)
        proven = mapped.learned(path).state
        mapped.fail_path(path)
        path.set(delay_us=2000000)              # nobody reads from it meanwhile
        mapped.reinstate_path(path)
        mapped.reload()
        reloaded = mapped.learned(path).state
    assert (proven, reloaded) == (ACTIVE, RAMPING)


# promise service/reload-of-failed: After a reload a failed path is only probed, although dm marks all paths of a
#   new table usable | full: `guests-*`
@pytest.mark.upstream
@one_mode
def test_failed_path_is_probed_by_a_new_table(queue_mode):
    """dm has it usable there, until multipathd fails it again. It hangs, and takes one I/O along, not its share."""
    with path_disks(2) as (dead, good), Multipath([dead, good], SELECTOR, queue_mode) as mapped:
        for path in (dead, good):
            path.set(delay_us=5000)
        with Load(mapped, iodepth=8) as load:
            load.warm_up(dead, good)
            mapped.fail_path(dead)
            load.watch(0.5)
            with dead.hanging():
                mapped.reload(noflush=True)
                load.watch(1)
                stuck = dead.get("inflight")
    assert stuck <= 1


@one_mode
def test_reinstated_path_is_ramping_until_it_is_measured(queue_mode):
    """Not probing: it was unused, but for no fault that is known now. If it hangs it is one that does."""
    with path_disks(2) as (kept, back), Multipath([kept, back], SELECTOR, queue_mode) as mapped:
        for path in (kept, back):
            path.set(delay_us=5000)
        with Load(mapped, iodepth=4) as load:
            load.warm_up(kept, back)
            mapped.fail_path(back)
            load.watch(2)
            with back.hanging():
                mapped.reinstate_path(back)
                load.watch(0.3)
                silent = [mapped.learned(back).state]
                load.watch(3)
                silent.append(mapped.learned(back).state)
            wait_until(lambda: mapped.learned(back).state == ACTIVE, "it is measured")
            with back.hanging():
                load.watch(2)
                hung = mapped.learned(back).state
            mapped.fail_path(back)
            load.watch(2)
        mapped.reinstate_path(back)
        mapped.reload()                         # dm would wait for what hangs
        reloaded = mapped.learned(back).state
    assert silent == [RAMPING, PROBING]
    assert (hung, reloaded) == (PROBING, RAMPING)


def test_another_device_with_the_number_starts_anew():
    """The first one is pulled while a map holds it; the kernel gives its number away at once."""
    with NullBlk("lwone", 5000) as one:
        with contextlib.ExitStack() as stack:
            old = stack.enter_context(Multipath([one], SELECTOR, name="lwold"))
            with Load(old, iodepth=2) as load:
                load.warm_up(one)
            time.sleep(0.1)                     # and the last window is closed
            known = old.learned(one)
            one.pull()
            one.plug_in(completion_us=20000)
            new = stack.enter_context(Multipath([one], SELECTOR, name="lwnew"))
            assert new.path != old.path
            fresh = new.learned(one)
            with Load(new, iodepth=2) as load:
                load.warm_up(one)
                # A window holds two I/Os or so: one look tells only what the last few windows had.
                looks = []
                for _ in range(20):
                    load.watch(0.05)
                    looks.append(new.learned(one).latency_us)
            assert old.learned(one).latency_us == known.latency_us
    assert known.latency_us == pytest.approx(5000, rel=0.2)     # null_blk's timers are late
    assert (fresh.state, fresh.latency_us) == (NEW, 0)
    assert statistics.median(looks) == pytest.approx(20000, rel=0.1)


# promise lifecycle/in-use: A module in use is not unloaded | full: `guests-*`
@pytest.mark.upstream
@pytest.mark.facts
def test_module_in_use_stays():
    with path_disks(2) as paths:
        with Multipath(paths, SELECTOR):
            with pytest.raises(CommandError, match="in use"):
                sh("rmmod", SELECTOR_MODULE)
            assert is_loaded(SELECTOR_MODULE)
        unload_module(SELECTOR_MODULE)
        assert not is_loaded(SELECTOR_MODULE)


@pytest.mark.upstream
@pytest.mark.facts
def test_module_comes_and_goes_under_load():
    """Loaded by the table that names it, unloaded when none does any more."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=10000)
        with Multipath(paths, "round-robin") as mapped, \
                Load(mapped, iodepth=4) as load:
            for _ in range(2):
                mapped.reload(SELECTOR)
                load.warm_up(*paths, ios=5)
                mapped.reload("round-robin")
                unload_module(SELECTOR_MODULE)
