"""The page of a run says what its responses are held to, and shows where."""

import re
from dataclasses import replace

from evaluation.records import Result
from evaluation.reports.html.exchanges import LETTERS
from evaluation.reports.html.gathering import Side, gather, select
from evaluation.reports.html.run import answer
from tests.evaluation.expectations.held import NAMES_HELP, NO_FOREVER, SAYS_AI
from tests.evaluation.made_runs import suite
from tests.evaluation.reports.html.expecting import PROMISE, REPEATS, outcome, page, plan, results, strict_suite
from tests.evaluation.reports.html.pages import chosen, data_of, known_page
from tests.evaluation.reports.html.test_run import text_of


def test_a_rubric_that_bears_no_critical_failure_answers_no_first() -> None:
    found = outcome(strict_suite())
    said = text_of(page(found))
    assert answer(found) == "No: held back"
    assert said[said.index("May this prompt go live?") :].startswith("May this prompt go live? No: held back 0.9")
    assert "by the means alone it would be deploy" in said
    assert 'class="hero v-held_back"' in page(found)


def test_under_another_rubric_the_second_line_says_it() -> None:
    said = text_of(page())
    start = said.index("May this prompt go live?")
    assert "deploy not stable HELD BACK: 2 critical expectations fail 0.90" in said[start : start + 200]
    assert 'class="aside"' in page()


def test_the_section_stands_before_the_metrics_with_counts_and_share() -> None:
    whole = page()
    said = text_of(whole)
    summary = outcome().summary
    assert summary.expectations is not None
    mean = summary.expectations.met.estimate
    assert mean.mean is not None and mean.ci95 is not None
    assert f"{mean.mean:.2f} [{mean.ci95[0]:.2f}, {mean.ci95[1]:.2f}] expectations met" in said
    assert "18 items: 11 hold 1 hold sometimes 5 fail 1 not shown" in said
    assert "Critical expectations, of 6: 2 fail, 1 fail sometimes, 1 not shown, 1 waived, 1 hold" in said
    assert whole.index('id="expectations"') < whole.index('id="metrics"')


def test_each_critical_item_that_does_not_hold_is_shown_with_its_evidence() -> None:
    said = text_of(page())
    begin = said.index("Critical expectations, of")
    listed = said[begin : said.index("What fails, and what the failures share")]
    assert f"Must not: {NO_FOREVER.question} fails, 3 of 3 repeats no-forever in s00 , repeat 1" in listed
    assert f"judge quotes {PROMISE}" in listed
    assert "judge, asked 3 times fails, holds, fails" in listed
    assert f"{SAYS_AI.question} fails sometimes, 1 of 3 repeats says-ai in s01" in listed
    assert "judge: no, the nearest sentence is How was your day?" in listed
    assert f"{SAYS_AI.question} not shown, 3 of 3 repeats says-ai in s02" in listed
    assert f"Waived {NAMES_HELP.question} waived, fails, 3 of 3 repeats names-help in s03" in listed
    assert "waived until 2027-01-31 by Ada the wording is with the lawyers" in listed
    assert listed.index("in s02") < listed.index("Waived")


def test_the_quote_is_marked_in_the_response_and_each_item_leads_to_its_exchange() -> None:
    whole = page()
    assert f'Dear friend, <mark class="m-fails">{PROMISE}</mark>, whatever comes.<br>How was your day?' in whole
    assert 'whatever comes.<br><mark class="m-near">How was your day?</mark>' in whole
    rows = {tuple(row[:3]) for row in data_of(whole)["rows"]}
    section = whole[whole.index('id="expectations"') : whole.index('id="metrics"')]
    links = re.findall(r'href="#r=(\d+)/(\d+)/(\d+)"', section)
    assert [tuple(map(int, link)) for link in links] == [(0, 1, 1), (2, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1)]
    assert {tuple(map(int, link)) for link in links} <= rows


def test_what_the_failures_share() -> None:
    said = text_of(page())
    groups = said[said.index("What fails, and what the failures share") : said.index("Mean and 95% interval")]
    assert f"Must not: {NO_FOREVER.question} no-forever critical 2 of 3 trust 2 warm 2" in groups
    assert "Does it greet the user by name? warm 2 of 12 trust 2 no-forever 2" in groups
    numbers = re.findall(r'href="#e=(\d+)"', page())
    named = [data_of(page())["items"][int(number)][0] for number in numbers]
    assert named == ["no-forever", "says-ai", "warm"], "names-help is waived"


def test_the_script_reads_every_answer_once() -> None:
    data = data_of(page())
    asked = {(name, kind, data["texts"][place], critical) for name, kind, place, critical in data["items"]}
    expected = {(item.id, item.kind, item.question, item.critical) for scenario in plan() for item in scenario.expect}
    assert asked == expected
    answers = [answer for *_, [entry] in data["rows"] for answer in entry.get("k", [])]
    given = [answer for result in results() for answer in result.expectations]
    assert len(answers) == len(given)
    assert sorted(answer[1] for answer in answers) == sorted(LETTERS[answer.outcome] for answer in given)
    [first] = [entry for place, repeat, _, [entry] in data["rows"] if (place, repeat) == (0, 1)]
    item, letter, source, quote, turn, reason, again = first["k"][0]
    assert data["items"][item][0] == "no-forever"
    assert (letter, source, data["texts"][quote], turn, reason, again) == ("f", "judge", PROMISE, 1, -1, "fhf")


def test_a_run_that_expects_nothing_shows_nothing() -> None:
    whole = known_page()
    assert 'id="expectations"' not in whole
    assert 'href="#expectations"' not in whole
    assert data_of(whole)["items"] == []
    assert not any("k" in entry for *_, [entry] in data_of(whole)["rows"])


def test_exchanges_that_show_critical_failures_come_before_the_weakest() -> None:
    weak = [number / 100 for number in range(100)]
    found = select(range(100), weak, [0.0] * 100, first=(97, 98, 99), seed=1, most=12)
    assert found is not None
    assert {97, 98, 99} <= found.slots
    assert (found.critical, found.weakest, len(found.slots)) == (3, 3, 12)
    most = select(range(100), weak, [0.0] * 100, first=range(50, 100), seed=1, most=12)
    assert most is not None and most.critical == 4
    assert "3 on which critical expectations that do not hold are shown" in found.sentence(compared=False)
    crowded = page(most=20)
    rows = {tuple(row[:2]) for row in data_of(crowded)["rows"]}
    names = [each["id"] for each in data_of(crowded)["scenarios"]]
    assert {(names.index(name), 1) for name in ("s00", "s01", "s02", "s03")} <= rows


def test_the_answers_are_those_that_the_side_shows() -> None:
    def by_people(result: Result) -> Result:
        return replace(result, expectations=tuple(replace(each, source="human") for each in result.expectations))

    side = Side("v3", "r1", outcome().summary, plan(), REPEATS, chosen(results()), as_shown=by_people)
    data = gather([side], suite(), seed=1).data
    assert {answer[2] for *_, [entry] in data["rows"] for answer in entry.get("k", [])} == {"human"}
