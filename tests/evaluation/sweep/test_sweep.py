"""A whole sweep on numbers whose answer is known: planted effects are found, and none is claimed where none is."""

import json
import random
from dataclasses import replace

import pytest

from evaluation.errors import UsageError
from evaluation.reports.markdown import to_markdown
from evaluation.reports.sweep import describe_sweep, headline
from evaluation.reports.terminal import to_terminal
from evaluation.sweep.effects import Setting
from evaluation.sweep.sweep import Sweep, analyse, distribution, sweep_document, sweep_rows
from tests.evaluation.sweep.examples import METRICS, setting, suite

TASKS = 40


def planted(
    slope: float,
    *,
    noise: float = 0.02,
    seed: int = 5,
    temperatures: tuple[float, ...] = (0.2, 0.6, 1.0),
    tasks: int = TASKS,
) -> Sweep:
    """Warmth falls by `slope` per degree, clarity does not move, the overall is their mean; tasks differ widely."""
    luck = random.Random(seed)
    base = [0.3 + 0.4 * luck.random() for _ in range(tasks)]
    settings = []
    for number, temperature in enumerate(temperatures, 1):
        warmth = [value - slope * temperature + luck.gauss(0, noise) for value in base]
        clarity = [0.5 + 0.5 * (value - 0.5) + luck.gauss(0, noise) for value in base]
        overall = [(a + b) / 2 for a, b in zip(warmth, clarity, strict=True)]
        scores = {"warmth": warmth, "clarity": clarity, "overall": overall}
        settings.append(setting({"temperature": temperature}, scores, number=number))
    return analyse(settings, suite=suite())


@pytest.mark.parametrize(("slope", "call", "sign"), [(0.2, "lower", -1), (-0.2, "higher", 1)])
def test_a_planted_effect_is_found_with_its_sign_and_size(slope: float, call: str, sign: int) -> None:
    sweep = planted(slope)
    effects = sweep.effects["temperature"]
    warmth, clarity, overall = effects["warmth"], effects["clarity"], effects["overall"]
    assert (warmth.low, warmth.high) == (0.2, 1.0)
    assert warmth.change.estimate.difference == pytest.approx(-slope * 0.8, abs=0.012)
    assert overall.change.estimate.difference == pytest.approx(-slope * 0.4, abs=0.012)
    assert (warmth.change.call, clarity.change.call, overall.change.call) == (call, "unclear", call)
    assert warmth.correlation.value is not None and warmth.correlation.value * sign > 0
    assert warmth.correlation.ci95 is not None and all(end * sign > 0 for end in warmth.correlation.ci95)
    best = sweep.best["overall"]
    end = "temperature 0.2" if sign < 0 else "temperature 1"
    assert (best.outcome, best.leaders, best.runner_up) == ("best", (end,), "temperature 0.6")
    assert best.lead is not None and best.lead.estimate.difference == pytest.approx(0.04, abs=0.012)
    assert headline(sweep).startswith(f"{end} is best overall: +0.0")


@pytest.mark.slow
def test_no_effect_is_called_none_and_says_what_could_have_been_found() -> None:
    claims = 0
    for seed in range(12):
        sweep = planted(0.0, noise=0.1, seed=seed)
        claims += any(effects["overall"].change.call != "unclear" for effects in sweep.effects.values())
        claims += sweep.best["overall"].outcome in ("best", "leaders")
    assert claims <= 3
    sweep = planted(0.0, noise=0.1, seed=2)
    assert sweep.best["overall"].outcome == "no_effect"
    assert sweep.best["overall"].detectable is not None
    assert headline(sweep).startswith("no detectable effect overall: no two settings are shown to differ; ")
    assert "could be detected" in headline(sweep)


@pytest.mark.slow
def test_settings_that_hardly_differ_are_equivalent() -> None:
    assert planted(0.0, noise=0.001).best["overall"].outcome == "no_effect", "too few tasks to leave out rare falls"
    sweep = planted(0.0, noise=0.001, tasks=140)
    assert sweep.best["overall"].outcome == "equivalent"
    assert "within 0.02 of one another" in headline(sweep)


