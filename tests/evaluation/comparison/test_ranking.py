"""More than two runs: their order, and which of them cannot be distinguished."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.document import comparison_document, ranking_document
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import OtherDifference, Ranking, groups_of, rank
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import GateResult
from evaluation.errors import UsageError
from evaluation.reports.comparison import describe_comparison
from evaluation.reports.markdown import to_markdown
from evaluation.reports.ranking import describe_ranking, ranking_details, ranking_headline
from evaluation.reports.terminal import to_terminal
from evaluation.runspec import PromptPin, canonical_json
from evaluation.statistics.scenario_scores import MISSING
from tests.evaluation.comparison.examples import OVERALL, SUITE, Answers, answered_run, overall_run, spec


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


@pytest.mark.slow
def test_three_draws_of_one_process_are_rarely_distinguished() -> None:
    """5% of families of three pairs: 200 families, three deviations above 10."""
    rng = np.random.default_rng(8)
    differing = 0
    for _ in range(200):
        runs = [overall_run(rng.beta(8, 2, 20).tolist(), version=version) for version in (1, 2, 3)]
        differing += any(pair.verdict in ("better", "worse") for pair in rank(runs, suite=SUITE).pairs)
    assert differing <= 19


def test_few_situations_distinguish_nothing() -> None:
    found = ranked(0.2, 0.9, count=9)
    assert found.pairs[0].verdict is None
    assert found.groups == ((0, 1),)
    assert ranking_headline(found) == "TOO FEW SCENARIOS TO DECIDE (9 situations, 10 needed): v2, v1"
    document: Any = ranking_document(found, ranking_headline(found))
    assert document["code"] == "too_few_scenarios"
    assert [pair["verdict"] for pair in document["pairs"]] == ["none"]
    assert "cannot be distinguished" not in to_terminal(describe_ranking(found))


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
    ("count", "distinguished", "groups"),
    [
        (3, set(), ((0, 1, 2),)),
        (3, {(0, 2)}, ((0, 1), (1, 2))),
        (3, {(0, 1), (0, 2)}, ((0,), (1, 2))),
        (3, {(0, 1), (0, 2), (1, 2)}, ((0,), (1,), (2,))),
        # 0-3 and 1-2 apart: a square of four pairs.
        (4, {(0, 3), (1, 2)}, ((0, 1), (0, 2), (1, 3), (2, 3))),
    ],
)
def test_groups_by_hand(count: int, distinguished: set[tuple[int, int]], groups: tuple[tuple[int, ...], ...]) -> None:
    assert groups_of(count, distinguished) == groups


def test_groups_against_all_subsets() -> None:
    """Every largest set without a distinguished pair, found by trying all 2^6 subsets."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        apart = {(a, b) for a in range(6) for b in range(a + 1, 6) if rng.random() < 0.4}
        subsets = [frozenset(place for place in range(6) if bits >> place & 1) for bits in range(1, 64)]
        free = [subset for subset in subsets if not any({a, b} <= subset for a, b in apart)]
        largest = {tuple(sorted(one)) for one in free if not any(one < other for other in free)}
        assert set(groups_of(6, apart)) == largest


