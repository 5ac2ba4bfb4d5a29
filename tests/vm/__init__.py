"""The VM harness: guest trees, kernels, boots and verdicts; see README.md."""
