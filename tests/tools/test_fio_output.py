"""fio's JSON, made up."""
import json

import pytest

from dm_lw import fio_output

LATENCY = {"mean": 1.5e6, "percentile": {"50.000000": 1e6, "99.000000": 2e6, "99.900000": 3e6}}


def said(latency, note=""):
    return note + json.dumps({"jobs": [{"jobname": "one", "mixed": {
        "iops": 750.0, "bw_bytes": 3 << 20, "total_ios": 1500, "lat_ns": latency,
        "clat_ns": {"mean": 1}}}]})


def figures(latency):
    (job,) = fio_output.jobs(said(latency, note="fio: a note\n"))
    return fio_output.figures(job)


def test_latency_is_from_submission_to_completion():
    assert figures(LATENCY) == {"iops": 750, "mib_s": 3, "ios": 1500, "mean_us": 1500, "p50_us": 1000,
                                "p99_us": 2000, "p999_us": 3000}


@pytest.mark.parametrize("latency", [{"mean": 0}, {"mean": 0.0, "percentile": {}}])
def test_without_a_clock_there_is_no_latency(latency):
    found = figures(latency)
    assert (found["iops"], found["mean_us"], found["p99_us"]) == (750, 0, 0)


def test_percentiles_that_are_missing_are_an_error():
    with pytest.raises(KeyError):
        figures({"mean": 1.5e6})


def test_options_ask_for_what_is_read():
    words = fio_output.words({**fio_output.OPTIONS, "bs": None})
    assert "--lat_percentiles=1" in words and "--clat_percentiles=0" in words
    assert not any(word.startswith("--bs") for word in words)
    ranks = fio_output.OPTIONS["percentile_list"].split(":")
    assert ["%.6f" % float(rank) for rank in ranks] == list(fio_output.PERCENTILES.values())
