"""From what a program left in a step's directory to what docs/figures.json keeps: medians and ratios."""
