"""What is done of a commit's figures; kept outside the checkout, so that a new one goes on from there."""
import contextlib
import fcntl
import json
import shutil
import time

from tests.lib.whole_file import write_whole
from tests.vm.places import cache_dir

DONE = "done.json"
LOG = "log.txt"
LOCK = "lock"           # beside the commits' directories, so that forget() leaves it


class Progress:
    """A directory for each step; one that holds DONE is complete."""

    def __init__(self, commit, top=None):
        self.commit = commit
        self.directory = (top or cache_dir() / "figures") / commit

    def of(self, step):
        return self.directory / step

    def done(self, step):
        """{commit, date, seconds}, or None."""
        file = self.of(step) / DONE
        return json.loads(file.read_text()) if file.exists() else None

    @contextlib.contextmanager
    def alone(self):
        """Nobody else measures meanwhile, no other commit either: they would disturb each other."""
        top = self.directory.parent
        top.mkdir(parents=True, exist_ok=True)
        with (top / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"{top}: another `make figures` runs there; wait for its end, or stop it") from None
            yield

    def forget(self):
        """All of it: what "+" stands for may have been changed since."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def begin(self, step):
        """An empty directory for it, whatever an attempt before has left."""
        directory = self.of(step)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return directory

    def end(self, step, seconds):
        """At once or not at all: a run may be cut off anywhere."""
        write_whole(self.of(step) / DONE, json.dumps({
            "commit": self.commit, "date": time.strftime("%Y-%m-%d"), "seconds": round(seconds)}) + "\n")
