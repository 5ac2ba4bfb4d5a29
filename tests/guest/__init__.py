"""Functional tests; they run in a guest, never on the host (tests/vm/README.md)."""
