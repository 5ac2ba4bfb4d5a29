"""Names and colours."""
from tests.bench import colours
from tests.bench.selectors import OURS, PEERS, SELECTORS, SIMPLE, ordered, peers


def test_each_selector_has_a_colour():
    assert set(SELECTORS) <= set(colours.COLOURS)
    assert set(colours.DASHES) <= set(SELECTORS)


def test_colours_of_one_picture_differ():
    """Of the NVMe driver's policies those that are measured and those that are simulated never meet."""
    for absent in ("native-", "nvme-"):
        shown = [colour for name, colour in colours.COLOURS.items() if not name.startswith(absent)]
        assert len(set(shown)) == len(shown)


def test_order_is_that_of_the_tables():
    assert ordered([OURS, "service-time", "round-robin", "optimum"]) == ["round-robin", "service-time", OURS]


def test_all_others_are_peers():
    assert set(SELECTORS) - set(PEERS) == {SIMPLE, OURS}
    assert peers([OURS, SIMPLE, "io-affinity", "historical-service-time"]) == [
        "historical-service-time", "io-affinity"]


def test_line_tells_those_apart_that_are_often_one():
    assert colours.line("service-time")["linestyle"] != colours.line("queue-length")["linestyle"]
