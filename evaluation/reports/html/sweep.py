"""report.html of a sweep: which setting is best, what moves what, and every response beside its counterparts."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.reports import sweep as wording
from evaluation.reports.comparison import banners
from evaluation.reports.html.comparison import difference_axis
from evaluation.reports.html.figures import HEAT_STEPS, Axis, around, is_small
from evaluation.reports.html.gathering import Side, gather, shown_columns
from evaluation.reports.html.page import Assets, render
from evaluation.reports.html.wording import selection_sentence
from evaluation.suites.suite import Suite
from evaluation.sweep.effects import Factor, Setting, by_factor, shown
from evaluation.sweep.sweep import Sweep

LEAST_HEIGHT = 0.1
"""Of a picture, as a share of the scale: small changes must not look like large ones."""
MARGIN = 8.0
"""Percent of a picture's width left of the first point and right of the last."""
MOST_ABREAST = 5
"""Settings beside one another in a table; more stand below one another."""
TRADE_OFF = ("coherence", "lexical_diversity")
"""Drawn against one another, where the suite has them."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """All that the page of a sweep tells."""

    result: Sweep
    sides: Sequence[Side]
    """In the order of the settings."""
    suite: Suite
    seed: int
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A mean with its interval; places in percent of the picture's width and height."""

    name: str
    x: str
    y: str
    top: str
    bottom: str
    mean: float


@dataclass(frozen=True, slots=True)
class Plot:
    """One metric over one factor: a line for each combination of everything else."""

    metric: str
    axis: Axis
    lines: tuple[tuple[str, tuple[Point, ...]], ...]
    """(what the line holds fixed, its points from left to right)."""
    labels: tuple[tuple[str, str], ...]
    """(place, value) along the bottom."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One setting in the trade-off plot; `left` and the like are the ends of its intervals."""

    number: int
    name: str
    x: str
    y: str
    left: str
    right: str
    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Two metrics against one another, a spot for each setting."""

    across: str
    up: str
    x: Axis
    y: Axis
    spots: tuple[Spot, ...]


def sweep_report(report: SweepReport, assets: Assets) -> str:
    """The whole page."""
    result = report.result
    gathered = gather(report.sides, report.suite, seed=report.seed)
    effects = by_factor(result.effects)
    best = result.best[result.overall]
    values = {
        "report": report,
        "result": result,
        "title": capitalised(wording.subject(result)),
        "telling": wording,
        "answer": capitalised(wording.answer(best, result)),
        "sentence": capitalised(wording.grounds(best, result)),
        "banners": banners(result.rehearsal, forced=False),
        "details": list(wording.details(result)),
        "notes": report.notes,
        "gate": None,
        "effects": effects,
        "axes": {factor: difference_axis([row.change for row in rows.values()]) for factor, rows in effects.items()},
        "heat": heat_of(result),
        "tall": len(result.settings) > MOST_ABREAST,
        "plots": {factor.name: plots_of(result, factor) for factor in result.factors},
        "trade": trade_off(result),
        "small": is_small,
        "selection": selection_sentence(gathered.selection, compared=True),
        "columns": shown_columns(report.sides),
        "compared": True,
        "specs": [(setting.name, setting.run.spec) for setting in result.settings],
    }
    return render(assets, "sweep.html.j2", values, gathered.data)


def capitalised(text: str) -> str:
    """With a capital in front; the rest as it is."""
    return text[:1].upper() + text[1:]


def heat_of(sweep: Sweep) -> dict[tuple[str, str], int]:
    """(metric, setting) -> colour: within each metric from its lowest to its highest mean, as far apart as they are.

    The full range of colours stands for a fifth of the scale, so that differences within the noise stay pale.
    """
    reach = (sweep.scale[1] - sweep.scale[0]) / 10
    found: dict[tuple[str, str], int] = {}
    for metric in sweep.metrics:
        means = {
            setting.name: mean for setting in sweep.settings if (mean := _mean(sweep, metric, setting)) is not None
        }
        if not means:
            continue
        middle = (min(means.values()) + max(means.values())) / 2
        axis = Axis(middle - reach, middle + reach)
        found |= {(metric, name): round(HEAT_STEPS * axis.share(mean)) for name, mean in means.items()}
    return found


def plots_of(sweep: Sweep, factor: Factor) -> tuple[Plot, ...]:
    """Every metric over the factor's values, from the lowest to the highest where they have an order."""
    values = factor.rising if factor.numeric else factor.values
    places = _places(values, numeric=factor.numeric)
    labels = tuple((f"{place:.2f}%", shown(value)) for place, value in zip(places, values, strict=True))
    plots = []
    for metric in sweep.metrics:
        ends = [end for setting in sweep.settings for end in _ends(sweep, metric, setting)]
        if not ends:
            continue
        axis = around(ends, LEAST_HEIGHT * (sweep.scale[1] - sweep.scale[0]))
        axis = Axis(max(axis.low, sweep.scale[0]), min(axis.high, sweep.scale[1]))
        lines: dict[str, list[Point]] = {}
        for place, value in zip(places, values, strict=True):
            for setting in sweep.settings:
                mean = _mean(sweep, metric, setting)
                if setting.values[factor.name] == value and mean is not None:
                    lines.setdefault(_others(setting, factor), []).append(_point(sweep, metric, setting, place, axis))
        plots.append(Plot(metric, axis, tuple((name, tuple(points)) for name, points in lines.items()), labels))
    return tuple(plots)


