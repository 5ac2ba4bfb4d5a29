"""tools/still-used, which packages ask before the module goes."""
import os
import subprocess
from pathlib import Path

STILL_USED = Path(__file__).resolve().parents[2] / "tools/still-used"
TABLE = "%s: 0 2048 multipath 0 0 1 1 latency-weighted 0 1 1 8:0 1\n"


def still_used(tmp_path, tables):
    dmsetup = tmp_path / "dmsetup"
    dmsetup.write_text("#!/bin/sh\ncat <<'END'\n%sEND\n" % tables)
    dmsetup.chmod(0o755)
    return subprocess.run([str(STILL_USED)], env=dict(os.environ, PATH="%s:%s" % (tmp_path, os.environ["PATH"])),
                          text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_names_reach_the_terminal_without_escapes(tmp_path):
    """As they are else: no blanks are added, and no files are named in place of a *."""
    done = still_used(tmp_path, TABLE % "mpatha" + TABLE % "red:\x1b[31m\\0033[1m*")
    assert (done.returncode, done.stdout, done.stderr) == (
        0, "", "multipath uses latency-weighted: mpatha red:[31m\\0033[1m*\n")


def test_other_selectors_do_not_count(tmp_path):
    done = still_used(tmp_path, (TABLE % "mpatha").replace("latency-weighted", "service-time"))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
