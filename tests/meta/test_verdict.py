"""The verdict on a guest, over what QEMU and the guest may leave; no guest is booted."""
# promise tests/verdict: A guest that panics, hangs, warns, lies or says nothing has failed

import pytest

from tests.lib.kernel_log import BEGINS, HANGS, SHOWN, SHOWN_END, complaints
from tests.vm.guest import judge
from tests.vm.testrun import read_results

NO_FILES = "device-mapper: multipath latency-weighted: dm-0: no directory in sysfs"
PANIC = "[ 1.0] Kernel panic - not syncing: sysrq triggered crash\n"


@pytest.fixture
def ending(tmp_path):
    def make(exit_code, verdict="", console="[ 0.0] Linux version\n", qemu=""):
        (tmp_path / "console.log").write_text(console)
        (tmp_path / "verdict.log").write_text("started\n" + verdict)
        (tmp_path / "output.log").write_text("")
        (tmp_path / "qemu.log").write_text(qemu)
        return judge(exit_code, tmp_path)
    return make


@pytest.mark.parametrize("exit_code,verdict,outcome", [
    (33, "verdict 0\n", "passed"),
    (35, "verdict 1\n", "failed"),
    (33, "verdict 1\n", "lost"),     # the witnesses disagree
    (35, "verdict 0\n", "lost"),
    (33, "", "lost"),                # only one of them
    (33, "verdict 0\nverdict 1\n", "lost"),
    (33, "verdict\n", "lost"),
    (33, "verdict 0", "lost"),       # cut off
    (0, "verdict 0\n", "lost"),      # it only powered off
    (1, "verdict 0\n", "lost"),      # QEMU failed
    (37, "", "lost"),                # never got to the command
    (-9, "verdict 0\n", "lost"),     # somebody killed QEMU
    (None, "", "hang"),
    (None, "verdict 0\n", "hang"),
])
def test_two_witnesses(ending, exit_code, verdict, outcome):
    result = ending(exit_code, verdict)
    assert result.outcome == outcome
    assert result.passed == (outcome == "passed")
    assert "console.log" in result.explain()


@pytest.mark.parametrize("exit_code", [0, 1, 33, None])
def test_panic_outweighs_everything(ending, exit_code):
    assert ending(exit_code, "verdict 0\n", PANIC).outcome == "panic"


def test_watchdog_that_made_it_panic(ending):
    result = ending(0, console=f"[ 1.0] {HANGS}test_x, and no end\n{PANIC}")
    assert (result.outcome, result.reason) == ("hang", "test_x, and no end")


@pytest.mark.parametrize("exit_code", [0, 33, None])
def test_panic_without_a_word_on_the_console(ending, exit_code):
    """It told QEMU alone, and perhaps hangs."""
    assert ending(exit_code, "verdict 0\n", qemu="Guest crashed\n").outcome == "panic"


def test_qemu_that_does_not_start_is_no_panic(ending):
    assert ending(1, console="").outcome == "lost"


def test_unfinished_test_is_known(tmp_path):
    results = tmp_path / "results.jsonl"
    results.write_text('{"id": "a", "when": "start"}\n'
                       '{"id": "a", "when": "call", "outcome": "passed", "text": "", "duration": 1}\n'
                       '{"id": "a", "when": "teardown", "outcome": "passed", "text": "", "duration": 1}\n'
                       '{"id": "b", "when": "start"}\n'
                       '{"id": "b", "when": "setup", "outcome": "passed", "text": "", "duration": 1}\n')
    reports, running = read_results(results)
    assert list(reports) == ["a"]
    assert running == "b"


def test_late_test_is_known_though_its_guest_died(tmp_path):
    results = tmp_path / "results.jsonl"
    results.write_text('{"id": "a", "when": "start", "limit": 2}\n'
                       '{"id": "a", "when": "limit", "outcome": "failed", "text": "late", "duration": 2}\n')
    reports, running = read_results(results)
    assert (reports["a"].outcome, reports["a"].text) == ("failed", "late")
    assert running == "a"


def test_line_that_was_cut_off_is_none(tmp_path):
    results = tmp_path / "results.jsonl"
    results.write_text('{"id": "a", "when": "start"}\n{"id": "a", "wh')
    assert read_results(results) == ({}, "a")


