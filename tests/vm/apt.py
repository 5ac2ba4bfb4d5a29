"""apt for a suite of ours, as another user of the machine: the host's state is not touched."""
import os
import subprocess
from pathlib import Path
from typing import List, Sequence

from .image import host_proxies, sources
from .progress import run_logged

# Some packages are for all architectures, but apt wants to know which is ours: the first.
CONFIGURATION = """
Dir::State "{top}";
Dir::State::status "{top}/status";
Dir::Cache "{top}";
Dir::Etc::sourcelist "{top}/sources.list";
Dir::Etc::sourceparts "-";
APT::Architecture "{ours}";
APT::Architectures {{ {all} }};
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
"""


class Apt:
    """apt-get in a directory, which it fills; what it says goes to a log."""

    def __init__(self, suite: str, top: Path, log: Path, label: str,
                 architectures: Sequence[str] = ("amd64",)):
        self.top = top
        self.log = log
        self.label = label
        self.configuration = top / "apt.conf"
        for directory in ("lists/partial", "archives/partial"):
            (top / directory).mkdir(parents=True)
        (top / "status").touch()        # of no packages; apt locks the directory that it is in
        (top / "sources.list").write_text("".join(f"{line}\n" for line in sources(suite)))
        proxies = "".join(f"{line};\n" for line in host_proxies())
        self.configuration.write_text(proxies + CONFIGURATION.format(
            top=top, ours=architectures[0], all=" ".join(f'"{name}";' for name in architectures)))

    def get(self, *words: str) -> None:
        run_logged(["env", f"--chdir={self.top}", f"APT_CONFIG={self.configuration}",
                    "apt-get", "--quiet", *words], self.log, self.label)

    def dependencies(self, package: str) -> List[str]:
        """The package and all that it needs; "name:architecture" where that is not ours."""
        listing = subprocess.run(
            ["apt-cache", "depends", "--recurse", "--important", package], check=True, text=True,
            env={**os.environ, "APT_CONFIG": str(self.configuration)}, stdout=subprocess.PIPE).stdout
        return [line for line in listing.splitlines() if line[:1].isalnum()]
