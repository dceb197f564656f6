"""Forms of the judge's question against people: paired differences, ties called ties, pairs and gaps left out."""

import random
from collections.abc import Sequence

import pytest

from evaluation.calibration.judge_forms import FormAgreement, FormCalls, FormComparison, JudgeCalls, compare_forms
from evaluation.calibration.ratings import RatedUnit
from evaluation.reports.document import document
from evaluation.reports.judge_forms import conclusions, describe_forms
from evaluation.reports.terminal import to_terminal
from evaluation.statistics.agreement import spearman
from evaluation.statistics.side_by_side import rank_differences

KEY = ("judge", "overall_quality")
WANTED = [("warm", "overall_quality")]


def made(noises: dict[str, float], clusters: int = 40, each: int = 3, seed: int = 1) -> dict[str, list[RatedUnit]]:
    """Units whose judge sees people's rating through noise of a known size, form by form."""
    luck = random.Random(seed)
    units: dict[str, list[RatedUnit]] = {form: [] for form in noises}
    for cluster in range(clusters):
        shared = luck.gauss(0, 0.5)
        for number in range(each):
            people = shared + luck.gauss(0, 1)
            common = luck.gauss(0, 0.3)
            for form, noise in noises.items():
                scores = {KEY: people + common + luck.gauss(0, noise)}
                units[form].append(RatedUnit(f"{cluster}-{number}", str(cluster), "turn", scores, {"warm": people}))
    return units


def compared(units: dict[str, list[RatedUnit]], usual: str = "reasoned") -> list[FormAgreement]:
    return list(compare_forms(units, WANTED, usual, seed=0, resamples=1000))


def said(rows: Sequence[FormAgreement], usual: str = "reasoned") -> str:
    return " ".join(conclusions(FormComparison(usual, (), tuple(rows))))


def test_a_form_with_less_noise_agrees_better_and_one_with_more_agrees_worse() -> None:
    rows = compared(made({"reasoned": 0.8, "parts": 0.3, "score_first": 2.5}))
    by_form = {row.form: row for row in rows}
    assert [row.n for row in rows] == [120] * 3 and rows[0].clusters == 40
    better, worse = by_form["parts"].above_usual.ci95, by_form["score_first"].above_usual.ci95
    assert better is not None and better[0] > 0 and worse is not None and worse[1] < 0
    assert "parts agrees best" in said(rows)
    assert "better than reasoned: parts" in said(rows) and "worse than reasoned: score_first" in said(rows)


def test_equal_forms_tie_and_are_said_to() -> None:
    rows = compared(made({"reasoned": 0.8, "parts": 0.8}, seed=2))
    assert "all forms tie with reasoned" in said(rows) or "ties with every other form" in said(rows)


@pytest.mark.slow
def test_of_equal_forms_about_one_in_twenty_is_told_apart() -> None:
    apart = 0
    for seed in range(60):
        ends = compared(made({"reasoned": 0.8, "parts": 0.8}, seed=seed))[1].above_usual.ci95
        apart += ends is not None and not ends[0] <= 0 <= ends[1]
    assert apart <= 9, "of 60 three are expected; ten and more come by chance one time in a thousand"


def test_only_what_every_form_has_a_value_of_counts() -> None:
    units = made({"reasoned": 0.8, "parts": 0.3})
    units["parts"][0] = RatedUnit("0-0", "0", "turn", {}, {"warm": 1.0})
    units["reasoned"][1] = RatedUnit("0-1", "0", "pair", units["reasoned"][1].scores, {"warm": 1.0})
    assert {row.n for row in compared(units)} == {118}
    assert compared({form: rows[:1] for form, rows in units.items()}) == []


def test_the_differences_are_those_of_the_correlations() -> None:
    units = made({"reasoned": 0.8, "parts": 0.3})
    columns = [[unit.scores[KEY] for unit in rows] for rows in units.values()]
    people = [unit.ratings["warm"] for unit in units["parts"]]
    clusters = [unit.cluster for unit in units["parts"]]
    alone, above = rank_differences(columns, people, clusters, base=0, seed=0, resamples=200)
    first, second = (spearman(column, people) for column in columns)
    assert first is not None and second is not None
    assert [figure.value for figure in alone] == pytest.approx([first, second])
    assert above[1].value == pytest.approx(second - first) and above[0].value == 0.0
    assert rank_differences([[1.0], [2.0]], [1.0], ["a"], base=0, seed=0)[0][0].value is None


def test_a_small_sample_and_an_unfit_judge_are_named_within_80_columns() -> None:
    units = made({"reasoned": 0.8, "parts": 0.3}, clusters=5)
    calls = tuple(FormCalls.of(form, 15, 1, [JudgeCalls("a", 15, 40_000, 2_000, None)], fit=False) for form in units)
    shown = to_terminal(
        document(describe_forms(FormComparison("reasoned", calls, tuple(compared(units))))), color=False
    )
    assert "small sample: 5 conversations" in " ".join(shown.split())
    assert "UNFIT" in shown and "unknown" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert not list(describe_forms(None))


def test_a_best_form_that_runs_against_people_is_called_so() -> None:
    units = made({"reasoned": 0.8, "parts": 0.8})
    turned = {
        form: [RatedUnit(u.id, u.cluster, u.level, {KEY: -u.scores[KEY]}, u.ratings) for u in rows]
        for form, rows in units.items()
    }
    assert ", against people)" in said(compared(turned)) and "against" not in said(compared(units))
