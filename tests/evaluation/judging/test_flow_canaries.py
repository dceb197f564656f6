"""The canaries of the chat flow's rubric: flows as an application plays them, of the kinds that a check needs."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import evaluation.rubrics
from evaluation.chat_flow.flow_run import FlowRun, Recipe
from evaluation.judging.asking import JudgeRubric, NumberQuestion, judge_messages
from evaluation.judging.canaries import share
from evaluation.judging.checking import signs_of_injection
from evaluation.judging.fitness import Values, fitness, measure
from evaluation.metrics.scoring import check_rules
from evaluation.records import Verdict
from evaluation.rubrics.canary import FIRST, MOST_CALLS, Canary, canary_questions, count_kinds
from evaluation.rubrics.loader import parse_rubric
from evaluation.suites.chat_flow import flow_material
from evaluation.text.forms import SourceText
from services.rehearsal.judge import grade
from services.rehearsal.options import JudgeMode
from services.rehearsal.scene import Message

MORE_WORDS = 2.5
"""Times the words of the short flow that the longer one has at least."""


def judge_rubric() -> JudgeRubric:
    text = (Path(evaluation.rubrics.__file__).parent / "chat_flow.yaml").read_text(encoding="utf-8")
    found = JudgeRubric.of(parse_rubric(SourceText(text, "chat_flow.yaml"), check_rules), flow_material)
    assert found is not None
    return found


JUDGE = judge_rubric()
BY_ID = {canary.id: canary for canary in JUDGE.canaries}
LONGER = [canary for canary in JUDGE.canaries if canary.longer_than]
UNOFFERED = {"unoffered-lobster", "injected-plea", "altered-leeks"}
"""Those whose fault it is that the selection is none of the options."""


def flow(canary: Canary) -> FlowRun:
    return FlowRun.from_text(canary.exchange(FIRST).response)


def recipes(run: FlowRun) -> tuple[Recipe, ...]:
    return (*run.recipes(), *([] if run.selected is None else [Recipe.read(run.selected)]))


def words(run: FlowRun) -> int:
    """Words of what the assistant writes: its messages, titles and steps."""

    def texts() -> Iterator[str]:
        yield from (turn.content for turn in run.messages if turn.role == "assistant")
        for recipe in recipes(run):
            yield from (recipe.title, *(recipe.steps or ()))

    return sum(len(text.split()) for text in texts())


def test_every_kind_is_there_and_the_calls_are_those_that_a_check_may_cost() -> None:
    assert count_kinds(JUDGE.canaries) == {
        "asked twice": 14,
        "longer than another": 11,
        "below the middle": 20,
        "above the middle": 21,
        "injected": 5,
    }
    assert len(JUDGE.canaries) == 46 and len(canary_questions(JUDGE.canaries)) == MOST_CALLS
    assert all(BY_ID[canary.longer_than].twice for canary in LONGER)
    assert sum(canary.poor for canary in LONGER) == 5
    assert all(0.15 <= canary.level <= 0.85 for canary in JUDGE.canaries)
    assert all(0.15 <= canary.level <= 0.25 for canary in JUDGE.canaries if canary.injected)
    assert len({canary.user for canary in JUDGE.canaries}) >= 12


@pytest.mark.parametrize("canary", JUDGE.canaries, ids=lambda canary: canary.id)
def test_a_canary_is_a_flow_that_an_application_can_play(canary: Canary) -> None:
    run, kind = flow(canary), canary.id.split("-")[0]
    roles = [turn.role for turn in run.messages]
    assert (roles[0], run.messages[0].content) == ("user", canary.user)
    assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"][: len(roles)], "they take turns"
    assert (run.fault is not None) is (kind == "broken")
    assert all(recipe.violations == () for recipe in recipes(run))
    if kind in ("broken", "empty"):
        assert run.selected is None
    else:
        assert (run.selected in (run.options or ())) is (canary.id not in UNOFFERED)


@pytest.mark.parametrize("long", LONGER, ids=lambda canary: canary.id)
def test_a_longer_one_has_more_words_and_nothing_else(long: Canary) -> None:
    run, short = flow(long), flow(BY_ID[long.longer_than])

    def substance(run: FlowRun) -> list[object]:
        found = [(each.ingredients, each.time_minutes, each.servings, len(each.steps or ())) for each in recipes(run)]
        place = None if run.selected is None else (run.options or ()).index(run.selected)
        said = [turn.content for turn in run.messages if turn.role == "user"]
        return [found, place, said, len(run.messages), run.fridge_input, run.fault]

    assert substance(run) == substance(short)
    assert words(run) >= MORE_WORDS * words(short)


def test_only_the_injected_ones_speak_to_the_judge_and_each_in_its_own_way() -> None:
    signs = {
        name: {sign for text in flow_material(canary.exchange(FIRST)).recent() for sign in signs_of_injection(text)}
        for name, canary in BY_ID.items()
    }
    assert {name for name, found in signs.items() if found} == {name for name in BY_ID if BY_ID[name].injected}
    assert len({frozenset(found) for found in signs.values() if found}) >= 4


def values_of(judge: Callable[[Canary, int], float]) -> Values:
    return {(canary.id, half): judge(canary, half) for canary, half in canary_questions(JUDGE.canaries)}


def fit(values: Values) -> bool | None:
    return fitness(measure(canary_questions(JUDGE.canaries), values), ended=True)


@pytest.mark.parametrize("slope", [0.85, 1.0, 1.15])
@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_the_levels_let_every_honest_judge_pass(slope: float, shift: float) -> None:
    assert fit(values_of(lambda canary, _: min(1.0, max(0.0, slope * canary.level + shift))))


@pytest.mark.parametrize("mode", ["fair", "lenient", "random", "obedient"])
@pytest.mark.parametrize("seed", range(3))
def test_of_the_rehearsal_judges_the_fair_one_alone_passes(mode: JudgeMode, seed: int) -> None:
    luck = random.Random(seed)

    def judge(canary: Canary, half: int) -> float:
        prompt = judge_messages(JUDGE, canary.exchange(half), "schema")
        messages = [Message(turn.role, turn.content) for turn in prompt]
        asked = NumberQuestion(JUDGE, "schema").parameters["response_format"]
        assert isinstance(asked, dict)
        overall = json.loads(grade(messages, asked, mode, luck))[JUDGE.overall]
        return share(Verdict({JUDGE.overall: overall}, "", True, "", ""), JUDGE)

    assert fit(values_of(judge)) is (mode == "fair")
