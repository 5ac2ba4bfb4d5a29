"""Check of dm-lw doctor: values kept by dm-lw set --persist are in force."""
from .. import apply, kept
from ..errors import LwError
from ..host import NotPermitted
from ..maps import in_shell, list_maps
from ..policies import keeping
from .finding import ok, warn

RULE = "65-dm-latency-weighted.rules"
RULES = ("etc/udev/rules.d", "run/udev/rules.d", "usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d",
         "lib/udev/rules.d")


def tunables(host):
    """Of each map for which something is kept: it is in force, if the map uses the selector."""
    uuids = kept.uuids(host)
    if not uuids:
        return ok("no tunables are kept")
    kept.require_this_machine(host)
    there = {host.sysfs.text("block", found.dm, "dm", "uuid"): found
             for found in list_maps(host.sysfs)}
    findings = [] if has_rule(host) else warn(
        "tunables are kept, but no udev rule sets them when a map appears",
        "install /%s/%s, which the package of dm-lw and make tools-install bring"
        % (RULES[3], RULE))
    for uuid in uuids:
        try:
            findings += in_force(host, kept.load(host, uuid), there.get(uuid))
        except NotPermitted:
            raise
        except LwError as error:
            findings += warn("what is kept is not set: %s" % error,
                             "repair or remove it; dm-lw apply sets it then")
    return findings


def has_rule(host):
    return any(host.exists("%s/%s" % (directory, RULE)) for directory in RULES)


def in_force(host, known, found):
    if found is None:
        return ok("kept for %s, which does not use the selector now: %s"
                  % (known.uuid, known.told()))
    differ = ["%s has %s %s, and %s is kept" % (target, change.name, change.was, change.value)
              for target, changes in apply.to_do(host, found, known) for change in changes]
    if keeping.missing(host, found, known):
        differ.append("%s has no policy, and one is kept" % found.name)
    elif keeping.has_moved(host, found, known):
        differ.append("the policy of %s knows a path by the disk that it was before" % found.name)
    if not differ:
        return ok("%s: %s" % (found.name, known.told()))
    return warn("; ".join(differ), "dm-lw apply %s; or keep what is in force: dm-lw set --persist"
                % in_shell(found.name))
