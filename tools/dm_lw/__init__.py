"""The tool dm-lw. The modules, in the order in which they build on each other:

version     of the tool
errors      errors in one line
sysfs       reading and writing files below /sys
output      files that are written, all at once
states, units, values
            words of paths, units, and the table of values that all reports have
histogram, maps
            the maps, their paths, and what a user may call them
debugfs, kernel_log
            what the module tells elsewhere
option_table, tunables
            names and ranges of tunables
counts      changes between two looks
columns     columns of reports
groups      rows of a map, target port or HBA, and what they are together
table, view, intervals, words, prometheus, frame, watch
            a report as rows, chosen from, at intervals, as sentences, as metrics, as a screen
host        files and programs of the machine
kernels, live_tables, multipath_conf, multipathd, initramfs
            what each tells about itself
scope       for which maps the selector is selected
trial       a table that never lives
dropin      the file in multipath's conf.d
switching   how multipathd is made to change its maps, safely
kept        tunables that are kept over boots
policies/   BPF programs that choose paths: compiled, loaded, kept, shown; the command
doctor/     checks of doctor, and its command
transport, links, survey
            where paths lead, and ports that maps share
page        pages of HTML
history/    recordings: written, read, chosen from, drawn; what a bug report needs; the commands
            record and report
device_mapper, fio_output, bench/
            the table of a live map, exchanged for a while and put back come what may; bench
stat, show, latency, topology, events, settings, unset, apply, reset, enable, disable
            the other commands; each module has add_parser()
cli         from the command line to the command
"""
