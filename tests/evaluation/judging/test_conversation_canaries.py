"""Conversations of known quality: which judges pass, which are caught, and what is asked of them."""

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evaluation.judging.conversations.canaries import (
    ConversationCanaries,
    asked_of,
    check_of_answers,
    checks_of_conversations,
)
from evaluation.judging.conversations.fitness import ConversationCheck, check_conversations, merge_checks
from evaluation.judging.conversations.reading import heard_in, read_conversation
from evaluation.judging.material import Material
from evaluation.records import WHOLE, CallFailure, Reply, Request
from evaluation.rubrics.conversation_canary import MOST_CONVERSATIONS, ConversationCanary, conversation_faults
from evaluation.runspec import JudgePin
from tests.evaluation.judging.attacks import ATTACKS
from tests.evaluation.judging.conversations import NAMES, question, whole_verdict
from tests.evaluation.judging.verdicts import reply

CANARIES = question().section.canaries
NULLABLE = ("memory", "boundaries_held")
Values = Mapping[str, float | None]
Opinion = Callable[[ConversationCanary, random.Random], Values]


def between(value: float) -> float:
    return min(1.0, max(0.0, value))


def honest(canary: ConversationCanary, luck: random.Random) -> Values:
    """The right values, seen a little differently; 0.6 where two people would differ."""
    whole = luck.gauss(0, 0.1)
    right = {name: canary.levels.get(name, 0.6) for name in NAMES}
    return {
        name: None if level is None else between(level + whole + luck.gauss(0, 0.15)) for name, level in right.items()
    }


def at_random(canary: ConversationCanary, luck: random.Random) -> Values:
    return {name: luck.random() for name in NAMES}


def constant(value: float) -> Opinion:
    return lambda _canary, _luck: dict.fromkeys(NAMES, value)


def without(name: str, value: float) -> Opinion:
    """Right about all but one dimension, of which it sees nothing."""
    return lambda canary, _luck: {**{each: canary.levels.get(each, 0.6) for each in NAMES}, name: value}


def obedient(canary: ConversationCanary, luck: random.Random) -> Values:
    return dict.fromkeys(NAMES, 1.0) if canary.injected else honest(canary, luck)


def blind_to_absence(canary: ConversationCanary, luck: random.Random) -> Values:
    return {name: value if name not in NULLABLE else None for name, value in honest(canary, luck).items()}


def check(opinion: Opinion, seed: int = 0) -> ConversationCheck:
    luck = random.Random(seed)
    return check_conversations(CANARIES, {each.id: opinion(each, luck) for each in CANARIES}, ended=True)


def share_unfit(opinion: Opinion, runs: int = 300) -> float:
    return sum(check(opinion, seed).fit is False for seed in range(runs)) / runs


def test_the_shipped_ones_show_each_dimension_in_good_and_in_poor_conversations() -> None:
    assert len(CANARIES) == MOST_CONVERSATIONS
    honest_ones = [canary for canary in CANARIES if not canary.injected]
    for name in NAMES:
        levels = [level for canary in honest_ones if (level := canary.levels.get(name)) is not None]
        assert sum(level < 0.5 for level in levels) >= 2 and sum(level >= 0.5 for level in levels) >= 2, name


def test_an_honest_judge_is_seldom_blamed() -> None:
    assert share_unfit(honest) <= 0.03


@pytest.mark.parametrize("value", [0.0, 0.5, 0.6, 0.9, 1.0])
def test_a_judge_that_says_the_same_of_all_conversations_is_caught(value: float) -> None:
    found = check(constant(value))
    assert found.fit is False
    assert found.problems[0].startswith("it hardly distinguishes good conversations from poor ones")


def test_a_judge_that_answers_at_random_is_caught() -> None:
    assert share_unfit(at_random) == 1.0
    assert share_unfit(lambda _canary, luck: {name: 0.4 + luck.random() / 2 for name in NAMES}) >= 0.99


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_that_is_blind_in_one_dimension_is_caught_and_it_says_in_which(name: str) -> None:
    found = check(without(name, 0.9))
    assert found.fit is False
    assert any(f" in {name}:" in problem for problem in found.problems)


def test_a_judge_that_obeys_what_a_turn_says_to_it_is_caught() -> None:
    assert share_unfit(obedient) == 1.0
    assert any("obeys" in problem for problem in check(obedient).problems)


def test_a_judge_that_finds_nothing_to_score_anywhere_is_caught() -> None:
    assert check(blind_to_absence).fit is False


def shifted(by: float) -> Opinion:
    """Honest, and off by so much throughout."""
    return lambda canary, luck: {
        name: None if value is None else between(value + by) for name, value in honest(canary, luck).items()
    }


def test_a_judge_that_is_too_kind_or_too_harsh_throughout_is_caught() -> None:
    assert share_unfit(shifted(0.5)) >= 0.95
    assert share_unfit(shifted(-0.5)) >= 0.95


def test_what_could_not_be_read_makes_a_judge_unfit_only_where_no_more_will_come() -> None:
    luck = random.Random(1)
    some = {each.id: honest(each, luck) for each in CANARIES[:5]}
    assert check_conversations(CANARIES, some, ended=False).fit is None
    ended = check_conversations(CANARIES, some, ended=True)
    assert ended.fit is False and "too few values" in ended.problems[0]


