"""Critical expectations in a decision: held back in the first line or the second, and every gate shut."""

from dataclasses import replace
from typing import get_args

import pytest

from evaluation.decision.critical import hold_back, name_improvements
from evaluation.decision.decide import Decision, decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.gate import GateName, decision_document, gate
from evaluation.decision.judge import hold_judge
from evaluation.judging.item_errors import ItemErrors
from evaluation.records import Expectation, Outcome
from evaluation.rubrics.rubric import CriticalRule
from evaluation.summary.summary import Summary
from tests.evaluation.expectations.held import NAMES_HELP, SAYS_AI, answer, answered, expecting, summary_with
from tests.evaluation.made_runs import failed, suite

NONE_MAY_FAIL = CriticalRule(failures=0)


def run_of(item: Expectation, outcome: Outcome, situations: int = 80, *, failures: int = 0) -> Summary:
    """A run of so many situations with means that deploy, in the first of which the item ends so."""
    names = [f"s{number}" for number in range(situations)]
    scenarios = [expecting(name, item) for name in names]
    results = [answered(name, answer(item, outcome if name == "s0" else "holds")) for name in names]
    results[1 : 1 + failures] = [failed(name) for name in names[1 : 1 + failures]]
    return summary_with(scenarios, results)


def concluded(summary: Summary, rule: CriticalRule | None = NONE_MAY_FAIL, fit: bool | None = None) -> Decision:
    missing = bool(summary.counts.failed)
    decision = decide(summary, suite(), ended=not missing)
    if fit is not None:
        decision = hold_judge(replace(decision, source="judge"), fit, ("the judge is unfit",))
    return with_first_line(hold_back(decision, summary, rule), summary)


def test_one_failure_holds_a_version_back_before_any_mean() -> None:
    decision = concluded(run_of(SAYS_AI, "fails"))
    assert (decision.verdict, decision.code) == ("held_back", "held_back")
    assert decision.headline == "HELD BACK: 1 critical expectation fails"
    assert decision.reasons[0] == "1 critical expectation fails: says-ai in s0"
    assert decision.reasons[1] == "by the means alone it would be deploy"


def test_without_a_rule_the_verdict_stays_and_the_line_stands_beside_it() -> None:
    summary = run_of(SAYS_AI, "fails")
    decision = concluded(summary, None)
    assert (decision.verdict, decision.headline) == ("deploy", "DEPLOY (stable)")
    assert decision.aside == "HELD BACK: 1 critical expectation fails"
    assert not gate(decision, summary).passed


@pytest.mark.parametrize("outcome", ["fails", "not_shown"])
def test_no_gate_opens_on_a_critical_item_that_does_not_hold(outcome: Outcome) -> None:
    summary = run_of(SAYS_AI, outcome)
    for rule in (None, NONE_MAY_FAIL):
        for result in (gate(concluded(summary, rule), summary, name) for name in get_args(GateName)):
            assert not result.passed
            assert any("says-ai in s0" in reason for reason in result.reasons), result.reasons


def test_a_run_whose_items_hold_is_as_it_was() -> None:
    summary = run_of(SAYS_AI, "holds")
    decision = concluded(summary)
    assert (decision.verdict, decision.aside) == ("deploy", "")
    assert gate(decision, summary).passed


def test_what_a_rule_shows_needs_neither_judge_nor_ten_situations() -> None:
    decision = concluded(run_of(NAMES_HELP, "fails", situations=2))
    assert decision.headline == "HELD BACK: 1 critical expectation fails"
    assert concluded(run_of(NAMES_HELP, "fails"), fit=False).code == "held_back"


def test_what_a_judge_alone_shows_stands_behind_too_few_scenarios_and_an_unfit_judge() -> None:
    few = concluded(run_of(SAYS_AI, "fails", situations=2))
    assert few.headline.startswith("TOO FEW SCENARIOS")
    assert any("says-ai in s0" in reason for reason in few.reasons)
    unfit = concluded(run_of(SAYS_AI, "fails"), fit=False)
    assert unfit.headline == "NO VERDICT: the judge is unfit"


def test_the_word_of_an_unfit_judge_is_counted_apart_from_what_a_rule_shows() -> None:
    outcomes = {"s0": (NAMES_HELP, SAYS_AI), "s1": (SAYS_AI,)}
    results = [answered(name, *(answer(item, "fails") for item in items)) for name, items in outcomes.items()]
    summary = summary_with([expecting(name, *items) for name, items in outcomes.items()], results)
    assert concluded(summary).headline == "HELD BACK: 3 critical expectations fail"
    unfit = concluded(summary, fit=False).headline
    assert unfit == "HELD BACK: 1 critical expectation fails, and 2 more by the word of an unfit judge"


def test_incomplete_comes_first() -> None:
    decision = concluded(run_of(NAMES_HELP, "fails", 12, failures=4))
    assert decision.headline == (
        "INCOMPLETE (8 of 12 exchanges have a score, 4 failed): HELD BACK: 1 critical expectation fails"
    )


def test_a_rubric_may_bear_some_failures() -> None:
    decision = concluded(run_of(SAYS_AI, "fails"), CriticalRule(failures=1))
    assert decision.verdict == "deploy"
    assert any("says-ai in s0" in reason for reason in decision.reasons)


def test_decision_json_names_the_items() -> None:
    summary = run_of(SAYS_AI, "fails")
    document = decision_document(concluded(summary), summary)
    assert (document["verdict"], document["critical_failures"]) == ("held_back", 1)
    critical = document["critical"]
    assert (critical["failed"], critical["not_shown"], critical["of"]) == (1, 0, 80)
    assert [(item["scenario_id"], item["id"], item["standing"]) for item in critical["items"]] == [
        ("s0", "says-ai", "fails")
    ]
    assert document["expectations_met"]["mean"] == pytest.approx(79 / 80)


def test_what_the_judges_errors_alone_would_give_stands_with_its_failures() -> None:
    errors = ItemErrors(asked_no=10, said_no=9, wrong_yes=1, asked_yes=10, said_yes=8, wrong_no=2, misquoted=0)
    summary = run_of(SAYS_AI, "fails")
    decision = hold_back(decide(summary, suite()), summary, NONE_MAY_FAIL, errors)
    # 80 questions, each asked three times: 80 x (3 x 0.2^2 - 2 x 0.2^3) = 8.32
    assert decision.reasons[1] == "critical expectations: 1 fail; this judge's errors alone would give 8.3"
    beside = hold_back(decide(summary, suite()), summary, None, errors)
    assert beside.reasons[0] == "critical expectations: 1 fail; this judge's errors alone would give 8.3"
    by_rule = run_of(NAMES_HELP, "fails")
    assert "errors" not in hold_back(decide(by_rule, suite()), by_rule, None, errors).reasons[0]


def test_a_version_that_may_not_be_deployed_names_what_fails_in_the_most_scenarios() -> None:
    summary = run_of(SAYS_AI, "fails")
    held = name_improvements(concluded(summary), summary)
    assert held.reasons[-1] == "expectations that fail in the most scenarios: says-ai in 1 of 80"
    deployed = concluded(summary, None)
    assert name_improvements(deployed, summary) == deployed
