"""The comparison as Markdown: the same facts, and texts from outside in code spans."""

from dataclasses import replace

import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import rank
from evaluation.reports.comparison.markdown import comparison_markdown, ranking_markdown
from evaluation.reports.markdown import MOST_BYTES
from evaluation.statistics.clusters import MISSING
from tests.evaluation.comparison.examples import OVERALL, SUITE, overall_run, run_of, scenario, spec


def test_verdict_sentence_and_table() -> None:
    # Ten times +0.1 and nine times +0.12: mean 0.10947, SD 0.01026, SE 0.002354, times t(0.975, 18) = 2.1009: 0.00494.
    base = overall_run([0.5] * 20, version=2)
    candidate = overall_run([MISSING, *[0.6, 0.62] * 9, 0.6], version=3)
    page = comparison_markdown(compare(base, candidate, suite=SUITE), notes=("a run was reused",))
    assert page.startswith("## Better\n\n`v3` is better than `v2`: +0.109 overall (95% CI +0.105 to +0.114)")
    row = next(line for line in page.splitlines() if line.startswith("| **`overall`**"))
    assert row.startswith("| **`overall`** | 0.50 | 0.61 | +0.109 [+0.105, +0.114] | <0.001 | 95% (possible: ")
    assert row.endswith("| higher (tested, uncorrected) |")
    assert "- a run was reused" in page


def test_the_gate() -> None:
    found = compare(overall_run([0.5] * 12), overall_run([0.5] * 12, version=2), suite=SUITE)
    page = comparison_markdown(found, gate=RegressionResult(False, ("too few scenarios",)))
    assert "### gate `no_regression`: FAILED\n\n- too few scenarios" in page


def test_hostile_names_stand_in_code() -> None:
    name = "v3`|\n<img src=x> @everyone [link](http://evil.test)"
    base = overall_run([0.5] * 12)
    candidate = overall_run([0.6, 0.7] * 6, version=2, name=name)
    forced = replace(candidate, spec=spec(2, model="<b>|model"))
    page = comparison_markdown(compare(base, forced, suite=SUITE, force=True))
    for line in page.splitlines():
        bare = "".join(line.split("`")[::2])
        assert not any(mark in bare for mark in ("<img", "<b>", "@everyone", "](http"))


def test_categories_are_called_descriptive() -> None:
    place = [scenario(number, category=("crisis", "talk")[number % 2]) for number in range(24)]
    runs = [run_of({OVERALL: [value] * 24}, place, version=version) for version, value in ((1, 0.5), (2, 0.6))]
    page = comparison_markdown(compare(*runs, suite=SUITE))
    assert "### By category (descriptive, not tested)" in page
    assert "| `crisis` | 0.50 | 0.60 | +0.100 [+0.100, +0.100] | <0.001 | 100% | 12 |" in page


def test_a_ranking() -> None:
    runs = [overall_run([0.3 + 0.1 * version, 0.32 + 0.1 * version] * 6, version=version) for version in (1, 2, 3)]
    page = ranking_markdown(rank(runs, suite=SUITE))
    assert page.startswith("## Ranking of 3\n\n`v3` is the best of 3.")
    # Twelve situations that all rise alike: 2 of 4,096 sign patterns, times three pairs.
    assert "| `#1` `v3` | `#3` `v1` | +0.200 [+0.200, +0.200] | 0.001 | 100% | better |" in page


@pytest.mark.parametrize("size", [3, 400])
def test_is_bounded(size: int) -> None:
    place = [scenario(number, category=f"category-{number}-" + "x" * 300) for number in range(size)]
    runs = [run_of({OVERALL: [value] * size}, place, version=version) for version, value in ((1, 0.5), (2, 0.6))]
    page = comparison_markdown(compare(*runs, suite=SUITE), notes=("n" * 2000,) * 200)
    assert len(page.encode()) <= MOST_BYTES
    assert page.endswith("\n")
