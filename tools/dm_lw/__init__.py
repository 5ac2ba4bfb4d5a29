"""The tool dm-lw. The modules, in the order in which they build on each other:

errors      what goes wrong, in one line
sysfs       reading and writing files below /sys
maps        the maps, their paths, and what a user may call them
cli         from the command line to the command
"""
