"""What all benchmarks share: names of selectors, colours, ratios."""
