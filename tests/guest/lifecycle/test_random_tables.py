"""Tables of random arguments: each is taken or refused as it should be, and nothing else happens."""
# promise output/arguments

import contextlib
import random
import re

import pytest

from tests.lib.command import load_module, read_text, sh, unload_module, write_text
from tests.lib.disks import path_disks
from tests.lib.dm_ioctl import Control
from tests.lib.multipath import WITHOUT_UDEV, table
from tests.lib.options import OPTIONS
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE
from tests.lib.sysfs import maps

pytestmark = [pytest.mark.virtual_time, pytest.mark.facts, pytest.mark.time_limit(300)]

# Tables of each seed: some that make check tries, and 10,000 in all.
TABLES = [(1, 500)] + [pytest.param(seed, 2500, marks=pytest.mark.long) for seed in (2, 3, 4, 5)]
CONSOLE = "/proc/sys/kernel/printk"
NUMBERS = ["0", "1", "+1", "01", "-1", "", "0x10", "1.0", "4294967295", "4294967296", "9" * 30,
           "many", "\u0663", "\x01\x7f", "%s%n", "8:0", "8:-1", "4095:1048575", "4096:0"]


def number(chance, least, most):
    """More often near a limit than not; now and then none."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice([text for text in NUMBERS if text])
    if kind == 1:
        return str(chance.choice([least - 1, most + 1]))
    if kind < 5:
        return str(chance.choice([least, most]))
    return str(chance.randint(least, most))


def arguments(chance):
    words = []
    for _ in range(chance.randrange(5)):
        key = chance.choice(list(OPTIONS) + ["prefer", chance.choice(["window", "PREFER", "x" * 99])])
        if key == "prefer":
            words += [key, chance.choice(["8:0", "0:0", "4095:1048575", "4096:0", "8", "a:b"])]
        else:
            words += [key, number(chance, *OPTIONS.get(key, (0, 9, 0))[:2])]
    return words[:-1] if words and chance.random() < 0.1 else words


def is_good(words):
    """By the documents' table, and not by the module's code."""
    values = {}
    if len(words) % 2:
        return False
    for key, text in zip(words[::2], words[1::2]):
        if key == "prefer":
            device = re.fullmatch("([0-9]{1,7}):([0-9]{1,7})", text, re.ASCII)
            if not device or int(device[1]) > 4095 or int(device[2]) > 1048575:
                return False
        elif key not in OPTIONS or not re.fullmatch(r"\+?[0-9]{1,10}", text, re.ASCII):
            return False
        else:
            values[key] = int(text)
            if not OPTIONS[key][0] <= values[key] <= OPTIONS[key][1]:
                return False
    # One that is not named gives way to the other.
    return values.get("probe_min_ms", 0) <= values.get("probe_max_ms", 600000)


@contextlib.contextmanager
def quiet_console():
    """Thousands of lines would take minutes on an emulated serial port; the log has them."""
    before = read_text(CONSOLE)
    write_text(CONSOLE, "1")
    try:
        yield
    finally:
        write_text(CONSOLE, before)


@pytest.mark.expect_dm_error(r"device-mapper: ")
@pytest.mark.parametrize("seed, tables", TABLES)
def test_random_tables(seed, tables):
    chance = random.Random(seed)
    good = 0
    load_module(SELECTOR_MODULE)
    with path_disks(2) as paths, quiet_console():
        sh("dmsetup", "create", *WITHOUT_UDEV, "lwrandom", "--notable")
        try:
            with Control("lwrandom") as control:
                for turn in range(tables):
                    words = arguments(chance)
                    line = table(paths, SELECTOR, "bio", selector_args=words)
                    try:
                        control.load(line)
                        taken = True
                    except OSError:
                        taken = False
                    assert taken == is_good(words), (turn, words)
                    good += taken
                control.clear()
                assert maps() == []
        finally:
            sh("dmsetup", "remove", *WITHOUT_UDEV, "lwrandom")
    unload_module(SELECTOR_MODULE)
    assert tables // 4 < good < tables
