"""For pytest --collect-only: a line of JSON for each test, with its marks and its time limit."""
import json


def pytest_collection_finish(session):
    for item in session.items:
        limit = item.get_closest_marker("time_limit")
        print(json.dumps([item.nodeid, sorted({mark.name for mark in item.iter_markers()}),
                          limit.args[0] if limit else None]))
