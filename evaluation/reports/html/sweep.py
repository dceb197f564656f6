"""report.html of a sweep: which setting is best, what moves what, and every response beside its counterparts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.reports import sweep as wording
from evaluation.reports.comparison import banners
from evaluation.reports.html.figures import HEAT_STEPS, Axis, around_means, axis_of, difference_axis
from evaluation.reports.html.gathering import Side, gather
from evaluation.reports.html.leads import Leads
from evaluation.reports.html.page import Assets, render
from evaluation.run import Run
from evaluation.statistics.scenario_scores import Estimate
from evaluation.sweep.effects import Factor, Setting, value_text
from evaluation.sweep.identical import no_effect
from evaluation.sweep.sweep import Sweep

MARGIN = 8.0
"""Percent of a picture's width left of the first point and right of the last."""
MOST_ABREAST = 5
"""Settings beside one another in a table; more stand below one another."""
TRADE_OFF = ("coherence", "lexical_diversity")
"""Drawn against one another, where the suite has them."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One metric over one factor: a line for each combination of everything else."""

    metric: str
    axis: Axis
    lines: Mapping[str, Sequence[tuple[str, str, Estimate]]]
    """Everything that the line holds fixed -> (place, setting, its mean), from left to right."""
    labels: Sequence[tuple[str, str]]
    """(place, value) along the bottom. Places are percent of the width."""


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Two metrics against one another, a spot for each setting."""

    across: str
    up: str
    x: Axis
    y: Axis
    spots: Sequence[tuple[int, str, Estimate, Estimate]]
    """Number and name of a setting, and its means on either metric."""


def sweep_report(result: Sweep, sides: Sequence[Side], run: Run, assets: Assets, *, notes: Sequence[str] = ()) -> str:
    """The whole page; `sides` are in the order of the settings, `run` is the first of them."""
    gathered = gather(sides, run.suite, seed=run.spec.seed)
    effects = result.effects
    best = result.best[result.overall]
    nothing, _, why = no_effect(result.identical).partition(": ")
    answer, sentence = map(
        capitalise, (nothing, why) if nothing else (wording.answer(best, result), f"{wording.grounds(best, result)}.")
    )
    values = {
        "sides": sides,
        "result": result,
        "title": capitalise(wording.subject(result)),
        "telling": wording,
        "outcome": "no_effect" if nothing else best.outcome,
        "answer": answer,
        "sentence": sentence,
        "banners": banners([each.run for each in result.settings], forced=False),
        "details": list(wording.details(result)),
        "notes": notes,
        "gate": None,
        "effects": effects,
        "axes": {factor: difference_axis(row.change for row in rows.values()) for factor, rows in effects.items()},
        "heat": heat_of(result),
        "tall": len(result.settings) > MOST_ABREAST,
        "plots": {factor.name: plots_of(result, factor) for factor in result.factors},
        "trade": trade_off(result),
        "selection": gathered.held,
        "leads": Leads(gathered.data),
        "specs": [(setting.name, setting.run.spec) for setting in result.settings],
    }
    return render(assets, "sweep.html.j2", values, gathered.data)


def capitalise(text: str) -> str:
    """With a capital in front; the rest as it is."""
    return text[:1].upper() + text[1:]


def heat_of(sweep: Sweep) -> dict[tuple[str, str], int]:
    """(metric, setting) -> colour: within each metric from its lowest to its highest mean, as far apart as they are.

    The full range of colours stands for a fifth of the scale, so that differences within the noise stay pale.
    """
    reach = (sweep.scale[1] - sweep.scale[0]) / 10
    found: dict[tuple[str, str], int] = {}
    for metric in sweep.metrics:
        means = {setting.name: each.mean or 0.0 for setting, each in _settings_with_mean(sweep, metric)}
        if means:
            middle = (min(means.values()) + max(means.values())) / 2
            axis = Axis(middle - reach, middle + reach)
            found |= {(metric, name): round(HEAT_STEPS * axis.share(mean)) for name, mean in means.items()}
    return found


def plots_of(sweep: Sweep, factor: Factor) -> list[Plot]:
    """Every metric over the factor's values, from the lowest to the highest where they have an order."""
    values = factor.rising if factor.numeric else factor.values
    places = [f"{place:.2f}" for place in _places(values, numeric=factor.numeric)]
    labels = [(place, value_text(value)) for place, value in zip(places, values, strict=True)]
    plots = []
    for metric in sweep.metrics:
        known = _settings_with_mean(sweep, metric)
        lines: dict[str, list[tuple[str, str, Estimate]]] = {}
        for place, value in zip(places, values, strict=True):
            for setting, found in known:
                if setting.values[factor.name] == value:
                    lines.setdefault(_others(setting, factor), []).append((place, setting.name, found))
        if known:
            plots.append(Plot(metric, axis_of((found for _, found in known), sweep.scale), lines, labels))
    return plots


def _settings_with_mean(sweep: Sweep, metric: str) -> list[tuple[Setting, Estimate]]:
    """The settings under which the metric has a mean."""
    cells = ((setting, sweep.cell(metric, setting)) for setting in sweep.settings)
    return [(setting, cell.estimate) for setting, cell in cells if cell is not None and cell.estimate.mean is not None]


def _places(values: Sequence[object], *, numeric: bool) -> list[float]:
    """The places of the values: in proportion, if they are numbers, else side by side."""
    if numeric:
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        axis = Axis(numbers[0], numbers[-1])
        shares = [axis.share(value) for value in numbers]
    else:
        shares = [place / (len(values) - 1) for place in range(len(values))]
    return [MARGIN + share * (100 - 2 * MARGIN) for share in shares]


def _others(setting: Setting, factor: Factor) -> str:
    parts = (f"{name} {value_text(value)}" for name, value in setting.values.items() if name != factor.name)
    return ", ".join(parts)


def trade_off(sweep: Sweep) -> TradeOff | None:
    """The two metrics that pull apart; None where the suite does not have them or nothing was scored."""
    across, up = TRADE_OFF
    if not {across, up} <= set(sweep.metrics):
        return None
    rising = {setting.name: found for setting, found in _settings_with_mean(sweep, up)}
    both = [(setting, found) for setting, found in _settings_with_mean(sweep, across) if setting.name in rising]
    if not both:
        return None
    x = around_means((found for _, found in both), sweep.scale)
    y = around_means((rising[setting.name] for setting, _ in both), sweep.scale)
    numbers = {setting.name: number for number, setting in enumerate(sweep.settings, 1)}
    spots = [(numbers[setting.name], setting.name, found, rising[setting.name]) for setting, found in both]
    return TradeOff(across, up, x, y, spots)
