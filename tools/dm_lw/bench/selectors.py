"""Which selectors dm-lw bench compares."""
import re
from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple

from ..errors import LwError
from ..live_tables import SELECTOR
from ..maps import listed
from ..policies import load
from ..policies.objects import PolicyObject

USUAL = ("round-robin", "queue-length", "service-time", "historical-service-time", SELECTOR)
NEEDS_MORE = {"io-affinity": "wants a set of CPUs for each path"}


@dataclass(frozen=True)
class Choice:
    """`label` names it in reports; the map's own is put back as it was found."""
    name: str
    arguments: Tuple[str, ...] = ()
    is_own: bool = False
    label: str = ""
    policy: Optional[PolicyObject] = field(default=None, compare=False)
    constants: Dict[str, str] = field(default_factory=dict, compare=False)


def chosen(host, table, wanted=None, policies=()):
    """The map's own selector, then those that are wanted, or all that this kernel can load; then latency-weighted with
    each of the policies."""
    own = Choice(table.groups[0].selector, is_own=True,
                 label=", ".join(label(chooser) for chooser in table.choosers))
    others = [parse(word) for word in wanted.split(",")] if wanted is not None else [
        Choice(name, label=name) for name in USUAL if can_load(host, name)]
    for choice in others if wanted else ():
        require_loadable(host, choice.name)
    others = [choice for choice in dict.fromkeys(others) if choice.label != own.label]
    others += [with_policy(host, table, words) for words in policies]
    if not others:
        raise LwError("there is nothing to compare with %s" % own.label)
    return [own] + others


def with_policy(host, table, text):
    """By the words of --policy; where the map's own selector is latency-weighted, with its arguments."""
    file, *words = text.split() or [""]
    policy, constants = load.read(file), load.parse(words)
    load.require_constants(policy, constants)
    require_loadable(host, SELECTOR)
    own = table.groups[0]
    return Choice(SELECTOR, tuple(own.arguments) if own.selector == SELECTOR else (),
                  label=" ".join(["policy", policy.program(), *words]), policy=policy, constants=constants)


def label(chooser):
    """"service-time 0" as people say it; arguments are shown as they are."""
    return chooser[:-2] if chooser.endswith(" 0") and chooser.count(" ") == 1 else chooser


def parse(text):
    """As multipath.conf has it; a name alone means no arguments."""
    words = text.split()
    if not words or not re.fullmatch("[a-z0-9-]+", words[0]):
        raise LwError("\"%s\" is no selector" % text, status=2)
    name, arguments = words[0], tuple(words[2:])
    if name in NEEDS_MORE:
        raise LwError("%s %s: dm-lw cannot make such a table" % (name, NEEDS_MORE[name]), status=2)
    if len(words) > 1 and words[1] != str(len(arguments)):
        raise LwError("\"%s\": after the name comes the number of arguments, here %d"
                      % (text.strip(), len(words) - 1 if not words[1].isdigit()
                         else len(arguments)), status=2)
    return Choice(name, arguments, label=label(" ".join([name, str(len(arguments)), *arguments])))


def can_load(host, name):
    return host.run("modprobe", "--dry-run", "--quiet", "dm-" + name).ok


def require_loadable(host, name):
    if not can_load(host, name):
        known = [each for each in USUAL if can_load(host, each)]
        raise LwError("this kernel has no selector %s; it has: %s" % (name, listed(known)))
