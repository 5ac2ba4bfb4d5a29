"""The tool dm-lw. The modules, in the order in which they build on each other:

version     of the tool
errors      what goes wrong, in one line
sysfs       reading and writing files below /sys
output      files that are written, all at once
maps        the maps, their paths, and what a user may call them
tunables    what can be set, and from where to where
counts      what happened between two looks
columns     each value that reports show: name, header, how it is written
table, words, prometheus, watch
            a report as rows, as sentences, as metrics, as a screen
host        files and programs of the machine
kernels, live_tables, multipath_conf, multipathd, initramfs
            what each tells about itself
scope       for which maps the selector is selected
trial       a table that never lives
dropin      the file in multipath's conf.d
switching   how multipathd is made to change its maps, safely
kept        tunables that are kept over boots
finding, checks_kernel, checks_multipath, checks_kept
            what doctor looks at
device_mapper, borrowed, guardian
            the table of a live map, exchanged for a while and put back come what may
transport, bench_checks, bench_selectors, fio_output, bench_jobs, bench_run
            what bench looks at, and what it does
bench_results, bench_table, bench_html
            what it tells
stat, show, settings, unset, apply, reset, enable, disable, doctor, bench
            the commands; each module has add_parser()
cli         from the command line to the command
"""
