"""What of src/ becomes drivers/md/dm-latency-weighted/ of the kernel's tree, and what is different there.

Left out is what serves src/admin alone, and what is for older kernels. Each change has to find its place
(edits.py), so a change of src/ that this file does not know stops the series with the name of the file.
"""
import re
from pathlib import Path
from typing import Dict, List, Tuple

from .edits import NotFound, cut, replaced, without_field, without_function, without_option

TOP = Path(__file__).resolve().parents[1]
SRC = TOP / "src"
TREE = Path(__file__).parent / "tree"
DRIVER = "drivers/md/dm-latency-weighted"

# Options that only src/admin serves.
LEFT_OUT = ["accounting", "histogram"]
# Files that serve src/admin, or tracepoints, alone.
NOT_TAKEN = ["model/histogram.h", "model/traffic.h", "trace.h", "trace.c"]

MAKEFILE = """\
# SPDX-License-Identifier: GPL-2.0

ccflags-y := -I$(src) -I$(src)/..

obj-$(CONFIG_DM_MULTIPATH_LW) += dm-latency-weighted.o

# In the order in which an I/O passes through them.
dm-latency-weighted-y :="""

Change = Tuple  # (function of edits.py, what it takes besides the text...)

VERSION = re.search('^PACKAGE_VERSION="(.*)"', (TOP / "dkms.conf").read_text(), re.MULTILINE)[1]

LW_H = [
    (replaced, '#define DM_MSG_PREFIX "multipath latency-weighted"\n',
     f'#define DM_MSG_PREFIX "multipath latency-weighted"\n#define LW_VERSION "{VERSION}"\n'),
    (replaced, """ * (path.h). The arithmetic is in model/, over plain structs. What administrators see and
 * set is in admin/, of which the rest knows no more than admin/admin.h.
""", """ * (path.h). The arithmetic is in model/, over plain structs.
"""),
    (cut, r"^ \*   lw_maps_lock(?:.|\n)*lw_map\.lock.*\n"),
    (replaced, " *         lw_selector.publishing,", " *   lw_selector.publishing,"),
    (replaced, " *           lw_path.lock			estimates", " *     lw_path.lock				estimates"),
    (replaced, " *             lw_path.use_lock			what", " *       lw_path.use_lock			what"),
    (replaced, """ * status(); of these only use_lock is taken then. Files take lw_view.lock and below, the
 * window publishing and below, start, select and end none.
""", """ * status(); of these only use_lock is taken then. The window takes publishing and below;
 * start, select and end take none.
"""),
]

MAIN_C = [
    (replaced, """ * again. docs/how-it-works.md has the model, docs/design.md its reasons and what else was
 * tried.
""", """ * again. See Documentation/admin-guide/device-mapper/dm-latency-weighted.rst.
"""),
    (cut, r"^ \*\n \* /sys/kernel/dm-latency-weighted has a directory.*\n"),
    (cut, r"^#if BITS_PER_LONG != 64\n.*\n#endif\n\n"),     # Kconfig says so
    (replaced, "\tLW_PS_FEATURES(DM_PS_USE_HR_TIMER)\n", "\t.features\t= DM_PS_USE_HR_TIMER,\n"),
]

