"""Everything at once, at random, for minutes: `make stress`; see README.md."""
# promise service/faults-at-once: No data is lost under simultaneous faults: reloads, failures, hangs, errors,
#   disks, sessions and CPUs that vanish, short memory | check: no | full: `stress-*`
# promise memory/leaks: Tables and paths that come and go leave nothing behind | by: 700 tables, the objects of slab
#   caches counted; kmemleak | check: no | full: `stress-*`, `stress-debug`