class TestGaps:
    def with_gaps(
        self, levels: tuple[float, ...], gaps: int, *, spread: float = 0.0, count: int = 20, **options: object
    ) -> Ranking:
        """So many situations a run; the first run lacks its first values."""
        runs = [
            overall_run([level + spread * (place % 2) for place in range(count)], version=version)
            for version, level in enumerate(levels, start=1)
        ]
        values = list(runs[0].columns[OVERALL])
        runs[0] = replace(runs[0], columns={OVERALL: [MISSING] * gaps + values[gaps:]})
        return rank(runs, suite=SUITE, **options)  # type: ignore[arg-type]

    def test_the_best_is_not_called_when_missing_pairs_could_overturn_it(self) -> None:
        # Nineteen times +0.05; the missing one between 0 - 0.5 and 1 - 0.5: 0.0475 - 0.025 stays above 0, and with two
        # missing 0.045 - 0.05 does not.
        sure, open_ = (self.with_gaps((0.55, 0.5), gaps) for gaps in (1, 2))
        assert sure.best() == 0 and not sure.pairs[0].overturnable
        assert open_.pairs[0].verdict == "better" and open_.pairs[0].overturnable
        assert open_.best() is None
        assert ranking_headline(open_) == "none of 2 is shown to beat all others; not beaten: v1"
        line = next(text for text in ranking_details(open_) if "coverage" in text)
        assert line == (
            "#1 v1 minus #2 v2: coverage 90%, the missing pairs leave -0.005 to +0.095 possible: "
            "the missing pairs could turn the difference around"
        )
        pair = ranking_document(open_)["pairs"][0]
        assert (pair["overturnable"], pair["coverage"]) == (True, 0.9)
        assert pair["bounds"] == pytest.approx((-0.005, 0.095))

    def test_equal_within_the_margin_unless_gaps_lead_beyond_it(self) -> None:
        found = self.with_gaps((0.5, 0.5), 4, count=80)
        assert found.pairs[0].verdict == "equivalent" and found.pairs[0].overturnable
        assert any(text.endswith("could take the difference beyond the margin") for text in ranking_details(found))
        assert not self.with_gaps((0.5, 0.5), 4, count=80, margin=0.03).pairs[0].overturnable
        assert not self.with_gaps((0.5, 0.5), 0, count=80).pairs[0].overturnable

    def test_no_data_is_neither_alike_nor_unbeaten(self) -> None:
        found = self.with_gaps((0.9, 0.5, 0.5), 20)
        assert names(found) == ["v2", "v3", "v1"]
        assert found.unbeaten() == [0, 1]
        assert found.groups == ((0, 1), (2,))
        assert ranking_headline(found) == "none of v2, v3 can be distinguished from another"
        details = ranking_details(found)
        assert "cannot be distinguished: v2, v3" in details
        assert "no data: v1 shares no exchange with a value with any other run" in details
        pairs = ranking_document(found)["pairs"]
        assert [pair["no_data"] for pair in pairs] == [False, True, True]

    def test_a_pair_of_disjoint_runs_has_no_data(self) -> None:
        halves = [[0.5] * 12 + [MISSING] * 12, [MISSING] * 12 + [0.5] * 12, [0.5] * 24]
        runs = [overall_run(values, version=version) for version, values in enumerate(halves, start=1)]
        found = rank(runs, suite=SUITE)
        first, second = (names(found).index(name) for name in ("v1", "v2"))
        assert found.pair(first, second).no_data
        assert not any({first, second} <= set(group) for group in found.groups)
        assert f"no data: #{first + 1} v1 and #{second + 1} v2 share no exchange with a value" in ranking_details(found)

    def test_many_gaps_are_counted_and_not_listed(self) -> None:
        values = [*[MISSING] * 8, *[0.5] * 160]
        runs = [overall_run(values, version=version) for version in range(1, 8)]
        details = [text for text in ranking_details(rank(runs, suite=SUITE)) if "gaps" in text or "coverage" in text]
        assert len(details) == 13
        assert details[-1] == "9 further pairs with gaps, which put the verdict at stake in 9"


class TestForced:
    def test_other_sources_are_refused_or_named(self) -> None:
        values = [0.5 + 0.01 * number for number in range(12)]
        runs = [
            answered_run(Answers(values), version=1, judge=None),
            answered_run(Answers(values, judged=True), version=2, judge=None),
        ]
        with pytest.raises(UsageError, match="run-1 and run-2: one is decided by heuristic, the other by combined"):
            rank(runs, suite=SUITE)
        found = rank(runs, suite=SUITE, force=True)
        assert found.forced
        leaf = ("deciding source", '"heuristic"', '"combined"')
        assert found.others == (OtherDifference("run-2", "run-1", leaf),)
        pair = compare(*runs, suite=SUITE, force=True)
        assert pair.others == (leaf,)
        assert comparison_document(pair)["other_differences"] == [
            {"part": "deciding source", "base": '"heuristic"', "candidate": '"combined"'}
        ]

    def test_what_differs_is_said_of_each_run_against_the_first(self) -> None:
        runs = [overall_run([0.5] * 12, version=version) for version in (1, 2, 3)]
        runs[2] = replace(runs[2], spec=spec(3, model="model-b"))
        found = rank(runs, suite=SUITE, force=True)
        line = 'also differs: model "model-a" / "model-b" (v1 / v3)'
        assert line in ranking_details(found)
        assert line in " ".join(to_terminal(describe_ranking(found)).split())
        assert "also differs: model " in to_markdown(describe_ranking(found))
        assert ranking_document(found)["other_differences"] == [
            {"run_id": "run-3", "against": "run-1", "part": "model", "base": '"model-a"', "run": '"model-b"'}
        ]


