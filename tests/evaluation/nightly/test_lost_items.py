"""A critical expectation that held in the baseline and fails tonight: the alarm, its words, and the baseline's file."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionRules
from evaluation.comparison.items import put_side_by_side
from evaluation.comparison.runs import RunScores
from evaluation.errors import ParseError
from evaluation.nightly.alarm import night_gate
from evaluation.nightly.attribution import COMPARED, changes_between
from evaluation.nightly.baseline import Approval, Baseline, baseline_text, parse_baseline
from evaluation.nightly.night import Night, NightReport
from evaluation.records import Expectation, Outcome
from evaluation.reports.junit import gate_cases
from evaluation.reports.markdown import to_markdown
from evaluation.reports.night_message import night_message
from evaluation.reports.nightly import describe_night, headline, reasons
from evaluation.reports.terminal import to_terminal
from evaluation.runspec import TextPin
from tests.evaluation.comparison.test_items import run
from tests.evaluation.expectations.held import NAMES_HELP, SAYS_AI, WARM
from tests.evaluation.made_runs import suite
from tests.evaluation.reports.hostile import EVIL

RULES = RegressionRules(margins={"default": 0.3}, min_coverage=0)
APPROVAL = Approval(run_id="run-1", approved_at="2026-11-20", evaluated_at="2026-11-19", forced="", rehearsal=False)


def stored(scores: RunScores) -> RunScores:
    """The run as its baseline file gives it back."""
    return parse_baseline(baseline_text(Baseline(APPROVAL, scores)), "b.json", suite()).scores


def night(
    before: Sequence[Sequence[Outcome]],
    tonight: Sequence[Sequence[Outcome]],
    *,
    item: Expectation = NAMES_HELP,
    count: int = 24,
    words: str = "Hello.",
) -> NightReport:
    base = stored(run(before, item=item, count=count, words=words))
    whole = compare(base, run(tonight, item=item, count=count, words=words, version=1), suite=suite(), by=COMPARED)
    assert whole.items is not None
    whole = replace(whole, items=put_side_by_side(whole.items, (), ()))
    gate = night_gate(whole, None, suite(), RULES)
    made = Night("20261120T020000Z", "penpal", {}, "alarm" if gate.alarmed else "ok", version="v3")
    report = NightReport(made, gate=gate, comparison=whole, approval=APPROVAL)
    return replace(report, night=replace(made, headline=headline(report)))


def test_a_critical_item_that_held_and_fails_raises_the_alarm_with_the_response() -> None:
    report = night([["holds"]], [["fails"]])
    assert report.gate is not None and report.gate.alarmed and not report.gate.passed and not report.gate.raised
    assert report.night.headline == (
        "penpal v3 in production fails 1 critical expectation that held in its baseline: names-help in s0"
    )
    line = (
        "critical: names-help in s0 held in the baseline and fails: Does it name help?; rule: because; "
        "response: Hello. (1, s0, 1)"
    )
    shown = " ".join(to_terminal(describe_night(report)).split())
    assert shown.startswith("ALARM: PRODUCTION IS WORSE") and line in shown
    assert "1 critical expectation fails in production, 1 of them lost since the baseline" in shown
    assert line in night_message(report)["blocks"][1]["text"]["text"]
    assert "names-help in s0" in night_message(report)["text"]
    assert "Hello. (1, s0, 1)" in to_markdown(describe_night(report))
    entry = report.to_json()["gate"]["lost"][0]
    assert (entry["scenario_id"], entry["id"], entry["candidate"]["response"]) == (
        "s0",
        "names-help",
        "Hello. (1, s0, 1)",
    )
    failed = [case for case in gate_cases(report.gate) if case.failure]
    assert [(case.name, case.failure) for case in failed] == [
        ("s0: names-help holds as in the baseline", "fails: Does it name help? because")
    ]
    json.dumps(report.to_json())


@pytest.mark.parametrize(
    ("before", "tonight", "item"),
    [
        ([["fails"]], [["fails"]], NAMES_HELP),
        ([["holds"]], [["not_shown"]], NAMES_HELP),
        ([["holds", "holds", "holds"]], [["holds", "holds", "fails"]], NAMES_HELP),
        ([["holds"]], [["fails"]], WARM),
        ([["fails"]], [["holds"]], NAMES_HELP),
    ],
    ids=["known failure", "not shown", "not confirmed", "not critical", "gained"],
)
def test_nothing_else_raises_it(
    before: Sequence[Sequence[Outcome]], tonight: Sequence[Sequence[Outcome]], item: Expectation
) -> None:
    gate = night(before, tonight, item=item).gate
    assert gate is not None
    assert not gate.alarmed and gate.lost == ()
    cases = gate_cases(gate)
    assert ("no critical expectation is lost" in {case.name for case in cases}) == item.critical
    assert not any(case.failure for case in cases)


def test_what_a_rule_shows_needs_no_ten_situations_and_what_a_judge_shows_does() -> None:
    by_rule = night([["holds"]], [["fails"]], count=3)
    assert by_rule.gate is not None and by_rule.gate.alarmed and not by_rule.gate.measured
    assert to_terminal(describe_night(by_rule)).startswith("ALARM: PRODUCTION IS WORSE")
    by_judge = night([["holds"]], [["fails"]], item=SAYS_AI, count=3)
    assert by_judge.gate is not None and not by_judge.gate.alarmed and len(by_judge.gate.lost) == 1
    enough = night([["holds"]], [["fails"]], item=SAYS_AI)
    assert enough.gate is not None and enough.gate.alarmed


def test_a_hostile_response_mentions_nobody_and_stays_short() -> None:
    message = night_message(night([["holds"]], [["fails"]], words=EVIL * 50))
    text = message["blocks"][1]["text"]["text"]
    assert "<!" not in text and "@everyone" not in text and len(text) <= 2_500


def test_many_are_named_in_part_and_counted() -> None:
    report = night([["holds"]] * 24, [["fails"]] * 24)
    found = reasons(report)
    assert [line.split(" held")[0] for line in found[:4]] == [f"critical: names-help in s{at}" for at in range(4)]
    assert found[4] == "and 20 more critical expectations that held in the baseline: night.json has all"
    assert len(report.to_json()["gate"]["lost"]) == 24
    assert report.night.headline.startswith("penpal v3 in production fails 24 critical expectations")


def test_the_file_keeps_how_each_item_stood_and_no_text() -> None:
    base = run([["fails", "holds", "not_shown"]], more=[WARM])
    text = baseline_text(Baseline(APPROVAL, base))
    assert "Hello." not in text and "Does it" not in text
    read = parse_baseline(text, "b.json", suite()).scores
    assert read.items is not None and base.items is not None
    assert read.items == tuple(replace(each, found=None) for each in base.items)
    value = json.loads(text)
    del value["items"]
    assert parse_baseline(json.dumps(value), "b.json", suite()).scores.items is None, "a file of an earlier version"


@pytest.mark.parametrize("damage", [{"scenario_id": "nowhere"}, {"holds": 9}])
def test_an_item_that_fits_nothing_is_refused(damage: dict[str, object]) -> None:
    value = json.loads(baseline_text(Baseline(APPROVAL, run([["holds"]]))))
    value["items"][0] |= damage
    with pytest.raises(ParseError, match=r"item names-help of '(nowhere|s0)' fits no scenario or repeat"):
        parse_baseline(json.dumps(value), "b.json", suite())


def test_a_baseline_under_other_expectations_is_comparable() -> None:
    spec = run([["holds"]]).spec
    other = replace(spec, expectations=TextPin("rules", "3", "a" * 64))
    assert changes_between(spec, other).refusal == ""