# What the module knows of its map.
MAP = {
    "main.c": [
        *((cut, rf"^\t{call};\n") for call in (
            r"lw_map_leave\(sel\)", r"lw_map_put_selector\(sel\)", r"lw_map_lock\(sel\)", r"lw_map_unlock\(sel\)",
            r"lw_measure\(sel, m\)", r"lw_map_announce\(lw_member\(dm_path\)\)", r"noio = memalloc_noio_save\(\)",
            r"memalloc_noio_restore\(noio\)")),
        (cut, r"^\t\tlw_measure_end\(m\);\n(?=\t\tlw_path_put)"),
        (cut, r"^\tif \(err\)\n\t\tlw_measure_end\(m\);\n"),
        (cut, r"^\t/\* I/O may be queued until .*\n\tunsigned int noio;\n"),
        (cut, r"^\t/\* Before: without I/O, .*\n"),
        (cut, r"^\t\t/\* Again: .*\n\t\tlw_measure\(sel, m\);\n"),
        (replaced, "\tint err;\n\n\terr = lw_grow(sel);\n", "\tint err = lw_grow(sel);\n\n"),
        (cut, r"^\t\tlw_map_part\(&m\);\n"),
        (replaced, "if (!m.path || lw_map_join(sel, &m, error) || lw_append", "if (!m.path || lw_append"),
        (cut, r"^\terr = lw_sysfs_init\(\);\n\tif \(err\)\n\t\tgoto no_sysfs;\n\tlw_debugfs_init\(\);\n"),
        (cut, r"^\tlw_debugfs_exit\(\);\n\tlw_sysfs_exit\(\);\nno_sysfs:\n"),
        (cut, r"^\tlw_debugfs_exit\(\);\n\tlw_sysfs_exit\(\);\n"),
        (cut, r"^#include <linux/sched/mm.h>\n"),
    ],
    "window.c": [
        (replaced, "lw_window_close(sel, now_ns), by_bio = lw_map_by_bio(sel);", "lw_window_close(sel, now_ns);"),
        (cut, r"^\t/\* Once: each end_io\(\) in a task .*\n\tif \(.*by_bio.*\n.*by_bio\);\n"),
    ],
    "io.c": [
        (cut, r"^\tif \(unlikely\(lw_counts_latency\(path\)\).*\n\t\tlw_count_latency.*\n"),
        (cut, r"^\t       !READ_ONCE\(sel->by_bio\) &&\n"),
        (replaced, "lw_unissued(const struct lw_selector *sel, struct lw_path *path, u64 stamp,\n\t\t\tu64 now)",
         "lw_unissued(struct lw_path *path, u64 stamp, u64 now)"),
        (replaced, "lw_unissued(sel, path, stamp, now)", "lw_unissued(path, stamp, now)"),
        (cut, r"(?<=lw_end_io\(struct path_selector \*ps, struct dm_path \*dm_path,\n\t      size_t nr_bytes, u64 start_time\)\n\{\n)"
              r"\tstruct lw_selector \*sel = ps->context;\n"),
        (replaced, " Bio-based maps have no clones of\n * requests, but tasks that poll for what they have just started.\n",
         " In a bio-based map a task that polls\n * for what it has just started may look like this.\n"),
    ],
}

# What is counted for those who look.
COUNTS = {
    "counts.h": [
        (cut, r"^ \* @busy: how often the path was full when.*\n"),
        (cut, r"^\tu32 busy;\n"),
        (cut, r"^ \* @was_busy:.*\n \* @busy:.*\n"),
        (cut, r"^\tu32 \*was_busy;\n\tu64 busy;\n"),
        (cut, r"^\tLW_EVENT_PROBE,.*\n\tLW_EVENT_FAILURE,.*\n"),
        (cut, r"^\tLW_EVENT_BUSY = .*\n"),
        (replaced, "/* What happens now and then, and is counted for those who look. */",
         "/* Why an I/O that ended is no sample. */"),
        (replaced, "\tLW_EVENTS,\n", "\tLW_EVENTS,\t\t\t/* it is one */\n"),
        (without_function, "lw_counts_fold_all"),
        (without_function, "lw_count_event"),
    ],
    "counts.c": [
        (cut, r"^\tsums->was_busy = .*\n"),
        (replaced, " || !sums->was_busy", ""),
        (cut, r"^\tkfree\(sums->was_busy\);\n"),
        (without_function, "lw_fold_busy"),
        (replaced, "\tfor_each_possible_cpu(cpu) {\n\t\tlw_fold_cpu(path, fold, cpu);\n\t\tlw_fold_busy(path, cpu);\n\t}\n",
         "\tfor_each_possible_cpu(cpu)\n\t\tlw_fold_cpu(path, fold, cpu);\n"),
        (without_function, "lw_counts_fold_all"),
        (without_function, "lw_count_event"),
    ],
    "eligibility.c": [(cut, r"^\tatomic64_inc\(&path->event\[LW_EVENT_FAILURE\]\);\n")],
    "io.c": [(cut, r"^\tif \(unlikely\(ignored != LW_EVENTS\)\)\n\t\tatomic64_inc\(&path->event\[ignored\]\);\n")],
    "select.c": [
        (cut, r"^\tatomic64_inc\(&m->path->event\[LW_EVENT_PROBE\]\);\n"),
        (cut, r"^\tif \(use == LW_FULL\)\n\t\tthis_cpu_inc\(path->counts->busy\);\n"),
        (cut, r"^\t\t\tif \(trace_lw_choose_enabled\(\)\)\n\t\t\t\tlw_trace_probe.*\n"),
        (cut, r"^\tif \(trace_lw_choose_enabled\(\)\)\n\t\tlw_trace_settled.*\n"),
    ],
    "window.c": [
        (cut, r"^\tlw_traffic_add\(.*\n"),
        (replaced, "offsetof(struct lw_path, event)", "offsetof(struct lw_path, use_lock)"),
        (without_function, "lw_window_hasten"),
        (cut, r"^\tif \(trace_lw_window_enabled\(\)\)\n\t\tlw_trace_window.*\n"),
    ],
    "window.h": [(without_function, "lw_window_hasten")],
}

