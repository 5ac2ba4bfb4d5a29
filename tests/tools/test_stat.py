"""dm-lw stat on trees of files: what it prints, to the letter."""
import json


def test_default(tool, golden):
    golden("stat.txt", tool("stat"))


def test_intervals(tool, golden):
    golden("stat-1-2.txt", tool("stat", "2", "2"))
