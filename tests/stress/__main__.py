"""Everything at once, at random, in a guest: `sudo python3 -m tests.stress`, from the checkout."""
import random
import shutil

from tests.vm import command_line, guest
from tests.vm.kernels import ALL_KERNELS
from tests.vm.module_layer import layer
from tests.vm.places import CHECKOUT
from tests.vm.progress import CommandFailed, say
from tests.vm.qemu import Machine

OUT = CHECKOUT / "build" / "stress"
# An emulated CPU that is one of many on a busy host takes its time for everything.
COMMAND = ("cd /lw/src && export PYTHONDONTWRITEBYTECODE=1 LW_PATIENCE={patience} && "
           "exec python3 -m tests.stress.stress_in_guest --seconds {seconds:g} --seed {seed} --tables {tables}")
AROUND = 1800                   # seconds before and after, in a slow guest
QUIET = 660                     # a minute more than the longest limit of a command in the guest
CPUS = 4
# That are only loaded, which takes half a minute; a slower kernel gets fewer, down to that part of them.
TABLES, FEWER = 700, 4
MEMORY = 1280                   # MiB, of which a step takes all but little; not of a kernel that checks itself


def parse(arguments):
    parser = command_line.parser("tests.stress", __doc__)
    parser.add_argument("--minutes", type=command_line.number(float, 0.1, 10000), default=10, metavar="N",
                        help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31), metavar="N",
                        help="of all that is done (default: another one each time)")
    parser.add_argument("--kernel", choices=ALL_KERNELS, default="trixie", help="(%(default)s)")
    return parser.parse_args(arguments)


def figures_of(kernel):
    return OUT / f"{kernel.name}.json"


def keep(result, kernel):
    """Leave the figures where the next run of the same kernel puts its own."""
    found = result.out / "stress.json"
    if found.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, figures_of(kernel))


def stress(options) -> int:
    kernel = ALL_KERNELS[options.kernel]
    say(f"stress: SEED={options.seed} on {kernel.name}, {options.minutes:g} minutes; "
        f"figures go to {figures_of(kernel)}")
    seconds = 60 * options.minutes
    command = COMMAND.format(seconds=seconds, seed=options.seed, patience=4 * kernel.patience,
                             tables=TABLES // min(kernel.patience, FEWER))
    machine = Machine(cpus=CPUS, memory=kernel.memory if kernel.config else MEMORY)
    result = guest.boot(kernel, command, machine, layer(kernel),
                        timeout=seconds + AROUND * kernel.patience,
                        quiet_limit=QUIET * kernel.patience, on_output=guest.to_stdout,
                        label="stress")
    keep(result, kernel)
    if result.outcome in ("passed", "failed") and (result.out / "stress.json").exists():
        return 0 if result.passed else 1
    say(result.explain())
    return count_as_failed(options)


def count_as_failed(options) -> int:
    """What a run that has no verdict of its own ends with."""
    print(f"SEED={options.seed}\n0 passed, 1 failed, 0 skipped", flush=True)
    return 1


def counted(options) -> int:
    """The stress; the last line has counts, also if no guest came up."""
    try:
        return stress(options)
    except (CommandFailed, OSError) as error:
        say(f"error: {error}")
        return count_as_failed(options)


if __name__ == "__main__":
    command_line.run(parse, counted)
