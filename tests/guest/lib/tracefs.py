"""The selector's tracepoints and functions, through tracefs: an instance of its own for each test."""

import os
import re

import pytest

from tests.lib.command import read_text, sh, write_text

TRACEFS = "/sys/kernel/tracing"
SYSTEM = "dm_latency_weighted"
INSTANCE = TRACEFS + "/instances/lw_test"
LINE = re.compile(r"\s(?P<time>\d+\.\d+): (?P<event>lw_\w+): (?P<values>.*)$")


def mount():
    if not os.path.exists(TRACEFS + "/instances"):
        sh("mount", "-t", "tracefs", "none", TRACEFS)


def fields(event):
    """(type, name) of the event's own fields, and what it prints."""
    text = read_text("%s/events/%s/%s/format" % (TRACEFS, SYSTEM, event))
    found = re.findall(r"field:(.*) (\w+);", text)
    own = [field for field in found if not field[1].startswith("common_")]
    return own, re.search(r'print fmt: "(.*?)"', text).group(1)


def value(word):
    return int(word) if word.isdigit() else word


class Events:
    """Events that are on within; afterwards `of` has them, by the clock of time.monotonic().

    Another system's are named with it, "workqueue/workqueue_execute_start"; `lines` has them.
    """

    def __init__(self, *names):
        self.names = names
        self.lines = []

    def __enter__(self):
        os.mkdir(INSTANCE)
        write_text(INSTANCE + "/buffer_size_kb", 8192)
        write_text(INSTANCE + "/trace_clock", "mono")
        self.switch(1)
        return self

    def __exit__(self, *_):
        self.switch(0)
        with open(INSTANCE + "/trace") as file:
            self.lines = file.readlines()
        os.rmdir(INSTANCE)

    def switch(self, on):
        for name in self.names:
            event = name if "/" in name else "%s/%s" % (SYSTEM, name)
            write_text("%s/events/%s/enable" % (INSTANCE, event), on)

    def of(self, name, **wanted):
        """The events of a name whose fields have these values, each a dictionary."""
        found = []
        for match in filter(None, map(LINE.search, self.lines)):
            if match.group("event") != name:
                continue
            event = {key: value(word) for key, word in
                     re.findall(r"(\w+)=(\S*)", match.group("values"))}
            if all(event[key] == word for key, word in wanted.items()):
                found.append(dict(event, time=float(match.group("time"))))
        return found


class Functions:
    """Notes each call of a function of a module within, but of those that the compiler has inlined."""

    CALL = re.compile(r": (\w+)(?:\.\w+)* <-")

    def __init__(self, module):
        self.module = module

    def __enter__(self):
        mount()
        os.mkdir(INSTANCE)
        if not os.path.exists(INSTANCE + "/set_ftrace_filter"):
            os.rmdir(INSTANCE)
            pytest.skip("this kernel cannot trace functions")
        write_text(INSTANCE + "/set_ftrace_filter", ":mod:" + self.module)
        write_text(INSTANCE + "/current_tracer", "function")
        return self

    def __exit__(self, *_):
        write_text(INSTANCE + "/current_tracer", "nop")
        os.rmdir(INSTANCE)

    def called(self):
        """Their names so far, in order."""
        return self.CALL.findall(read_text(INSTANCE + "/trace"))