def test_those_that_lead_together_are_named_together() -> None:
    luck = random.Random(3)
    levels = {0.1: 0.7, 0.5: 0.7, 1.0: 0.4}
    settings = [
        setting(
            {"temperature": temperature},
            {metric: [level + luck.gauss(0, 0.05) for _ in range(TASKS)] for metric in METRICS},
            number=number,
        )
        for number, (temperature, level) in enumerate(levels.items())
    ]
    best = analyse(settings, suite=suite()).best["overall"]
    assert best.outcome == "leaders"
    assert set(best.leaders) == {"temperature 0.1", "temperature 0.5"}


def test_two_factors_are_distinguished_and_the_change_is_paired_within_the_other() -> None:
    """Temperature lowers the score by 0.1 per degree; top_p does nothing; a model without order is only ranked."""
    settings = []
    for number, (temperature, top_p) in enumerate([(0.0, 0.5), (0.0, 1.0), (1.0, 0.5), (1.0, 1.0)]):
        luck = random.Random(number)
        column = [0.5 + place / 100 - 0.1 * temperature + luck.gauss(0, 0.01) for place in range(TASKS)]
        scores = dict.fromkeys(METRICS, column)
        settings.append(setting({"temperature": temperature, "top_p": top_p}, scores, number=number))
    sweep = analyse(settings, suite=suite())
    effects = {
        (factor, metric): effect.change for factor, found in sweep.effects.items() for metric, effect in found.items()
    }
    assert effects["temperature", "overall"].estimate.difference == pytest.approx(-0.1, abs=0.01)
    assert effects["temperature", "overall"].call == "lower"
    assert effects["temperature", "overall"].paired == 2 * TASKS
    assert effects["top_p", "overall"].call == "unclear"
    assert sweep.best["overall"].outcome == "leaders"


def test_a_factor_without_order_has_no_correlation_but_a_best_value() -> None:
    settings = [
        setting(
            {"model": model},
            {metric: [level + place / 1000 for place in range(TASKS)] for metric in METRICS},
            number=number,
        )
        for number, (model, level) in enumerate({"small": 0.4, "large": 0.6}.items())
    ]
    sweep = analyse(settings, suite=suite())
    assert sweep.effects == {}
    assert sweep.best["overall"].leaders == ("model large",)
    assert "model large is best overall" in to_terminal(describe_sweep(sweep))


def test_too_few_situations_give_no_verdict() -> None:
    def of(number: int, level: float) -> Setting:
        column = [level + place / 100 for place in range(TASKS)]
        situations = [f"group-{place % 5}" for place in range(TASKS)]
        scores = dict.fromkeys(METRICS, column)
        return setting({"temperature": level}, scores, number=number, situations=situations)

    sweep = analyse([of(1, 0.2), of(2, 0.6)], suite=suite())
    assert {best.outcome for best in sweep.best.values()} == {"untested"}
    assert headline(sweep) == "TOO FEW SCENARIOS TO DECIDE (5 situations, 10 needed)"
    assert "not tested: too few situations" in " ".join(to_terminal(describe_sweep(sweep)).split())


def test_what_is_missing_stays_in_the_denominator_and_can_overturn() -> None:
    full = [0.6 + place / 500 for place in range(60)]
    holes: list[float | None] = [None, *(value - 0.005 for value in full[1:])]
    settings = [
        setting({"temperature": 0.1}, dict.fromkeys(METRICS, full), number=1),
        setting({"temperature": 0.9}, dict.fromkeys(METRICS, holes), number=2),
    ]
    sweep = analyse(settings, suite=suite())
    assert sweep.best["overall"].overturnable
    text = to_terminal(describe_sweep(sweep))
    assert text.replace("\n", " ").startswith("INCOMPLETE (119 of 120 exchanges have a score): temperature 0.1 lead")
    assert "temperature 0.9: coverage 98%" in text
    assert "missing values could change which setting is best" in text


def test_where_too_much_is_missing_no_setting_is_best_and_none_is_equivalent() -> None:
    full = [0.6 + place / 500 for place in range(TASKS)]
    holes: list[float | None] = [None if place % 2 else value for place, value in enumerate(full)]
    settings = [
        setting({"temperature": 0.1}, dict.fromkeys(METRICS, full), number=1),
        setting({"temperature": 0.9}, dict.fromkeys(METRICS, holes), number=2),
    ]
    sweep = analyse(settings, suite=suite())
    assert {best.outcome for best in sweep.best.values()} == {"untested"}
    assert headline(sweep) == "INCOMPLETE (60 of 80 exchanges have a score): NO VERDICT"
    assert "temperature 0.9: coverage 50%" in to_terminal(describe_sweep(sweep))


