"""The whole comparison on made-up ratings whose outcome is known."""

import json
import random
from typing import Any

import pytest

from evaluation.calibration.calibrate import Calibration, CalibrationOptions, Decisions, calibrate, calibration_document
from evaluation.calibration.ratings import WORDS, Level, RatedUnit
from evaluation.errors import UsageError
from evaluation.reports.calibration import describe_calibration, reading, reading_pair
from evaluation.reports.markdown import to_markdown
from evaluation.reports.terminal import to_terminal
from evaluation.text.safe_text import width
from tests.evaluation.metrics.shipped import companion_rubric
from tests.evaluation.reports.hostile import EVIL

RUBRIC = companion_rubric()
OVERALL = ("heuristic", "overall_quality")
HELP = ("heuristic", "helpfulness")


def unit(
    number: int, rating: float, scores: dict[tuple[str, str], float], level: Level = "turn", **fields: Any
) -> RatedUnit:
    dimension = fields.pop("dimension", "overall")
    cluster = fields.pop("cluster", str(number))
    return RatedUnit(str(number), cluster, level, scores, {dimension: rating}, **fields)


def compared(units: list[RatedUnit], **options: Any) -> Calibration:
    return calibrate(units, RUBRIC, "companion", CalibrationOptions(**options), lines=len(units))


def made(count: int = 60) -> list[RatedUnit]:
    """The overall follows people, helpfulness runs against them, length says nothing."""
    chosen = random.Random(8)
    found = []
    for number in range(count):
        rating = chosen.randrange(5)
        scores = {
            OVERALL: rating / 4 * 0.6 + 0.2 * chosen.random(),
            HELP: 1 - rating / 4 * 0.8 - 0.2 * chosen.random(),
            WORDS: float(chosen.randrange(50)),
        }
        found.append(unit(number, rating, scores))
    return found


def test_each_metric_is_read_for_what_it_is() -> None:
    by_metric = {item.metric: item for item in compared(made()).agreements}
    assert reading(by_metric["overall_quality"]) == "strongly with people"
    assert reading(by_metric["helpfulness"]) == "strongly AGAINST people"
    assert reading(by_metric["words"]) == "no relation shown"
    assert by_metric["words"].mae.value is None, "words are on no scale of the rubric"
    assert by_metric["words"].decisions is None


def test_the_share_of_passed_checks_is_held_against_the_order_alone() -> None:
    units = [unit(at, at % 5, {("check", "overall_quality"): at % 5 / 10}) for at in range(20)]
    (found,) = compared(units).agreements
    assert found.spearman.value == pytest.approx(1)
    assert (found.mae.value, found.bias.value, found.kappa.value, found.alpha, found.decisions) == (None,) * 5


def test_figures_on_the_rubrics_scale_by_hand() -> None:
    """Ratings 0, 1, 2 are 0, 0.5, 1 and in bands 0, 2, 4; scores 0.2, 0.5, 0.8 in bands 0, 2, 3."""
    units = [unit(number, number, {OVERALL: 0.2 + 0.3 * number}) for number in range(3)]
    (found,) = compared(units).agreements
    assert (found.n, found.clusters) == (3, 3)
    assert found.mae.value == pytest.approx(0.4 / 3)
    assert found.bias.value == pytest.approx(0)
    assert found.people_mean == pytest.approx(0.5)
    # 1 - (1 / 3) / (13/3 + 20/3 - 2 * 5/3 * 2) = 1 - (1/3) / (13/3)
    assert found.kappa.value == pytest.approx(1 - 1 / 13)
    assert found.decisions == Decisions(both=1, tool_only=0, people_only=0, neither=2, differ=0)


def test_decisions_count_who_would_pass_what() -> None:
    """The threshold is 0.7 and a score of 0.7 passes."""
    cases = [(1.0, 0.7), (1.0, 0.2), (0.0, 0.7), (0.0, 0.699)]
    (found,) = compared([unit(at, rating, {OVERALL: value}) for at, (rating, value) in enumerate(cases)]).agreements
    assert found.decisions == Decisions(both=1, tool_only=1, people_only=1, neither=1, differ=0.5)


def test_pairs_give_accuracy_and_nothing_else() -> None:
    """Three pairs with a preference: one hit, one miss, one tie of the tool; a fourth where people have none."""
    cases = [(1, 0.9, 0.1), (1, 0.1, 0.9), (1, 0.5, 0.5), (0, 0.9, 0.1)]
    units = [
        unit(2 * at + side, rating * sign, {HELP: value}, "pair", cluster=f"g{at}")
        for at, (rating, first, second) in enumerate(cases)
        for side, (sign, value) in enumerate(((1, first), (-1, second)))
    ]
    found = compared([*units, unit(99, 1, {HELP: 1.0}, "pair", cluster="alone")])
    assert found.agreements == ()
    (pair,) = found.pairs
    assert (pair.pairs, pair.undecided, pair.tool_ties) == (3, 1, 1)
    assert pair.accuracy.value == 0.5
    assert reading_pair(pair) == "no better than guessing"


