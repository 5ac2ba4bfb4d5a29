"""Command line of the harness: `python3 -m tests.vm --help`, from the checkout."""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from . import extra_packages, guest, image, matrix, module_layer
from .kernels import ALL_KERNELS, SUITES
from .progress import exit_status, say
from .qemu import Machine


def main() -> int:
    options = parse(sys.argv[1:])
    return exit_status(lambda: options.run(options))


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tests.vm", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    build = commands.add_parser("build", help="make the guest trees that the cache lacks")
    build.add_argument("suites", nargs="*", choices=[[], *SUITES], metavar="SUITE",
                       help=f"of {', '.join(SUITES)}; default all")
    build.set_defaults(run=run_build)

    table = commands.add_parser("matrix", help="show which guest tests run where")
    table.set_defaults(run=run_matrix)

    shell = commands.add_parser("shell", help="boot a kernel and run a command in the guest")
    shell.set_defaults(run=run_shell)
    chroot = commands.add_parser("chroot", help="run a command natively in the kernel's tree and layer")
    chroot.set_defaults(run=run_chroot)
    for sub in (shell, chroot):
        sub.add_argument("--kernel", choices=ALL_KERNELS, default="trixie")
        sub.add_argument("--layer", choices=["all", "tests", "none"], default="all",
                         help="what is stacked over the bare tree: dm-latency-weighted and the test "
                              "modules (default), only the test modules, or nothing")
        sub.add_argument("words", nargs="+", metavar="-- CMD", help="joined to a shell command")
    shell.add_argument("--cpus", type=int, help="default 2; 4 for kernels that check themselves")
    shell.add_argument("--memory", type=int, metavar="MIB", help="default 2048, or what the kernel needs")
    shell.add_argument("--nodes", type=int, default=1,
                       help="NUMA nodes, over which CPUs and memory are spread")
    shell.add_argument("--icount", action="store_true", help="virtual time, one CPU a node")
    shell.add_argument("--extra", action="append", default=[], metavar="PACKAGE",
                       help="a Debian package that the guest shall have besides, such as bpftrace")
    shell.add_argument("--append", action="append", default=[], metavar="ARG", help="kernel argument")
    shell.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    shell.add_argument("--quiet-limit", type=float, default=180, metavar="SECONDS",
                       help="a guest that prints nothing for so long counts as hung")
    return parser.parse_args(arguments)


def run_build(options) -> int:
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(image.tree, options.suites or SUITES))
    return 0


def run_matrix(_) -> int:
    print(matrix.shown())
    return 0


def chosen_layer(options):
    if options.layer == "none":
        return None
    return module_layer.layer(ALL_KERNELS[options.kernel], with_module=options.layer == "all")


def run_shell(options) -> int:
    kernel = ALL_KERNELS[options.kernel]
    layer = chosen_layer(options)
    given = {"cpus": options.cpus, "memory": options.memory}
    machine = Machine.of(kernel, nodes=options.nodes, icount=options.icount, append=options.append,
                         **{name: value for name, value in given.items() if value})
    extra = extra_packages.image(kernel.suite, options.extra) if options.extra else None
    result = guest.boot(kernel, " ".join(options.words), machine, layer, options.timeout,
                        options.quiet_limit, on_output=guest.to_stdout, label="shell", extra=extra)
    say(f"{result.explain()}; results: {result.out}")
    return 0 if result.passed else result.status or 1


def run_chroot(options) -> int:
    return module_layer.run_in_layer(ALL_KERNELS[options.kernel], " ".join(options.words),
                                chosen_layer(options))


if __name__ == "__main__":
    sys.exit(main())
