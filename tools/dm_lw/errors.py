"""Errors, in one line."""
import signal


class LwError(Exception):
    """Ends the command: the message goes to stderr in one line, `status` is the exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


class Interrupted(BaseException):
    """By a signal; the exit status is a shell's. No LwError, which many a loop takes for an answer."""

    def __init__(self, number):
        super().__init__("interrupted by %s" % signal.Signals(number).name)
        self.status = 128 + number


def where_and_why(error):
    """An OSError with the file that it names, if it names one."""
    return "%s: %s" % (error.filename, reason(error)) if error.filename else reason(error)


def reason(error):
    """An OSError without its number: "No such file or directory"."""
    return error.strerror or str(error)
