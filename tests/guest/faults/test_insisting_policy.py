"""A program insists on a path that fails or hangs, again and again: only the module's own rules send I/O there."""
# promise service/policy-and-faults

import time

import pytest

from tests.guest.lib.parametrized import both_modes
from tests.guest.lib.policies import Beside, two_paths
from tests.lib import bpf
from tests.lib.command import running

pytestmark = [pytest.mark.facts, pytest.mark.time_limit(600)]

TWICE, A_HUNDRED_TIMES = 2, pytest.param(100, marks=pytest.mark.long)
CHOSEN, REFUSED = 10, 30        # I/Os of a round which the path gets, and for which the program names it in vain
# A path that fails sooner after its return rests for a while.
APART = 0.35            # seconds
STALLED = 1.0           # after so long without an answer, a path of 1 ms stalls
DEPTH = 4


def insisted(policy, mapped, disk, load):
    """The I/Os that the path got beside probes, while so many went elsewhere."""
    policy.wait_for(load, "bad_state", 10)      # I/Os chosen before are on their way
    beside = Beside(mapped, disk)
    policy.wait_for(load, "bad_state", REFUSED)
    return beside.count()


@both_modes
@pytest.mark.parametrize("rounds", [TWICE, A_HUNDRED_TIMES])
def test_path_that_fails_again_and_again(queue_mode, rounds):
    """dm-mpath fails it for an error; and reinstates it when it works again."""
    with two_paths(queue_mode, DEPTH) as (disks, mapped, policy, load), bpf.pinned(bpf.fixed(1), "insists") as pin:
        policy.attach(pin)
        path = policy.files.path(disks[1])
        for _ in range(rounds):
            policy.wait_for(load, "chose", CHOSEN)
            time.sleep(APART)
            disks[1].set(error=1)
            load.wait_until(lambda: path["state"] == "failed", "an error fails the path", timeout=30)
            assert insisted(policy, mapped, disks[1], load) == 0
            disks[1].set(error=0)
            mapped.reinstate_path(disks[1])


@both_modes
@pytest.mark.parametrize("rounds", [TWICE, A_HUNDRED_TIMES])
def test_path_that_hangs_again_and_again(queue_mode, rounds):
    """The load is stuck there with all its I/Os; dd comes later, when the module knows."""
    with two_paths(queue_mode, DEPTH) as (disks, mapped, policy, load), bpf.pinned(bpf.fixed(1), "insists") as pin:
        policy.attach(pin)
        for _ in range(rounds):
            policy.wait_for(load, "chose", CHOSEN)
            with disks[1].hanging():
                load.wait_until(lambda: disks[1].get("inflight") >= DEPTH, "the load is stuck", timeout=30)
                time.sleep(STALLED)
                with running("dd", "if=" + mapped.path, "of=/dev/null", "bs=4k", "iflag=direct", "status=none"):
                    assert insisted(policy, mapped, disks[1], load) <= 0
                    disks[1].set(hang=0)        # dd may wait for a probe there
