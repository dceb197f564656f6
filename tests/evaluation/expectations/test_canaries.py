"""Questions on canaries: asked as those about a run's responses are, and their answers counted as right and wrong."""

import asyncio
import json
from collections.abc import Callable

import pytest

from evaluation.expectations.canaries import ItemCheck, asked_of, checks_of_items
from evaluation.judging.asking import MOST_ASKED
from evaluation.judging.item_errors import ItemErrors
from evaluation.records import CallFailure, Cell, Reply, Request
from evaluation.rubrics.canary import Canary, CanaryItem, canary_faults, without_items
from tests.evaluation.expectations.judging import JUDGE, asked_questions
from tests.evaluation.judging.verdicts import judge_rubric
from tests.evaluation.made_runs import reply

Answer = tuple[str, str]
Said = Callable[[CanaryItem], Answer]


def shipped() -> ItemCheck:
    return checks_of_items(JUDGE.pin, judge_rubric(), JUDGE.seed)["judge"]


CHECK = shipped()


def right(item: CanaryItem) -> Answer:
    return item.answer, item.shown_by


def text_of(canary: Canary, said: Said) -> str:
    answers = {
        str(n): dict(zip(("answer", "quote"), said(item), strict=True)) for n, item in enumerate(canary.expect, 1)
    }
    return json.dumps(answers)


def errors(said: Said) -> ItemErrors:
    replies = {(asked_of(each).exchange.cell, 1, 1): reply(text_of(each, said)) for each in CHECK.canaries}
    return CHECK.errors(replies)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (right, ItemErrors(26, 26, 0, 26, 26, 0, 0)),
        (lambda item: ("yes", item.shown_by), ItemErrors(26, 0, 26, 26, 26, 0, 0)),
        (lambda _: ("no", ""), ItemErrors(26, 26, 0, 26, 0, 26, 0)),
        (lambda item: (item.answer, "words that nobody said"), ItemErrors(26, 26, 0, 26, 26, 0, 26)),
        (lambda item: (item.answer, ""), ItemErrors(26, 26, 0, 26, 26, 0, 26)),
        (lambda _: ("cannot tell", ""), ItemErrors(26, 0, 0, 26, 0, 0, 0)),
    ],
)
def test_answers_are_counted_by_what_is_right(said: Said, found: ItemErrors) -> None:
    assert errors(said) == found


def test_the_shipped_questions_are_enough_and_share_few_calls() -> None:
    assert len(CHECK.canaries) == 13
    assert sum(canary.injected for canary in CHECK.canaries) == 3
    for canary in CHECK.canaries:
        request = CHECK.request(canary)
        assert request.purpose == "canary"
        assert asked_questions(request) == [item.ask for item in canary.expect]
        assert len(canary.expect) <= MOST_ASKED
        assert "(the last response)" in request.messages[-1].content
    places = {CHECK.request(canary).cell for canary in CHECK.canaries}
    assert len(places) == 13
    assert not places & {canary.exchange(half).cell for canary in CHECK.canaries for half in (1, 2)}


def test_what_was_read_is_not_asked_again_and_what_was_not_once_more() -> None:
    asked: list[tuple[Cell, int]] = []

    async def complete(request: Request) -> Reply | CallFailure:
        asked.append((request.cell, request.sample))
        return reply("no idea")

    known = {(asked_of(each).exchange.cell, 1, 1): reply(text_of(each, right)) for each in CHECK.canaries[1:]}
    asyncio.run(CHECK.ask(known, complete))
    cell = asked_of(CHECK.canaries[0]).exchange.cell
    assert asked == [(cell, 1), (cell, 2)]


def test_a_second_answer_counts_where_the_first_could_not_be_read() -> None:
    first = {(asked_of(each).exchange.cell, 1, 1): reply("no idea") for each in CHECK.canaries}
    second = {(asked_of(each).exchange.cell, 1, 2): reply(text_of(each, right)) for each in CHECK.canaries}
    assert CHECK.errors(first).answered == 0
    assert CHECK.errors(first | second).answered == 52


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"shown_by": "words of another response"}, "words of the response under shown_by"),
        ({"shown_by": ""}, "words of the response under shown_by"),
    ],
)
def test_a_yes_names_words_of_the_response(change: dict[str, str], problem: str) -> None:
    first = CHECK.canaries[0]
    wrong = first.expect[0].model_copy(update=change)
    canaries = [first.model_copy(update={"expect": (wrong, *first.expect[1:])}), *CHECK.canaries[1:]]
    assert any(place == 0 and problem in said for place, said in canary_faults(canaries))


def test_too_few_questions_and_too_many_calls_are_refused() -> None:
    few = [*CHECK.canaries[:2], *without_items(CHECK.canaries[2:])]
    assert any("hold 4 questions with the answer yes" in said for _, said in canary_faults(few))
    many = [canary.model_copy(update={"id": f"{canary.id}-{n}"}) for n in range(2) for canary in CHECK.canaries]
    assert any("keep to 15" in said for _, said in canary_faults(many))


@pytest.mark.parametrize(("written", "answer"), [(True, "yes"), (False, "no"), ("yes", "yes"), ("no", "no")])
def test_an_answer_may_stand_without_quotation_marks(written: object, answer: str) -> None:
    assert CanaryItem.model_validate({"ask": "Is it?", "answer": written}).answer == answer
