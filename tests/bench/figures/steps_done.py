"""What is done of a commit's figures; kept outside the checkout, so that a new one goes on from there."""
import json
import shutil
import time

from tests.vm.places import cache_dir

DONE = "done.json"
LOG = "log.txt"


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
        written = self.of(step) / "done.tmp"
        written.write_text(json.dumps({"commit": self.commit, "date": time.strftime("%Y-%m-%d"),
                                       "seconds": round(seconds)}) + "\n")
        written.rename(self.of(step) / DONE)