def _places(values: Sequence[object], *, numeric: bool) -> list[float]:
    """Where the values stand: in proportion, if they are numbers, else side by side."""
    if numeric:
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        axis = Axis(numbers[0], numbers[-1])
        shares = [axis.share(value) for value in numbers]
    else:
        shares = [place / (len(values) - 1) for place in range(len(values))]
    return [MARGIN + share * (100 - 2 * MARGIN) for share in shares]


def _others(setting: Setting, factor: Factor) -> str:
    parts = (f"{name} {shown(value)}" for name, value in setting.values.items() if name != factor.name)
    return ", ".join(parts)


def _point(sweep: Sweep, metric: str, setting: Setting, place: float, axis: Axis) -> Point:
    mean = _mean(sweep, metric, setting)
    assert mean is not None
    low, high = min(_ends(sweep, metric, setting)), max(_ends(sweep, metric, setting))
    y, bottom, top = (f"{(1 - axis.share(value)) * 100:.2f}" for value in (mean, low, high))
    return Point(setting.name, f"{place:.2f}", y, top, bottom, mean)


def _mean(sweep: Sweep, metric: str, setting: Setting) -> float | None:
    found = sweep.cell(metric, setting)
    return None if found is None else found.estimate.mean


def _ends(sweep: Sweep, metric: str, setting: Setting) -> tuple[float, ...]:
    """The interval, or the mean alone; empty without either."""
    found = sweep.cell(metric, setting)
    if found is None or found.estimate.mean is None:
        return ()
    return found.estimate.ci95 or (found.estimate.mean,)


def trade_off(sweep: Sweep) -> TradeOff | None:
    """The two metrics that pull apart; None where the suite does not have them or nothing was scored."""
    across, up = TRADE_OFF
    if not {across, up} <= set(sweep.metrics):
        return None
    known = [
        (number, setting)
        for number, setting in enumerate(sweep.settings, 1)
        if _mean(sweep, across, setting) is not None and _mean(sweep, up, setting) is not None
    ]
    if not known:
        return None
    least = LEAST_HEIGHT * (sweep.scale[1] - sweep.scale[0])
    x, y = (
        around([end for _, setting in known for end in _ends(sweep, name, setting)], least) for name in (across, up)
    )
    return TradeOff(across, up, x, y, tuple(_spot(sweep, number, setting, x, y) for number, setting in known))


def _spot(sweep: Sweep, number: int, setting: Setting, x: Axis, y: Axis) -> Spot:
    across, up = (_mean(sweep, name, setting) or 0.0 for name in TRADE_OFF)
    sides, heights = (_ends(sweep, name, setting) for name in TRADE_OFF)
    return Spot(
        number=number,
        name=setting.name,
        x=x.at(across),
        y=f"{(1 - y.share(up)) * 100:.2f}%",
        left=x.at(min(sides)),
        right=x.at(max(sides)),
        top=f"{(1 - y.share(max(heights))) * 100:.2f}%",
        bottom=f"{(1 - y.share(min(heights))) * 100:.2f}%",
    )
