"""Check of dm-lw doctor: BPF programs that choose paths."""
from ..host import NotPermitted
from ..maps import in_shell, list_maps
from ..policies import attached
from .finding import ok, warn

MOST_REFUSED = 0.01             # share of the choices


def policies(host):
    """A policy is named, as it explains choices of paths; most of its choices are taken."""
    maps = list_maps(host.sysfs)
    if not all(attached.can_read(host.sysfs, found) for found in maps
               if host.sysfs.exists(found.directory, attached.FILE)):
        raise NotPermitted("policies are shown to root only")
    return [finding for found in maps for finding in of_map(host, found)] or ok("no map has a policy")


def of_map(host, found):
    policy = attached.read(host.sysfs, found)
    if not policy:
        return []
    text = "%s has the policy %s" % (found.name, attached.sentence(policy))
    if policy.counts["too_many_paths"]:
        return warn(text, "a policy sees 16 paths of a group at most: it is of no use here: dm-lw policy none %s"
                    % in_shell(found.name))
    if policy.refused > MOST_REFUSED * policy.total:
        return warn(text, "the module chose in its place; a policy should leave out paths whose state is worse than"
                    " that of others (docs/policies.md). Without it: dm-lw policy none %s" % in_shell(found.name))
    return ok(text)
