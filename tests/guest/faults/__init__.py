"""Paths that fail, hang or lose data, and the test disk that makes them do so."""
