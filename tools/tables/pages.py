"""How each place says what a table has: functions from an old text, and the tables, to the new one."""
import re
import textwrap
import time
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .options import Option

ABI_HEAD = """\
What:		/sys/kernel/dm-latency-weighted/<map>/{name}
Date:		{date}
KernelVersion:	{version}
Contact:	The dm-latency-weighted developers
Description:
"""


class Column(NamedTuple):
    name: str
    header: Optional[str]       # if it is not the name
    help: str
    words: Sequence[str]                    # words of the help that are in bold


class Moved(LookupError):
    """A text without the place into which a table goes."""


def between(text: str, begin: str, end: str, new: str) -> str:
    """With `new` in place of all that is between the one `begin` and the next `end`."""
    parts = text.split(begin)
    if len(parts) != 2 or end not in parts[1]:
        raise Moved(f"no {begin.strip()!r} with {end.strip()!r} behind it, or two of them")
    return parts[0] + begin + new + end + parts[1].split(end, 1)[1]


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def listed(words: Tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + " or " + words[-1]


def limits(option: Option) -> str:
    """As in 5-1000 ms."""
    if option.is_word:
        return "a word"
    return ("%d-%d %s" % (*option.limits, option.unit)).rstrip()


def marked(text: str, words: Sequence[str], mark: str) -> str:
    """With each of the words in marks."""
    if not words:
        return text
    alternatives = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(rf"(?<![-\w])({alternatives})(?![-\w])", lambda found: mark % found[1], text)


def words_of(option: Option) -> Sequence[str]:
    return option.limits if option.is_word else ()


def abi(text: str, options: List[Option], version: str) -> str:
    """Entries of the tunables, between "name" and "unknown_selects". An entry keeps its date and version."""
    new = (time.strftime("%B %Y"), f"5.10 (module version after {version})")
    begin, end = "\n\nWhat:\t\t/sys/kernel/dm-latency-weighted/<map>/name\n", \
        "What:\t\t/sys/kernel/dm-latency-weighted/<map>/unknown_selects\n"
    dates = {name: (date, version) for name, date, version in re.findall(
        r"^What:\t\t/sys/kernel/dm-latency-weighted/<map>/(\w+)\nDate:\t\t(.*)\nKernelVersion:\t(.*)$", text, re.M)}
    of_name = re.search(re.escape(begin) + r"((?:.*\n)*?)(?=What:|$)", text)
    if not of_name:
        raise Moved("no entry of <map>/name")
    return between(text, begin, end, of_name[1] + "".join(
        abi_entry(option, *dates.get(option.name, new)) + "\n" for option in options))


def abi_entry(option: Option, date: str, version: str) -> str:
    if option.is_word:
        quoted = ['"%s"' % word for word in option.limits]
        values = '%s, by default "%s"' % (listed(tuple(quoted)), option.default)
    else:
        least, most = option.limits
        values = "%d %s %d%s, by default %d" % (least, "to" if most > least + 1 else "or", most,
                                                " " + option.unit if option.unit else "", option.default)
    body = " ".join(filter(None, ("Read and write: a tunable.", sentence(values), sentence(option.text), option.more)))
    lines = textwrap.wrap(body, 62, break_long_words=False, break_on_hyphens=False)
    return ABI_HEAD.format(name=option.name, date=date, version=version) + "".join("\t\t%s\n" % line for line in lines)


def rst(text: str, options: List[Option]) -> str:
    """Rows of the table of arguments, before "prefer"."""
    rule = "============================ ============ ======= ===================================\n"
    head = rule + "Key                          Range        Default Meaning\n" + rule
    rows = ""
    for option in options:
        first, *more = textwrap.wrap(marked(option.text, words_of(option), "``%s``"), 40, break_on_hyphens=False)
        rows += "%-28s %-12s %-7s %s\n" % ("``%s``" % option.name, limits(option), option.default, first)
        rows += "".join(" " * 50 + line + "\n" for line in more)
    return between(text, head, "``prefer``                   major:minor", rows)


def roff(text: str, words: Sequence[str] = ()) -> str:
    """With words in bold."""
    return marked(text.replace("\\", "\\\\"), words, r"\fB%s\fP").replace("-", "\\-")


def man_row(first: str, text: str) -> str:
    """A row whose last column is the text."""
    lines = textwrap.wrap(text, 80, break_on_hyphens=False, break_long_words=False)
    return "%s\tT{\n%s\nT}\n" % (first, "\n".join(lines))


def man(text: str, options: List[Option], columns: List[Column]) -> str:
    """Both tables of dm-lw(8): tunables and columns."""
    rows = ""
    for option in options:
        values = option.default if option.is_word else "%s, %d" % (limits(option), option.default)
        rows += man_row("\\fB%s\\fP\t%s" % (option.name, roff(values)), roff(option.text, words_of(option)))
    text = between(text, "Keys of a map, their ranges or words, and defaults:\n.TS\nl l lx.\n", ".TE\n", rows)
    return between(text, ".SH COLUMNS\n.TS\nl lx.\n", ".TE\n", "".join(
        man_row("\\fB%s\\fP%s" % (roff(column.name), roff(" (%s)" % column.header if column.header else "")),
                roff(column.help, column.words)) for column in columns))


def python(_: str, options: List[Option]) -> str:
    """The table of dm-lw, which is installed without the module's sources."""
    rows = ""
    for option in options:
        head = (option.name, option.limits, option.default, option.unit)
        rows += "    (%s,\n     %s),\n" % (", ".join(map(literal, head)), literal(option.text))
    return ('"""The tunables of a map. "make tables" writes this file; they are set in src/option_defs.h."""\n\n'
            "# name, least and most or all words, default, unit, meaning\nOPTIONS = (\n%s)\n" % rows)


def literal(value: object) -> str:
    if isinstance(value, tuple):
        return "(%s)" % ", ".join(map(literal, value))
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"') if isinstance(value, str) else str(value)


def completion(text: str, **words: List[str]) -> str:
    """Lists of words in a file for a shell, by the names of their variables."""
    for variable, known in words.items():
        text, count = re.subn(rf'^_dm_lw_{variable}="[^"]*"$', '_dm_lw_%s="%s"' % (variable, " ".join(known)), text,
                              flags=re.M)
        if count != 1:
            raise Moved(f"{count} times _dm_lw_{variable}= in place of once")
    return text
