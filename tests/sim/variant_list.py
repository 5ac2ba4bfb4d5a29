"""Variants of the module, as texts to be replaced: (file in src/, old, new)."""

VARIANTS = {
    "as it is": [],
}
