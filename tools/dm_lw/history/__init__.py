"""Recordings, reports, bundles."""
