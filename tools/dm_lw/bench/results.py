"""Results of dm-lw bench as one document: medians, spread, ratios."""
from statistics import median

JSON_VERSION = 1
FIGURES = ("iops", "mib_s", "mean_us", "p50_us", "p99_us", "p999_us", "cpu")
RATIOS = ("iops", "p99_us")


class Results:
    """Runs by job and selector, in the order in which they are to be shown."""

    def __init__(self, jobs, selectors):
        self.runs = {(job.name, choice.label): [] for job in jobs for choice in selectors}
        self.own = selectors[0].label

    def add(self, job, choice, figures):
        self.runs[job.name, choice.label].append(figures)

    def rows(self, about):
        """A row for each job and selector that was run; `about` is common to all."""
        return [dict(scenario=job, selector=label, **about, **summary(runs),
                     ratio=ratios(summary(runs), summary(self.runs[job, self.own])))
                for (job, label), runs in self.runs.items() if runs]


def summary(runs):
    """Medians of each figure by itself, the least and the most, and the number of runs."""
    row = {name: median_of(run[name] for run in runs) for name in FIGURES}
    shares = [run["shares"] for run in runs if run["shares"]]
    row["shares"] = [median(column) for column in zip(*shares)] or None
    row["runs"] = len(runs)
    row["spread"] = {name: spread_of(run[name] for run in runs) for name in FIGURES}
    return row


def median_of(values):
    known = [value for value in values if value is not None]
    return median(known) if known else None


def spread_of(values):
    known = [value for value in values if value is not None]
    return [min(known), max(known)] if known else None


def ratios(row, own):
    """To the selector that the map had."""
    return {name: row[name] / own[name] if row[name] is not None and own[name] else None
            for name in RATIOS}
