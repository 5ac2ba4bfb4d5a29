"""The tool dm-lw. The modules, in the order in which they build on each other:

errors      what goes wrong, in one line
sysfs       reading and writing files below /sys
maps        the maps, their paths, and what a user may call them
tunables    what can be set, and from where to where
counts      what happened between two looks
columns     each value that reports show: name, header, how it is written
table, words, prometheus, watch
            a report as rows, as sentences, as metrics, as a screen
stat, show, settings, reset
            the commands; each module has add_parser()
cli         from the command line to the command
"""
