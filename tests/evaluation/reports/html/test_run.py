"""The page of a run says before any script runs the same as the other reports."""

import html
import re
from dataclasses import replace

import pytest

from evaluation.decision.decide import decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.gate import StoredMean, gate
from evaluation.decision.grounds import Choice
from evaluation.records import Result, Scenario, Score
from evaluation.reports.html.run import PastRun, answer, trend_axis
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from evaluation.runspec import REHEARSAL
from evaluation.summary.counts import RunTokens, Tokens
from tests.evaluation.judging.verdicts import overall_judge
from tests.evaluation.made_runs import (
    JUDGED,
    METRICS,
    OVERALL,
    failed,
    made_outcome,
    scenario,
    scored,
    suite,
    summary_of,
)
from tests.evaluation.reports.html.pages import (
    comparison_page,
    known_page,
    known_plan,
    known_results,
    poles,
    ranking_page,
    run_page,
    side,
)


def text_of(page: str) -> str:
    """The text that is read on the page, without its data, script and styles."""
    bare = re.sub(r"<(script|style)\b[^>]*>.*?</\1>|<svg.*?</svg>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", bare)).split())


def past(number: int, **changes: object) -> PastRun:
    overall = StoredMean(mean=0.7, ci95=(0.65, 0.75), n=300, clusters=180)
    made = PastRun(f"2026-11-{number:02d} 10:00", "v2", overall, "combined", "deploy")
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_answer_comes_first_and_then_why() -> None:
    said = text_of(run_page(answered_results(), known_plan()))
    start = said.index("May this prompt go live?")
    assert said[start:].startswith("May this prompt go live? Perhaps: deploy not stable 0.72 [")
    assert start < said.index("Why") < said.index("Mean and 95% interval")


def answered_results() -> list[Result]:
    """The known results, with the failed one answered as well."""
    return [scored("s02", 0.54, judge=0.54) if each.state == "failed" else each for each in known_results()]


def test_what_is_incomplete_or_too_little_gives_no_answer() -> None:
    said = text_of(known_page())
    start = said.index("May this prompt go live?")
    assert said[start:].startswith(
        "May this prompt go live? Incomplete (23 of 24 exchanges have a score, 1 failed): no verdict "
        "0.73 [0.66, 0.79] combined overall"
    )
    few = text_of(run_page(answered_results()[:9], known_plan()[:9]))
    assert "go live? Too few scenarios to decide (9 situations, 10 needed) 0." in few
    for page in (said, few):
        assert "so far: combined overall quality 0." in page
        assert not re.search(r"(?i)perhaps|stable|deploy[^a-z0]*0\.", page)


def test_every_sentence_and_figure_of_the_terminal_is_on_the_page() -> None:
    run = summary_of(known_results(), known_plan(), sources=JUDGED)
    decision = made_outcome(run, known_plan()).decision
    page = text_of(known_page())
    for reason in decision.reasons:
        assert reason in page
    terminal = to_terminal(describe_run(made_outcome(run, known_plan())))
    figures = set(re.findall(r"0\.\d\d \[0\.\d\d, 0\.\d\d\]", terminal))
    assert len(figures) > 5
    assert [figure for figure in figures if figure not in page] == []


def test_a_rehearsal_answers_nothing_about_a_prompt() -> None:
    page = text_of(run_page(answered_results(), known_plan(), spec={"endpoint": f"{REHEARSAL}1"}))
    assert "Rehearsal model: a scripted stand-in, not a language model" in page
    assert "Nothing below says anything about a real prompt." in page
    assert "Deploy not stable" in page and "Perhaps" not in page
    assert "ehearsal" not in text_of(known_page())


