"""What was, and what to send along: recordings, reports, bundles."""
