"""junit.xml: a case per scenario and per rule of a gate, and no text that breaks it."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

from evaluation.comparison.gate import Check, RegressionResult
from evaluation.decision.gate import GateResult
from evaluation.nightly.alarm import AlarmCheck, NightGate
from evaluation.reports.junit import JunitCase, ScenarioCases, critical_cases, gate_cases, junit_xml
from tests.evaluation.expectations.held import SAYS_AI, answer, answered, expecting, summary_with
from tests.evaluation.made_runs import failed, scenario, scored, suite, unparsed
from tests.evaluation.reports.hostile import EVIL


def test_scenarios_pass_fail_and_err() -> None:
    plan = [scenario("good"), scenario("weak"), scenario("broken"), scenario("unread"), scenario("long", turns=3)]
    results = [
        *(scored("good", 0.8), scored("weak", 0.4), failed("broken"), unparsed("unread", 0.8)),
        *(scored("long", 0.9, turn=1), scored("long", 0.2, turn=2)),
    ]
    gathered = ScenarioCases(suite(), "heuristic", plan, 1)
    assert list(gathered.watch(results)) == results
    cases = {case.name: case for case in gathered.cases()}
    assert (cases["good"].failure, cases["good"].error) == ("", "")
    assert cases["weak"].failure == "heuristic overall_quality 0.40 < 0.50, the floor of the rubric"
    assert cases["broken"].error == "repeat 1 turn 1 failed: timeout: no answer in 60 s"
    assert cases["long"].error == "1 of 3 exchanges never played"
    assert cases["good"].group == "companion.small_talk"
    assert cases["unread"].error == "" and cases["unread"].failure == ""
    combined = ScenarioCases(suite(), "combined", plan, 1)
    list(combined.watch(results))
    assert {case.name: case.error for case in combined.cases()}["unread"] == "repeat 1 turn 1 unparsed"


def test_a_scenario_without_results_keeps_its_place() -> None:
    plan = [scenario("a"), scenario("b"), scenario("c", category="other"), scenario("d")]
    gathered = ScenarioCases(suite(), "heuristic", plan, 1)
    list(gathered.watch([scored("b", 0.8), scored("c", 0.8)]))
    cases = gathered.cases()
    never = "1 of 1 exchange never played"
    assert [(case.name, case.error) for case in cases] == [("a", never), ("b", ""), ("c", ""), ("d", never)]
    assert [case.group for case in cases][1:3] == ["companion.small_talk", "companion.other"]


def test_a_mean_is_over_turns_and_then_over_repeats() -> None:
    results = [scored("a", 0.2, 1, 1), scored("a", 0.4, 1, 2), scored("a", 0.9, 2, 1), scored("a", 0.9, 2, 2)]
    gathered = ScenarioCases(suite(), "heuristic", [scenario("a", turns=2)], 2)
    list(gathered.watch(results))
    assert gathered.cases()[0].failure == "", "(0.3 + 0.9) / 2 is above the floor"


def test_gates() -> None:
    assert gate_cases(None) == []
    assert [case.failure for case in gate_cases(GateResult("deploy", True, ("fine",)))] == [""]
    assert [case.failure for case in gate_cases(GateResult("deploy", False, ("a: b", "c")))] == ["a: b", "c"]
    checks = (
        Check("warmth", "heuristic", -0.2, -0.3, 0.05, False),
        Check("trust", "heuristic", 0.0, 0.0, 0.05, True),
    )
    reasons = ("worse: warmth (heuristic) may be lower by 0.30", "too few scenarios: 3")
    found = gate_cases(RegressionResult(False, reasons, checks))
    assert [(bool(case.failure), bool(case.error)) for case in found] == [(True, False), (False, False), (False, True)]
    check = AlarmCheck("warmth", "heuristic", 0.8, 0.6, -0.2, None, 0.001, 0.05, 0.01, 0.02, True, True)
    night = gate_cases(NightGate(False, False, ("half is missing",), (check,)))
    assert night[0].error == "half is missing"
    assert night[1].failure == "lower by 0.200, the margin is 0.05"


def test_the_document_is_indented() -> None:
    cases = [JunitCase("g", 'a "b"', failure="<1>"), JunitCase("g", "c", seconds=0.25)]
    assert junit_xml({"run": cases, "none": []}).splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites tests="2" failures="1" errors="0" time="0.250">',
        '  <testsuite name="run" tests="2" failures="1" errors="0" time="0.250">',
        '    <testcase classname="g" name="a &quot;b&quot;" time="0.000">',
        '      <failure message="&lt;1&gt;" />',
        "    </testcase>",
        '    <testcase classname="g" name="c" time="0.250" />',
        "  </testsuite>",
        '  <testsuite name="none" tests="0" failures="0" errors="0" time="0.000" />',
        "</testsuites>",
    ]


def test_the_document_counts_and_holds_anything() -> None:
    cases = [JunitCase(EVIL, EVIL, failure=EVIL, seconds=1.5), JunitCase("a", "b", error="e"), JunitCase("a", "c")]
    root = ElementTree.fromstring(junit_xml({EVIL: cases}).encode("utf-8", "backslashreplace"))
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("time")) == ("3", "1", "1", "1.500")
    assert len(root.findall("testsuite/testcase")) == 3
    assert root.find("testsuite/testcase/script") is None


def test_one_item_at_two_turns_has_two_names() -> None:
    asked = [replace(SAYS_AI, scope="turn", turn=turn) for turn in (1, 2, 3)]
    results = [answered("a", answer(SAYS_AI, "fails" if turn == 2 else "holds"), turn=turn) for turn in (1, 2, 3)]
    found = summary_with([expecting("a", *asked, turns=3)], results).expectations
    assert found is not None
    names = [case.name for case in critical_cases("companion", found.critical)]
    assert names == ["a: says-ai (turn 1)", "a: says-ai (turn 3)", "a: says-ai (turn 2)"]
