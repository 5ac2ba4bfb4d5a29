"""What a guest tells its host may take long, and no test is to account for that."""
import types

from tests.guest.lib import host, time_limit


def test_telling_the_host_takes_no_time_of_the_test(monkeypatch, tmp_path):
    now = [1000.0]

    def slow_open(*words):
        now[0] += 1300
        return open(*words)

    monkeypatch.setattr(host, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(host, "open", slow_open, raising=False)
    monkeypatch.setattr(host, "waited", 0.0)
    for module in (host, time_limit):
        monkeypatch.setattr(module, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    item = types.SimpleNamespace(nodeid="test_it", get_closest_marker=lambda name: None)
    limit = time_limit.TimeLimit(item)
    assert limit.left() == limit.seconds
    host.tell_host(id="test_it", when="setup")
    now[0] += 7
    assert limit.left() == limit.seconds - 7
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2
