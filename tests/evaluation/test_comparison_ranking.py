"""More than two runs: their order, and which of them cannot be told apart."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.comparison_document import ranking_document
from evaluation.comparison_ranking import Ranking, groups_of, rank
from evaluation.errors import UsageError
from evaluation.reports.comparison_wording import ranking_headline
from evaluation.runspec import PromptPin, canonical_json
from evaluation.statistics.clusters import MISSING
from tests.evaluation.comparison_examples import SUITE, Answers, answered_run, overall_run, spec


def ranked(*means: float, count: int = 30, noise: float = 0.05, **options: object) -> Ranking:
    """Runs around these means; the version of each is its number."""
    rng = np.random.default_rng(7)
    runs = [
        answered_run(Answers((mean + rng.normal(0, noise, count)).tolist()), version=version)
        for version, mean in enumerate(means, start=1)
    ]
    return rank(runs, suite=SUITE, **options)  # type: ignore[arg-type]


def names(found: Ranking) -> list[str]:
    return [run.name for run in found.runs]


def test_one_version_under_two_numbers() -> None:
    """Three versions, the third of them the second again: its own draws, its own number, the same text."""
    rng = np.random.default_rng(3)
    levels = [0.5, 0.6, 0.6]
    runs = [
        answered_run(Answers((level + rng.normal(0, 0.05, 40)).tolist()), version=version)
        for version, level in enumerate(levels, start=1)
    ]
    runs[2] = replace(runs[2], spec=spec(3, judge=None, prompt=PromptPin("penpal", 3, None, f"{2:064d}", "directory")))
    found = rank(runs, suite=SUITE)
    assert sorted(names(found)[:2]) == ["v2", "v3"]
    assert names(found)[2] == "v1"
    assert found.groups == ((0, 1), (2,))
    assert found.pair(0, 1).verdict in ("equivalent", "inconclusive")
    assert found.pair(2, 0).verdict == "better"
    assert found.best() is None
    assert found.unbeaten() == [0, 1]
    assert any("hold the same text" in note for note in found.notes)
    assert "not beaten" in ranking_headline(found)


def test_the_best_beats_every_other() -> None:
    found = ranked(0.5, 0.8, 0.6)
    assert names(found) == ["v2", "v3", "v1"]
    assert found.best() == 0
    assert found.groups == ((0,), (1,), (2,))
    assert ranking_headline(found) == "v2 is the best of 3"
    assert found.pair(0, 2).row.estimate.difference == pytest.approx(0.3, abs=0.05)


def test_pairs_are_corrected_together() -> None:
    found = ranked(0.5, 0.52, 0.54, 0.56)
    assert len(found.pairs) == 6
    assert found.level == pytest.approx(0.05 / 6)
    smallest = min(found.pairs, key=lambda pair: pair.row.estimate.p or 1.0)
    assert smallest.row.p_adjusted == pytest.approx(min(1.0, 6 * (smallest.row.estimate.p or 1.0)))
    for pair in found.pairs:
        assert (pair.verdict in ("better", "worse")) == ((pair.row.p_adjusted or 1.0) <= 0.05)


def test_three_draws_of_one_process_are_rarely_told_apart() -> None:
    """5% of families of three pairs: 200 families, three deviations above 10."""
    rng = np.random.default_rng(8)
    told = 0
    for _ in range(200):
        runs = [overall_run(rng.beta(8, 2, 20).tolist(), version=version) for version in (1, 2, 3)]
        told += any(pair.verdict in ("better", "worse") for pair in rank(runs, suite=SUITE).pairs)
    assert told <= 19


def test_few_situations_tell_nothing_apart() -> None:
    found = ranked(0.2, 0.9, count=9)
    assert found.pairs[0].verdict is None
    assert found.groups == ((0, 1),)
    assert ranking_headline(found).startswith("no verdict")


def test_a_run_without_values_comes_last() -> None:
    runs = [overall_run([MISSING] * 12), overall_run([0.5] * 12, version=2), overall_run([0.6] * 12, version=3)]
    found = rank(runs, suite=SUITE)
    assert names(found) == ["v3", "v2", "v1"]
    assert found.pair(0, 2).verdict is None
    assert found.best() is None
    assert canonical_json(ranking_document(found))


def test_runs_that_differ_otherwise_are_refused_or_marked() -> None:
    runs = [overall_run([0.5] * 12), overall_run([0.6] * 12, version=2)]
    runs[1] = replace(runs[1], spec=spec(2, model="model-b"))
    with pytest.raises(UsageError, match="model"):
        rank(runs, suite=SUITE)
    assert rank(runs, suite=SUITE, force=True).forced


def test_by_temperature() -> None:
    runs = [
        replace(
            overall_run([0.5 + 0.1 * place] * 12, name=f"t{place}"),
            run_id=f"run-t{place}",
            spec=spec(1, parameters={"temperature": 0.3 * place, "max_tokens": 300}),
        )
        for place in range(3)
    ]
    found = rank(runs, suite=SUITE, by=("temperature",))
    assert found.by == ("parameters.temperature",)
    assert names(found) == ["t2", "t1", "t0"]


def test_one_run_is_no_ranking() -> None:
    with pytest.raises(UsageError, match="at least 2 runs"):
        rank([overall_run([0.5] * 12)], suite=SUITE)


def test_the_document_names_runs_by_id() -> None:
    document = ranking_document(ranked(0.5, 0.8))
    assert canonical_json(document)
    assert document["best"] == "run-2"
    assert document["pairs"][0]["run_id"] == "run-2"
    assert document["pairs"][0]["against"] == "run-1"
    assert document["groups"] == [["run-2"], ["run-1"]]


@pytest.mark.parametrize(
    ("count", "told_apart", "groups"),
    [
        (3, set(), ((0, 1, 2),)),
        (3, {(0, 2)}, ((0, 1), (1, 2))),
        (3, {(0, 1), (0, 2)}, ((0,), (1, 2))),
        (3, {(0, 1), (0, 2), (1, 2)}, ((0,), (1,), (2,))),
        # 0-3 and 1-2 apart: a square of four pairs.
        (4, {(0, 3), (1, 2)}, ((0, 1), (0, 2), (1, 3), (2, 3))),
    ],
)
def test_groups_by_hand(count: int, told_apart: set[tuple[int, int]], groups: tuple[tuple[int, ...], ...]) -> None:
    assert groups_of(count, told_apart) == groups


def test_groups_against_all_subsets() -> None:
    """Every largest set without a told-apart pair, found by trying all 2^6 subsets."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        apart = {(a, b) for a in range(6) for b in range(a + 1, 6) if rng.random() < 0.4}
        subsets = [frozenset(place for place in range(6) if bits >> place & 1) for bits in range(1, 64)]
        free = [subset for subset in subsets if not any({a, b} <= subset for a, b in apart)]
        largest = {tuple(sorted(one)) for one in free if not any(one < other for other in free)}
        assert set(groups_of(6, apart)) == largest
