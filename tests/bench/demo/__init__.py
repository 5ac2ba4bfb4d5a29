"""`make demo`: the selectors side by side on a SAN with one slow path, in a guest."""
