"""The systemd units of contrib/: what they may do, and what they take for success."""
# promise output/services: The services that write metrics and recordings fail only on errors, not without the
#   module, and have few rights | by: `systemd-analyze`; started by systemd | check: by systemd, the metrics once |
#   full: `guests-trixie`, `guests-sid`

import configparser
import re
import shutil
import subprocess

import pytest

from dm_lw.maps import NoModule

from .conftest import TOOLS

CONTRIB = TOOLS.parent / "contrib"
MOST = 30           # tenths of what "systemd-analyze security" calls exposure


def read(name):
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(str(CONTRIB / name))
    return unit["Service"]


@pytest.fixture
def service():
    return read("dm-lw-prometheus.service")


def test_without_module_the_service_does_not_fail(service, tool, tmp_path):
    """But with any other error."""
    tool.file().rename(tool.root / "gone")
    status, _, _ = tool.run(*service["ExecStart"].split()[1:-1], str(tmp_path / "file"))
    assert service["SuccessExitStatus"] == "%d" % status == "%d" % NoModule.STATUS
    assert "module_loaded 0" in (tmp_path / "file").read_text()


def test_the_service_may_write_where_it_writes(service):
    assert service["ExecStart"].startswith("/usr/sbin/dm-lw stat --prometheus /")
    assert service["ReadWritePaths"] == service["ExecStart"].split()[-1].rpartition("/")[0]


def test_the_recorder_writes_where_it_may(tool, tmp_path):
    """In the directory that systemd makes for it, with words that dm-lw takes."""
    unit = read("dm-lw-record.service")
    program, *words = unit["ExecStart"].split()
    directory = "/var/log/" + unit["LogsDirectory"]
    assert program == "/usr/sbin/dm-lw" and [word for word in words if word.startswith(directory + "/")]
    words = [word.replace(directory, str(tmp_path)) for word in words]
    tool(*words, "2")                   # a COUNT behind the INTERVAL: or it would not end
    assert "mpatha" in tool("report", str(tmp_path / "recording"))


@pytest.mark.parametrize("name", sorted(path.name for path in CONTRIB.glob("*.service")))
def test_services_can_do_little(name):
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze here")
    done = subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=true",
                           "--threshold=%d" % MOST, str(CONTRIB / name)], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd is older than 250")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("exposure level for %s: [0-9.]+" % name, done.stdout)
