"""For pytest --collect-only: a line of JSON for each test, with its marks."""
import json


def pytest_collection_finish(session):
    for item in session.items:
        print(json.dumps([item.nodeid, sorted({mark.name for mark in item.iter_markers()})]))
