"""The acceptance suite's tables. Cells are IOPS / p99 in ms."""
from tests.bench.acceptance.acceptance_results import P99_MARK, WORST_MARK
from tests.bench.figures.summary import ACCEPTANCE, is_local
from tests.bench.selectors import NATIVE

from .show_common import block, columns, mark, number, results, shown, table

# Figures of 7927bef count completions there, so each selector seems to have left a path that only hangs.
LEFT_OUT = ("acceptance-iscsi-down", "7927bef")


def short(step):
    return step[len(ACCEPTANCE):]


def is_transport(scenario):
    return scenario["clock"] == "virtual" and not is_local(scenario)


def is_real(scenario):
    return scenario["clock"] == "real"


def cells(figures, kind):
    """One table of all scenarios of a kind."""
    found = {name: each for name, each in results(figures, ACCEPTANCE, kind).items() if each["cells"]}
    return block(figures, found, cell_table(found))


def cell_table(found):
    names = [name for name in columns([cell for each in found.values() for cell in each["cells"].values()])
             if not name.startswith(NATIVE)]
    rows = [["scenario", "", *names, "optimum", "x", "x p99"]]
    for step, each in found.items():
        for index, (title, cell) in enumerate(each["cells"].items()):
            rows.append(["" if index else f"`{short(step)}`", title, *(shown(cell, name) for name in names),
                         *ratios(cell)])
    return table(rows)


def ratios(cell):
    return [number(cell["optimum"]), number(cell["x"], 3), number(cell["x_p99"], 3)]


def local(figures):
    return cells(figures, is_local)


def real_time(figures):
    return cells(figures, is_real)


def transports(figures):
    """The NVMe driver's own policies are a table of their own: only one scenario has them."""
    found = results(figures, ACCEPTANCE, is_transport)
    rows = [cell for each in found.values() for cell in each["cells"].values()]
    names = [name for name in columns(rows) if name.startswith(NATIVE)]
    native = [["the NVMe driver's own", *names]] + [
        [title, *(shown(cell, name) for name in names)] for each in found.values()
        for title, cell in each["cells"].items() if set(names) & set(cell["iops"])]
    return cells(figures, is_transport) + ("\n\n" + table(native) if names else "")


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"


def changes(figures):
    found = {step: each for step, each in results(figures, ACCEPTANCE, lambda each: each.get("changes")).items()
             if (step, figures["steps"][step]["commit"]) != LEFT_OUT}
    names = columns([{"iops": each["changes"]} for each in found.values()])
    return block(figures, found, table(
        [["left path 0 after / back after", *names]] + [
            [f"`{short(step)}`", *(
                f"{seconds(each['changes'][name]['left_s'])} / {seconds(each['changes'][name]['back_s'])}"
                if name in each["changes"] else "" for name in names)] for step, each in found.items()]))


def tasks(figures):
    found = results(figures, ACCEPTANCE, lambda each: each.get("task"))
    return block(figures, found, table([["scenario", "", "seconds", "MiB/s", "MiB on each path"]] + [
        [f"`{short(step)}`", way, f"{row['seconds']:.2f}", f"{row['mib_s']:.1f}",
         " + ".join(f"{part:.1f}" for part in row["carried_mib"])]
        for step, each in found.items() for way, row in each["task"].items()]))


def missed(figures):
    """Every cell in virtual time beyond one of the two limits."""
    found = results(figures, ACCEPTANCE, lambda each: each["clock"] == "virtual")
    rows = [[f"`{short(step)}`", title, bold(cell["x"], cell["x"] < WORST_MARK),
             bold(cell["x_p99"], cell["x_p99"] > P99_MARK)]
            for step, each in found.items() for title, cell in each["cells"].items()
            if cell["x"] and cell["x_p99"] and (cell["x"] < WORST_MARK or cell["x_p99"] > P99_MARK)]
    return block(figures, found, table([["scenario", "", "x", "x p99"], *rows]) if rows else "None.")


def bold(value, is_bold):
    return f"**{value:.3f}**" if is_bold else f"{value:.3f}"


def marks(figures):
    """The published ratios."""
    found = results(figures, ACCEPTANCE, lambda each: each["marks"])
    return block(figures, found, table([["published ratio, or nearly the optimum", "got", "wanted", ""]] + [
        [each["text"], f"{each['got']:.3f}", f"{each['wanted']:.3f}", mark(each["met"])]
        for scenario in found.values() for each in scenario["marks"]]))
