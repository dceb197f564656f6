"""The growth of the cost of a run with scenarios, concurrency, turns and repeats: a table, and a plot of each.

python -m benchmarks.growth [--plot docs/images/growth.png]

The endpoint answers at once, so that the figures are the tool's own: CPU seconds of the whole process.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.main_job import measured
from services.rehearsal.process import rehearsal_endpoint

AXES = {
    "scenarios": (250, 500, 1000, 2000),
    "concurrency": (10, 25, 50, 100),
    "turns": (1, 2, 4, 8),
    "repeats": (1, 2, 4, 8),
}
USUAL = {"scenarios": 250, "concurrency": 50, "turns": 1, "repeats": 1}


@dataclass(frozen=True, slots=True)
class Point:
    """One run: how much of what varies, and what it took."""

    amount: int
    exchanges: int
    cpu: float


def scenario_file(folder: Path, scenarios: int, turns: int) -> Path:
    """So many conversations of so many turns."""
    said = ", ".join(f"'Day {turn} was long.'" for turn in range(1, turns + 1))
    lines = [f"  - {{id: case-{number}, turns: [{said}], tags: [made], note: Warm.}}" for number in range(scenarios)]
    path = folder / f"{scenarios}-{turns}.yaml"
    path.write_text("\n".join(["category: basic_conversations", "scenarios:", *lines]) + "\n", encoding="utf-8")
    return path


def point(folder: Path, base_url: str, axis: str, amount: int) -> Point:
    """One run with this much of one thing, and as usual of the others."""
    given = {**USUAL, axis: amount}
    environment = {
        "PATH": os.environ["PATH"],
        "OPENAI_BASE_URL": base_url,
        "EVAL_MODEL": "rehearsal",
        "EVAL_JUDGE_MODEL": "rehearsal-judge",
        "EVAL_RUNS_DIR": str(folder / f"{axis}-{amount}"),
    }
    job = ["scripts.evaluate_prompts", "--prompt", "v3", "--quiet", "--no-canaries", "--no-cache"]
    job += ["--concurrency", str(given["concurrency"]), "--repeats", str(given["repeats"])]
    job += ["--scenarios", str(scenario_file(folder, given["scenarios"], given["turns"]))]
    cost = measured([sys.executable, "-m", *job], environment)
    return Point(amount, given["scenarios"] * given["turns"] * given["repeats"], cost.cpu)


def slope(points: Sequence[Point]) -> tuple[float, float]:
    """Milliseconds per exchange and the share of the variance that a straight line explains."""
    from scipy.stats import linregress

    if len({each.exchanges for each in points}) == 1:
        return 0.0, 1.0
    line = linregress([each.exchanges for each in points], [each.cpu for each in points])
    return line.slope * 1000, line.rvalue**2


def plot(found: dict[str, list[Point]], path: Path) -> None:
    """One plot an axis, in one picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, places = plt.subplots(1, len(found), figsize=(12, 3), sharey=False, layout="constrained")
    for place, (axis, points) in zip(places, found.items(), strict=True):
        place.plot([each.amount for each in points], [each.cpu for each in points], marker="o", color="#2b6cb0")
        place.set(xlabel=axis, xlim=(0, None), ylim=(0, max(each.cpu for each in points) * 1.15))
        place.spines[["top", "right"]].set_visible(False)
    places[0].set_ylabel("CPU seconds of a run")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, metavar="FILE")
    target = parser.parse_args().plot
    found: dict[str, list[Point]] = {}
    with tempfile.TemporaryDirectory() as folder, rehearsal_endpoint() as base_url:
        for axis, amounts in AXES.items():
            found[axis] = [point(Path(folder), base_url, axis, amount) for amount in amounts]
            seconds = "  ".join(f"{each.amount}: {each.cpu:.2f} s" for each in found[axis])
            cost, straight = slope(found[axis])
            print(f"{axis:12}{seconds}   {cost:.2f} ms an exchange, R2 {straight:.3f}", flush=True)
    if target is not None:
        plot(found, target)


if __name__ == "__main__":
    main()
