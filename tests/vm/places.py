"""Where the harness keeps things: the checkout, the cache outside it, the logs inside."""
import os
import shutil
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
LOGS = CHECKOUT / "build" / "logs"
KEPT_RUNS = 100     # more than any session has: what failed in it is still there at its end


def cache_dir() -> Path:
    """Downloads, guest trees and layers; shared by all checkouts of this machine."""
    usual = Path.home() / ".cache" if os.geteuid() else Path("/var/cache")
    path = Path(os.environ.get("LW_CACHE") or usual / "dm-latency-weighted")
    path.mkdir(parents=True, exist_ok=True)
    return path


def log_file(name: str) -> Path:
    LOGS.mkdir(parents=True, exist_ok=True)
    return LOGS / name


def new_run_dir(label: str) -> Path:
    """A fresh directory for one guest's logs; drops the oldest beyond KEPT_RUNS."""
    runs = LOGS / "guests"
    runs.mkdir(parents=True, exist_ok=True)
    drop_old_runs(runs)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = runs / f"{stamp}-{os.getpid()}-{label}"
    suffix = 1
    while path.exists():
        suffix += 1
        path = runs / f"{stamp}-{os.getpid()}-{label}-{suffix}"
    path.mkdir()
    return path


def drop_old_runs(runs: Path) -> None:
    """Two guests that begin at once drop the same ones: what is gone is gone."""
    for old in sorted(runs.iterdir())[:-KEPT_RUNS]:
        shutil.rmtree(old, ignore_errors=True)