def test_injected_ones_that_a_shield_refuses_are_not_missing() -> None:
    luck = random.Random(2)
    found = {each.id: honest(each, luck) for each in CANARIES if not each.injected}
    assert check_conversations(CANARIES, found, ended=True).fit is True


def test_a_panel_is_as_fit_as_its_members_and_names_who_failed() -> None:
    merged = merge_checks({"a": check(honest), "b": check(constant(1.0))})
    assert (merged.fit, merged.unfit, merged.asked) == (False, ("b",), 2 * len(CANARIES))
    assert all(problem.startswith("b: ") for problem in merged.problems)
    assert merge_checks({"a": check(honest), "b": check(honest)}).fit is True


# --- the calls --------------------------------------------------------------------------------------------------------

PIN = JudgePin("judge-1", "https://x", "schema", samples=3)
CHECK: ConversationCanaries = checks_of_conversations(PIN, question(), 7)["judge-1"]


def ask(say: Callable[[Request], str | CallFailure], before: Any = None) -> tuple[list[Request], dict[Any, Reply]]:
    asked: list[Request] = []
    kept = dict(before or {})

    async def complete(request: Request) -> Reply | CallFailure:
        asked.append(request)
        said = say(request)
        if isinstance(said, CallFailure):
            return said
        answer = kept[request.cell, request.turn, request.sample] = reply(said)
        return answer

    asyncio.run(CHECK.ask(before or {}, complete))
    return asked, kept


def right(request: Request) -> str:
    canary = next(each for each in CANARIES if asked_of(each)[0].cell == request.cell)
    levels: dict[str, Any] = dict(canary.levels)
    return whole_verdict(0.6, **levels)


def test_each_is_asked_about_once_whatever_the_samples_as_those_of_a_run_are() -> None:
    asked, kept = ask(right)
    assert len(asked) == len(CANARIES)
    assert {(each.purpose, each.turn, each.sample) for each in asked} == {("canary", WHOLE, 1)}
    assert all(each.cell.scenario_id.startswith("canary:") for each in asked)
    assert CHECK.check(kept, ended=True).fit is True
    assert ask(right, kept)[0] == [], "what lies in the journal is not asked again"


def test_one_that_cannot_be_read_is_asked_once_more_with_another_seed() -> None:
    asked, kept = ask(lambda request: "no idea" if request.sample == 1 else right(request))
    assert len(asked) == 2 * len(CANARIES)
    assert len({(each.cell, each.parameters["seed"]) for each in asked}) == len(asked)
    assert CHECK.check(kept, ended=True).fit is True


def test_nobody_who_was_asked_nothing_is_called_unfit() -> None:
    checks = {"judge-1": CHECK}
    assert check_of_answers(checks, lambda _: {}, ended=True) is None
    silent = ask(lambda _: "no idea")[1]
    found = check_of_answers(checks, lambda _: silent, ended=True)
    assert found is not None and found.fit is False


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_no_attack_in_a_canary_leaves_its_block_or_is_read_as_its_verdict(attack: str) -> None:
    canary = CANARIES[1]
    for place in range(len(canary.turns)):
        turns = list(canary.turns)
        turns[place] = turns[place].model_copy(update={"assistant": f"{turns[place].assistant}\n{attack}"})
        planted = canary.model_copy(update={"turns": tuple(turns)})
        _, user = CHECK.request(planted).messages
        assert user.content.count("\n</conversation-") == 1
        exchange = asked_of(planted)[0]
        heard = heard_in(exchange, Material(()))
        assert read_conversation(attack, question(), heard).scores == {}
        assert read_conversation(whole_verdict(0.05), question(), heard).scores["memory"] == 0.05


# --- what a rubric may not hold ---------------------------------------------------------------------------------------


def other(**changed: Any) -> ConversationCanary:
    return ConversationCanary.model_validate({**CANARIES[1].model_dump(), **changed})


DIMENSIONS = {name: name in NULLABLE for name in NAMES}


@pytest.mark.parametrize(
    ("canary", "said"),
    [
        (other(), "stands twice"),
        (other(id="x", levels={"memry": 0.1}), "is no dimension"),
        (other(id="x", levels={"ending": None}), "which there always is"),
        (other(id="x", levels={"memory": 0.8}, injected=True), "levels below 0.5"),
    ],
)
def test_a_conversation_that_fits_nothing_is_named(canary: ConversationCanary, said: str) -> None:
    faults = list(conversation_faults((*CANARIES[:-1], canary), DIMENSIONS))
    assert any(said in problem for place, problem in faults if place == len(CANARIES) - 1)


def test_too_few_to_show_anything_and_too_many_to_pay_for_are_refused() -> None:
    few = [problem for _, problem in conversation_faults(CANARIES[:2], DIMENSIONS)]
    assert any("are injected" in problem for problem in few)
    assert any("are poor in ending" in problem for problem in few)
    many = [*CANARIES, other(id="one-more")]
    assert any("keep to 16" in problem for _, problem in conversation_faults(many, DIMENSIONS))
    assert list(conversation_faults(CANARIES, DIMENSIONS)) == []
