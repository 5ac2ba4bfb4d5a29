"""What of src/ becomes drivers/md/dm-latency-weighted/ of the kernel's tree, and what is different there.

Left out is what serves src/admin alone, policies, tracepoints, and what is for older kernels: files, names, and what
nobody uses without them. Each name and text has to be there, so the series stops where src/ moved on.
"""
import re
from pathlib import Path
from typing import Dict

from .edits import NotFound, cut, renamed, replaced, without_row
from .leave_out import any_of, declared, left_out, unused

TOP = Path(__file__).resolve().parents[1]
SRC = TOP / "src"
TREE = Path(__file__).parent / "tree"
DRIVER = "drivers/md/dm-latency-weighted"
VERSION = re.search('^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.MULTILINE)[1]

# Headers that serve src/admin, policies or tracepoints alone: what they declare is left out, too.
HEADERS = ["model/histogram.h", "model/report.h", "model/traffic.h", "model/policy.h", "trace.h", "admin/admin.h",
           "policy/policy.h"]
NOT_TAKEN = [*HEADERS, "trace.c"]
# Options that only src/admin serves.
LEFT_OUT = ["accounting", "histogram", "by_operation", "report_ms", "choose"]

# Names in all files: the map of a selector and who looks at it,
NAMES = """
lw_map lw_map_path lw_map_kind map_queue lw_window_kind lw_publish_longest looked_ns lw_histograms
lw_measured lw_measuring lw_class_names memalloc_noio_save memalloc_noio_restore linux/sched/mm.h lw_policy_use
LW_EVENT_PROBE LW_EVENT_FAILURE LW_EVENT_OUTLIER LW_EVENT_FULL LW_EVENT_UNKNOWN_OP
""".split()
# options by words, and the one that is there,
NAMES += "LW_CHOICE LW_WORDS_SHOWN lw_word_parse lw_chooser LW_BY_LATENCY lw_select_as_peer".split()
# the operation of an I/O, since dm-mpath would tell it,
NAMES += """
lw_by_operation lw_op_asked lw_op_cell lw_op_count lw_end_operation lw_aggregate_operation lw_aggregate_operations
was_op lw_op_counts unknown_ops lw_device_operations lw_take_op_samples linux/jump_label.h
""".split()
# and what tracepoints and older kernels need.
NAMES += "trace_lw_choose_enabled trace_lw_window_enabled trace_lw_state_enabled lw_may_be_jiffies".split()

# Names that mean something else in other files.
IN_FILE = {
    "counts.h": ["full", "writes", "others"],
    "counts.c": ["full"],
    "io.c": ["kind", "event", "lw_device_class", "lw_io_stamp"],
    "options.c": ["words", "model/choose.h"],
    "options.h": ["words"],
    "path.c": ["since_ns", "longest"],
    "path.h": ["since_ns", "longest", "event", "traffic", "report"],
    "select.c": ["full", "chosen"],
    "selector.h": ["since_ns", "map_number", "u32 lat_ns", "kind", "measured", "unknown"],
    "status.c": ["since_ns", "ago_ns", "lat_ns"],
}

# Texts by file, changed before names are left out: a function of edits.py, and what it takes.
TEXTS = {
    "io.c": [
        (renamed, "lw_device_class(path, nr_bytes)", "lw_class(nr_bytes)"),
        (renamed, "lw_io_stamp(sel, start_time, now)", "lw_stamp(start_time, now)"),
        (replaced, " *\tlw_io_stamp()", " *\tlw_stamp()"),
        (replaced, "\tif (READ_ONCE(sel->kind) != LW_MAP_BY_BIO)\n\t\tlw_note_start(path, now);\n",
         "\tlw_note_start(path, now);\n"),
        (replaced, "lw_unissued(const struct lw_selector *sel, struct lw_device *path, u64 stamp,\n\t\t\tu64 now)",
         "lw_unissued(struct lw_device *path, u64 stamp, u64 now)"),
        (replaced, "lw_unissued(sel, path, stamp, now)", "lw_unissued(path, stamp, now)"),
        (replaced, " A bio-based map\n * has no clones, but tasks that poll for what they just started.",
         " In a bio-based map\n * a task that polls for what it just started may look like this."),
        (replaced, "on the path that failed (docs/design.md, \"Sample\n * validity\").", "on the path that failed.\n *"),
    ],
    "select.c": [
        (replaced, "if (last >= sel->nr || READ_ONCE(sel->kind) == LW_MAP_BY_BIO)", "if (last >= sel->nr)"),
        (replaced, "lw_chosen(sel, chosen, nr_bytes)", "lw_chosen(sel, i, nr_bytes)"),
    ],
    "status.c": [
        (replaced, "/* The state has been so for @ago_ns. */\nstatic void lw_set_state(struct lw_path_info *m, u64 ago_ns)\n",
         "/**\n * lw_update_state() - update the shown state of a member\n"
         " * @m: the member, the use_lock of its path held\n * Context: any.\n */\n"
         "void lw_update_state(struct lw_path_info *m)\n"),
        (cut, r"^/\*\*\n \* lw_update_state\(\)(?: .*\n| \*.*\n)*void lw_update_state\(.*\n\{\n\tlw_set_state\(m, 0\);\n\}\n\n"),
        (replaced, "lw_set_state(m, ago_ns)", "lw_update_state(m)"),
        (replaced, "/* STATUSTYPE_IMA, not in 5.10: the table", "/* STATUSTYPE_IMA: the table"),
    ],
    "operation.h": [
        (replaced, "static_branch_unlikely(&lw_by_operation) ? lw_op_asked(sel) : LW_OP_DATA", "LW_OP_DATA"),
        (replaced, "/* Operation of the I/O to be placed. Costs nothing while nobody asks. */",
         "/* Operation of the I/O to be placed: dm-mpath tells only whether it has data. */"),
    ],
    "model/operation.h": [(replaced, "Without by_operation, all data is LW_OP_DATA.", "All data is LW_OP_DATA so far.")],
    "counts.h": [
        (replaced, "/* Rare events, counted for administrators. */",
         "/* Why a completion is not a valid sample. */"),
        (replaced, "\tLW_EVENTS,\n", "\tLW_EVENTS,\t\t\t/* it is */\n"),
    ],
    "window.c": [(replaced, "offsetof(struct lw_device, ended.event)", "offsetof(struct lw_device, use_lock)")],
    "main.c": [
        (cut, r"^#if BITS_PER_LONG != 64\n.*\n#endif\n\n"),     # Kconfig says so
        (replaced, "\tLW_PS_FEATURES(DM_PS_USE_HR_TIMER)\n", "\t.features\t= DM_PS_USE_HR_TIMER,\n"),
        (replaced, " * docs/how-it-works.md explains the model, docs/design.md the reasons; lw.h",
         " * See Documentation/admin-guide/device-mapper/dm-latency-weighted.rst; lw.h"),
    ],
    "lw.h": [
        (replaced, " * model/ has the arithmetic over plain structs; admin/ has what administrators see and set;\n"
         " * policy/ runs BPF programs that choose.\n",
         " * model/ has the arithmetic over plain structs.\n"),
        (cut, r"^ \*   lw_policy_rooms_lock(?:.|\n)*lw_map\.lock.*\n"),
        (replaced, " *         lw_selector.publishing,", " *   lw_selector.publishing,"),
        (replaced, " *           lw_device.lock			estimates", " *     lw_device.lock				estimates"),
        (replaced, " *             lw_device.use_lock			eligibility", " *       lw_device.use_lock			eligibility"),
        (replaced, """ Files take lw_view.lock and below, the window publishing and
 * below. Afterwards, without a lock, the window tries the map's lock, to detach a slow policy.
 * Start, select and end take none of these locks.
""", """ The window takes publishing and below; start, select and end
 * take none of these locks.
"""),
        (replaced, '#define DM_MSG_PREFIX "multipath latency-weighted"\n',
         f'#define DM_MSG_PREFIX "multipath latency-weighted"\n#define LW_VERSION "{VERSION}"\n'),
    ],
    "path.h": [(replaced, "reload), lw_publish() and readers of files.", "reload) and lw_publish().")],
    "selector.h": [
        (replaced, "/* set by create(), add_path(); tuned word by word */", "/* set by create(), then constant */"),
        (replaced, "/* halve its latency in comparisons; written under the map's lock */",
         "/* halve its latency in comparisons; set by add_path() */"),
        (replaced, "/* grows during table load, under the map's lock */", "/* grows during table load */"),
    ],
    "option_defs.h": [
        *((without_row, name) for name in LEFT_OUT),
        (replaced, "Who includes it defines LW_OPTION() and LW_CHOICE():", "Who includes it defines LW_OPTION():"),
        (cut, r"^ \*\tLW_CHOICE\(name.*\n"),
        (replaced, """ * A comment before a row has more about the option, for docs/ABI. The unit is one of LW_UNIT_* in
 * options.c. "make tables" writes documents, completion and dm-lw's table anew; CONTRIBUTING.md has
 * a recipe.
""", """ * The unit is one of LW_UNIT_* in options.c.
"""),
    ],
    "options.h": [
        (replaced, "name of the module parameter, table argument and file */",
         "name of the module parameter and table argument */"),
        (replaced, "Description of an option: a number, or one of several words, which counts from 0.", "Description of an option."),
    ],
    "options.c": [
        (replaced, "decimal value or word, optionally", "decimal value, optionally"),
    ],
    "model/math.h": [
        (replaced, "what exceeds LW_DATA_MAX or what the path takes at once,\n * are not data; shorter discards count as data.\n",
         "what exceeds LW_DATA_MAX, are not data; shorter discards\n * count as data.\n"),
        (replaced, "/* above LW_DATA_MAX, or longer than a request of the path */", "/* above LW_DATA_MAX */"),
        (replaced, "docs/how-it-works.md explains the terms. x^8 counts", "x^8 counts"),
        (replaced, "#ifdef __KERNEL__\n#include", "#include"),
        (cut, r'^#else\n#include "shim.h"\n#endif\n'),
    ],
    "model/slow.h": [
        (replaced, "Its state compares it with the other paths, a report (report.h) with what it was.\n",
         "Its state compares it with the other paths.\n"),
    ],
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
    ],
}

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
    texts = {name: changed(name, path.read_text()) for name, path in found.items() if name not in NOT_TAKEN}
    names = {*NAMES, *(name for header in HEADERS for name in declared((SRC / header).read_text()))}
    all_of_it = "".join(texts.values())
    lost = [name for name in NAMES if not any_of([name]).search(all_of_it)]
    lost += [f"{name} in {file}" for file, names_there in IN_FILE.items() for name in names_there
             if not any_of([name]).search(texts[file])]
    if lost:
        raise NotFound(f"src/ has no {', '.join(lost)}, which upstream/sources.py leaves out")
    texts = {name: without(name, text, {*names, *IN_FILE.get(name, [])}) for name, text in texts.items()}
    more = unused(texts.values())
    while more:
        texts = {name: without(name, text, more) for name, text in texts.items()}
        more = unused(texts.values())
    return {**{f"{DRIVER}/{name}": text for name, text in texts.items()}, f"{DRIVER}/Makefile": makefile()}


def makefile() -> str:
    """The objects of Kbuild, in its order."""
    objects = [name for name in re.findall(r"\bsrc/(\w+\.o)", (TOP / "Kbuild").read_text())
               if f"{Path(name).stem}.c" not in NOT_TAKEN]
    return MAKEFILE + "".join(f" \\\n\t{name}" for name in objects) + "\n"


def changed(name: str, text: str) -> str:
    """A source with the texts that the kernel's tree has."""
    try:
        for change, *arguments in TEXTS.get(name, []):
            text = change(text, *arguments)
    except NotFound as error:
        raise NotFound(f"src/{name} is not as upstream/sources.py knows it: {error}") from None
    for header in HEADERS:
        text = text.replace(f'#include "{header}"\n', "")
    return text


def without(name: str, text: str, names) -> str:
    try:
        text = left_out(text, names)
    except NotFound as error:
        raise NotFound(f"src/{name}: upstream/leave_out.py cannot leave out {error}") from None
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
