"""Two runs under their users' mix: differences by hand, the error of the shares, and the verdict beside the set's."""

import math
import random

import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.document import comparison_document
from evaluation.comparison.mix import MixDifferences
from evaluation.decision.mix import PlacedMix
from evaluation.mix.mix import Mix
from evaluation.reports.comparison import describe_comparison
from evaluation.reports.markdown import to_markdown
from tests.evaluation.comparison.examples import OVERALL, SUITE, run_of, scenarios_of
from tests.evaluation.mix.examples import mix

SET = scenarios_of(40, ("talk", "grief"))
GAIN, LOSS = 0.2, -0.1


def gained(at: int, luck: random.Random) -> float:
    """Scenarios of talk gain, those of grief lose."""
    return (GAIN if at % 2 == 0 else LOSS) + luck.uniform(-0.02, 0.02)


def compared(users: Mix | None) -> Comparison:
    luck = random.Random(5)
    before = [0.5] * len(SET)
    after = [value + gained(at, luck) for at, value in enumerate(before)]
    runs = [run_of({OVERALL: values}, SET, version=at) for at, values in enumerate((before, after), start=1)]
    placed = None if users is None else PlacedMix("mix.yaml", users)
    return compare(*runs, suite=SUITE, mix=placed)


def under(users: Mix) -> tuple[Comparison, MixDifferences]:
    found = compared(users)
    assert found.mix is not None and isinstance(found.mix.found, MixDifferences)
    return found, found.mix.found


def test_the_set_gets_better_and_its_users_get_worse() -> None:
    found, mixed = under(mix({"talk": 0.1, "grief": 0.9}))
    assert (found.verdict, mixed.verdict) == ("better", "worse")
    row = mixed.primary(found.source, found.overall)
    assert row is not None and row.estimate.difference == pytest.approx(0.1 * GAIN + 0.9 * LOSS, abs=0.01)
    assert row.estimate.wins == 20 and row.components is None and row.need is None


def test_the_error_of_the_shares_widens_interval_test_and_bound() -> None:
    errors, tests, lower_ends, bounds = [], [], [], []
    for independent in (None, 30.0):
        found, mixed = under(mix({"talk": 0.5, "grief": 0.5}, independent=independent))
        row = mixed.primary(found.source, found.overall)
        assert row is not None and row.estimate.se is not None and row.bound is not None
        assert row.estimate.p_t is not None and row.estimate.ci95 is not None
        errors.append(row.estimate.se)
        tests.append(row.estimate.p_t)
        lower_ends.append(row.estimate.ci95[0])
        bounds.append(row.bound)
    added = errors[1] ** 2 - errors[0] ** 2
    assert math.sqrt(added * 30) == pytest.approx((GAIN - LOSS) / 2, abs=0.01)
    assert bounds[1].low < bounds[0].low and bounds[1].high > bounds[0].high
    assert tests[1] > tests[0] and lower_ends[1] < lower_ends[0]


def test_a_mix_that_does_not_fit_is_refused_and_the_set_stands() -> None:
    found = compared(mix({"other": 1.0}))
    assert found.mix is not None and isinstance(found.mix.found, str)
    assert found.verdict == "better"
    assert comparison_document(found)["mix"] == {"file": "mix.yaml", "refused": found.mix.found}
    assert "by `mix.yaml` nothing is said: its scenarios have" in to_markdown(describe_comparison(found))


def test_documents_have_both_and_nothing_more_without_a_mix() -> None:
    found, mixed = under(mix({"talk": 0.1, "grief": 0.9}, uncovered=0.25))
    said = comparison_document(found)["mix"]
    assert (said["verdict"], said["by"], said["uncovered"]) == ("worse", "category", 0.2)
    row = mixed.primary(found.source, found.overall)
    assert row is not None
    assert said["metrics"][found.source][found.overall]["difference"] == row.estimate.difference
    text = to_markdown(describe_comparison(found))
    assert "the set: better; the mix of your users: worse" in text
    assert "20% of what users say is like no scenario" in text
    plain = compared(None)
    assert "mix" not in comparison_document(plain)
    assert "freedom" not in comparison_document(plain)["overall"]
    assert "mix of your users" not in to_markdown(describe_comparison(plain))
