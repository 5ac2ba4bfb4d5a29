"""The runner put to the test: guests that fail in every way it must notice."""
