"""Files that are replaced at once or not at all, as those that dm-lw writes."""
from pathlib import Path

from tools.dm_lw import output
from tools.dm_lw.errors import LwError, reason


def write_whole(file: Path, text: str) -> None:
    """A full disk or an interruption leaves the old one. Links are followed; what is no regular file is refused."""
    try:
        where, before = output.place(str(file))
        output.rename_over(where, text, before)
    except LwError as error:    # names the file
        raise OSError(str(error)) from None
    except OSError as error:
        raise OSError(f"{file}: {reason(error)}") from None
