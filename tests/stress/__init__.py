"""Everything at once, at random, for minutes: `make stress`; see README.md."""
