"""dm-lw policy: a program of the user's own that chooses the path of each I/O of a map."""
import sys

from .. import kept
from ..errors import LwError
from ..host import Host, NotPermitted
from ..maps import NO_MAPS, find_map, in_shell, list_maps, listed, require_module
from ..switching import require_root
from ..sysfs import printable
from . import attached, compiler, keeping, load

ACTIONS = ("load", "show", "none", "build")


def add_parser(commands):
    parser = commands.add_parser(
        "policy", allow_abbrev=False, help="choose paths by a BPF program of your own",
        usage="dm-lw policy load [-p] FILE.o --map MAP [NAME=VALUE...]\n"
              "       dm-lw policy show [MAP...]\n"
              "       dm-lw policy none [-p] MAP...\n"
              "       dm-lw policy build [-o FILE.o] FILE.c",
        description="load: attach a policy to a map, with its constants set. show: which policies maps have, and"
                    " what they did. none: take them away again. build: compile one.",
        epilog="VALUE is a number, a path of the map (sda), or a directory of a cgroup. Details: docs/policies.md")
    parser.add_argument("action", metavar="ACTION", help=", ".join(ACTIONS))
    parser.add_argument("words", metavar="WORD", nargs="*", default=[],
                        help="a file of load and build, NAME=VALUE of load, maps of show and none")
    parser.add_argument("--map", metavar="MAP", help="of load: the map")
    parser.add_argument("-p", "--persist", action="store_true",
                        help="load: also keep it, in /%s, for when the map appears again, as after a boot; none: also"
                             " forget it there" % kept.DIRECTORY)
    parser.add_argument("-o", "--object", metavar="FILE", help="build: the object file; default: FILE.o beside FILE.c")
    parser.set_defaults(run=run)
    take_in_any_order(parser)


def take_in_any_order(parser):
    """Words and options: by itself argparse takes no word behind an option that follows a word."""
    in_order = parser.parse_known_args

    def parse(args=None, namespace=None):
        parser.parse_known_args = in_order
        try:
            return parser.parse_known_intermixed_args(args, namespace)
        finally:
            parser.parse_known_args = parse

    parser.parse_known_args = parse


def run(args):
    if args.action not in ACTIONS:
        raise LwError("there is no \"policy %s\", but: %s" % (args.action, listed(ACTIONS)), status=2)
    if args.persist and args.action not in ("load", "none"):
        raise LwError("--persist is for policy load and policy none", status=2)
    if args.object is not None and args.action != "build":
        raise LwError("--object is for policy build", status=2)
    if args.map is not None and args.action != "load":
        args.words.append(args.map)             # none --map M means none M
    return {"load": run_load, "show": run_show, "none": run_none, "build": run_build}[args.action](args)


def run_build(args):
    if len(args.words) != 1:
        raise LwError("wanted is dm-lw policy build FILE.c", status=2)
    target, warnings = compiler.build(Host(sysfs=args.sysfs), args.words[0], args.object)
    for line in warnings:
        print(" " * indent(line) + printable(line), file=sys.stderr)
    print(printable("%s: built; to attach it: dm-lw policy load %s --map MAP" % (target, target)))


def indent(line):
    """Of clang's marks, which stand below the code that is wrong."""
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


def run_load(args):
    if not args.words or args.map is None:
        raise LwError("wanted is dm-lw policy load FILE.o --map MAP [NAME=VALUE...]", status=2)
    host = require_host(args)
    found = find_map(args.sysfs, list_maps(args.sysfs), args.map)
    policy = load.read(args.words[0])
    settings = load.parse(args.words[1:])
    if args.persist:
        keeping.attach_and_keep(host, found, policy, settings)
    else:
        load.attach(host, found, policy, settings)
    print(printable("%s: %s%s" % (found.name, load.described(policy, settings), ", kept" if args.persist else "")))


def require_host(args):
    host = Host(sysfs=args.sysfs)
    require_module(args.sysfs)
    kept.require_this_machine(host)
    require_root(host)
    return host


def run_show(args):
    require_module(args.sysfs)
    maps = list_maps(args.sysfs)
    if not maps:
        raise LwError(NO_MAPS)
    for found in [find_map(args.sysfs, maps, name) for name in args.words] or maps:
        print("%s: %s" % (found.name, told(args.sysfs, found)))


def told(sysfs, found):
    attached.require_file(sysfs, found)
    if not attached.can_read(sysfs, found):
        raise NotPermitted("only root may see policies")
    policy = attached.read(sysfs, found)
    return attached.sentence(policy) if policy else "none"


def run_none(args):
    if not args.words:
        raise LwError("which map? dm-lw policy none MAP", status=2)
    host = require_host(args)
    maps = list_maps(args.sysfs)
    for found in [find_map(args.sysfs, maps, name) for name in args.words]:
        was = attached.read(args.sysfs, found)
        forgotten = keeping.forget(host, found) if args.persist else False
        attached.write(args.sysfs, found, "")
        print("%s: %s%s" % (found.name, "%s detached" % was.name if was else "had no policy",
                            ", no longer kept" if forgotten else ""))
        if not args.persist and keeping.is_kept(host, found):
            print("dm-lw: %s still has one kept, which comes back with the map: dm-lw policy none -p %s"
                  % (found.name, in_shell(found.name)), file=sys.stderr)
