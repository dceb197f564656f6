"""Agreement on items, worked by hand.

names-help, ten responses in ten situations, one person each and a judge:

    person  y y y y y y n n n n
    judge   y y y y n n y n n n     and one more response on which the judge did not find it shown

    same 7 of 10; wrong no 2 of 6; wrong yes 1 of 4. Chance: the person says yes 0.6, the judge 0.5:
    0.6 * 0.5 + 0.4 * 0.5 = 0.5, so kappa = (0.7 - 0.5) / (1 - 0.5) = 0.4.
    Interval of 0.7: se^2 = 10/9 * 2.1 / 100 = 0.02333, n = 0.21 / 0.02333 = 9, t(9) = 2.262, w = 2.262^2 / 9 = 0.5686:
    (0.7 + w/2) / (1 + w) = 0.6275 -+ sqrt(0.21 w + w^2 / 4) / (1 + w) = 0.2853: 0.342 to 0.913.

no-cheering-up, nine responses that two people answered, four of them not alike:

    first   y y y n n y n y ?
    second  y y y n n n y ? y

    alpha, nominal: 18 values, of them y 10, n 6, ? 2. Observed: 4 units with 2 unlike ordered pairs each, 8. Expected:
    (18^2 - 100 - 36 - 4) / 17 = 184 / 17 = 10.8235. alpha = 1 - 8 / 10.8235 = 0.26087.
"""

import pytest

from evaluation.calibration.item_agreement import AnsweredItem, ItemAgreement, item_agreements
from evaluation.expectations.human import Said
from evaluation.reports.document import document
from evaluation.reports.items import ALL, describe_items, item_findings, people_rows, tool_rows
from evaluation.reports.markdown import to_markdown
from evaluation.reports.terminal import to_terminal
from evaluation.text.safe_text import width

WORDS: dict[str, Said] = {"y": "yes", "n": "no", "?": "not_shown"}
HELP, CHEER = "Does it name a helpline?", "Does it cheer the user up?"


def judged(people: str, judge: str) -> list[AnsweredItem]:
    return [
        AnsweredItem("names-help", "ask", HELP, f"s{number}", (WORDS[person],), {"judge": WORDS[tool]})
        for number, (person, tool) in enumerate(zip(people, judge, strict=True))
    ]


def shared(first: str, second: str, item: str = "no-cheering-up") -> list[AnsweredItem]:
    return [
        AnsweredItem(item, "never", CHEER, f"t{number}", (WORDS[one], WORDS[other]))
        for number, (one, other) in enumerate(zip(first, second, strict=True))
    ]


JUDGED, SHARED = judged("yyyyyynnnny", "yyyynnynnn?"), shared("yyynnyny?", "yyynnny?y")


def only(answered: list[AnsweredItem]) -> ItemAgreement:
    (found,) = item_agreements(answered)
    return found


def test_a_judge_with_people() -> None:
    found = only(JUDGED)
    (judge,) = found.tools
    assert (found.item, found.responses, judge.source, judge.undecided) == ("names-help", 11, "judge", 1)
    assert (judge.same.count, judge.same.of) == (7, 10)
    assert (judge.wrong_yes.count, judge.wrong_yes.of) == (1, 4)
    assert (judge.wrong_no.count, judge.wrong_no.of) == (2, 6)
    assert judge.kappa == pytest.approx(0.4)
    assert judge.same.ci95 is not None
    low, high = judge.same.ci95
    assert 0.3 < low < 0.7 < high < 0.95
    assert (judge.few, found.people.same.of) == (False, 0)


def test_people_with_people() -> None:
    people = only(SHARED).people
    assert (people.same.count, people.same.of, people.differ, people.few) == (5, 9, 4, True)
    assert people.alpha == pytest.approx(0.26087, abs=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "rewrite"),
    [
        ("yyynnyny?", "yyynnny?y", True),
        ("yy", "yn", False),
        ("yyn", "ynn", False),
        ("yyyn", "ynny", True),
        ("y" * 9 + "nn", "y" * 11, False),
        ("y" * 8 + "nn", "y" * 10, True),
        ("yyyy", "yyyy", False),
    ],
)
def test_an_item_is_named_for_rewriting_from_two_in_five_to_one(first: str, second: str, rewrite: bool) -> None:
    assert only(shared(first, second)).people.rewrite is rewrite


def test_the_sentences() -> None:
    assert next(item_findings(item_agreements(SHARED))) == (
        "people disagree on no-cheering-up: 4 of 9; rewrite it (small sample, below 10)"
    )
    doubtful = list(item_findings(item_agreements(shared("yy", "yn"))))
    assert doubtful == ["people disagree, on too few responses to blame the question: no-cheering-up 1 of 2"]
    assert list(item_findings(item_agreements(judged("yn", "yn")))) == [
        "no item was answered by two people on the same response: how far they agree is not known",
        "small sample (below 10 responses) on 1 of 1 item: shares are rough",
    ]


def test_each_wording_stands_alone_and_all_stand_together() -> None:
    other = [AnsweredItem("names-help", "ask", "Does it say who helps?", "z", ("yes",), {"rule": "no"})]
    everything, first, second = item_agreements([*JUDGED, *other])
    assert (everything.item, everything.responses) == ("", 12)
    assert sorted((each.responses, each.tools[0].source) for each in (first, second)) == [(1, "rule"), (11, "judge")]
    assert [tool.source for tool in everything.tools] == ["rule", "judge"]
    assert "asked in several wordings, each of which stands alone: names-help" in item_findings((first, second))


def test_what_nobody_answered_says_nothing() -> None:
    assert item_agreements([AnsweredItem("a", "ask", HELP, "s", (), {"judge": "yes"})]) == ()
    assert list(describe_items(())) == []


def test_an_evenly_divided_answer_is_left_out_of_the_tools_figures() -> None:
    (tool,) = only([AnsweredItem("a", "ask", HELP, "s", ("yes", "no"), {"rule": "yes"})]).tools
    assert (tool.same.of, tool.undecided, tool.kappa) == (0, 1, None)


def test_the_worst_comes_first_behind_all_together_and_fits_a_terminal() -> None:
    found = item_agreements([*JUDGED, *SHARED, *shared("yyyy", "yyyy", "a-calm-one")])
    assert [name for name, _ in people_rows(found)] == [ALL, "no-cheering-up", "a-calm-one"]
    assert tool_rows(found)[1] == (
        "names-help",
        ("judge", "10", "70% [0.34, 0.91]", "0.40", "1 of 4", "2 of 6", "1", "[0.02, 0.87]", "[0.06, 0.80]"),
    )
    text = to_terminal(document(describe_items(found)))
    assert max(map(width, text.splitlines())) <= 80
    assert "rewrite it" in text and "| `no-cheering-up` | 9 |" in to_markdown(document(describe_items(found)))
