"""The report of a comparison: the sentence at the top, the tables, and hostile texts."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.runs import RunScores
from evaluation.reports.comparison import conclusion, describe_comparison, details, headline
from evaluation.reports.how_sure import statistics
from evaluation.reports.markdown import to_markdown
from evaluation.reports.ranking import describe_ranking
from evaluation.reports.terminal import to_terminal
from evaluation.statistics.scenario_scores import MISSING
from evaluation.summary.columns import Key
from evaluation.text.page import WIDTH
from evaluation.text.safe_text import width
from tests.evaluation.comparison.examples import (
    COMPONENTS,
    OVERALL,
    SUITE,
    Answers,
    answered_run,
    overall_run,
    run_of,
    scenario,
    spec,
)

HOSTILE = "v3\x1b[31m\n\u202eevil|`<script>` @everyone [x](http://evil.test)" + "界" * 60
CATEGORIES = ("crisis", "talk")


def two_runs(shifts: dict[str, float], *, crisis: float = 0.0, gaps: int = 0, name: str = "v3") -> list[RunScores]:
    """80 scenarios, half of them `crisis`, where trust moves by `crisis` too."""
    rng = np.random.default_rng(2)
    place = [scenario(number, category=CATEGORIES[number % 2]) for number in range(80)]
    runs = []
    for version, label in ((2, "v2"), (3, name)):
        columns: dict[Key, list[float]] = {}
        total = np.zeros(80)
        for metric, weight in (SUITE.weights or {}).items():
            values = 0.7 + rng.normal(0, 0.03, 80)
            if version == 3:
                values = values + shifts.get(metric, 0.0)
                if metric == "trust":
                    values = values + crisis * (np.arange(80) % 2 == 0)
            total += weight * values
            columns["heuristic", metric] = values.tolist()
        overall = total.tolist()
        if version == 3:
            overall[:gaps] = [MISSING] * gaps
        columns[OVERALL] = overall
        runs.append(run_of(columns, place, version=version, name=label))
    return runs


def compared(shifts: dict[str, float], **options: object) -> Comparison:
    return compare(*two_runs(shifts, **options), suite=SUITE)  # type: ignore[arg-type]


class TestHeadline:
    def test_better_with_what_carried_it_and_what_suffered(self) -> None:
        found = compared({"warmth": 0.1}, crisis=-0.06)
        text = headline(found)
        counts = r"higher in \d\d of 80 scenarios and lower in \d"
        assert re.fullmatch(rf"v3 is better than v2: {counts}, above all in warmth; worse on trust", text)
        figures = r"\+0\.04\d overall \(95% CI \+0\.0\d\d to \+0\.0\d\d\)"
        assert re.fullmatch(f"v3 is better than v2: {figures}", conclusion(found))
        assert "lower on trust in crisis scenarios (described, not tested)" in details(found)
        first, second = statistics(found)[:2]
        assert re.fullmatch(figures, first)
        assert re.fullmatch(r"this set-up could detect differences of 0\.0\d\d", second)

    def test_worse(self) -> None:
        text = headline(compared({"warmth": -0.1, "clarity": 0.06}))
        assert re.match(r"v3 is worse than v2: lower in \d\d of 80 scenarios and higher in \d+", text)
        assert "above all in warmth; better on clarity" in text

    def test_equivalent_names_its_margin_and_the_90_percent_interval(self) -> None:
        found = compare(overall_run([0.5] * 90), overall_run([0.5] * 90, version=2), suite=SUITE)
        assert headline(found) == "v2 and v1 are equivalent within 0.02: equal in all 90 scenarios"
        for text in (conclusion(found), statistics(found)[0]):
            assert "90% CI" in text
            assert "bounds -0.016 to +0.016" in text

    def test_inconclusive(self) -> None:
        runs = [overall_run(values, version=version) for version, values in ((2, [0.5] * 12), (3, [0.2, 0.8] * 6))]
        found = compare(*runs, suite=SUITE)
        assert headline(found) == "v3 cannot be distinguished from v2: higher in 6 of 12 scenarios and lower in 6"
        assert conclusion(found).startswith("v3 cannot be distinguished from v2: 0.000 overall (95% CI -0.")

    def test_too_few(self) -> None:
        runs = [overall_run([0.5, 0.6] * 3, version=2), overall_run([0.7, 0.9] * 3, version=3)]
        text = headline(compare(*runs, suite=SUITE))
        assert text == "TOO FEW SCENARIOS TO DECIDE (6 situations, 10 needed): v3 against v2"
        page = " ".join(to_terminal(describe_comparison(compare(*runs, suite=SUITE))).split())
        assert page.startswith(f"{text} - so far: +0.250 over")
        assert not re.search("better|worse|equivalent", page)

    def test_no_pairs(self) -> None:
        found = compare(overall_run([MISSING] * 12, version=2), overall_run([0.5] * 12, version=3), suite=SUITE)
        assert headline(found) == "NO VERDICT on v3 against v2: no exchange has an overall in both runs"

    def test_identical_runs(self) -> None:
        found = compare(overall_run([0.5] * 12, version=2), overall_run([0.5] * 12, version=3), suite=SUITE)
        assert headline(found).endswith(": equal in all 12 scenarios")
        assert statistics(found)[1] == "nothing varied: any difference would have been found"


class TestReport:
    def test_starts_with_the_headline_and_says_what_is_missing(self) -> None:
        found = compared({"warmth": 0.1}, gaps=2)
        report = describe_comparison(found, notes=("v2: the run of 2026-01-03",), files=("runs/r/comparison.json",))
        page = to_terminal(report)
        assert page.startswith("v3 is better than v2: ")
        assert all(width(line) <= WIDTH for line in page.splitlines())
        assert "note: v2: the run of 2026-01-03" in page
        assert re.search(r"^overall .* higher\n +98%: [+-]0\.\d+ to [+-]0\.\d+\n", page, re.MULTILINE)
        said = " ".join(page.split())
        assert "100% of the pairs of exchanges have a value in both runs; the differences rest on these" in said
        assert "where another share has one, it stands with the difference" in said
        assert "observed differences under 0.0" in page
        assert page.endswith("v3: run run-3\nruns/r/comparison.json\n")
        written = to_markdown(report)
        assert re.match(r"## Better\n\n\+0\.0.* · 78 scenarios\n\n`v3` is better than `v2`: higher in 7", written)
        assert "<details>\n<summary>Statistics</summary>\n\n- +0.0" in written
        short = to_terminal(report, short=True)
        assert re.search(r"^  - \+0\.\d+ overall \(95% CI \S+ to \S+\); p <0\.001$", short, re.MULTILINE)
        assert "sign-flip" not in short and "sign-flip" in page

    def test_the_row_of_the_overall(self) -> None:
        # Ten times +0.1 and nine times +0.12: mean 0.10947, SD 0.01026, SE 0.002354, times t(0.975, 18) = 2.1009.
        base = overall_run([0.5] * 20, version=2)
        candidate = overall_run([MISSING, *[0.6, 0.62] * 9, 0.6], version=3)
        page = to_markdown(describe_comparison(compare(base, candidate, suite=SUITE)))
        assert "95% of the pairs of exchanges have a value in both runs; the differences rest on these, and" in page
        row = next(line for line in page.splitlines() if line.startswith("| **overall**"))
        assert row.startswith("| **overall** | 0.50 | 0.61 | +0.109 [+0.105, +0.114] | ")
        assert row.endswith("| higher | <0.001 | - | tested, uncorrected |")

    def test_each_row_says_whether_it_is_tested(self) -> None:
        base, candidate = (
            answered_run(Answers([0.6 + shift + 0.01 * (number % 7) for number in range(20)], judged=True), version=v)
            for v, shift in ((2, 0.0), (3, 0.1))
        )
        lines = to_terminal(describe_comparison(compare(base, candidate, suite=SUITE))).splitlines()
        rows = [line for line in lines if re.match(rf"(overall|{'|'.join(COMPONENTS)}) +\d", line)]
        assert rows[0].endswith("higher")
        assert sum(line.endswith("(descr.)") for line in rows) == 2
        assert any(line.startswith("  - 3 components: called at 5% after Holm") for line in lines)

    def test_forced_and_rehearsal_stand_above_everything(self) -> None:
        base, candidate = two_runs({"warmth": 0.1})
        other = replace(candidate, spec=spec(3, model="model-b", endpoint="rehearsal@1"))
        page = to_terminal(describe_comparison(compare(base, other, suite=SUITE, force=True)))
        first, second = page.splitlines()[:2]
        assert first.startswith("!! REHEARSAL MODEL")
        assert second.startswith("!! FORCED")
        assert 'model "model-a" / "model-b"' in page

    @pytest.mark.parametrize("passed", [True, False])
    def test_the_gate_and_its_reasons(self, passed: bool) -> None:
        report = describe_comparison(compared({}), gate=RegressionResult(passed, ("because of this",)))
        answer = "passed" if passed else "FAILED"
        assert f"\ngate no_regression: {answer}\n  - because of this" in to_terminal(report)
        assert f"### gate `no_regression`: {answer}\n\n- because of this" in to_markdown(report)

    def test_hostile_names_have_no_effect(self) -> None:
        report = describe_comparison(compared({"warmth": 0.1}, name=HOSTILE), notes=(HOSTILE,))
        page = to_terminal(report)
        assert "\x1b" not in page and "\u202e" not in page
        assert all(width(line) <= WIDTH for line in page.splitlines())
        for line in to_markdown(report).splitlines():
            bare = "".join(line.split("`")[::2])
            assert not any(mark in bare for mark in ("<script", "<img", "@everyone", "](http"))

    def test_categories_are_called_descriptive(self) -> None:
        place = [scenario(number, category=CATEGORIES[number % 2]) for number in range(24)]
        runs = [run_of({OVERALL: [value] * 24}, place, version=version) for version, value in ((1, 0.5), (2, 0.6))]
        page = to_markdown(describe_comparison(compare(*runs, suite=SUITE)))
        assert "<summary>By category (descriptive, not tested)</summary>" in page
        assert "| `crisis` | 0.50 | 0.60 | +0.100 [+0.100, +0.100] | (descr.) 12 sc. | <0.001 | - |" in page

    def test_nothing_in_common(self) -> None:
        found = compare(overall_run([MISSING] * 3), overall_run([MISSING] * 3, version=2), suite=SUITE)
        assert to_terminal(describe_comparison(found)).startswith("NO VERDICT on v2 against v1: no")


class TestRanking:
    def ranking(self, count: int = 3, name: str = "") -> Ranking:
        rng = np.random.default_rng(1)
        runs = [
            answered_run(
                Answers((0.4 + 0.2 * (version > 1) + rng.normal(0, 0.05, 30)).tolist()),
                version=version,
                name=name and f"{name}{version}",
            )
            for version in range(1, count + 1)
        ]
        return rank(runs, suite=SUITE)

    def test_order_matrix_and_groups(self) -> None:
        page = to_terminal(describe_ranking(self.ranking()))
        assert "cannot be distinguished: v2, v3" in page or "cannot be distinguished: v3, v2" in page
        assert re.search(r"^#3 +v1 +0\.4\d \[0\.\d\d, 0\.\d\d\] +100% ", page, re.MULTILINE)
        assert "corrected together by Holm" in page
        assert len(re.findall(r"^#\d v\d +#3 v1 +\+0\.\d+ \[.*\] better$", page, re.MULTILINE)) == 2

    def test_many_runs_and_hostile_names_fit(self) -> None:
        page = to_terminal(describe_ranking(self.ranking(9, HOSTILE)))
        assert all(width(line) <= WIDTH for line in page.splitlines())
        assert "\x1b" not in page


class TestNothingTested:
    @pytest.mark.parametrize(
        ("count", "line"),
        [
            (1, "overall: the primary metric, not tested and no interval: 1 situation, at least 10 are needed"),
            (4, "overall: the primary metric, not tested: 4 situations, at least 10 are needed"),
        ],
    )
    def test_few_situations(self, count: int, line: str) -> None:
        runs = [
            answered_run(Answers([0.5 + 0.1 * version + 0.01 * place for place in range(count)]), version=version)
            for version in (1, 2)
        ]
        page = " ".join(to_terminal(describe_comparison(compare(*runs, suite=SUITE))).split())
        assert line in page
        assert "3 components: not tested, fewer than 10 situations" in page
        assert "tested at 5%" not in page and "differences of 0.000" not in page
        table = " ".join(to_terminal(describe_ranking(rank(runs, suite=SUITE))).split())
        assert "1 pair: nothing is tested below 10 situations with values in both runs" in table
        assert "0.000 could" not in table

    def test_ten_situations_are_tested(self) -> None:
        runs = [overall_run([0.5, 0.5 + 0.1 * version] * 5, version=version) for version in (1, 2)]
        page = to_terminal(describe_comparison(compare(*runs, suite=SUITE)))
        assert "overall: the primary metric, tested at 5%" in page

    def test_headers_that_would_be_cut_to_the_same(self) -> None:
        runs = [overall_run([0.5] * 12, version=v, name=f"penpal-companion v{v}") for v in (1, 2)]
        page = to_terminal(describe_comparison(compare(*runs, suite=SUITE)))
        assert re.search(r"^heuristic +base +candidate ", page, re.MULTILINE)
        pair = compare(overall_run([0.5] * 12), overall_run([0.5] * 12, version=2), suite=SUITE)
        short = to_terminal(describe_comparison(pair))
        assert re.search(r"^heuristic +v1 +v2 ", short, re.MULTILINE)
