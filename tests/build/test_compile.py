"""The module compiles cleanly everywhere, and refuses kernels whose interface it does not know."""
# promise memory/fast-path: The fast path takes no lock, allocates nothing and divides nothing | by: machine code |
#   check: 5.10, 7.2 | full: `builds`: all five
# promise lifecycle/unproven-kernel: A kernel whose private interface is not proven is refused at build time |
#   check: 5.10, 7.2 | full: `builds`: all five
# promise lifecycle/check-kernel: `make check-kernel` prints interface, proof and result, also for a refused kernel
#   | check: 5.10, 7.2 | full: `builds`: all five
# promise steering/shared-line

import re
import subprocess

import pytest

# What select, start and end may call; everything else (locks, allocation,
# division helpers, printing) has no place there.
FAST_PATH_CALLS = {
    "ktime_get",                # the clock
    "current_work",             # reads what a worker works on
    "lw_window_queue",          # once, when traffic arms the window
    "queue_delayed_work_on",
    "lw_trace_probe",           # while somebody traces lw_choose
    "lw_trace_chosen",
    "lw_count_latency",         # while somebody wants a histogram
    "lw_device_note_first",     # until a path that was invalidated answers
    "lw_device_mark_full",      # where a driver is busy, or a queue frozen
    "lw_device_suspect",        # a latency that is the least, or suspicious
    "lw_use_limited",           # where a queue is full
    "lw_policy_choose",         # while the map has a policy; then also:
    "lw_bpf_run", "lw_bpf_cgroup", "preempt_schedule", "__SCT__preempt_schedule",
    "lw_op_asked", "lw_operation_end", "lw_count_unknown", "lw_count_operation",   # while somebody wants by_operation
    "warn_bogus_irq_restore",   # only in debug kernels
    "preempt_schedule_notrace", # after a per-CPU operation, which arm64 does without preemption
    # what compilers and mitigations put in
    "__fentry__", "__x86_return_thunk", "__stack_chk_fail",
}
FAST_PATH = {"lw_start_io", "lw_end_io", "lw_select_path"}
# Of files that also have what may sleep.
FAST_IN = {
    "eligibility.o": {"lw_device_note_first", "lw_device_mark_full", "lw_device_suspect"},
    "policy/choose.o": {"lw_policy_choose"},
    "admin/count.o": {"lw_count_latency", "lw_count_unknown", "lw_count_operation"},
    "admin/operation.o": {"lw_op_asked", "lw_operation_end", "lw_saw_issue", "lw_saw_bio", "lw_saw_complete", "lw_saw_requeue"},
}
LINE = 64   # bytes of the cache

WRONG = {
    "two callbacks swapped":
        "sed -i 's/(\\*create)/(*tmp)/; s/(\\*destroy)/(*create)/; s/(\\*tmp)/(*destroy)/'",
    "a field missing": "sed -i '/unsigned int table_args;/d'",
    "a field too many": "sed -i 's/unsigned int table_args;/void *more; &/'",
}
WRONG_TYPE = {
    "another type": "sed -i 's/u64 start_time/u32 start_time/'",
    "another argument": "sed -i 's/struct dm_path \\*p);/struct dm_path *p, int why);/'",
}
HEADER = "src/compat/dm-path-selector.h"


def test_sparse_finds_nothing(workshop):
    status, output = workshop.make("C=2 CF=-D__CHECK_ENDIAN__")
    assert status == 0, output
    if "sparse is not available or not up to date" in output:
        pytest.skip("this kernel wants a newer sparse than its distribution has")
    assert "CHECK" in output, output
    assert not workshop.complaints(output)


def test_compiles_without_warning(workshop):
    status, output = workshop.make("W=1")
    assert status == 0, output
    assert not workshop.complaints(output)


def test_is_the_module_it_says(workshop):
    status, output = workshop.run("modinfo /root/module/dm-latency-weighted.ko")
    assert status == 0, output
    assert re.search(r"^license: +GPL$", output, re.M)
    assert re.search(r"^version: +\d+\.\d+\.\d+(~rc\d+)?$", output, re.M)
    machine = "aarch64$" if workshop.is_cross else ""
    assert re.search(rf"^vermagic: +{re.escape(workshop.release)} .*{machine}", output, re.M)
    assert re.search(r"^depends: .*dm-multipath", output, re.M)
    assert re.search(r"^parm: +window_ms:", output, re.M)


def ten_lines(output):
    """What check-kernel printed, by the first word; the last is a row for docs/kernels.md."""
    lines = dict(line.split(maxsplit=1) for line in output.splitlines())
    assert list(lines) == ["distribution", "kernel", "compiler", "module", "interface", "proof", "functions", "warnings",
                           "result", "row"], output
    return lines