def test_what_could_not_be_scored_is_counted_and_shown() -> None:
    plan = [scenario(f"s{number}") for number in range(12)]
    whole = run_page([scored("s1", 0.8, judge=0.7), failed("s0")], plan)
    page = text_of(whole)
    assert "only 8% could be scored: with the rest the mean lies within [0." in page
    assert 'class="bounds"' in whole
    assert "12 planned exchanges: 1 scored, 1 failed, 0 unparsed, 10 skipped" in page
    assert "timeout 1 s0 no answer in 60 s" in page
    # Every source has the one answer: the share is said once, and no cell repeats it.
    assert "8% of the exchanges could be scored; the figures rest on these, and with the others the combined" in page
    assert "coverage 8%" not in page and "8% could be scored, with the others within" not in page
    assert "small sample" in page
    nothing = text_of(run_page([failed("s0")], plan))
    assert "no verdict: nothing was scored" in nothing and "not scored 0 of 12" in nothing


@pytest.mark.parametrize(
    ("verdict", "stable", "rehearsal", "said"),
    [
        ("deploy", True, False, "Yes: deploy"),
        ("deploy", False, False, "Perhaps: deploy"),
        ("deploy", True, True, "Deploy"),
        ("needs_revision", True, False, "Not yet: needs revision"),
        ("ab_test", True, False, "On trial: A/B test"),
        (None, False, False, "0.72 overall"),
    ],
)
def test_answers(verdict: Choice | None, stable: bool, rehearsal: bool, said: str) -> None:
    run = summary_of(answered_results(), known_plan(), sources=JUDGED)
    decision = replace(decide(run, suite()), verdict=verdict, stable=stable, judge_fit=True, code=verdict or "no_rule")
    spec = {"endpoint": f"{REHEARSAL}1"} if rehearsal else {}
    outcome = made_outcome(run, known_plan(), spec=spec, decision=with_first_line(decision, run))
    assert answer(outcome) == said


def test_a_figure_is_marked_only_where_another_share_than_the_usual_could_be_scored() -> None:
    plan = [scenario(f"s{number}", category=("calm", "upset")[number % 2]) for number in range(12)]
    whole = run_page([*(scored(item.id, 0.8, judge=0.7) for item in plan[1:]), failed("s0")], plan)
    page = text_of(whole)
    assert page.count("92% of the exchanges could be scored; the figures rest on these") == 1
    assert "where another share could, it stands with the figure" in page
    # Of the categories the one with the failure and the one without, once for each source that has both.
    assert "calm 83% could be scored, with the others within [" in page
    assert "upset 100% could be scored, with the others within [" in page
    metrics = page[page.index("Mean and 95% interval") : page.index("By category")]
    assert "could be scored, with" not in metrics
    assert 'title="83% could be scored; with the others the mean overall lies within [' in whole


def test_a_gate_and_its_reasons() -> None:
    run = summary_of(known_results(), known_plan(), sources=JUDGED)
    decision = decide(run, suite())
    page = text_of(run_page(known_results(), known_plan(), gate=gate(decision, run)))
    assert "gate deploy: FAILED" in page and "coverage of overall quality (combined) is 96%" in page


def test_another_suite_on_other_scales_without_a_decision() -> None:
    by = replace(
        suite(decision=None),
        name="chat_flow",
        low=1.0,
        high=5.0,
        judge=overall_judge(OVERALL, 3.0, 1.0, 5.0),
        levels=(),
    )
    results = [scored(f"s{number}", 3.5, judge=4.0) for number in range(12)]
    plan = [Scenario(f"s{number}", "recipes", ("hi",)) for number in range(12)]
    page = run_page(results, plan, by=by)
    said = text_of(page)
    assert "How good was it? 3.75 overall [2.52, 4.55]" in said
    assert "suite chat_flow has no decision rule" in said
    assert 'class="zone z-' not in page
    assert all(metric.replace("_", " ") in said for metric in METRICS)


def test_links_lead_to_web_pages_only() -> None:
    links = {"experiment r1": "https://cloud.example/x", "bad": "javascript:alert(1)"}
    page = run_page(known_results(), known_plan(), links=links)
    assert '<a href="https://cloud.example/x" rel="noreferrer noopener" target="_blank">experiment r1</a>' in page
    assert "bad: javascript:alert(1)" in text_of(page)
    assert 'href="javascript' not in page


