"""The results as a picture."""
from pathlib import Path

from tests.bench.colours import COLOURS, OPTIMUM
from tests.bench.plotting import plain, pyplot, save

from .demo_plan import WORKLOADS, Plan
from .demo_table import heading

PANELS = [("iops", "throughput, IOPS", 1), ("p99_ms", "99th percentile of latency, ms", 1),
          ("slow_share", "I/Os on the slow path, %", 100)]


def panel(axes, result: dict, plan: Plan, figure: str, title: str, scale: float) -> None:
    workloads = list(result["medians"])
    names = plan.configurations
    width = 0.8 / len(names)
    for index, name in enumerate(names):
        places = [number + (index - (len(names) - 1) / 2) * width for number in range(len(workloads))]
        values = [result["medians"][each][name][figure] * scale for each in workloads]
        bars = axes.bar(places, values, width * 0.92, color=COLOURS[name], label=name)
        if figure == "iops":
            rows = [result["medians"][each][name] for each in workloads]
            axes.errorbar(places, values, fmt="none", ecolor="#333333", elinewidth=0.8, capsize=2, yerr=[
                [row["iops"] - row["iops_min"] for row in rows],
                [row["iops_max"] - row["iops"] for row in rows]])
        if figure == "iops":    # inside: above are the spread and the optimum
            axes.bar_label(bars, fmt="%.0f", fontsize=7, label_type="center", color="white", rotation=90)
        else:
            axes.bar_label(bars, fmt="%.1f", fontsize=7, padding=2)
    if figure == "iops":
        for number, workload in enumerate(workloads):
            best = result["optimum"].get(workload)
            if best:
                axes.hlines(best["iops"], number - 0.42, number + 0.42, colors=OPTIMUM,
                            linestyles="dashed", linewidth=1,
                            label="the test bed's optimum" if number == 0 else None)
    axes.set_title(title, fontsize=10)
    axes.set_xticks(range(len(workloads)), [WORKLOADS[each] for each in workloads], fontsize=9)
    plain(axes)
    axes.margins(y=0.12)
    axes.set_ylim(bottom=0)


def draw(plan: Plan, result: dict, path: Path) -> None:
    figure, panels = pyplot.subplots(1, len(PANELS), figsize=(15, 4.8))
    for axes, (name, title, scale) in zip(panels, PANELS):
        panel(axes, result, plan, name, title, scale)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=9, frameon=False)
    figure.suptitle(f"dm-multipath path selectors, one path {plan.delay_ms:g} ms slower\n{heading(plan)}",
                    fontsize=10)
    figure.tight_layout(rect=(0, 0.06, 1, 0.98))
    save(figure, path)