def test_settings_that_differ_in_more_are_refused() -> None:
    sweep = planted(0.1)
    first, second, *_ = sweep.settings
    other = replace(second, run=replace(second.run, spec=replace(second.run.spec, seed=99)))
    with pytest.raises(UsageError, match="seed"):
        analyse([first, other], suite=suite())
    with pytest.raises(UsageError, match="at least 2"):
        analyse([first], suite=suite())


def test_every_report_says_the_same_and_fits() -> None:
    sweep = planted(0.2)
    notes = ["2 of 3 settings are incomplete"]
    text = to_terminal(describe_sweep(sweep, notes=notes, files=["runs/x/report.html"]))
    assert max(map(len, text.splitlines())) <= 80
    markdown = to_markdown(describe_sweep(sweep, notes=notes))
    found = sweep_document(sweep, "group-1", notes)
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found, allow_nan=False))
    columns, rows = sweep_rows(sweep)
    assert len(rows) == len(sweep.metrics) * len(sweep.settings)
    assert all(set(row) <= set(columns) for row in rows)
    mean = sweep.settings[0].run.summary.metrics["heuristic"]["overall"].estimate.mean
    assert mean is not None
    assert f"{mean:.2f} [" in text and f"{mean:.2f} [" in markdown
    assert rows[2]["mean"] == found["settings"][0]["metrics"]["overall"]["mean"] == mean
    assert "2 of 3 settings are incomplete" in text and "settings are incomplete" in markdown


@pytest.mark.slow
def test_many_long_names_become_numbers_on_the_terminal() -> None:
    settings = []
    for number in range(9):
        column = [0.5 + number / 50 + place / 500 for place in range(TASKS)]
        values = {"frequency_penalty": number // 3 / 10, "presence_penalty": number % 3 / 10}
        settings.append(setting(values, dict.fromkeys(METRICS, column), number=number))
    text = to_terminal(describe_sweep(analyse(settings, suite=suite())))
    assert max(map(len, text.splitlines())) <= 80
    assert "#9 is frequency_penalty 0.2, presence_penalty 0.2" in text


def test_hostile_names_steer_nothing() -> None:
    settings = [
        setting(
            {"model": f"\x1b[31m<script>{number}|"},
            {"overall": [0.1 * number + place / 99 for place in range(12)]},
            number=number,
        )
        for number in (1, 2)
    ]
    sweep = analyse(settings, suite=replace(suite(), metrics=("overall",)))
    assert "\x1b" not in to_terminal(describe_sweep(sweep))
    markdown = to_markdown(describe_sweep(sweep))
    assert "\x1b" not in markdown
    # Within code spans alone: outside them markup would take effect.
    assert "<script>" not in "".join(markdown.split("`")[::2])


SPREAD = [place / 99 for place in range(100)]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (SPREAD, []),
        ([1.0] * 26 + SPREAD[:74], ["26% of the values are 1"]),
        ([1.0] * 20 + SPREAD[:80], []),
        ([0.0] * 60 + SPREAD[:40], ["61% of the values are 0, the low end"]),
        ([0.4] * 60 + SPREAD[:40], ["60% of the values are 0.4"]),
        ([0.2, 0.5, 0.8, 0.9] * 25, ["only 4 different values"]),
        ([1.0] * 100, ["100% of the values are 1, the high end", "only one value"]),
        ([0.5 + place / 5000 for place in range(100)], ["the middle half lies between 0.50 and 0.51"]),
        ([1.0] * 29, []),
        ([], []),
    ],
    ids=["spread", "saturated", "below", "floor", "dominant", "coarse", "constant", "narrow", "few", "none"],
)
def test_what_stands_out(values: list[float], named: list[str]) -> None:
    found = distribution("m", values, 0.0, 1.0)
    assert found.n == len(values)
    assert len(found.findings) == len(named), found.findings
    for finding, start in zip(found.findings, named, strict=True):
        assert finding.startswith(start)


def test_the_figures() -> None:
    found = distribution("m", [0.0, 0.25, 0.5, 0.75, 1.0], 0.0, 1.0)
    assert (found.n, found.distinct, found.at_low, found.at_high) == (5, 5, 0.2, 0.2)
    assert found.middle == (0.25, 0.75)
    assert found.stdev == pytest.approx((0.625 / 4) ** 0.5)