@pytest.mark.parametrize("level,text,expected,fails", [
    (4, "WARNING: CPU: 1 PID: 204 at block/blk-mq.c:7 f+0x15/0xff0", [], True),
    (4, "WARNING: CPU: 1 PID: 204 at block/blk-mq.c:7 f+0x15/0xff0", ["WARNING"], True),
    (1, "BUG: kernel NULL pointer dereference, address: 0000000000000000", [], True),
    (3, "INFO: task fio:123 blocked for more than 120 seconds.", [], True),
    (3, "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", [], True),
    (4, "WARNING: possible circular locking dependency detected", [], True),
    (4, "=============================", [], False),
    (3, "device-mapper: table: 254:0: multipath: error getting device", [], True),
    (3, "device-mapper: table: 254:0: multipath: error getting device", ["getting device"], False),
    (4, "device-mapper: multipath: 254:0: Failing path 8:0.", [], False),
    (6, "dm_latency_weighted: loading out-of-tree module taints kernel.", [], False),
    (4, NO_FILES, [], True),
    (4, NO_FILES + " for path 8:0", [], True),
    (4, NO_FILES, ["latency-weighted: .*no directory"], False),
    (6, "device-mapper: multipath latency-weighted: version 1.0 loaded", [], False),
    (3, "debugfs: Directory 'dm-0' with parent 'dm-latency-weighted' already present!", [], True),
    (3, "debugfs: Directory 'dm-0' with parent 'block' already present!", [], False),
    (3, "kobject: kobject_add_internal failed for dm-0 with -EEXIST, don't try to register things with the "
        "same name in the same directory.", [], True),
    (3, "kobject: kobject_add_internal failed for dm-0 (error: -12 parent: multipath)", [], False),
])
def test_kernel_log_line(level, text, expected, fails):
    assert bool(complaints([(level, text)], expected)) == fails


def test_call_traces_shown_on_purpose_are_no_complaint():
    records = [(6, SHOWN), (6, "Call Trace:"), (6, SHOWN_END), (6, "Call Trace:")]
    assert complaints(records, []) == ["Call Trace:"]
    assert complaints(records[:3], []) == []


def test_name_of_a_test_is_no_complaint():
    assert complaints([(6, BEGINS + "tests/guest/select/test_x.py::test_logged[BUG: KASAN]")], []) == []


def trace(line):
    return [(4, "------------[ cut here ]------------"), (4, line),
            (4, "WARNING: kernel/workqueue.c:3856 at check_flush_dependency"),
            (4, "Call Trace:"), (4, "---[ end trace 0000000000000000 ]---")]


@pytest.mark.parametrize("flush, work", [
    ("workqueue: WQ_MEM_RECLAIM %s [scsi_transport_iscsi] is flushing !WQ_MEM_RECLAIM pm:pm_runtime_work",
     "iscsi_ctrl_0:1:__iscsi_unbind_session"),                                              # 7.2
    ("workqueue: WQ_MEM_RECLAIM %s [nvmet_tcp] is flushing !WQ_MEM_RECLAIM events:0x0",
     "nvmet_tcp_wq:nvmet_tcp_io_work")])                                                    # 5.10
def test_faults_that_are_not_ours(flush, work):
    """The same of another work item counts, and so does what comes after."""
    foreign = trace(flush % work)
    ours = trace(flush % "dm_latency_weighted:lw_window_work")
    assert complaints(foreign, []) == []
    assert len(complaints(ours, [])) == 3
    assert len(complaints(foreign + ours, [])) == 3
    assert len(complaints(foreign[:1] + ours[2:4], [])) == 3        # it never ended


def test_cpu_that_goes_with_its_server():
    """As Linux 6.12 said it."""
    foreign = trace("Dying CPU not properly vacated!")
    after = [(4, "CPU2 enqueued tasks (2 total):"), (4, "\tpid: 32, name: migration/2")]
    assert complaints(foreign + after, []) == []


def test_read_ahead_and_what_dm_sends():
    """As Linux 5.10 said it."""
    def warning(function, caller=""):
        return [(4, "------------[ cut here ]------------"),
                (4, f"WARNING: CPU: 3 PID: 149 at block/blk-merge.c:694 {function}+0x32/0x60"),
                (4, "Call Trace:"), (4, caller), (4, "---[ end trace 672f3580000585ca ]---")]

    foreign = warning("blk_rq_set_mixed_merge", "bio_attempt_front_merge+0x471/0x5b0")
    assert complaints(foreign, []) == []
    assert len(complaints(warning("blk_rq_append_bio"), [])) == 3
    assert len(complaints(warning("blk_rq_set_mixed_merge", "lw_x+0x1/0x2 [dm_latency_weighted]"), [])) == 3


def unlocked(place, *frames):
    return [(4, "=" * 29), (4, "WARNING: suspicious RCU usage"), (4, "6.12.117-lw-debug #1 Tainted: G O"),
            (4, place + " RCU-list traversed in non-reader section!!"), (4, "Call Trace:"), (4, " <TASK>"),
            *((4, f" {frame}+0x15/0xff0") for frame in frames), (4, " </TASK>")]


def test_lists_of_the_target():
    """As Linux 6.12 with lockdep said it, of LIO."""
    foreign = unlocked("drivers/target/target_core_tpg.c:114", "core_tpg_add_node_to_devs")
    elsewhere = unlocked("drivers/md/dm-table.c:12", "dm_table_event")
    with_ours = unlocked("drivers/target/x.c:1", "lw_aggregation+0x1/0x2 [dm_latency_weighted]")
    assert complaints(foreign + foreign, []) == []
    assert len(complaints(foreign + elsewhere, [])) == 2
    assert len(complaints(with_ours + foreign, [])) == 2
    assert len(complaints(foreign[:-1], [])) == 2                   # it never ended