def test_check_kernel_tells_what_was_found(workshop):
    status, output = workshop.run(
        f"make -s -C /lw/src check-kernel KVER={workshop.release} {workshop.make_arguments}")
    lines = ten_lines(output)
    assert status == 0, output
    assert (lines["result"], lines["warnings"]) == ("compiled", "0")
    assert lines["kernel"].startswith(f"{workshop.release}, ")
    assert re.match(r"GCC: |\S* ?clang ", lines["compiler"])
    _, probed = workshop.run("modinfo -F probed /root/module/dm-latency-weighted.ko")
    assert probed == (f"interface:{lines['interface']},proof:{lines['proof'].replace(' ', ':')},"
                      + lines["functions"].replace(" ", "") + "\n")
    assert re.search(rf"\| {lines['interface']} \| {lines['proof']} \| [^|]+ \| <your name>, [-0-9]+: compiled \|$", lines["row"])


def test_check_kernel_loads_nothing_for_another_kernel(workshop):
    """The one that runs here is the host's. Where it is of the same release, the chroot may not load modules."""
    status, output = workshop.run(
        f"make -s -C /lw/src check-kernel KVER={workshop.release} {workshop.make_arguments} LOAD=1 2>/dev/null")
    lines = ten_lines(output)
    assert status and lines["result"].startswith("compiled, not loaded: "), output
    assert lines["row"].endswith(f": {lines['result']} |")
    status, output = workshop.run(f"make -s -C /lw/src check-kernel KVER={workshop.release} LOAD=yes")
    assert status and "check-kernel: LOAD=yes: wanted LOAD=1\n" in output, output


def test_make_clean_removes_what_was_built(workshop):
    status, output = workshop.run(f"""
        rm -rf /root/cleaned
        cp -a /root/module /root/cleaned && cd /root/cleaned && ls *.ko &&
        make clean KVER={workshop.release} {workshop.make_arguments} 2>&1 &&
        find . -name '*.o' -o -name '*.ko' -o -name '.*.cmd' -o -name '*.mod*' -o -name Module.symvers""")
    assert status == 0 and "rror" not in output, output
    assert not [line for line in output.splitlines() if line.startswith("./")], output


def test_fast_path_neither_divides_nor_locks(workshop):
    code = machine_code(workshop, "io.o select.o")
    assert FAST_PATH <= set(code)
    for file, names in FAST_IN.items():
        found = machine_code(workshop, file)
        code.update({name: found[name] for name in names})
    for name, text in code.items():     # with what they were split into
        assert not re.search(r"\s(i?div\w?|ucomis\w|divs[sd]|[usf]div)\s", text), f"{name} divides"
        calls = set(re.findall(r"R_(?:X86_64_PL[TC]32|AARCH64_(?:CALL|JUMP)26)\s+(\w+)(?:-0x|$)",
                               text, re.M))
        # where an index or a shift is out of bounds, and of mitigations
        calls = {call for call in calls
                 if not call.startswith(("__ubsan_handle_", "__x86_indirect"))}
        assert calls <= FAST_PATH_CALLS, f"{name} calls {calls - FAST_PATH_CALLS}"


def machine_code(workshop, files):
    status, output = workshop.run(f"cd /root/module/src && {workshop.objdump} -dr --no-show-raw-insn {files}")
    assert status == 0, output
    return functions(output)


def functions(disassembly):
    """Code by function; parts of one that lie apart are put together."""
    code = {}
    names = re.split(r"^[0-9a-f]+ <(\w+)(?:\.\w+)*>:$", disassembly, flags=re.M)
    for name, text in zip(names[1::2], names[2::2]):
        # What follows in another section, such as replacements for other CPUs, is no part of it.
        code[name] = code.get(name, "") + text.split("Disassembly of section")[0]
    return code


