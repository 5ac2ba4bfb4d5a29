"""What users see of a map in files, logs and tracepoints, and what they set there."""
