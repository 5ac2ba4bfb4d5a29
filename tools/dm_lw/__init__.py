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
recording, recorder, recorded, replay, history, chart
            the lines of a recording, written, read, chosen from, as series, and where these are drawn
transport, links, survey
            where paths lead, and what maps share
stand_ins, bundle
            what a bug report needs, without what tells whose host it is
device_mapper, borrowed, guardian
            the table of a live map, exchanged for a while and put back come what may
bench_checks, bench_selectors, fio_output, bench_jobs, bench_run
            what bench looks at, and what it does
bench_results, bench_table
            what it tells
page, bench_html, report_page
            pages of HTML
stat, show, latency, topology, events, record, report, settings, unset, apply, reset, enable,
disable, doctor, bench
            the commands; each module has add_parser()
cli         from the command line to the command
"""