def members(workshop, struct):
    """Where each member of a struct begins and ends, and where the struct does; in bytes."""
    done = subprocess.run(["pahole", "-C", struct, workshop.upper / "root/module/src/io.o"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout, done.stderr
    found = re.findall(r"\s(\w+)(?:\[\d+\])*(?:\s+__attribute__.*)?;\s+/\*\s+(\d+)\s+(\d+) \*/",
                       done.stdout)
    size = int(re.search(r"/\* size: (\d+),", done.stdout)[1])
    return {name: (int(at), int(at) + int(length)) for name, at, length in found}, size


def test_one_shared_line_is_written_for_an_io(workshop):
    """tests/kernel_shim/writes_test.c shows that it is the line of the work; here is what lies on it."""
    path, size = members(workshop, "lw_device")
    begin = path["line"][0]
    assert begin % LINE == 0 and size % LINE == 0
    assert {name for name, (at, end) in path.items() if at < begin + LINE and end > begin} == {"line"}
    line, size = members(workshop, "lw_line")
    assert size <= LINE and set(line) == {
        "work", "limit", "full", "tags", "least_ticks", "bound_ticks", "suspect", "idle_since_ns", "idle_ns",
        "first_start_ns"}
    # what each CPU writes for itself is small, since there is one for each possible CPU and path
    _, cell = members(workshop, "lw_cell")
    counts, size = members(workshop, "lw_counts")
    assert cell == 24 and counts["cell"] == (16, size) and size == 16 + 9 * cell
    # what start reads of the selector is apart from what the window writes when it begins
    selector, _ = members(workshop, "lw_selector")
    assert selector["timer"][0] % LINE == 0 and selector["cpu"][1] <= selector["timer"][0]


def test_what_an_io_reads_fits_a_line(workshop):
    """What only by_operation has comes after it."""
    reads = {
        "lw_device": {"counts", "touched", "histogram", "classes", "valid_after_ns", "first_stamp_ns", "first_ticks"},
        "lw_path_info": {"path", "use", "probe", "cost"},
    }
    for struct, names in reads.items():
        found, _ = members(workshop, struct)
        assert names <= set(found) and max(found[name][1] for name in names) <= LINE, found


def refused(workshop, change):
    status, output = workshop.make(prepare=f"""
        cp {HEADER} before
        {change} {HEADER}
        ! cmp -s before {HEADER}""")
    assert status != 0, "it compiled with a wrong declaration"
    assert f"path_selector_type of {workshop.release} is not one that we know" in output, output
    assert "LD [M]" not in output


@pytest.mark.parametrize("what", WRONG)
def test_wrong_layout_is_refused(workshop, what):
    refused(workshop, WRONG[what])


@pytest.mark.parametrize("what", WRONG_TYPE)
def test_wrong_type_is_refused(workshop, what):
    status, _ = workshop.run("grep -q '^CONFIG_MODVERSIONS=y'"
                             f" /lib/modules/{workshop.release}/build/.config")
    if status:
        pytest.skip("no modversions: dm-service-time.ko proves the layout, not the types")
    refused(workshop, WRONG_TYPE[what])


def test_no_evidence_is_refused(workshop):
    """Neither a checksum nor the kernel's own selector: nothing to prove the layout with."""
    modules = f"/lib/modules/{workshop.release}"
    status, output = workshop.make(prepare=f"""
        move() {{ [ ! -e "$1" ] || mv "$1" "$2"; }}     # headers alone have no selector
        mkdir -p /root/hidden {modules}/kernel/drivers/md
        move {modules}/kernel/drivers/md/dm-service-time.ko* /root/hidden
        cp -L {modules}/build/Module.symvers /root/hidden/symvers
        rm {modules}/build/Module.symvers
        sed 's/^0x[0-9a-f]*\\(\\tdm_register_path_selector\\t\\)/0x00000000\\1/' \\
            /root/hidden/symvers >{modules}/build/Module.symvers
        trap 'move /root/hidden/dm-service-time.ko* {modules}/kernel/drivers/md
              mv /root/hidden/symvers {modules}/build/Module.symvers
              rmdir /root/hidden' EXIT""")
    assert status != 0
    assert "install the kernel's image package" in output, output


def test_kernel_without_multipath_is_named(workshop):
    build = f"/lib/modules/{workshop.release}/build"
    without = f"""
        cp -L {build}/Module.symvers /root/symvers
        trap 'cp /root/symvers {build}/Module.symvers' EXIT
        sed -i '/dm_register_path_selector/d' {build}/Module.symvers"""
    status, output = workshop.make(prepare=without)
    assert status != 0
    assert "has no dm-multipath" in output, output
    status, output = workshop.run(f"{without}\n/lw/src/tests/check-kernel {build}")
    assert status == 1
    lines = ten_lines(output)
    assert lines["result"] == f"refused: {workshop.release} has no dm-multipath (CONFIG_DM_MULTIPATH)"
    assert lines["interface"] == lines["proof"] == "-"


def test_kernel_without_bpf_has_no_policies(workshop):
    """The probe notices; the rest compiles as ever."""
    status, output = workshop.make(
        f"-C /lib/modules/{workshop.release}/build M=/root/module W=1 src/compat/bpf.o src/compat/probed.o",
        prepare="sed -i '1i #undef CONFIG_BPF_SYSCALL' src/compat/bpf.c")
    assert status == 0 and not workshop.complaints(output), output
    status, output = workshop.run("tr '\\0' '\\n' </root/module/src/compat/probed.o | grep -a ^probed=")
    assert status == 0 and output.endswith(",bpf:no\n"), output