STATUS = {
    "status.h": [
        (cut, r"^extern const char \* const lw_class_names.*\n\n"),
        (cut, r"^const char \*lw_state_name.*\n"),
        (cut, r"^const char \*lw_witness_name.*\n"),
    ],
    "status.c": [
        (cut, r"^/\* enum lw_class, as.*\n(?:.+\n)*\n"),
        (without_function, "lw_witness_name"),
        (without_function, "lw_state_name"),
        (cut, r"^\t/\* The first state of a member is no change. \*/\n\tif \(.*trace_lw_state.*\n\t\tlw_trace_state.*\n"),
        (replaced, " || !m->since_ns) {\n\t\tWRITE_ONCE(m->since_ns, ktime_get_real_ns());\n\t\tWRITE_ONCE(m->state, state);\n\t}\n",
         ")\n\t\tWRITE_ONCE(m->state, state);\n"),
        (cut, r"^#include <linux/ktime.h>\n"),
        (replaced, "/* STATUSTYPE_IMA, not in 5.10: the table says it all */", "/* STATUSTYPE_IMA: the table says it all */"),
    ],
}

CHANGES: Dict[str, List[Change]] = {
    "lw.h": LW_H,
    "main.c": MAIN_C,
    "path.h": [(without_field, name) for name in ("histogram", "histograms", "histogram_nr", "accounting",
                                                  "traffic", "event", "known_ns")],
    "path.c": [(cut, r"^\tpath->known_ns = .*\n")],
    "selector.h": [
        *((without_field, name) for name in ("accounting", "histogram", "at", "since_ns", "by_bio", "map", "of_map")),
        (cut, r"^struct lw_map;\nstruct lw_map_path;\n\n"),
        (replaced, " * add_path() and by who tunes, and holds lw_selector.publishing.", " * add_path(), and holds lw_selector.publishing."),
        (replaced, "counts as half; written under the map's lock */", "counts as half; set by add_path() */"),
        (replaced, "grows during table load, under the map's lock */", "grows during table load */"),
        (replaced, "/** @config: set by create() and add_path(), then tuned (admin/tune.c) word by word */",
         "/** @config: set by create(), then constant */"),
    ],
    "options.h": [
        *((without_option, name) for name in LEFT_OUT),
        (replaced, "of the module parameter, the key in the table line and the file", "of the module parameter, and the key in the table line"),
    ],
    "options.c": [
        *((without_option, name) for name in LEFT_OUT),
        (replaced, "docs/design.md has the reasons. Written by module\n * parameters,", "written by module parameters,\n *"),
    ],
    "args.c": [
        (replaced, "because the map was tuned meanwhile, or a module parameter is another.",
         "because a module parameter is another."),
        *((replaced, f"{name}, ", "") for name in LEFT_OUT),
        (without_function, "lw_args_inherit"),
    ],
    "args.h": [(without_function, "lw_args_inherit")],
    "start-time.h": [
        (replaced, """ *
 * With DM_PS_USE_HR_TIMER (where LW_PS_HAS_FEATURES) it is nanoseconds of the
 * monotonic clock or 0. Before, bio-based maps pass jiffies_to_nsecs(), whole
 * microseconds of a clock that started 300 s before its wrap and wraps every
 * 4295 s: neither an age nor an order can be told from it. Of real nanoseconds
 * one in a thousand looks so, too, and that one goes without a stamp.
""", """ * With DM_PS_USE_HR_TIMER it is nanoseconds of the monotonic clock, or 0.
"""),
        (cut, r"^#ifndef LW_PS_HAS_FEATURES\n(?:.*\n)*?#endif\n"),
        (replaced, "#ifndef LW_COMPAT_START_TIME_H\n#define LW_COMPAT_START_TIME_H\n", "#ifndef LW_START_TIME_H\n#define LW_START_TIME_H\n"),
    ],
    "model/shown.h": [(without_function, name) for name in (
        "lw_choice_use", "lw_choice_cost", "lw_load_ios", "lw_path_base_lat", "lw_path_noise_percent", "lw_path_block_milli",
        "lw_path_block_ns")],
    "model/math.h": [
        (replaced, "#ifdef __KERNEL__\n#include", "#include"),
        (cut, r'^#else\n#include "shim.h"\n#endif\n'),
    ],
}


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
        for change, *arguments in [rule for part in (MAP, COUNTS, STATUS, CHANGES) for rule in part.get(name, [])]:
            text = change(text, *arguments)
    except NotFound as error:
        raise NotFound(f"src/{name} is not as upstream/sources.py knows it: {error}") from None
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
    for header in [*NOT_TAKEN, "admin/admin.h"]:
        text = text.replace(f'#include "{header}"\n', "")
    return text
