"""Talking to multipathd through its own client."""

from .errors import LwError
from .multipath_conf import directory_in, parse

# Its client ends the wait after 4 s, unless uxsock_timeout says otherwise.
ANSWER = 120
# Its answer, with exit status 0 up to 0.9, if a command failed.
REFUSALS = ("fail", "timeout")


class NoDaemon(LwError):
    """multipathd is not running."""


def is_running(host):
    """Seen in /proc: asking could start it, where systemd listens on its socket."""
    return any(name.isdigit() and (host.read("proc/%s/comm" % name) or "").strip() == "multipathd"
               for name in host.list("proc"))


def require(host):
    if not host.has_program("multipathd"):
        raise NoDaemon("multipathd is not installed (Debian: multipath-tools)")
    if not is_running(host):
        raise NoDaemon("multipathd is not running (systemctl start multipathd)")


def ask(host, *words):
    """Send it a command; its answer."""
    done = host.run("multipathd", *words, timeout=ANSWER)
    answer = done.out.strip()
    blocked = "blocked" in answer and "\n" not in answer       # and no name in a configuration
    if not done.ok or answer in REFUSALS or blocked:
        raise LwError("multipathd does not %s: %s"
                      % (" ".join(words), done.complaint() if not done.ok else answer))
    return done.out


def paths(host):
    """(priority, last result of its checker) of each path, by its device number."""
    if not host.has_own_sysfs():
        raise LwError("prio and checker are told by this machine's multipathd: not with --sysfs", status=2)
    if not host.is_root():
        raise LwError("prio and checker are told by multipathd, to root only")
    require(host)
    rows = [line.split() for line in ask(host, "show", "paths", "raw", "format", "%D|%p|%T").splitlines()]
    words = ["".join(row).split("|") for row in rows]
    return {device: (int(prio) if prio.isdigit() else None, checker)
            for device, prio, checker in (each for each in words if len(each) == 3)}


def is_idle(host):
    """It is neither reconfiguring nor about to."""
    state = ask(host, "show", "daemon")
    return "idle" in state and "pending" not in state


def configuration(host):
    """Its settings, as it runs now."""
    return parse(ask(host, "show", "config"), "multipathd show config")


def settings_in_force(host):
    """The same, or None where it does not run or answer, or only root may ask."""
    if not host.is_root() or not is_running(host):
        return None
    try:
        return configuration(host)
    except LwError:
        return None


def config_directory(host):
    """Where it reads drop-ins."""
    return directory_in(configuration(host))
