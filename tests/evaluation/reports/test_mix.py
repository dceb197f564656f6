"""A run under its users' mix as people read it: both verdicts, what the weights rest on, and what they leave out."""

from dataclasses import replace

import pytest

from evaluation.comparison.compare import compare
from evaluation.decision.decide import Decision, decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.mix import MixOutcome, PlacedMix, outcome_under
from evaluation.mix.mix import Mix, Origin
from evaluation.reports.found_mix import describe_found_mix
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from evaluation.summary.columns import Columns
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.made_runs import JUDGED, made_outcome, suite
from tests.evaluation.mix.examples import mix
from tests.evaluation.reports.html.pages import compared, known_plan, known_results, run_page

USERS = mix(
    {"upset": 0.6, "small_talk": 0.2},
    uncovered=0.2,
    responses=366,
    users=40,
    independent=212.0,
    origin=Origin("<b>sample</b>", "penpal", "2026-11-16T00:00", "2026-11-30T00:00"),
)


def outcome_of(users: Mix) -> tuple[MixOutcome, Summary]:
    columns = Columns(suite(), known_plan(), 1, JUDGED)
    summary = summarise(known_results(), columns, run_id="r1", prompt=None)

    def decide_on(weighted: Summary) -> Decision:
        return with_first_line(decide(weighted, suite()), weighted)

    return outcome_under(PlacedMix("<i>mix</i>.yaml", users), summary, columns, decide_on), summary


def said(users: Mix, *, short: bool) -> str:
    outcome, summary = outcome_of(users)
    made = made_outcome(summary, known_plan(), mix=outcome)
    return " ".join(to_terminal(describe_run(made), color=False, short=short).split())


def test_both_verdicts_and_what_is_like_no_scenario_fit_a_screen() -> None:
    short = said(USERS, short=True)
    assert "the set: " in short and "; the mix of your users: " in short
    assert "20% of what users say is like no scenario: over everything the overall may lie in [" in short
    assert "worth" not in short


def test_the_whole_report_says_what_the_weights_rest_on() -> None:
    whole = said(USERS, short=False)
    assert "from 366 responses of 40 users, 2026-11-16 to 2026-11-30, worth 212 independent ones" in whole
    assert "24 situations count like" in whole
    assert "every gate holds the set" in whole
    assert "they are taken as exact" in said(replace(USERS, independent=None), short=False)


def test_a_refusal_is_one_sentence() -> None:
    assert "nothing is said: its scenarios have the categories of 0%" in said(mix({"other": 1.0}), short=True)


@pytest.mark.parametrize("users", [USERS, mix({"other": 1.0})])
def test_the_page_of_a_run_has_it_and_no_markup_of_others(users: Mix) -> None:
    page = run_page(known_results(), known_plan(), mix=outcome_of(users)[0])
    assert '<section id="mix"' in page and 'href="#mix"' in page
    assert "&lt;i&gt;mix&lt;/i&gt;.yaml" in page and "<i>mix" not in page
    assert '<section id="mix"' not in run_page(known_results(), known_plan())


def test_the_page_of_a_comparison_has_it() -> None:
    base, candidate = overall_run([0.5] * 24), overall_run([0.6] * 24, version=2)
    found = compare(base, candidate, suite=SUITE, mix=PlacedMix("mix.yaml", mix({"talk": 1.0})))
    page = compared(found)
    assert '<section id="mix"' in page and "the set: better; the mix of your users: better" in page


def test_a_mix_that_was_found_stands_beside_the_set() -> None:
    text = to_terminal(describe_found_mix(USERS, known_plan(), ["hello\x1b[31m there"], "mix.yaml"), color=False)
    words = " ".join(text.split())
    assert "20% of what users say is like no scenario" in words
    assert "upset 60% 33%" in words
    assert "\x1b" not in text and "hello" in text
    assert 'make eval ARGS="--mix mix.yaml"' in text
