"""Reading multipath.conf and its drop-ins, to say which line of which file does what."""
import itertools
import re
from collections import namedtuple

from .host import version_numbers
from .live_tables import SELECTOR

MAIN_FILE = "etc/multipath.conf"
DIRECTORY = "etc/multipath/conf.d"      # of drop-ins

# `section`: names of the sections around it, outermost first; `block`: number of the innermost.
Setting = namedtuple("Setting", "section name value file line block")

# A quoted string (a doubled quote stands for one), a brace, or a word. Comments begin with # or !.
TOKEN = re.compile(r'"((?:[^"]|"")*)"|([{}])|([#!].*)|([^\s"{}#!]+)')


def parse(text, file):
    """The settings in order. What makes no sense is passed over, as multipathd does.

    Of several words without quotes it takes the first for the value.
    """
    section, blocks, numbers, settings = [], [0], itertools.count(1), []
    for number, line in enumerate(text.splitlines(), 1):
        words = []
        for quoted, brace, comment, word in TOKEN.findall(line):
            if comment:
                break
            if brace == "{":
                section.append(words[0] if words else "")
                blocks.append(next(numbers))
                words = []
            elif brace == "}" and section:
                del section[-1], blocks[-1]
            elif brace:
                continue
            else:
                words.append(word or quoted.replace('""', '"'))
        if len(words) > 1:
            settings.append(Setting(tuple(section), words[0], words[1], file, number, blocks[-1]))
    return settings


def value_of(settings, name, section):
    """The last word on it."""
    found = [each.value for each in settings if (each.section, each.name) == (section, name)]
    return found[-1] if found else None


def version(host):
    """Of multipath-tools, as numbers; empty if it does not tell."""
    done = host.run("multipath", "-h")
    found = re.search(r"multipath-tools v([0-9.]+)", done.out + done.err)
    return version_numbers(found.group(1)) if found else ()


def directory_in(settings):
    """Where multipath reads drop-ins; versions before 0.9 could be told."""
    return (value_of(settings, "config_dir", ("defaults",)) or "/" + DIRECTORY).lstrip("/")


def configured_directory(host):
    """The same by the files alone, whether multipathd runs or not."""
    told = directory_in(parse(host.read(MAIN_FILE) or "", MAIN_FILE))
    return DIRECTORY if told != DIRECTORY and version(host) >= (0, 9) else told


def files(host, directory):
    """In the order in which multipathd reads them: the last one wins."""
    drop_ins = ["%s/%s" % (directory, name) for name in host.list(directory)
                if name.endswith(".conf")]
    return [name for name in [MAIN_FILE] + drop_ins if host.exists(name)]


def all_settings(host, directory=None):
    """Those of all files, in order."""
    return [setting for name in files(host, directory or configured_directory(host))
            for setting in parse(host.read(name) or "", "/" + name)]


def selector_settings(host, directory=None):
    """Each path_selector in the files."""
    return [setting for setting in all_settings(host, directory)
            if setting.name == "path_selector"]


def names_us(setting):
    return setting.value.split()[:1] == [SELECTOR]


def place(setting):
    """For people: file, line, and section."""
    return "%s:%d (%s)" % (setting.file, setting.line, " ".join(setting.section) or "no section")
