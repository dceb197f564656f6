"""Items of two runs: what is paired, what was gained and lost, the exact test, and what a comparison makes of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from scipy.stats import binomtest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.document import comparison_document, ranking_document
from evaluation.comparison.gate import RegressionRules, no_regression
from evaluation.comparison.items import compare_items, describe_lost, positions_to_read, put_side_by_side
from evaluation.comparison.ranking import rank
from evaluation.comparison.runs import RunScores, read_run
from evaluation.decision.critical import hold_back
from evaluation.decision.decide import decide
from evaluation.expectations.answering import Mode, is_planned
from evaluation.expectations.waivers import Waiver
from evaluation.records import Expectation, Outcome, Result
from evaluation.reports.comparison import describe_comparison, headline
from evaluation.reports.html.comparison import answer as answer_of_page
from evaluation.reports.item_changes import describe_test
from evaluation.reports.junit import gate_cases
from evaluation.reports.markdown import to_markdown
from evaluation.reports.ranking import ranking_details, ranking_headline
from evaluation.reports.terminal import to_terminal
from evaluation.rubrics.rubric import CriticalRule
from evaluation.runspec import TextPin
from evaluation.statistics.significance import sign_test
from evaluation.summary.columns import Columns
from tests.evaluation.comparison.examples import spec
from tests.evaluation.expectations.held import NAMES_HELP, SAYS_AI, WARM, answer, answered, expecting
from tests.evaluation.made_runs import reply, suite
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import compared as page_of

COUNT = 24
OUTCOMES: tuple[Outcome, Outcome] = ("holds", "fails")
MODES: tuple[Mode, Mode] = ("none", "rules")
NONE_MAY_FAIL = CriticalRule(failures=0)


def run(
    outcomes: Sequence[Sequence[Outcome]],
    *,
    item: Expectation = NAMES_HELP,
    version: int = 1,
    count: int = COUNT,
    value: float = 0.8,
    more: Sequence[Expectation] = (),
    situations: int = 0,
    waivers: Sequence[Waiver] = (),
    words: str = "Hello.",
    mode: Mode = "judge",
) -> RunScores:
    """`outcomes` of the item, scenario by scenario and repeat by repeat; it holds in all further scenarios.

    Of `more` items everything holds; with `situations` the scenarios share so many.
    """
    repeats = len(outcomes[0]) if outcomes else 1
    scenarios = [
        replace(expecting(f"s{number}", item, *more), situation=f"t{number % situations}" if situations else "")
        for number in range(count)
    ]
    results: list[Result] = []
    for number, each in enumerate(scenarios):
        given: Sequence[Outcome] = outcomes[number] if number < len(outcomes) else ["holds"] * repeats
        for repeat, outcome in enumerate(given, start=1):
            said = [(item, outcome), *((other, OUTCOMES[0]) for other in more)]
            answers = [answer(asked, how) for asked, how in said if is_planned(asked, mode)]
            made = answered(each.id, *answers, repeat=repeat, value=value + number % 5 / 100)
            spoken = replace(made.exchange, outcome=reply(f"{words} ({version}, {each.id}, {repeat})"))
            results.append(replace(made, exchange=spoken))
    scores = read_run(
        results,
        Columns(suite(), scenarios, repeats, ("heuristic",)),
        spec=spec(version, suite="companion", judge=None, repeats=repeats),
        run_id=f"run-{version}",
        name=f"v{version}",
        expectations=mode,
        waivers=waivers,
    )
    RESULTS[scores.run_id] = results
    return scores


RESULTS: dict[str, list[Result]] = {}
"""Run id -> the results it was read from, as a journal holds them."""


def compared(base: RunScores, candidate: RunScores, rule: CriticalRule | None = NONE_MAY_FAIL) -> Comparison:
    found = compare(base, candidate, suite=suite())
    decision = hold_back(decide(candidate.summary, suite()), candidate.summary, rule)
    if found.items is not None:
        found = replace(found, items=put_side_by_side(found.items, RESULTS[base.run_id], RESULTS[candidate.run_id]))
    return replace(found, decision=decision)


def changes(found: Comparison) -> list[tuple[str, str, str]]:
    assert found.items is not None
    return [(each.change, each.candidate.id, each.candidate.scenario_id) for each in found.items.changes]


def test_what_failed_and_holds_is_gained_and_the_other_way_is_lost() -> None:
    found = compared(run([["fails"], ["holds"]]), run([["holds"], ["fails"]], version=2))
    assert changes(found) == [("lost", "names-help", "s1"), ("gained", "names-help", "s0")]
    assert changes(compared(run([["fails"]]), run([["fails"]], version=2))) == []


def test_critical_items_come_first() -> None:
    base = run([["fails"], ["holds"]], item=WARM, more=[NAMES_HELP])
    candidate = run([["holds"], ["fails"]], item=WARM, more=[NAMES_HELP], version=2)
    assert changes(compared(base, candidate)) == [("lost", "warm", "s1"), ("gained", "warm", "s0")]
    swapped = run([["holds"], ["fails"]], item=NAMES_HELP, more=[WARM], version=2)
    plain = run([["holds"], ["fails"]], item=WARM, more=[NAMES_HELP], version=3)
    assert plain.items is not None and swapped.items is not None and base.items is not None
    both = compare_items(
        [*base.items[:2], *(replace(each, scenario_id="x") for each in run([]).items or ())],
        [*plain.items[:2], *(replace(each, scenario_id="x") for each in run([["fails"]]).items or ())],
    )
    assert both is not None
    assert [(each.change, each.critical) for each in both.changes] == [("lost", True), ("gained", False)]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (("holds", "holds", "holds"), ("fails", "fails", "holds"), "lost"),
        (("holds", "holds", "fails"), ("fails", "fails", "fails"), "lost"),
        (("holds", "holds", "holds"), ("fails", "holds", "holds"), ""),
        (("fails", "fails", "holds"), ("holds", "holds", "holds"), "gained"),
        (("holds", "holds", "holds"), ("not_shown", "not_shown", "fails"), ""),
        (("not_shown", "holds", "fails"), ("fails", "fails", "fails"), ""),
    ],
)
def test_repeats_decide_by_more_than_half(before: Sequence[Outcome], now: Sequence[Outcome], expected: str) -> None:
    found = changes(compared(run([before]), run([now], version=2)))
    assert found == ([(expected, "names-help", "s0")] if expected else [])


def test_only_the_same_question_in_the_same_scenario_is_paired() -> None:
    other = replace(NAMES_HELP, question="Does it name a crisis line?")
    stricter = replace(NAMES_HELP, settings={"any": ["988"]})
    for item in (other, stricter):
        found = compared(run([["holds"]], more=[WARM]), run([["fails"]], item=item, version=2, count=20)).items
        assert found is not None
        assert (found.paired, found.rewritten, found.missing, found.new) == (0, 20, 4 + COUNT, 0)
        assert found.changes == ()
    grown = compared(run([["holds"]]), run([["holds"]], more=[WARM, SAYS_AI], version=2)).items
    assert grown is not None
    assert (grown.paired, grown.new, grown.critical) == (COUNT, 2 * COUNT, COUNT)


def test_a_run_without_expectations_has_nothing_to_compare() -> None:
    silent = replace(run([]), items=None)
    assert compare(silent, run([["fails"]], version=2), suite=suite()).items is None
    assert compare(run([]), replace(silent, spec=spec(2, suite="companion", judge=None)), suite=suite()).items is None


def test_a_situation_counts_once_by_the_number_of_its_critical_items_that_hold() -> None:
    before: list[list[Outcome]] = [["holds"]] * COUNT
    now: list[list[Outcome]] = [["fails"] if number in (0, 6, 1) else ["holds"] for number in range(COUNT)]
    found = compared(run(before, situations=6), run(now, version=2, situations=6)).items
    assert found is not None
    test = found.situations
    assert (test.better, test.worse, test.even) == (0, 2, 4), "s0 and s6 share a situation"
    assert test.p == pytest.approx(0.5)
    evened: list[list[Outcome]] = [["holds"] if number != 6 else ["fails"] for number in range(COUNT)]
    again = compared(run([["fails"]], situations=6), run(evened, version=2, situations=6)).items
    assert again is not None and again.situations.even == 6, "one lost and one gained in a situation are even"


def test_items_that_are_not_critical_or_not_decided_are_in_no_test() -> None:
    plain = compared(run([["holds"]], item=WARM), run([["fails"]], item=WARM, version=2)).items
    assert plain is not None and plain.situations.p is None and len(plain.changes) == 1
    assert list(describe_test(plain)) == []
    vague = compared(run([["holds"]]), run([["not_shown"]], version=2)).items
    assert vague is not None
    assert (vague.situations.even, vague.undecided, [each.scenario_id for each in vague.not_shown]) == (
        COUNT - 1,
        1,
        ["s0"],
    )


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (1, 0), (0, 6), (3, 3), (4, 1), (12, 30), (700, 900)])
def test_the_sign_test_is_the_exact_binomial_one(better: int, worse: int) -> None:
    expected = binomtest(better, better + worse, 0.5).pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(expected, rel=1e-9)


def test_the_sign_test_holds_where_a_float_would_not_reach() -> None:
    assert sign_test(0, 5000) == 0.0


def test_a_held_back_candidate_is_not_called_plainly_better() -> None:
    base, candidate = run([["holds"]], value=0.6), run([["fails"], ["fails"]], version=2)
    found = compared(base, candidate)
    assert found.verdict == "better"
    text = headline(found)
    assert text.startswith(
        "HELD BACK: 2 critical expectations fail in v2 (0 in v1); by the means alone v2 is better than v1: "
    )
    assert comparison_document(found, None, text)["code"] == "held_back"
    assert answer_of_page(found) == "Held back"
    sound = compared(base, run([["holds"]], version=2))
    assert headline(sound).startswith("v2 is better than v1")


def test_a_rubric_without_a_rule_says_it_beside_the_verdict() -> None:
    found = compared(run([["holds"]], value=0.6), run([["fails"]], version=2), rule=None)
    assert headline(found).startswith("v2 is better than v1")
    shown = to_terminal(describe_comparison(found))
    assert "v2 by itself: HELD BACK: 1 critical expectation fails" in " ".join(shown.split())


def test_what_a_judge_alone_shows_stands_behind_too_few_situations_and_what_a_rule_shows_does_not() -> None:
    by_judge = compared(run([], item=SAYS_AI, count=4), run([["fails"]], item=SAYS_AI, count=4, version=2))
    assert headline(by_judge).startswith("TOO FEW SCENARIOS")
    by_rule = compared(run([], count=4), run([["fails"]], count=4, version=2))
    assert headline(by_rule) == "HELD BACK: 1 critical expectation fails in v2 (0 in v1)"


def test_the_no_regression_gate_is_shut_by_a_critical_item_that_was_lost() -> None:
    rules = RegressionRules(margins={"default": 0.3})
    base = run([["holds"], ["fails"]], value=0.5)
    cases: tuple[tuple[Outcome, str], ...] = (
        ("fails", "1 critical expectation that held in v1 fails: names-help in s0"),
        ("not_shown", "1 critical expectation that held in v1 is not shown: names-help in s0"),
    )
    for outcome, named in cases:
        found = compared(base, run([[outcome], ["fails"]], version=2))
        result = no_regression(found, suite(), rules)
        assert not result.passed
        assert result.reasons[0] == named
        failures = [case for case in gate_cases(result) if case.failure]
        assert [case.failure for case in failures] == [named]
    same = no_regression(compared(base, run([["holds"], ["fails"]], version=2)), suite(), rules)
    assert same.critical == (), "a known failure is no regression"
    waiver = Waiver("s0", "names-help", "known", "Ada", date(2030, 1, 1))
    waived = compared(base, run([["fails"], ["fails"]], version=2, waivers=[waiver]))
    assert no_regression(waived, suite(), rules).critical == ()
    assert waived.items is not None and (waived.items.waived, waived.items.changes) == (1, ())


def test_the_no_regression_gate_is_shut_by_what_the_base_held_and_nobody_was_asked() -> None:
    base = run([["fails"]], item=SAYS_AI, more=[NAMES_HELP])
    none, rules = (run([["holds"]], item=SAYS_AI, more=[NAMES_HELP], version=2, mode=mode) for mode in MODES)
    gates = [no_regression(compare(base, each, suite=suite()), suite(), RegressionRules()) for each in (none, rules)]
    step = "critical expectations that held in v1 were not asked: have both runs answer the same expectations"
    # Of all scenarios' two items the base fails one.
    assert [each.critical for each in gates] == [(f"{2 * COUNT - 1} {step}",), (f"{COUNT - 1} {step}",)]
    assert not any(each.passed for each in gates)
    asked = no_regression(compare(base, base, suite=suite(), force=True), suite(), RegressionRules())
    assert asked.critical == ()


def test_runs_that_differ_in_expectations_alone_are_compared_and_a_note_says_so() -> None:
    base, candidate = run([["holds"]]), run([["holds"]], version=2)
    pins = TextPin("judge", "24", "a" * 64), TextPin("rules", "20", "b" * 64)
    base, candidate = (
        replace(each, spec=replace(each.spec, expectations=pin))
        for each, pin in zip((base, candidate), pins, strict=True)
    )
    found = compare(base, candidate, suite=suite())
    assert found.others == ()
    assert found.terms.notes[0] == (
        "the runs are held to other expectations (24 by judge, aaaaaaaa / 20 by rules, bbbbbbbb): "
        "those that both have are compared"
    )
    chosen = compare(base, candidate, suite=suite(), by=("prompt", "expectations"))
    assert any(leaf[0].startswith("expectations") for leaf in chosen.terms.compared)


def test_both_responses_stand_beside_each_change() -> None:
    found = compared(run([["holds", "holds"]]), run([["fails", "fails"]], version=2))
    assert found.items is not None
    (change,) = found.items.changes
    assert positions_to_read(found.items) == {("s0", 1, 1)}
    assert change.before is not None and change.now is not None
    assert (change.before.response, change.before.answer.outcome) == ("Hello. (1, s0, 1)", "holds")
    assert (change.now.response, change.now.answer.outcome) == ("Hello. (2, s0, 1)", "fails")
    gained = compared(run([["fails"]]), run([["holds"]], version=2)).items
    assert gained is not None
    (back,) = gained.changes
    assert back.before is not None and back.now is not None
    assert (back.before.response, back.now.response) == ("Hello. (1, s0, 1)", "Hello. (2, s0, 1)")
    entry = back.to_json()
    assert (entry["change"], entry["base"]["response"], entry["candidate"]["source"]) == (
        "gained",
        "Hello. (1, s0, 1)",
        "rule",
    )


def test_a_terminal_shows_six_lines_at_most_and_markdown_all() -> None:
    many: list[list[Outcome]] = [["fails"] if number % 2 else ["holds"] for number in range(COUNT)]
    other: list[list[Outcome]] = [["holds"] if number % 2 else ["fails"] for number in range(COUNT)]
    found = compared(run(many, words=EVIL), run(other, version=2, more=[WARM], words=EVIL))
    document = describe_comparison(found)
    lines = to_terminal(document, short=True).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("of 24 items 12 gained, 12 lost"))
    section = lines[start : lines.index("", start)]
    assert len(section) <= 6, section
    assert all(len(line) <= 80 for line in section)
    assert "critical, by situation: 12 better, 12 worse, 0 even; exact p 1.000" in "\n".join(section)
    assert "24 are new" in "\n".join(section)
    page = to_markdown(document)
    assert page.count("- lost, critical") == 12 and page.count("- gained, critical") == 12
    assert "Does it name help?" in page


def test_what_was_lost_is_said_in_a_sentence() -> None:
    found = compared(run([]), run([["fails"]] * 7, version=2)).items
    said = describe_lost(found, "its baseline")
    assert said.startswith("7 critical expectations that held in its baseline fail: names-help in s0, ")
    assert said.endswith("names-help in s4, 2 more")
    assert describe_lost(None, "x") == ""


def test_a_ranking_names_the_runs_in_which_critical_items_fail() -> None:
    runs = [run([["holds"]], version=number, value=0.5 + number / 10) for number in (1, 2)]
    sound, failing = (run([[outcome]], version=3, value=0.9) for outcome in OUTCOMES)
    assert ranking_headline(rank([*runs, sound], suite=suite())) == "v3 is the best of 3"
    found = rank([*runs, failing], suite=suite())
    assert ranking_headline(found) == "v3 is the best of 3 by the means, and 1 critical expectation fails in it"
    assert "v3: 1 critical expectation fails: names-help in s0" in ranking_details(found)
    document = ranking_document(found, "")
    assert [each["critical_failures"] for each in document["runs"]] == [1, 0, 0]


def test_the_page_shows_both_responses_side_by_side_and_no_markup_of_theirs() -> None:
    found = compared(run([["holds"]], words="<b>Call 988.</b>"), run([["fails"]], version=2, words="Cheer up."))
    shown = page_of(found)
    section = shown[shown.index('<section id="items"') : shown.index('<section id="metrics"')]
    assert "lost, critical: names-help" in section and "Does it name help?" in section
    assert "&lt;b&gt;Call 988.&lt;/b&gt; (1, s0, 1)" in section and "Cheer up. (2, s0, 1)" in section
    assert section.index("Call 988.") < section.index("Cheer up.")
    assert "v-held_back" in shown and '<p class="answer">Held back</p>' in shown
    plain = page_of(compare(replace(run([]), items=None), run([], version=2), suite=suite()))
    assert '<section id="items"' not in plain
