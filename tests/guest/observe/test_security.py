"""Who may read and write which file, held against the table in SECURITY.md."""
# promise output/rights: Each file can be read and written by the users that `SECURITY.md` names; under lockdown
#   everything works except `dm-lw reset` | full: `guests-*`

import errno
import os
import re
import sys
from pathlib import Path

import pytest

from tests.lib import debugfs, sysfs
from tests.lib.command import CommandError, sh, write_text
from tests.lib.disks import path_disks
from tests.lib.dm_lw import NOBODY
from tests.lib.multipath import Multipath
from tests.lib.options import DEFAULTS, PARAMETERS
from tests.lib.scenario import SELECTOR

pytestmark = [pytest.mark.programs, pytest.mark.observe]

ROOT_WITHOUT_RIGHTS = ["setpriv", "--bounding-set", "-sys_admin"]
# Says which files take what they hold.
WRITE_BACK = 'for file; do { value=$(cat "$file"); echo "$value" > "$file"; } 2> /dev/null && echo "$file"; done; true'
THEIR_OWN_ROOT = [*NOBODY, "unshare", "--user", "--map-root-user"]

# Says of each file whether it can be read and written. What is written changes nothing that
# matters: nothing at all, but "1" where that is the only thing to write. Root can open any file
# of debugfs, also to do what it does not do.
TRY = """
import os, sys
def may(flags, do):
    try:
        opened = os.open(file, flags)
    except OSError:
        return "0"
    try:
        do(opened)
        return "1"
    except OSError:
        return "0"
    finally:
        os.close(opened)
for file in sys.stdin.read().splitlines():
    text = b"1" if file.endswith("/reset") else b""
    print(may(os.O_RDONLY, lambda opened: os.read(opened, 1)) +
          may(os.O_WRONLY, lambda opened: os.write(opened, text)), file)
"""


def documented():
    """(pattern, who reads, who writes), in the order of the table."""
    text = (Path(__file__).parents[3] / "SECURITY.md").read_text()
    for file, read, write in re.findall(r"^\| `(/sys/\S+)` \| (\w+) \| (\w+) \|$", text, re.M):
        pattern = file.replace("<tunable>", "(%s)" % "|".join(DEFAULTS))
        pattern = pattern.replace("<class>", "(%s)" % "|".join(sysfs.CLASSES))
        pattern = pattern.replace("<operation>", "(%s)" % "|".join(sysfs.OPERATIONS))
        yield re.sub("<[a-z]+>", "[^/]+", pattern), read, write


def expected(file):
    """By the first row that is about the file."""
    for pattern, read, write in documented():
        if re.fullmatch(pattern, file):
            return read, write
    return None


def all_files():
    return sorted(file for root in (sysfs.ROOT, debugfs.ROOT, PARAMETERS)
                  for file in sysfs.files_below(root))


def rights(files, *user):
    """What a user may do, by file: (read, write)."""
    said = sh(*user, sys.executable, "-c", TRY, stdin="\n".join(files))
    return {line[3:]: (line[0] == "1", line[1] == "1") for line in said.splitlines()}


def who(everybody, root):
    return "everybody" if everybody else "root" if root else "nobody"


@pytest.fixture
def mapped():
    debugfs.mount()
    with path_disks(2) as paths, Multipath(paths, SELECTOR) as mapped:
        yield mapped


@pytest.fixture
def files(mapped):
    return all_files()


def test_each_file_is_as_documented(files):
    by_root, by_nobody = rights(files), rights(files, *NOBODY)
    found = {file: tuple(map(who, by_nobody[file], by_root[file])) for file in files}
    assert found == {file: expected(file) for file in files}
    assert {expected(file) for file in files} == set(
        (read, write) for _, read, write in documented())


def test_another_mode_makes_no_file_writable(files):
    """Root can change a mode, and whether a file may be opened goes by that alone."""
    for file in files:
        mode = os.stat(file).st_mode
        if mode & 0o222 or not file.startswith(sysfs.ROOT):
            continue
        os.chmod(file, 0o644)
        with pytest.raises(OSError) as failure:
            write_text(file, "1")
        assert failure.value.errno == errno.EIO, file
        os.chmod(file, mode)


def test_root_of_a_container_may_write_nothing(files):
    try:
        sh(*THEIR_OWN_ROOT, "true")
    except CommandError as error:
        pytest.skip("no user namespaces for everybody here: %s" % error)
    theirs = rights(files, *THEIR_OWN_ROOT)
    assert [file for file, (_, write) in theirs.items() if write] == []
    by_nobody = rights(files, *NOBODY)
    assert {file for file in files if theirs[file][0]} == {
        file for file in files if by_nobody[file][0]}


def test_root_without_capabilities_tunes_no_map(files):
    """As in a container without a user namespace of its own, which sees sysfs; parameters go by their mode."""
    tunables = [file for file in files if file.startswith(sysfs.ROOT) and os.stat(file).st_mode & 0o222
                and not file.endswith("/policy")]   # takes only the name of a pin
    assert sh(*ROOT_WITHOUT_RIGHTS, "sh", "-c", WRITE_BACK, "sh", *tunables) == ""
    assert sh("sh", "-c", WRITE_BACK, "sh", *tunables).split() == tunables


def test_directory_can_be_closed_to_others(files):
    """As SECURITY.md has it, for whom the statistics are too much."""
    mode = os.stat(sysfs.ROOT).st_mode & 0o777
    os.chmod(sysfs.ROOT, 0o700)
    try:
        ours = [file for file in files if file.startswith(sysfs.ROOT)]
        assert not any(read for read, _ in rights(ours, *NOBODY).values())
        assert all(read for read, _ in rights(ours).values())
    finally:
        os.chmod(sysfs.ROOT, mode)
