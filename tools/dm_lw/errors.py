"""What goes wrong, in one line."""


class LwError(Exception):
    """Ends the command: the message goes to stderr in one line, `status` is the exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def reason(error):
    """An OSError without its number: "No such file or directory"."""
    return error.strerror or str(error)
