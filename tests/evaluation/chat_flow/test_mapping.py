"""The mapping file: bodies there and back, and every mistake in one line with its place."""

from typing import Any

import pytest

from evaluation.chat_flow.flow_run import CHOOSE_PATH, TURN_PATH
from evaluation.chat_flow.mapping import FieldMapping, parse_mapping
from evaluation.errors import ParseError

OTHER = """
turn:
  path: /v2/dialog
  request: {messages: conversation.history, fridge_input: pantry}
  response: {next_action: state.next, reply: state.say, options: results.items}
choose:
  path: /v2/pick
  request: {messages: conversation.history, options: candidates}
  response: {selected: choice.recipe}
message: {role: speaker, content: text, roles: {user: human}}
recipe: {title: label, time_minutes: duration.minutes}
next_actions: {SHOW: options}
trace_id: {body: meta.trace}
"""
MESSAGES = [{"role": "user", "content": "rice"}, {"role": "assistant", "content": "?"}]
THEIRS = {"label": "Rice", "duration": {"minutes": 20, "unit": "min"}, "steps": ["Boil."]}
OURS = {"title": "Rice", "time_minutes": 20, "duration": {"unit": "min"}, "steps": ["Boil."]}


def test_a_turn_there_and_back() -> None:
    mapping = parse_mapping(OTHER, "m.yaml")
    assert mapping.form(TURN_PATH).path == "/v2/dialog"
    sent = mapping.request(TURN_PATH, {"messages": MESSAGES, "fridge_input": None})
    said = [{"speaker": "human", "text": "rice"}, {"speaker": "assistant", "text": "?"}]
    assert sent == {"conversation": {"history": said}, "pantry": None}
    body = {"state": {"next": "SHOW", "say": "Look."}, "results": {"items": [THEIRS]}, "meta": {"trace": "t1"}}
    found = mapping.response(TURN_PATH, body)
    assert found == {"next_action": "options", "reply": "Look.", "options": [OURS], "meta": {"trace": "t1"}}
    assert mapping.trace_of(body) == "t1"
    assert body["state"] == {"next": "SHOW", "say": "Look."}, "what came is left as it is"


def test_options_go_back_as_they_came() -> None:
    mapping = parse_mapping(OTHER, "m.yaml")
    sent = mapping.request(CHOOSE_PATH, {"messages": [], "fridge_input": ["x"], "options": [OURS]})
    assert sent == {"conversation": {"history": []}, "fridge_input": ["x"], "candidates": [THEIRS]}
    assert mapping.response(CHOOSE_PATH, {"choice": {"recipe": THEIRS}}) == {"selected": OURS}


def test_without_a_file_nothing_changes() -> None:
    body = {"messages": MESSAGES, "options": [OURS]}
    assert FieldMapping().request(TURN_PATH, body) == body
    assert FieldMapping().response(TURN_PATH, body) == body
    assert parse_mapping("{}", "m.yaml").form(CHOOSE_PATH).path == CHOOSE_PATH


def test_bodies_of_another_form_pass_through() -> None:
    cases: list[Any] = [None, [], "text", {"state": 7}, {"results": {"items": "none"}}, {"choice": None}]
    for body in cases:
        mapping = parse_mapping(OTHER, "m.yaml")
        mapping.response(TURN_PATH, body)
        mapping.response(CHOOSE_PATH, body)
        assert mapping.trace_of(body) == "", body


def test_options_may_be_sent_as_their_ids() -> None:
    mapping = parse_mapping(
        "choose: {send: ids, request: {options: picks}}\nrecipe: {id: meta.uid, title: name}", "m.yaml"
    )
    body = {"next_action": "options", "options": [{"meta": {"uid": "a1"}, "name": "Rice"}, {"name": "Soup"}]}
    options = mapping.response(TURN_PATH, body)["options"]
    assert options == [{"id": "a1", "title": "Rice"}, {"title": "Soup"}]
    assert mapping.request(CHOOSE_PATH, {"options": options}) == {"picks": ["a1", {"name": "Soup"}]}
    whole = parse_mapping("recipe: {id: meta.uid, title: name}", "m.yaml")
    assert whole.request(CHOOSE_PATH, {"options": options}) == {"options": body["options"]}


@pytest.mark.parametrize(
    "text, problem",
    [
        ("- turn", "holds a list, not a mapping"),
        ("turn: {pth: /x}", "did you mean 'path'"),
        ("turn: {path: x}", "turn.path"),
        ("turn: {request: {message: x}}", "turn.request"),
        ("recipe: {title: a..b}", "recipe.title"),
        ("recipe: {title: name, steps: name}", "name lies where title is"),
        ("recipe: {title: a, steps: a.b}", "a.b lies where title is said to be (a)"),
        ("recipe: [title]", "recipe"),
        ("choose: {send: names}", "choose.send"),
        ("turn: {", "m.yaml"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_mapping(text, "m.yaml")
    message = str(caught.value)
    assert problem in message and message.startswith("m.yaml") and "\n" not in message
