"""Functional tests; they run in a guest, never on the host (tests/vm/README.md)."""
# promise memory/arm64: The module works on arm64 (emulation does not show weak memory order) | by: every guest test
#   on Debian's 6.12 for arm64 | check: no | full: `guests-trixie-arm64`
