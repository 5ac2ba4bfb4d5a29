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
# Headers that only src/admin reads.
ADMIN_ONLY = ["model/histogram.h", "model/traffic.h"]

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
    ],
    "window.c": [
        (cut, r"^\tlw_traffic_add\(.*\n"),
        (replaced, "offsetof(struct lw_path, event)", "offsetof(struct lw_path, use_lock)"),
        (without_function, "lw_window_hasten"),
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
        (replaced, "/* STATUSTYPE_IMA, not in 5.10: the table says it all */", "/* STATUSTYPE_IMA: the table says it all */"),
    ],
}

CHANGES: Dict[str, List[Change]] = {
    **COUNTS,
    **STATUS,
    "lw.h": LW_H,
    "main.c": MAIN_C,
    "path.h": [(without_field, name) for name in ("histogram", "histograms", "histogram_nr", "accounting",
                                                  "traffic", "event", "known_ns")],
    "path.c": [(cut, r"^\tpath->known_ns = .*\n")],
    "selector.h": [
        *((without_field, name) for name in ("accounting", "histogram", "at", "map", "of_map")),
        (cut, r"^struct lw_map;\nstruct lw_map_path;\n\n"),
        (replaced, " * add_path() and by who tunes, and holds lw_selector.publishing.", " * add_path(), and holds lw_selector.publishing."),
        (replaced, "counts as half; written under the map's lock */", "counts as half; set by add_path() */"),
        (replaced, "grows during table load, under the map's lock */", "grows during table load */"),
        (replaced, "/** @config: set by create() and add_path(), then by who tunes (admin/tune.c) word by word */",
         "/** @config: set by create(), then constant */"),
    ],
    "options.h": [(without_option, name) for name in LEFT_OUT],
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
    "trace.h": [(replaced, ". docs/tracing.md\n * has the fields, and a script for each event. Devices", ".\n * Devices")],
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
    ],
    "model/math.h": [
        (replaced, "#ifdef __KERNEL__\n#include", "#include"),
        (cut, r'^#else\n#include "shim.h"\n#endif\n'),
    ],
}


def driver_files() -> Dict[str, str]:
    """All files of the driver by their place in the kernel's tree, headers of the model first."""
    found = [path for path in sorted((SRC / "model").glob("*.h")) if f"model/{path.name}" not in ADMIN_ONLY]
    found += sorted(SRC.glob("*.[ch]")) + [SRC / "compat/start-time.h"]
    files = {}
    for path in found:
        name = f"model/{path.name}" if path.parent.name == "model" else path.name
        files[f"{DRIVER}/{name}"] = changed(name, path.read_text())
    files[f"{DRIVER}/admin.h"] = (TREE / "admin.h").read_text()
    files[f"{DRIVER}/Makefile"] = makefile()
    return files


def makefile() -> str:
    """The objects of Kbuild, in its order."""
    objects = re.findall(r"\bsrc/(\w+\.o)", (TOP / "Kbuild").read_text())
    return MAKEFILE + "".join(f" \\\n\t{name}" for name in objects) + "\n"


def changed(name: str, text: str) -> str:
    """A source as the kernel's tree has it."""
    try:
        for change, *arguments in CHANGES.get(name, []):
            text = change(text, *arguments)
    except NotFound as error:
        raise NotFound(f"src/{name} is not as upstream/sources.py knows it: {error}") from None
    text = text.replace('#include "admin/admin.h"\n', '#include "admin.h"\n')
    for header in ADMIN_ONLY:
        text = text.replace(f'#include "{header}"\n', "")
    return text
