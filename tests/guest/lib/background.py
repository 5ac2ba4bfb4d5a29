"""Processes beside a test: readers without priority, and others that leave them no CPU."""
import contextlib
import multiprocessing
import os


def when_idle(function, *arguments):
    """Only while no other process wants the CPU."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    function(*arguments)


def keep_busy():
    while True:
        pass


@contextlib.contextmanager
def in_background(*calls):
    """Each (function, *arguments) in a process of its own, which the end kills; it must not have ended before."""
    workers = [multiprocessing.Process(target=function, args=arguments, daemon=True)
               for function, *arguments in calls]
    for worker in workers:
        worker.start()
    try:
        yield
        assert [worker.exitcode for worker in workers] == [None] * len(workers)
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
