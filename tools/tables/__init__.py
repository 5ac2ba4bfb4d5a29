"""Tables that have one home, and all that is written from them: `make tables`.

src/option_defs.h has the tunables, tools/dm_lw/values.py the values that dm-lw shows.
"""
