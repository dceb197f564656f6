"""Playing a case: which calls are made, what is answered, and how every trouble of the application ends as a fault."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.chat_flow.flow_run import CHOOSE_PATH, TURN_PATH, FlowRun, HttpAnswer
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Scenario, Turn, Usage
from evaluation.suites.chat_flow import MAX_TURNS, play_flow
from evaluation.suites.turns import CellPlan
from tests.evaluation.chat_flow.made import lexicon

RICE = {"title": "Fried rice", "ingredients": ["rice"], "time_minutes": 20, "steps": ["Fry.", "Eat."]}
OPTIONS = {"next_action": "options", "reply": "Here you are.", "options": [RICE]}
SELECTED = {"selected": RICE}
ASK = {"next_action": "ask", "reply": "How much time do you have?"}


def case(**data: Any) -> Scenario:
    history = (Turn("assistant", "What's in your fridge?"),)
    return Scenario("c", "constraints", ("Rice, please.",), history=history, data=data)


class Application:
    """Answers from a script; remembers what it was asked."""

    def __init__(self, *bodies: Any) -> None:
        self.answers = [body if isinstance(body, HttpAnswer) else HttpAnswer(200, body) for body in bodies]
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply | CallFailure:
        self.asked.append(request)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        start = 100.0 * len(self.asked)
        return Reply(answer.to_text(), "stop", "app", {}, Usage(), start, start + 0.25)

    def bodies(self) -> list[tuple[str, Any]]:
        return [(request.parameters["path"], request.parameters["body"]) for request in self.asked]


def played(application: Any, scenario: Scenario) -> Exchange:
    async def gather() -> list[Exchange]:
        part = CellPlan(Cell("c", 1), scenario, None, {}, "", {}, 0)
        return [exchange async for exchange in play_flow(lexicon(), part, application.complete)]

    (exchange,) = asyncio.run(gather())
    return exchange


def flow_of(application: Application, scenario: Scenario | None = None) -> FlowRun:
    return FlowRun.from_text(played(application, scenario or case()).response)


def said(run: FlowRun) -> list[str]:
    return [turn.content for turn in run.messages]


def test_options_at_once_then_a_choice() -> None:
    application = Application(OPTIONS, SELECTED)
    exchange = played(application, case(fridge_input=["rice"]))
    run = FlowRun.from_text(exchange.response)
    assert (run.options, run.selected, run.fault) == ((RICE,), RICE, None)
    (turn_path, turn_body), (choose_path, choose_body) = application.bodies()
    assert (turn_path, choose_path) == (TURN_PATH, CHOOSE_PATH)
    opening = [
        {"role": "assistant", "content": "What's in your fridge?"},
        {"role": "user", "content": "Rice, please."},
    ]
    assert turn_body == {"messages": opening, "fridge_input": ["rice"]}
    assert choose_body["options"] == [RICE] and choose_body["messages"][-1]["content"] == "Here you are."
    assert exchange.user_input == "Rice, please." and exchange.context == (Turn("assistant", "What's in your fridge?"),)
    outcome = exchange.outcome
    assert isinstance(outcome, Reply) and outcome.finish_reason == "selected" and outcome.attempts == 2
    assert outcome.latency_ms == pytest.approx(500), "the application's time alone, not what lies between its answers"


def test_questions_are_answered_by_their_words_or_in_order() -> None:
    servings = {"next_action": "ask", "reply": "For how many people?"}
    answers = [{"say": "For two.", "to": ["people"]}, {"say": "20 minutes.", "to": ["time"]}]
    run = flow_of(Application(ASK, servings, OPTIONS, SELECTED), case(answers=answers))
    assert said(run)[2:6] == ["How much time do you have?", "20 minutes.", "For how many people?", "For two."]
    run = flow_of(Application(ASK, servings, OPTIONS, SELECTED), case(answers=["first", "second"]))
    assert said(run)[3::2][:2] == ["first", "second"]


def test_each_call_is_distinguished_and_carries_the_conversation() -> None:
    application = Application(ASK, OPTIONS, SELECTED)
    flow_of(application)
    assert [request.sample for request in application.asked] == [1, 2, 3]
    assert {request.purpose for request in application.asked} == {"application"}
    assert [len(request.messages) for request in application.asked] == [2, 4, 5]


BROKEN = HttpAnswer(500, None, "http_status", "HTTP 500: out of order")
TROUBLES: Sequence[tuple[str, tuple[Any, ...], str, str]] = (
    ("an error status", (BROKEN,), "http_status", TURN_PATH),
    ("no answer", (HttpAnswer(None, None, "timeout", "too slow"),), "timeout", TURN_PATH),
    ("an error after a question", (ASK, BROKEN), "http_status", TURN_PATH),
    ("an error on choosing", (OPTIONS, BROKEN), "http_status", CHOOSE_PATH),
    ("a list for a body", ([],), "schema", TURN_PATH),
    ("no next action", ({"reply": "Hm?"},), "schema", TURN_PATH),
    ("a number as next action", ({"next_action": 1, "reply": "Hm?"},), "schema", TURN_PATH),
    ("options that are missing", ({"next_action": "options"},), "schema", TURN_PATH),
    ("options that are no list", ({"next_action": "options", "options": {}},), "schema", TURN_PATH),
    ("a question without words", ({"next_action": "ask"},), "schema", TURN_PATH),
    ("a blank question", ({"next_action": "ask", "reply": " "},), "dead_end", TURN_PATH),
    ("an end without options", ({"next_action": "end", "reply": "Bye."},), "dead_end", TURN_PATH),
    ("an end with null", ({"next_action": "end", "reply": "Bye.", "options": None},), "dead_end", TURN_PATH),
    ("an error with no options", ({"next_action": "error", "reply": "Oh.", "options": []},), "dead_end", TURN_PATH),
    ("the same question again", (ASK, {**ASK, "reply": "how  much time do you have?"}), "loop", TURN_PATH),
    ("the same question in other words", (ASK, {**ASK, "reply": "Sorry, how long may it take?"}), "loop", TURN_PATH),
    ("nothing selected", (OPTIONS, {"selected": None}), "empty", CHOOSE_PATH),
    ("no selection", (OPTIONS, {}), "schema", CHOOSE_PATH),
)


@pytest.mark.parametrize("what, bodies, kind, where", TROUBLES, ids=[trouble[0] for trouble in TROUBLES])
def test_trouble_is_a_result(what: str, bodies: tuple[Any, ...], kind: str, where: str) -> None:
    application = Application(*bodies)
    exchange = played(application, case())
    run = FlowRun.from_text(exchange.response)
    assert run.fault is not None and (run.fault.kind, run.fault.where) == (kind, where)
    assert isinstance(exchange.outcome, Reply) and exchange.outcome.finish_reason == kind
    assert len(application.asked) == len(bodies), "nothing is asked again, and nothing after a fault"


def test_a_conversation_without_end_is_ended() -> None:
    questions = [{"next_action": "ask", "reply": f"Do you like dish {chr(97 + number)}x?"} for number in range(50)]
    run = flow_of(Application(*questions))
    assert run.fault is not None and run.fault.kind == "too_many_turns"
    assert len(run.calls) == MAX_TURNS


@pytest.mark.parametrize("options, data", [([], {}), ([RICE], {"choose": False})], ids=["none", "not asked for"])
def test_nothing_is_chosen_where_there_is_nothing_to_choose(options: list[Any], data: dict[str, Any]) -> None:
    application = Application({**OPTIONS, "options": options})
    run = flow_of(application, case(**data))
    assert run.fault is None and run.selected is None and len(application.asked) == 1


@pytest.mark.parametrize(
    ("ids", "selected", "meant"),
    [
        (("a", "b"), "b", 1),
        ((7, 8), 7, 0),
        (("a", "a"), "a", None),
        (("a", "b"), "c", None),
        ((1, 2), True, None),
    ],
)
def test_a_selected_id_stands_for_the_option_that_bears_it(
    ids: tuple[Any, Any], selected: Any, meant: int | None
) -> None:
    options = [{**RICE, "id": each} for each in ids]
    run = flow_of(Application({**OPTIONS, "options": options}, {"selected": selected}))
    assert run.selected == (selected if meant is None else options[meant])


@pytest.mark.parametrize("action", ["end", "DONE", " stop", "none"])
def test_an_end_that_says_that_there_is_nothing_is_no_fault(action: str) -> None:
    run = flow_of(Application({"next_action": action, "reply": "I found nothing.", "options": []}))
    assert (run.fault, run.options) == (None, ())
    assert said(run)[-1] == "I found nothing."


def test_what_is_not_the_applications_doing_is_a_failure() -> None:
    failure = CallFailure("limit", "not now", 0, 0.0, 0.0)

    class Closed:
        async def complete(self, _request: Request) -> CallFailure:
            return failure

    outcome = played(Closed(), case()).outcome
    assert isinstance(outcome, CallFailure) and outcome.purpose == "application"


def test_hostile_values_are_kept_and_do_no_harm() -> None:
    hostile = {"next_action": "options", "options": [{"title": "\ud800</script>", "time_minutes": float("nan")}, 7]}
    run = flow_of(Application(hostile, {"selected": ["\u202e"]}))
    assert run.options is not None and len(run.options) == 2
    assert run.selected == ["\u202e"]
