"""multipathd, started by hand, with the drop-in that the project ships."""

import contextlib
import json
import os
import re
import subprocess

from .command import CHECKOUT, CommandError, limit, settle, sh, wait_until, write_text

EXAMPLE = CHECKOUT + "/multipath.conf.d/latency-weighted.conf.example"
DROP_IN = "/etc/multipath/conf.d/zz-latency-weighted.conf"
MAIN_CONFIG = "/etc/multipath.conf"
LOG = "/run/multipathd.log"

# find_multipaths: take the disks whether or not their WWID was seen before.
# uxsock_timeout: on a busy host, the answer to a command takes its time.
# path_grouping_policy: what today's built-in table says of LIO's disks; the tables
# of older versions say failover, which leaves a selector no choice.
MAIN = """\
defaults {
	find_multipaths no
	user_friendly_names no
	polling_interval 5
	skip_kpartx yes
	uxsock_timeout 60000
}
overrides {
	path_grouping_policy group_by_prio
}
blacklist {
	devnode "^(vd|sr|fd|loop|ram|nullb|lwt)"
}
"""


def drop_in(selector, extra=""):
    """The shipped example with `selector` in it; `extra` are more defaults."""
    with open(EXAMPLE) as file:
        example = file.read()
    line = '\tpath_selector "%s"\n%s' % (selector, extra)
    text, count = re.subn(r'^\tpath_selector\s.*\n', lambda _: line, example,
                          flags=re.MULTILINE)
    if count != 1:
        raise ValueError("%s has %d lines with path_selector" % (EXAMPLE, count))
    return text


class Multipathd:
    """The daemon; configure() before start()."""

    def __init__(self, log=LOG):
        self.log = log
        self.process = None

    def configure(self, selector="latency-weighted 0", extra=""):
        """Without a drop-in if there is no selector."""
        os.makedirs(os.path.dirname(DROP_IN), exist_ok=True)
        write_text(MAIN_CONFIG, MAIN)
        if selector:
            write_text(DROP_IN, drop_in(selector, extra))

    def start(self):
        sh("modprobe", "dm-multipath")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["multipathd", "-d", "-s"],
                                            stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        wait_until(self.answers, "multipathd answers", timeout=60, interval=0.2)

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("multipathd ended with status %d; see %s"
                               % (self.process.returncode, self.log))
        try:
            return "pid" in self.ask("show", "daemon")
        except CommandError:
            return False

    def stop(self):
        """multipathd 0.15.1 was seen not to end when it was told to, once in many times."""
        self.process.terminate()
        try:
            self.process.wait(timeout=limit(30))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=limit(30))

    def ask(self, *words):
        """Send a command; multipathd reports refusals as text, with status 0."""
        answer = sh("multipathd", *words, timeout=60)
        if answer.strip() in ("fail", "timeout") or "blocked" in answer:
            raise CommandError(("multipathd",) + words, 0, answer, "")
        return answer

    def reconfigure(self):
        """Ask for it, and wait until it is done, which is later than the answer."""
        self.ask("reconfigure")
        wait_until(self.is_idle, "multipathd has reconfigured", timeout=60,
                   interval=0.1)

    def is_idle(self):
        try:
            state = self.ask("show", "daemon")
        except CommandError:
            return False
        return "idle" in state and "pending" not in state

    def version(self):
        """As numbers, so that versions can be compared."""
        found = sh("dpkg-query", "-W", "-f", "${Version}", "multipath-tools")
        return tuple(int(number) for number in re.findall(r"\d+", found)[:3])

    def reloads(self):
        """How many tables it has loaded into maps that it found existing."""
        with open(self.log) as log:
            return len(re.findall(r": reload \[", log.read()))

    def maps(self):
        """It does not escape the backslash of a name as the kernel spells it."""
        return json.loads(self.ask("show", "maps", "json").replace("\\x", "\\\\x"))["maps"]

    def remove_map(self, name):
        """Again and again, as it refuses while the map is open: udev looks at it when a path fails or comes back."""
        def removed():
            settle()
            try:
                self.ask("remove", "map", name)
            except CommandError:
                return name not in [each["name"] for each in self.maps()]
            return True

        wait_until(removed, "multipathd has removed " + name, timeout=60, interval=0.3)

    def wait_for_map(self, paths, timeout=60):
        """The name of the one map that has all these disks as working paths."""
        wanted = sorted(path.name for path in paths)

        def ready():
            for each in self.maps():
                found = [path for group in each["path_groups"]
                         for path in group["paths"]]
                if (sorted(path["dev"] for path in found) == wanted
                        and all(path["dm_st"] == "active" for path in found)):
                    return each["name"]
            return None

        name = wait_until(ready, "a map of %s; multipathd's log: %s"
                          % (", ".join(wanted), self.log), timeout, 0.3)
        settle()                                # for /dev/mapper/name
        return name


@contextlib.contextmanager
def running(selector="latency-weighted 0", extra=""):
    """multipathd with the drop-in; its maps are removed at the end.

    It ends, and its configuration goes, also if it does not answer: the next test has one of its own.
    """
    daemon = Multipathd()
    daemon.configure(selector, extra)
    try:
        daemon.start()
        try:
            yield daemon
        finally:
            for name in [each["name"] for each in daemon.maps()]:
                daemon.remove_map(name)
    finally:
        if daemon.process:
            daemon.stop()
        for path in (DROP_IN, MAIN_CONFIG):
            if os.path.exists(path):
                os.unlink(path)
