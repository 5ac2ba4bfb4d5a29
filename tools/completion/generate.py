#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Write the completion of dm-lw for bash and zsh, from its parser: `make completion`.

shtab makes them of the options, commands and choices. COMPLETERS and helpers.* say what it
cannot know: which maps, paths, keys, columns and jobs there are.
"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import shtab  # noqa: E402 (both are found by the line before)
from dm_lw import cli, columns, tunables  # noqa: E402
from dm_lw.bench import fio_jobs  # noqa: E402
from dm_lw.policies import command as policy_command  # noqa: E402

FILES = {"bash": HERE / "dm-lw", "zsh": HERE / "_dm-lw"}

# By what the parser calls the argument, of one command or else of any: a function of helpers.*.
COMPLETERS = {
    ("stat", "words"): "_dm_lw_multipath_maps",
    ("latency", "map"): "_dm_lw_multipath_maps",
    ("topology", "map"): "_dm_lw_multipath_maps",
    ("report", "words"): shtab.FILE,
    ("enable", "map"): "_dm_lw_multipath_maps",
    ("bench", "map"): "_dm_lw_multipath_maps",
    ("policy", "words"): "_dm_lw_policy_words",
    "action": "_dm_lw_policy_actions",
    "object": shtab.FILE,
    "map": "_dm_lw_maps",
    "where": "_dm_lw_map_or_path",
    "settings": "_dm_lw_key_value",
    "keys": "_dm_lw_keys",
    "output": "_dm_lw_columns",
    "sort": "_dm_lw_columns",
    "job": "_dm_lw_jobs",
    "file": shtab.FILE,
    "html": shtab.FILE,
    "bundle": shtab.FILE,
    "against": shtab.FILE,
    "prometheus": shtab.FILE,
    "report": shtab.FILE,
    "sysfs": shtab.DIRECTORY,
}
WORDS = {
    "_dm_lw_map_keys": tunables.OF_MAP,
    "_dm_lw_path_keys": tunables.OF_PATH,
    "_dm_lw_column_names": columns.COLUMNS,
    "_dm_lw_job_names": fio_jobs.JOBS,
    "_dm_lw_policy_action_names": policy_command.ACTIONS,
}
# shtab's function runs where it cannot tell the shell that more belongs to the word.
NO_SPACE = """
_dm_lw()
{
	_shtab_dm_lw
	case "$3,${COMPREPLY[0]-}" in
	-o,* | --output,* | *=) compopt -o nospace ;;
	esac
}
complete -o bashdefault -F _dm_lw dm-lw
"""


def completed_parser():
    """dm-lw's parser, whose arguments know their completers; each completer finds its argument."""
    top = cli.parser()
    (commands,) = [action for action in top._actions if action.dest == "command"]
    unused = set(COMPLETERS)
    for name, parser in {"": top, **commands.choices}.items():
        for action in parser._actions:
            key = (name, action.dest) if (name, action.dest) in COMPLETERS else action.dest
            completer = COMPLETERS.get(key)
            unused.discard(key)
            if completer:
                action.complete = ({"bash": completer, "zsh": completer}
                                   if isinstance(completer, str) else completer)
    if unused:
        sys.exit("generate.py: dm-lw has no argument %s" % ", ".join(map(str, unused)))
    return top


def generated(shell):
    words = "".join("%s=\"%s\"\n" % (name, " ".join(known)) for name, known in WORDS.items())
    preamble = words + "\n" + (HERE / ("helpers." + shell)).read_text()
    text = shtab.complete(completed_parser(), shell, preamble=preamble)
    # The hint is for who runs shtab at home; packages have a place for the file.
    text = re.sub(r"^# Usage:\n(# .*\n)*", "# by tools/completion/generate.py of dm-lw: make completion\n",
                  text, count=1, flags=re.MULTILINE)
    if shell == "zsh":      # as shtab says it, only the first of several words would be completed
        text = re.sub(r'^  "\(\*\)::?', '  "*:', text, flags=re.MULTILINE)
    return text.rstrip() + "\n" + (NO_SPACE if shell == "bash" else "")


for kind, file in FILES.items():
    file.write_text(generated(kind))
