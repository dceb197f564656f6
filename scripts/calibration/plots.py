"""The pictures of a calibration, drawn with matplotlib without a screen: heat maps, and scores over ratings."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.calibration.calibrate import Calibration
from evaluation.calibration.ratings import WORDS, RatedUnit, ScoreKey
from evaluation.reports.calibration import name_of
from evaluation.statistics.clusters import Scale, clustered_mean
from evaluation.text.safe_text import clip
from services.run_folder import make_private_directory

LABEL = 28
MOST_DIMENSIONS = 20
MOST_POINTS = 3000
JITTER = 0.02
"""Of each axis: ratings and scores take few values, and points would hide one another."""
SEED = 0


def draw(found: Calibration, units: Sequence[RatedUnit], folder: Path) -> list[tuple[str, str]]:
    """Writes PNG files into the folder; (title, file name) of each, in the order of the report."""
    drawn = [("Agreement per metric and dimension (Spearman)", "agreement.png", _agreement(found))]
    drawn.append(("The metrics among themselves (Spearman)", "metrics.png", _metrics(found)))
    for number, dimension in enumerate(list(found.scales)[:MOST_DIMENSIONS], start=1):
        keys = [(item.source, item.metric) for item in found.agreements if item.dimension == dimension]
        keys = [key for key in keys if key != WORDS]
        name = re.sub(r"[^a-z0-9]+", "-", dimension.lower())[:40].strip("-")
        figure = _scatter(found, dimension, keys, units) if keys else None
        drawn.append((f"Scores over {clip(dimension, LABEL)}", f"scores-{number}-{name}.png", figure))
    written = [(title, name, figure) for title, name, figure in drawn if figure is not None]
    make_private_directory(folder)
    for _, name, figure in written:
        figure.savefig(folder / name, dpi=100, metadata={"Software": None})
    return [(title, name) for title, name, _ in written]


def _label(text: str) -> str:
    """Fit for the built-in font: other scripts as escapes."""
    return clip(text.encode("ascii", "backslashreplace").decode(), LABEL)[:LABEL].replace("…", "...")


def _agreement(found: Calibration) -> Any:
    values = {(name_of(item.source, item.metric), item.dimension): item.spearman.value for item in found.agreements}
    rows = list(dict.fromkeys(row for row, _ in values))
    columns = list(dict.fromkeys(column for _, column in values))[:MOST_DIMENSIONS]
    return _heat_map([[values.get((row, column)) for column in columns] for row in rows], rows, columns)


def _metrics(found: Calibration) -> Any:
    keys = list(dict.fromkeys(key for item in found.correlations for key in (item.first, item.second)))
    known = {(item.first, item.second): item.spearman for item in found.correlations}
    cells = [[1.0 if a == b else known.get((a, b), known.get((b, a))) for b in keys] for a in keys]
    names = [name_of(*key) for key in keys]
    return _heat_map(cells, names, names)


def _heat_map(cells: Sequence[Sequence[float | None]], rows: Sequence[str], columns: Sequence[str]) -> Any:
    if not rows or not columns:
        return None
    import math

    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2 + 0.8 * len(columns), 2.4 + 0.4 * len(rows)), layout="constrained")
    axes = figure.subplots()
    numbers = [[math.nan if value is None else value for value in row] for row in cells]
    image = axes.imshow(numbers, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), [_label(name) for name in columns], rotation=60, ha="right", parse_math=False)
    axes.set_yticks(range(len(rows)), [_label(name) for name in rows], parse_math=False)
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            shown = "-" if value is None else f"{value:.2f}"
            shade = "white" if value is not None and abs(value) > 0.6 else "black"
            axes.text(x, y, shown, ha="center", va="center", fontsize=8, color=shade)
    figure.colorbar(image, ax=axes)
    return figure


def _scatter(found: Calibration, dimension: str, keys: Sequence[ScoreKey], units: Sequence[RatedUnit]) -> Any:
    """One panel per metric: the points, and the mean score per rating with its 95% interval as a band."""
    from matplotlib.figure import Figure

    across = min(4, len(keys))
    down = -(-len(keys) // across)
    figure = Figure(figsize=(3.2 * across, 2.8 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).flat
    for key, axes in zip(keys, panels, strict=False):
        rated = [unit for unit in units if unit.level != "pair" and dimension in unit.ratings and key in unit.scores]
        _points(axes, dimension, key, rated)
        _band(axes, dimension, key, rated, (found.low, found.high))
        margin = 0.05 * (found.high - found.low)
        axes.set_ylim(found.low - margin, found.high + margin)
        axes.set_title(_label(name_of(*key)), fontsize=9, parse_math=False)
        axes.set_xlabel(_label(dimension), fontsize=8, parse_math=False)
    for axes in list(figure.axes)[len(keys) :]:
        axes.set_visible(False)
    return figure


def _points(axes: Any, dimension: str, key: ScoreKey, units: Sequence[RatedUnit]) -> None:
    import numpy as np

    random = np.random.default_rng(SEED)
    shown = units if len(units) <= MOST_POINTS else [units[at] for at in random.permutation(len(units))[:MOST_POINTS]]
    for_axis = [[unit.ratings[dimension] for unit in shown], [unit.scores[key] for unit in shown]]
    spread = [np.asarray(values) for values in for_axis]
    moved = [values + random.normal(0, JITTER * (np.ptp(values) or 1), len(values)) for values in spread if len(values)]
    if moved:
        axes.plot(*moved, ".", markersize=3, alpha=0.3, color="tab:grey")


def _band(axes: Any, dimension: str, key: ScoreKey, units: Sequence[RatedUnit], scale: Scale) -> None:
    levels: dict[float, list[tuple[str, float]]] = {}
    for unit in units:
        levels.setdefault(round(unit.ratings[dimension] * 4) / 4, []).append((unit.cluster, unit.scores[key]))
    places = sorted(levels)
    means = [found for place in places if (found := clustered_mean(levels[place])) is not None]
    ends = [found.interval_within(*scale) or (found.mean, found.mean) for found in means]
    axes.plot(places, [found.mean for found in means], "-o", markersize=3, color="tab:blue")
    axes.fill_between(places, [low for low, _ in ends], [high for _, high in ends], alpha=0.25, color="tab:blue")
