"""Where I/O goes."""