def test_a_scale_that_runs_downwards_turns_the_signs() -> None:
    upwards = compared(made()).agreements
    downwards = compared(made(), scales={"overall": (4, 0)}).agreements
    for one, other in zip(upwards, downwards, strict=True):
        assert one.spearman.value is not None
        assert other.spearman.value == pytest.approx(-one.spearman.value)


def test_the_ceiling_is_known_where_single_ratings_are() -> None:
    lists = [(1, 1, 2), (2, 2, 2), (4, 5, 4), (5, 5, 5), (3, 2, 3)]
    units = [unit(at, 3, {}, raters={"overall": tuple(map(float, ratings))}) for at, ratings in enumerate(lists)]
    (known,) = compared([*units, unit(9, 3, {})]).ceilings
    assert known.units == 5
    assert known.alpha == pytest.approx(0.90, abs=0.02)
    # First persons: the same order as the rest. Second: two ties in the ranks, 9 / sqrt(90). Third: 9.5 / sqrt(95).
    assert known.one_against_rest == pytest.approx((1 + 9 / 90**0.5 + 9.5 / 95**0.5) / 3)
    (unknown,) = compared([unit(1, 1, {}), unit(2, 2, {})]).ceilings
    assert (unknown.units, unknown.alpha, unknown.alpha_bands, unknown.one_against_rest) == (0, None, None, None)


def test_metrics_are_correlated_with_one_another() -> None:
    found = {(item.first, item.second): item.spearman for item in compared(made()).correlations}
    assert set(found) == {(HELP, OVERALL), (HELP, WORDS), (OVERALL, WORDS)}
    against = found[HELP, OVERALL]
    assert against is not None
    assert against < -0.8


def test_a_mapping_leaves_the_other_pairs_out() -> None:
    found = compared(made(), mapping=(("overall", "helpfulness"),))
    assert [item.metric for item in found.agreements] == ["helpfulness", "words"]


@pytest.mark.parametrize("pair", [("other", "helpfulness"), ("overall", "other")])
def test_a_mapping_to_nothing_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="there are"):
        compared(made(), mapping=(pair,))


POOR = {
    "one unit": [unit(1, 1, {OVERALL: 0.5})],
    "constant ratings": [unit(at, 3, {OVERALL: at / 10}) for at in range(5)],
    "constant scores": [unit(at, at, {OVERALL: 0.5}) for at in range(5)],
    "no scores": [unit(at, at, {}) for at in range(5)],
    "one conversation": [unit(at, at % 3, {OVERALL: at / 10}, cluster="c") for at in range(9)],
    "no pair is whole": [unit(at, at, {OVERALL: 0.1}, "pair") for at in range(3)],
}


def test_a_report_says_why_there_is_no_interval() -> None:
    (alone,) = compared(POOR["one conversation"]).agreements
    assert reading(alone) == "a single conversation: no interval"
    (rare,) = compared([unit(at, at % 3, {OVERALL: 0.7 if at else 0.8}) for at in range(12)]).agreements
    assert reading(rare) == "varies too rarely for an interval"
    (constant,) = compared(POOR["constant scores"]).agreements
    assert reading(constant).startswith("not defined")


@pytest.mark.parametrize("units", POOR.values(), ids=POOR.keys())
def test_poor_data_give_a_report(units: list[RatedUnit]) -> None:
    found = compared(units)
    assert json.loads(json.dumps(calibration_document(found), allow_nan=False))["schema_version"] == 1
    assert to_markdown(describe_calibration(found, detail=True))
    text = to_terminal(describe_calibration(found))
    assert "small sample" in text
    assert "nan" not in text


def test_the_terminal_report_fits_80_columns_and_names_what_stands_out() -> None:
    text = to_terminal(describe_calibration(compared(made()), files=("a/file.png",)))
    assert max(map(width, text.splitlines())) <= 80
    assert "\nhelpfulness " in text
    assert "always giving people's commoner answer would differ" in " ".join(text.split())
    assert "a/file.png" in text


@pytest.mark.parametrize("name", [EVIL, "x" * 100_000, "| a | b |", "`<script>`", "\ud800", ""], ids=range(6))
def test_names_from_outside_cannot_steer_the_reports(name: str) -> None:
    units = [unit(at, at % 3, {OVERALL: at / 20}, dimension=name) for at in range(20)]
    found = compared(units)
    text = to_terminal(describe_calibration(found))
    assert max(map(width, text.splitlines())) <= 80
    assert "\x1b" not in text
    shown = to_markdown(describe_calibration(found, detail=True))
    assert "\x1b" not in shown
    assert len(shown) < 60_000
