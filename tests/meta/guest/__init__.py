"""Guest tests that misbehave on purpose; run by ../test_runner.py only."""