@pytest.mark.parametrize("gate", [RegressionResult(False, ("because",)), GateResult("deploy", False, ("because",))])
def test_any_gate_and_notes_are_carried(gate: RegressionResult | GateResult) -> None:
    found = ranked(0.5, 0.8)
    document = ranking_document(found, gate=gate, notes=("a note",))
    assert document["gate"] == asdict(gate)
    assert document["notes"][-1] == "a note"
    assert "FAILED\n\n- because" in to_markdown(describe_ranking(found, gate=gate))
    assert f"gate {gate.gate}: FAILED\n  - because" in to_terminal(describe_ranking(found, gate=gate))
    pair = compare(overall_run([0.5] * 12), overall_run([0.5] * 12, version=2), suite=SUITE)
    document = comparison_document(pair, gate, notes=("a note",))
    assert document["gate"] == asdict(gate) and document["notes"][-1] == "a note"
    assert "FAILED\n\n- because" in to_markdown(describe_comparison(pair, gate=gate))
    assert f"gate {gate.gate}: FAILED\n  - because" in to_terminal(describe_comparison(pair, gate=gate))


def test_a_ranking_on_another_metric_as_one_of_a_family() -> None:
    alone, one_of_six = ranked(0.5, 0.53, metric="warmth"), ranked(0.5, 0.53, metric="warmth", family=6)
    assert alone.overall == one_of_six.overall == "warmth"
    pair, corrected = alone.pair(0, 1).row, one_of_six.pair(0, 1).row
    assert pair.metric == "warmth" and pair.estimate == corrected.estimate
    assert pair.p_adjusted is not None and corrected.p_adjusted is not None
    assert corrected.p_adjusted == pytest.approx(min(1.0, 6 * pair.p_adjusted))
    assert one_of_six.level == pytest.approx(alone.level / 6)
    assert pair.detectable is not None and corrected.detectable is not None
    assert corrected.detectable > pair.detectable


def judged_runs(*means: float) -> list[RunScores]:
    rng = np.random.default_rng(7)
    return [
        answered_run(Answers((mean + rng.normal(0, 0.05, 30)).tolist(), judged=True), version=version)
        for version, mean in enumerate(means, start=1)
    ]


def test_nothing_is_said_of_a_run_whose_judge_is_unfit() -> None:
    """It is neither distinguished from others nor the same as they are, and no headline stands on it."""
    runs = judged_runs(0.5, 0.8, 0.6)
    runs[1] = replace(runs[1], judge_fit=False, judge_problem="the judge is unfit: it failed 1 of 8")
    found = rank(runs, suite=SUITE)
    assert names(found) == ["v2", "v3", "v1"]
    assert (found.best(), found.unbeaten(), found.groups) == (None, [1], ((0,), (1,), (2,)))
    assert ranking_headline(found) == "NO VERDICT on v2: the judge is unfit; of the others, not beaten: v3"
    of_two = rank(runs[:2], suite=SUITE)
    assert ranking_headline(of_two) == "NO VERDICT on v2: the judge is unfit"
    assert "cannot be distinguished" not in " ".join(ranking_details(of_two))


def test_a_change_of_the_judging_model_is_noted_between_runs_of_one_name_too() -> None:
    runs = [
        replace(run, name="v1", judged_by=(f"judge-{year}",))
        for run, year in zip(judged_runs(0.5, 0.6, 0.7), (2025, 2026, 2026), strict=True)
    ]
    found = rank(runs, suite=SUITE, force=True)
    assert "other models judged: judge-2026 for v1 (run-3), judge-2026 for v1 (run-2), judge-2025 for v1 (run-1)" in (
        found.notes
    )
