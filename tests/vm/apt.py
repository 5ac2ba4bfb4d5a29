"""apt for a suite of ours, as another user of the machine: the host's state is not touched."""
from pathlib import Path

from .image import host_proxies, sources
from .progress import run_logged

# Some packages are for all architectures, but apt wants to know one.
CONFIGURATION = """
Dir::State "{top}";
Dir::State::status "/dev/null";
Dir::Cache "{top}";
Dir::Etc::sourcelist "{top}/sources.list";
Dir::Etc::sourceparts "-";
APT::Architecture "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
"""


class Apt:
    """apt-get in a directory, which it fills; what it says goes to a log."""

    def __init__(self, suite: str, top: Path, log: Path, label: str):
        self.top = top
        self.log = log
        self.label = label
        self.configuration = top / "apt.conf"
        for directory in ("lists/partial", "archives/partial"):
            (top / directory).mkdir(parents=True)
        (top / "sources.list").write_text("".join(f"{line}\n" for line in sources(suite)))
        proxies = "".join(f"{line};\n" for line in host_proxies())
        self.configuration.write_text(CONFIGURATION.format(top=top) + proxies)

    def get(self, *words: str) -> None:
        run_logged(["env", f"--chdir={self.top}", f"APT_CONFIG={self.configuration}",
                    "apt-get", "--quiet", *words], self.log, self.label)