def test_the_trend_marks_other_conditions_and_names_them() -> None:
    runs = [past(1, others=("rubric", "judge")), past(2), past(3, present=True)]
    page = run_page(known_results(), known_plan(), past=runs)
    assert "other rubric, judge" in text_of(page) and "this run" in text_of(page)
    assert len(re.findall(r'<g class="other ">', page)) == 1
    assert "Trend" not in text_of(run_page(known_results(), known_plan(), past=runs[2:]))


def test_points_of_a_trend() -> None:
    runs = [past(1), past(2, overall=StoredMean(mean=0.8, ci95=None, n=300, clusters=180))]
    axis = trend_axis(runs, (0.0, 1.0))
    assert axis is not None
    # Ends 0.65 to 0.80 in steps of 0.05.
    assert (round(axis.low, 9), round(axis.high, 9)) == (0.65, 0.8)
    assert poles(run_page(known_results(), known_plan(), past=runs)) == [
        ("25.00%", "33.33%", "100.00%", "66.67%"),
        ("75.00%", "0.00%", "0.00%", "0.00%"),
    ]
    assert trend_axis(runs[:1], (0.0, 1.0)) is None


def test_a_comparison_says_which_is_better_and_how_sure_that_is() -> None:
    said = text_of(comparison_page())
    assert "Is v3 better than v2? Yes: better v3 is better than v2: higher in all 20 scenarios" in said
    assert "Statistics +0.110 overall (95% CI +0.105 to +0.115)" in said
    assert "one note" in said
    assert "v3 on its own: INCOMPLETE (23 of 24 exchanges have a score, 1 failed): NO VERDICT" in said
    assert "+0.110 +0.105 to +0.115 n 20" in said


def test_a_ranking_shows_every_pair() -> None:
    said = text_of(ranking_page())
    assert "Which of 3 is the best? Ranking v3 is the best of 3." in said
    assert said.count("#1 v3") == 3  # in the ranking, and in two of three pairs
    assert "#2 v2 #3 v1" in said


def test_failed_checks_are_shown_with_their_evidence() -> None:
    plan = [scenario(f"s{number}") for number in range(12)]
    found = scored("s3", 0.8, judge=0.7)
    check = Score("dietary", "check", 0.0, "bacon in <b>Pasta</b>")
    page = run_page([replace(found, scores=(*found.scores, check))], plan)
    assert "Checks that failed" in text_of(page)
    assert "s3 user turn 1 dietary bacon in <b>Pasta</b>" in text_of(page)
    assert "Checks that failed" not in text_of(known_page())


def test_where_nothing_is_decided_the_first_screen_says_which_checks_fail() -> None:
    by = replace(suite(decision=None), target="application")
    plan = [scenario(f"s{number}") for number in range(4)]
    results = []
    for number, each in enumerate(plan):
        found = scored(each.id, 0.8, judge=0.7)
        checks = [
            Score("dietary", "check", float(number > 1)),
            Score("schema", "check", 1.0),
            Score(OVERALL, "check", float(number > 1)),
        ]
        results.append(replace(found, scores=(*checks, *found.scores)))
    shown = side(results, plan, by, ("check", *JUDGED))
    page = text_of(run_page(results, plan, by=by, shown=shown, spec={"prompt": None, "endpoint": "recipes@1"}))
    assert "recipes@1 judge j" in page
    assert "How good was it? Checks fail in 2 of 4 cases 0.75 [" in page
    assert "To know dietary passes in 0.50 of its 4 cases nothing is decided on one run" in page
    assert "(decides)" not in page
    assert page.index("dietary 0.50 [") < page.index("overall quality 0.50 [")


def test_the_first_screen_is_kept_free_of_tokens() -> None:
    run = summary_of(known_results(), known_plan(), sources=JUDGED)
    shown = side(known_results(), known_plan(), suite())
    used = replace(run, tokens=RunTokens(Tokens(3, 1200, 345, 0)))
    page = text_of(run_page(known_results(), known_plan(), shown=replace(shown, summary=used)))
    assert page.index("tokens 1,200 in / 345 out") > page.index("Manifest Run ")