def test_cache_for_which_there_is_no_memory():
    """As Linux 6.12 said it."""
    def failed(cache):
        return [(3, "__kmem_cache_create_args(%s) failed with error -12" % cache), (4, "Call Trace:"),
                (4, " <TASK>"), (4, " bioset_init+0x1/0x2"), (4, " </TASK>")]
    assert complaints(failed("bio-136"), []) == []
    assert len(complaints(failed("lw"), [])) == 1


def told(head, *frames):
    return [(0, head), (4, "Call Trace:"), (4, " <TASK>"), *((4, f" {frame}") for frame in frames), (4, " </TASK>")]


@pytest.mark.parametrize("head, frame, other_head, other_frame", [
    ("BUG: sleeping function called from invalid context at block/blk-mq.c:3234",
     "blk_insert_cloned_request+0x540/0xb90", "BUG: sleeping function called from invalid context at mm/slab.c:1",
     "blk_insert_cloned_request+0x540/0xb90"),
    ("INFO: task python3:171 blocked for more than 120 seconds.", "v9fs_evict_inode+0x140/0x180 [9p]",
     "INFO: task python3:171 blocked for more than 120 seconds.", "blkdev_read_iter+0x14e/0x3e0")])
def test_sleep_that_is_not_ours(head, frame, other_head, other_frame):
    """As Linux 6.12 and 7.2 said it, of NVMe over TCP and of a file of the host's."""
    foreign = told(head, frame)
    assert complaints(foreign, []) == []
    assert len(complaints(foreign + told(other_head, other_frame), [])) == 2
    assert len(complaints(told(head, frame, "lw_select_path+0x1/0x2 [dm_latency_weighted]"), [])) == 2


def race(*frames, between="f / g"):
    return [(1, "=" * 66), (1, "BUG: KCSAN: data-race in " + between), (1, ""),
            (1, "write to 0xffff888003b2a0c8 of 8 bytes by interrupt on cpu 1:"),
            *((1, f" {frame}+0x15/0xff0") for frame in frames), (1, "=" * 66)]


def test_races_of_others_are_not_ours():
    foreign = race("wake_up_bit", "ext4_end_bio")
    ours = race("memcpy", "lw_aggregation+0x1/0x2 [dm_latency_weighted]")
    assert complaints(foreign, []) == []
    assert len(complaints(ours, [])) == 1
    assert len(complaints(foreign + ours + foreign, [])) == 1
    assert len(complaints(foreign + trace("WARNING: x"), [])) == 4
    assert len(complaints(foreign[:-1], [])) == 1                   # it never ended


def test_races_that_ours_only_led_to_are_not_ours():
    far = ["aio_complete", "bio_endio", "blk_mq_end_request", "lwt_complete_rq+0x1/0x2 [lw_testdisk]"]
    below = ["tick_handler", "asm_sysvec_apic_timer_interrupt", "lw_aggregation+0x1/0x2 [dm_latency_weighted]"]
    one, other = race(*far), race("aio_read_events")
    assert complaints(one, []) == []
    assert complaints(one[:-1] + other[2:], []) == []
    assert len(complaints(one[:-1] + one[2:], [])) == 1             # both accesses
    assert complaints(race(*below), []) == []                       # interrupted, no more
    assert len(complaints(race(*far, "lw_end_io+0x1/0x2 [dm_latency_weighted]"), [])) == 1


def test_race_for_the_time_of_a_plug_is_the_block_layers():
    """As 6.12 with KCSAN said it."""
    frames = "blk_mq_end_request", "lwt_complete_rq+0x2c/0x40 [lw_testdisk]"
    assert complaints(race(*frames, between="blk_finish_plug / blk_mq_end_request"), []) == []
    assert len(complaints(race(*frames, between="lwt_submit / blk_mq_end_request"), [])) == 1


def test_race_for_a_works_state_is_the_workqueues():
    """As 6.12 with KCSAN said it, when a disk of ours was busy on two CPUs; not if the module is among the calls."""
    frames, between = ["try_to_grab_pending", "mod_delayed_work_on"], "clear_pending_if_disabled / try_to_grab_pending"
    assert complaints(race(*frames, "lwt_queue_rq+0x312/0x900 [lw_testdisk]", between=between), []) == []
    assert len(complaints(race(*frames, "lw_window+0x1/0x2 [dm_latency_weighted]", between=between), [])) == 1


@pytest.mark.parametrize("report", [
    "BUG: KASAN: slab-use-after-free in lw_aggregation+0x1/0x2", "UBSAN: shift-out-of-bounds in src/main.c:7:9",
    "WARNING: CPU: 1 PID: 204 at block/blk-mq.c:7", "INFO: task fio:123 blocked for more than 120 seconds."])
def test_report_of_another_cpu_within_a_foreign_one_counts(report):
    for block in trace("Dying CPU not properly vacated!"), race("wake_up_bit", "ext4_end_bio"):
        for at in range(1, len(block)):
            assert len(complaints(block[:at] + [(1, report)] + block[at:], [])) == 1
