"""What can be set, as src/option_defs.h has it, from which the documents are written."""
from tools.tables import options

PARAMETERS = "/sys/module/dm_latency_weighted/parameters/"

TABLE = options.read()
# key: least, most, default
OPTIONS = {each.name: (*each.limits, each.default) for each in TABLE if not each.is_word}
# key: its words, the default first
WORDS = {each.name: (each.default, *(word for word in each.limits if word != each.default))
         for each in TABLE if each.is_word}
DEFAULTS = options.defaults(TABLE)
