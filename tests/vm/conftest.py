"""Guests begin when it is known which, beside the tests of the host, and end with the session."""
from .guest_runs import RUNS, GuestRuns


def pytest_collection_finish(session):
    session.config.stash[RUNS] = runs = GuestRuns(session.items)
    if not (session.config.option.collectonly or session.testsfailed):
        runs.begin()


def pytest_sessionfinish(session):
    if RUNS in session.config.stash:
        session.config.stash[RUNS].end()
