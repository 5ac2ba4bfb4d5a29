"""Reading multipath.conf and its drop-ins, with the file and line of each setting."""
import os
import re
from collections import namedtuple

from .host import version_numbers
from .live_tables import SELECTOR

MAIN_FILE = "etc/multipath.conf"
DIRECTORY = "etc/multipath/conf.d"      # of drop-ins

DEVICE, MAP = ("devices", "device"), ("multipaths", "multipath")
# The sections of settings that count here, and the subjects of their blocks: without the first words,
# multipath drops the block.
ABOUT = {("defaults",): (), ("overrides",): (), DEVICE: ("vendor", "product", "revision"), MAP: ("wwid",)}
NEEDED = {DEVICE: ("vendor", "product"), MAP: ("wwid",)}

# `section`: names of the sections around it, outermost first; `about`: the values of ABOUT.
Setting = namedtuple("Setting", "section about name value file line")

# The words that open a block, by the sections around them.
OPENING = {
    (): ("defaults", "blacklist", "blacklist_exceptions", "devices", "overrides", "multipaths"),
    ("blacklist",): ("device",), ("blacklist_exceptions",): ("device",), ("devices",): ("device",),
    ("multipaths",): ("multipath",), ("overrides",): ("protocol",),
}
NOT_ALONE = ("overrides", "protocol")   # these need another word on their line; the others open by themselves
LONGEST_LINE = 1023                     # the rest is the next line
# A quoted string, which the line may end, and in which a doubled quote stands for one; a brace; a comment; a word.
# Other letters than ASCII are blanks outside of quotes.
TOKEN = re.compile(r'"(?P<quoted>(?:[^"]|"")*)"?|(?P<brace>[{}])|(?P<comment>[#!])|(?P<word>[^\s"{}#!\x80-\U0010ffff]+)',
                   re.ASCII)
# Where in a value the number of the words after it stands. Without it, multipath passes over the setting (from 0.9.4 on).
COUNT_AT = {"path_selector": 1, "features": 0}


def parse(text, file):
    """The settings that count, as multipath reads them: by the line, with anything behind a setting or a brace."""
    settings, section, blocks = [], (), [[]]

    def close():
        settings.extend(settings_of(section, blocks.pop(), file))
        return section[:-1]

    for number, line in lines(text):
        words = words_of(line)
        name = words[0] if words else None
        if name == "}" and section:
            section = close()
        elif name in OPENING.get(section, ()) and (len(words) > 1 or name not in NOT_ALONE):
            section += (name,)
            blocks.append([])
        elif len(words) > 1:
            blocks[-1].append((name, words[1], number))
    while section:
        section = close()
    return settings


def settings_of(section, block, file):
    values = {name: value for name, value, _ in block}
    if section not in ABOUT or not set(NEEDED.get(section, ())) <= set(values):
        return []
    about = tuple(values.get(name) for name in ABOUT[section])
    return [Setting(section, about, name, value, file, number) for name, value, number in block]


def lines(text):
    """(number, line), as multipath reads them."""
    for number, line in enumerate(text.split("\n"), 1):
        for start in range(0, len(line), LONGEST_LINE):
            part = line[start:start + LONGEST_LINE].partition("\0")[0]
            yield number, part.lstrip("\r").partition("\r")[0]


def words_of(line):
    """Words of a line, up to a comment; none if it begins with a quote or "{", which multipath passes over."""
    words = []
    for token in TOKEN.finditer(line):
        if token.lastgroup == "comment" or (not words and token.group()[0] in '"{'):
            break
        words.append(shown(token.group(token.lastgroup).replace('""', '"')))
    return words


def shown(value):
    """As the answers of programs have it."""
    return value.encode(errors="surrogateescape").decode(errors="backslashreplace")


def words_in(value):
    """Separated by blanks of ASCII."""
    return re.findall(r"[^ \f\r\t\v]+", value)


def has_its_count(setting):
    """The value has as many words as it says."""
    at = COUNT_AT.get(setting.name)
    words = words_in(setting.value)
    return at is None or words[at:at + 1] == [str(len(words) - at - 1)]


def blocks_of(settings):
    """{(section, about): {name: setting}}: the last setting of a name counts; blocks about the same are one."""
    found = {}
    for setting in settings:
        if has_its_count(setting):
            block = found.pop((setting.section, setting.about), {})
            found[setting.section, setting.about] = {**block, setting.name: setting}
    return found


def winner(blocks, name, wwid, device):
    """The setting that counts for a map, None if there is none; `device`: vendor, product and revision of its paths."""
    places = [(MAP, (wwid,)), (("overrides",), ())]
    places += [place for place in reversed(list(blocks)) if place[0] == DEVICE and is_like(place[1], device)]
    places += [(("defaults",), ())]
    return next((blocks[place][name] for place in places if name in blocks.get(place, ())), None)


def is_like(expressions, device):
    """A device that all of these expressions match."""
    return all(matches(expression, text) for expression, text in zip(expressions, device)
               if expression is not None)


def matches(expression, text):
    try:
        return bool(re.search(expression, text or ""))
    except re.error:
        return False


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
    told = directory_in(parse(read(host, MAIN_FILE), MAIN_FILE))
    return DIRECTORY if told != DIRECTORY and version(host) >= (0, 9) else told


def files(host, directory):
    """In the order in which multipathd reads them: the last one wins. It passes over directories."""
    drop_ins = ["%s/%s" % (directory, name) for name in host.list(directory)
                if name.endswith(".conf")]
    return [name for name in [MAIN_FILE] + drop_ins if os.path.isfile(host.path(name))]


def all_settings(host, directory=None):
    """Settings of all files, in order."""
    return [setting for name in files(host, directory or configured_directory(host))
            for setting in parse(read(host, name), "/" + name)]


def read(host, name):
    """A file's text, with bytes that are not UTF-8 as letters of their own."""
    return (host.read_bytes(name) or b"").decode(errors="surrogateescape")


def selector_settings(host, directory=None):
    """Each path_selector in the files."""
    return [setting for setting in all_settings(host, directory)
            if setting.name == "path_selector"]


def names_us(setting):
    return words_in(setting.value)[:1] == [SELECTOR]


def passed_over(host, directory=None):
    """Where a file names the selector, and multipath does not take it for a setting: ["/etc/multipath.conf:3"]."""
    directory = directory or configured_directory(host)
    read_so = {(setting.file, setting.line) for setting in selector_settings(host, directory) if names_us(setting)}
    found = []
    for name in files(host, directory):
        for number, line in lines(read(host, name)):
            words = [words_in(word)[:1] for word in words_of(line)]
            named = any(pair == (["path_selector"], [SELECTOR]) for pair in zip(words, words[1:]))
            if named and ("/" + name, number) not in read_so:
                found.append("/%s:%d" % (name, number))
    return found


def place(setting):
    """For people: file, line, and section."""
    return "%s:%d (%s)" % (setting.file, setting.line, " ".join(setting.section))
