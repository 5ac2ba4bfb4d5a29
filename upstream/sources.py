"""What of src/ becomes drivers/md/dm-latency-weighted/ of the kernel's tree, and what is different there.

Left out is what serves src/admin alone, tracepoints, and what is for older kernels. Each change has to find
its place (edits.py), so a change of src/ that this file does not know stops the series with the file's name.
"""
import re
from pathlib import Path
from typing import Dict

from .edits import NotFound, cut, replaced, without_field, without_function, without_macro, without_row

TOP = Path(__file__).resolve().parents[1]
SRC = TOP / "src"
TREE = Path(__file__).parent / "tree"
DRIVER = "drivers/md/dm-latency-weighted"
VERSION = re.search('^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.MULTILINE)[1]

# Files that serve src/admin, or tracepoints, alone.
NOT_TAKEN = ["model/histogram.h", "model/report.h", "model/traffic.h", "model/policy.h", "trace.h", "trace.c"]
# Options that only src/admin serves.
LEFT_OUT = ["accounting", "histogram", "by_operation", "report_ms", "choose"]

# Changes by file: a function of edits.py, and what it takes besides the text.

# Each of these lines of main.c, with one tab before it.
CALLS = [
    "lw_map_leave(sel)", "lw_map_put_selector(sel)", "lw_map_lock(sel)", "lw_map_unlock(sel)", "lw_measure(sel)",
    "lw_measure_end(sel)",
    "lw_map_announce(lw_member_of(dm_path))", "memalloc_noio_restore(noio)",
]

MAP = {
    "main.c": [
        *((cut, rf"^\t{re.escape(call)};\n") for call in CALLS),
        (cut, r"^#include <linux/sched/mm.h>\n"),
        (cut, r"^\t/\* A table load needs the map's lock.*\n\tunsigned int noio = memalloc_noio_save\(\);\n"),
        (cut, r"^\t\tlw_map_inherit\(m\);\n"),
        (replaced, "\tint err;\n\n\terr = lw_grow(sel);\n", "\tint err = lw_grow(sel);\n\n"),
        (replaced, "if (!m.path || lw_map_join(sel, &m, error) || lw_append", "if (!m.path || lw_append"),
        (cut, r"^\t\tlw_map_drop\(&m\);\n"),
        (cut, r"^\terr = lw_notice_init\(\);\n\tif \(err\)\n\t\tgoto no_notices;\n"),
        (cut, r"^\terr = lw_operation_init\(\);\n\tif \(err\)\n\t\tgoto no_operations;\n"),
        (cut, r"^\terr = lw_sysfs_init\(\);\n\tif \(err\)\n\t\tgoto no_sysfs;\n\tlw_debugfs_init\(\);\n"),
        (cut, r"^\tlw_debugfs_exit\(\);\n\tlw_sysfs_exit\(\);\nno_sysfs:\n\tlw_operation_exit\(\);\n"
              r"no_operations:\n\tlw_notice_exit\(\);\nno_notices:\n"),
        (cut, r"^\tlw_debugfs_exit\(\);\n\tlw_sysfs_exit\(\);\n(?=\tlw_window)"),
        (cut, r"^\tlw_operation_exit\(\);\n\tlw_notice_exit\(\);\n(?=\})"),
    ],
    "window.c": [
        (without_function, "lw_window_kind"),
        (cut, r"^\tlw_window_kind\(sel\);\n"),
        (cut, r"^\tlw_report_slow\(sel, now_ns\);\n"),
        (without_function, "lw_window_rearm"),
    ],
    "window.h": [(without_function, "lw_window_rearm")],
    "io.c": [
        (replaced, "on the path that failed (docs/design.md, \"Sample\n * validity\").", "on the path that failed.\n *"),
        (cut, r"^\tif \(unlikely\(lw_has_histogram\(path\)\).*\n\t\tlw_count_latency.*\n"),
        (cut, r"^/\* Size class of an I/O of this path\. \*/\n(?:.+\n)*\n"),
        (replaced, "lw_device_class(path, nr_bytes);\n\tu64 flight", "lw_class(nr_bytes);\n\tu64 flight"),
        (replaced, "lw_device_class(path, nr_bytes);\n\tstruct lw_counts", "lw_class(nr_bytes);\n\tstruct lw_counts"),
        (cut, r"^\t       READ_ONCE\(sel->kind\) != LW_MAP_BY_BIO &&\n"),
        (replaced, "\tif (READ_ONCE(sel->kind) != LW_MAP_BY_BIO)\n\t\tlw_note_start(path, now);\n",
         "\tlw_note_start(path, now);\n"),
        (replaced, "lw_unissued(), which a bio-based map does not ask. */", "lw_unissued(). */"),
        (cut, r"^/\*\n \* As lw_stamp\(\)\.(?:.*\n)*?\}\n\n"),
        (replaced, "lw_io_stamp(sel, start_time, now)", "lw_stamp(start_time, now)"),
        (replaced, " *\tlw_io_stamp()", " *\tlw_stamp()"),
        (replaced, "lw_unissued(const struct lw_selector *sel, struct lw_device *path, u64 stamp,\n\t\t\tu64 now)",
         "lw_unissued(struct lw_device *path, u64 stamp, u64 now)"),
        (replaced, "lw_unissued(sel, path, stamp, now)", "lw_unissued(path, stamp, now)"),
        (replaced, " A bio-based map\n * has no clones, but tasks that poll for what they just started.\n",
         " In a bio-based map\n * a task that polls for what it just started may look like this.\n"),
    ],
    "lw.h": [
        (replaced, " * model/ has the arithmetic over plain structs; admin/ has what administrators see and set;\n"
         " * policy/ runs BPF programs that choose.\n",
         " * model/ has the arithmetic over plain structs.\n"),
        (cut, r"^ \*   lw_policy_rooms_lock(?:.|\n)*lw_map\.lock.*\n"),
        (replaced, " *         lw_selector.publishing,", " *   lw_selector.publishing,"),
        (replaced, " *           lw_device.lock			estimates", " *     lw_device.lock				estimates"),
        (replaced, " *             lw_device.use_lock			eligibility", " *       lw_device.use_lock			eligibility"),
        (replaced, """ Files take lw_view.lock and below, the window publishing and below; it tries
 * the map's lock before, to detach a slow policy. Start, select and end take no lock.
""", """ The window takes publishing and below; start, select and end take no lock.
"""),
    ],
    "path.h": [
        *((without_field, name) for name in ("histogram", "accounting", "stamps", "report", "longest")),
        (cut, r"^/\* Histograms of a path (?:.*\n)*?\};\n\n"),
        (replaced, "reload), lw_publish() and readers of files.", "reload) and lw_publish()."),
    ],
    "selector.h": [
        *((without_field, name) for name in ("accounting", "histogram", "map_path", "map_number", "kind", "map", "of_map", "map_queue", "looked_ns")),
        (cut, r"^struct lw_map;\nstruct lw_map_path;\n\nenum lw_map_kind \{\n(?:.*\n)*?\};\n\n"),
        (replaced, "/* set by create(), add_path(); tuned word by word */", "/* set by create(), then constant */"),
        (replaced, "/* halve its latency in comparisons; written under the map's lock */",
         "/* halve its latency in comparisons; set by add_path() */"),
        (replaced, "/* grows during table load, under the map's lock */", "/* grows during table load */"),
    ],
    "path.c": [(cut, r"^\tpath->longest = .*\n")],
    "publish.c": [
        (without_function, "lw_publish_longest"),
        (cut, r"^\tlw_publish_longest\(.*\n"),
    ],
    "model/math.h": [
        (replaced, "what exceeds LW_DATA_MAX or what the path takes at once,\n * are not data; shorter discards count as data.\n",
         "what exceeds LW_DATA_MAX, are not data; shorter discards\n * count as data.\n"),
        (replaced, "/* above LW_DATA_MAX, or longer than a request of the path */", "/* above LW_DATA_MAX */"),
    ],
    "args.c": [
        (without_function, "lw_args_inherit"),
    ],
    "args.h": [(without_function, "lw_args_inherit")],
}

OPTIONS = {
    "option_defs.h": [
        *((without_row, name) for name in LEFT_OUT),
        (replaced, "Who includes it defines LW_OPTION() and LW_CHOICE():", "Who includes it defines LW_OPTION():"),
        (cut, r"^ \*\tLW_CHOICE\(name.*\n"),
        (cut, r"^#undef LW_CHOICE\n"),
        (replaced, """ * A comment before a row has more about the option, for docs/ABI. The unit is one of LW_UNIT_* in
 * options.c. "make tables" writes documents, completion and dm-lw's table anew; CONTRIBUTING.md has
 * a recipe.
""", """ * The unit is one of LW_UNIT_* in options.c.
"""),
    ],
    "options.h": [
        (without_macro, "LW_CHOICE"),
        (replaced, "name of the module parameter, table argument and file */",
         "name of the module parameter and table argument */"),
        (without_field, "words"),
        (replaced, "Description of an option: a number, or one of several words, which counts from 0.", "Description of an option."),
    ],
    "options.c": [
        (without_macro, "LW_CHOICE"),
        (without_function, "lw_word_parse"),
        (cut, r"^\tif \(o->words\)\n\t\treturn lw_word_parse.*\n"),
        (cut, r"^\tif \(o->words\)\n\t\treturn sysfs_emit.*\n"),
        (cut, r"^#define LW_WORDS_SHOWN.*\n"),
        (replaced, "decimal value or word, optionally", "decimal value, optionally"),
        (cut, r'^#include "model/choose.h"\n'),
    ],
    "select.c": [
        (without_function, "lw_select_as_peer"),
        (cut, r"^\tenum lw_chooser by = .*\n"),
        (cut, r"^\tif \(unlikely\(by != LW_BY_LATENCY\)\)\n.*\n"),
    ],
    "knees.c": [
        (cut, r"^\tif \(READ_ONCE\(sel->config.choose\).*\n\t\treturn;\n"),
        (replaced, " Not while the map is only observed: neither would change what a path gets.", ""),
    ],
    "model/choose.h": [
        (without_function, "lw_peer_cost"),
        (cut, r"^/\* What chooses among the paths (?:.*\n)*?\};\n\n"),
    ],
    "args.c": [(without_macro, "LW_CHOICE")],
}

# What is counted and noted for those who look at files.
COUNTS = {
    "counts.h": [
        (cut, r"^\tu32 full;.*\n"),
        (cut, r"^\tu32 was_full;.*\n\tu64 full;.*\n"),
        (cut, r"^\tLW_EVENT_PROBE,.*\n\tLW_EVENT_FAILURE,.*\n\tLW_EVENT_OUTLIER,.*\n"),
        (cut, r"^\tLW_EVENT_FULL = .*\n"),
        (replaced, "/* Rare events, counted for administrators. */",
         "/* Why a completion is not a valid sample. */"),
        (replaced, "\tLW_EVENTS,\n", "\tLW_EVENTS,\t\t\t/* it is */\n"),
        (without_function, "lw_counts_aggregate_all"),
        (without_function, "lw_event_count"),
    ],
    "counts.c": [
        (cut, r"^\tu32 full = 0;\n"),
        (cut, r"^\tpath->sums\.full \+= .*\n\tpath->sums\.was_full = .*\n"),
        (replaced, " {\n\t\tlw_aggregate_cpu(path, pass, cpu);\n\t\tfull += READ_ONCE(per_cpu_ptr(path->counts, cpu)->full);\n\t}\n",
         "\n\t\tlw_aggregate_cpu(path, pass, cpu);\n"),
        (without_function, "lw_counts_aggregate_all"),
        (without_function, "lw_event_count"),
    ],
    "eligibility.c": [(cut, r"^\tatomic64_inc\(&path->ended\.event\[LW_EVENT_FAILURE\]\);\n")],
    "io.c": [
        (cut, r"^\tatomic64_inc\(&path->ended\.event\[ignored\]\);\n"),
        (replaced, "\tif (!excess)\n\t\treturn;\n", "\tif (excess)\n\t"),
        (cut, r"^\tatomic64_inc\(&m->path->ended\.event\[LW_EVENT_OUTLIER\]\);\n"),
    ],
    "select.c": [
        (cut, r"^\tatomic64_inc\(&m->path->ended\.event\[LW_EVENT_PROBE\]\);\n"),
        (cut, r"^\tif \(use == LW_FULL\)\n\t\tthis_cpu_inc\(m->path->counts->full\);\n"),
    ],
    "steps.c": [(cut, r"^\tlw_traffic_add\(.*\n")],
    "window.c": [(replaced, "offsetof(struct lw_device, ended.event)", "offsetof(struct lw_device, use_lock)")],
    "path.h": [(without_field, name) for name in ("traffic", "event", "since_ns")],
    "path.c": [(cut, r"^\tpath->known\.since_ns = .*\n")],
    "selector.h": [(without_field, "since_ns")],
    "status.h": [
        (cut, r"^extern const char \* const lw_class_names.*\n\n"),
        (cut, r"^const char \*lw_state_name.*\n"),
        (cut, r"^const char \*lw_source_name.*\n"),
    ],
    "status.c": [
        (replaced, "/* What dmsetup status and files show of a path. */", "/* What dmsetup status shows of a path. */"),
        (cut, r"^/\* Names of enum lw_size_class in files.*\n(?:.+\n)*\n"),
        (without_function, "lw_source_name"),
        (without_function, "lw_state_name"),
        (replaced, " || !m->shown.since_ns) {\n\t\tWRITE_ONCE(m->shown.since_ns, ktime_get_real_ns() - ago_ns);\n"
         "\t\tWRITE_ONCE(m->shown.state, state);\n\t}\n", ")\n\t\tWRITE_ONCE(m->shown.state, state);\n"),
        (replaced, "/* The state has been so for @ago_ns. */\nstatic void lw_set_state(struct lw_path_info *m, u64 ago_ns)\n",
         "/**\n * lw_update_state() - update the shown state of a member\n"
         " * @m: the member, the use_lock of its path held\n * Context: any.\n */\n"
         "void lw_update_state(struct lw_path_info *m)\n"),
        (cut, r"^/\*\*\n \* lw_update_state\(\)(?: .*\n| \*.*\n)*void lw_update_state\(.*\n\{\n\tlw_set_state\(m, 0\);\n\}\n\n"),
        (replaced, "u64 ago_ns = 0, base_ns;", "u64 base_ns;"),
        (replaced, " {\n\t\tago_ns = lw_verdict_for(slow, now_ns);\n\t\tlw_verdict_turn(slow);\n\t}\n\tlw_set_state(m, ago_ns);\n",
         "\n\t\tlw_verdict_turn(slow);\n\tlw_update_state(m);\n"),
    ],
    "model/slow.h": [
        (replaced, "Its state compares it with the other paths, a report (report.h) with what it was.\n",
         "Its state compares it with the other paths.\n"),
    ],
    "model/shown.h": [(without_function, name) for name in (
        "lw_choice_use", "lw_choice_cost", "lw_load_ios", "lw_path_base_lat", "lw_path_op_base",
        "lw_path_noise_percent", "lw_path_block_milli", "lw_path_block_ns")],
}

# In the tree, BPF programs would be struct_ops.
POLICIES = {
    "main.c": [(cut, r"^\tlw_policy_exit\(\);\n")],
    "window.c": [(cut, r"^\tlw_policy_look\(sel\);\n")],
    "select.c": [
        (replaced, "left, chosen;", "left;"),
        (cut, r"^\tchosen = i;\n\tif \(.*sel->policy\)+\n\t\tchosen = .*\n"),
        (replaced, "this_cpu_write(sel->cpu->cursor, chosen + 1);", "this_cpu_write(sel->cpu->cursor, i + 1);"),
        (replaced, "sel->member[chosen]", "sel->member[i]"),
    ],
    "selector.h": [
        (cut, r"^struct lw_policy_use;\n"),
        *((without_field, name) for name in ("policy", "lat_ns")),
    ],
    "status.c": [(cut, r"^\t\tWRITE_ONCE\(m->shown.lat_ns.*\n")],
}

TRACEPOINTS = {
    "steps.c": [(cut, r"^\tif \(trace_lw_window_enabled\(\)\)\n\t\tlw_trace_window.*\n")],
    "select.c": [
        (cut, r"^\t\t\tif \(trace_lw_choose_enabled\(\)\)\n\t\t\t\tlw_trace_probe.*\n"),
        (cut, r"^\tif \(trace_lw_choose_enabled\(\)\)\n\t\tlw_trace_chosen.*\n"),
    ],
    "status.c": [(cut, r"^\t/\* The initial state is not a change.*\n\tif \(.*trace_lw_state.*\n\t\tlw_trace_state.*\n")],
}

# What is for other kernels, for user space, and for readers of our documents.
THIS_TREE = {
    "main.c": [
        (cut, r"^#if BITS_PER_LONG != 64\n.*\n#endif\n\n"),     # Kconfig says so
        (replaced, "\tLW_PS_FEATURES(DM_PS_USE_HR_TIMER)\n", "\t.features\t= DM_PS_USE_HR_TIMER,\n"),
        (replaced, """ * docs/how-it-works.md explains the model, docs/design.md the reasons; lw.h shows how the structs
 * relate, and the lock order. Counts""", """ * See Documentation/admin-guide/device-mapper/dm-latency-weighted.rst; lw.h shows how the structs
 * relate, and the lock order. Counts"""),
    ],
    "lw.h": [(replaced, '#define DM_MSG_PREFIX "multipath latency-weighted"\n',
              f'#define DM_MSG_PREFIX "multipath latency-weighted"\n#define LW_VERSION "{VERSION}"\n')],
    "options.c": [(replaced, "/* Defaults of new maps; docs/design.md has the reasons. Module", "/* Defaults of new maps. Module")],
    "status.c": [(replaced, "/* STATUSTYPE_IMA, not in 5.10: the table", "/* STATUSTYPE_IMA: the table")],
    "start-time.h": [
        (replaced, "#ifndef LW_COMPAT_START_TIME_H\n#define LW_COMPAT_START_TIME_H\n",
         "#ifndef LW_START_TIME_H\n#define LW_START_TIME_H\n"),
        (replaced, """ * Start time given to end_io().
 *
 * With DM_PS_USE_HR_TIMER (LW_PS_HAS_FEATURES) it is monotonic nanoseconds or 0. Earlier kernels
 * pass jiffies_to_nsecs() for bio-based maps: whole microseconds that wrap every 4295 s and tell
 * neither age nor order.
""", """ * Start time given to end_io(): with DM_PS_USE_HR_TIMER, monotonic nanoseconds or 0.
"""),
        (cut, r"^\n/\*\*\n \* lw_may_be_jiffies(?:.*\n)*?\}\n"),
    ],
    "model/math.h": [
        (replaced, "docs/how-it-works.md explains the terms. x^8 counts", "x^8 counts"),
        (replaced, "#ifdef __KERNEL__\n#include", "#include"),
        (cut, r'^#else\n#include "shim.h"\n#endif\n'),
    ],
}

# The operation of an I/O: the tree would have dm-mpath tell it.
OPERATIONS = {
    "counts.h": [
        (cut, r"^/\*\n \* Completions of one CPU and path by operation(?:.*\n)*?\};\n\n"),
        (cut, r"^\tLW_EVENT_UNKNOWN_OP,.*\n"),
        *((without_field, name) for name in ("was_op", "writes", "others", "closed_writes", "closed_others", "unknown_ops")),
    ],
    "counts.c": [
        (without_function, "lw_aggregate_operation"),
        (without_function, "lw_aggregate_operations"),
        (cut, r"^\tif \(path->sums\.was_op\)\n\t\tlw_aggregate_operations.*\n"),
    ],
    "io.c": [
        (without_function, "lw_end_operation"),
        (cut, r"^\tif \(static_branch_unlikely\(&lw_by_operation\)\)\n\t\tlw_end_operation.*\n"),
    ],
    "operation.h": [
        (cut, r"^#include <linux/jump_label.h>\n\n"),
        (cut, r"^/\* On while any selector (?:.*\n)*?enum lw_op lw_op_asked.*\n\n"),
        (replaced, "/* Operation of the I/O to be placed. Costs nothing while nobody asks. */",
         "/* Operation of the I/O to be placed: dm-mpath tells only whether it has data. */"),
        (replaced, """	if (!nr_bytes)
		return LW_OP_OTHER;
	return static_branch_unlikely(&lw_by_operation) ? lw_op_asked(sel) : LW_OP_DATA;
""", """	return nr_bytes ? LW_OP_DATA : LW_OP_OTHER;
"""),
    ],
    "model/operation.h": [(without_function, "lw_take_op_samples"), (replaced, "Without by_operation, all data is LW_OP_DATA.", "All data is LW_OP_DATA so far.")],
    "steps.c": [
        (without_function, "lw_device_operations"),
        (cut, r"^\tlw_device_operations\(path\);\n"),
    ],
    "window.c": [(cut, r"^.*writes_known = .*\n")],
    "path.h": [
        (cut, r"^\t/\* Read by end_io\(\) with by_operation alone.*\n"),
        *((without_field, name) for name in ("operations", "op_histogram", "by_operation", "measuring")),
        (cut, r"^/\* Members that asked .*\nstruct lw_measuring \{\n\};\n\n"),
    ],
    "selector.h": [
        *((without_field, name) for name in ("by_operation", "op_histogram", "unknown", "measured")),
        (cut, r"^/\* Measurements .*\nstruct lw_measured \{\n\};\n\n"),
    ],
}

PARTS = [POLICIES, MAP, OPTIONS, OPERATIONS, COUNTS, TRACEPOINTS, THIS_TREE]

MAKEFILE = """\
# SPDX-License-Identifier: GPL-2.0

ccflags-y := -I$(src) -I$(src)/..

obj-$(CONFIG_DM_MULTIPATH_LW) += dm-latency-weighted.o

# In the order in which an I/O passes through them.
dm-latency-weighted-y :="""


def driver_files() -> Dict[str, str]:
    """All files of the driver by their place in the kernel's tree, headers of the model first."""
    found = {str(path.relative_to(SRC)): path for path in sorted(SRC.glob("model/*.h")) + sorted(SRC.glob("*.[ch]"))}
    found["start-time.h"] = SRC / "compat/start-time.h"
    files = {f"{DRIVER}/{name}": changed(name, path.read_text()) for name, path in found.items()
             if name not in NOT_TAKEN}
    files[f"{DRIVER}/Makefile"] = makefile()
    return files


def makefile() -> str:
    """The objects of Kbuild, in its order."""
    objects = [name for name in re.findall(r"\bsrc/(\w+\.o)", (TOP / "Kbuild").read_text())
               if f"{Path(name).stem}.c" not in NOT_TAKEN]
    return MAKEFILE + "".join(f" \\\n\t{name}" for name in objects) + "\n"


def changed(name: str, text: str) -> str:
    """A source as the kernel's tree has it."""
    try:
        for change, *arguments in [each for part in PARTS for each in part.get(name, [])]:
            text = change(text, *arguments)
    except NotFound as error:
        raise NotFound(f"src/{name} is not as upstream/sources.py knows it: {error}") from None
    for header in [*NOT_TAKEN, "admin/admin.h", "policy/policy.h"]:
        text = text.replace(f'#include "{header}"\n', "")
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
