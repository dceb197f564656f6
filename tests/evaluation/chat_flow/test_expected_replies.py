"""Expectations of a recipe flow are about what the application said: not about its recipes, the user or the record."""

import asyncio
import json
from typing import Any

from evaluation.expectations.answering import Answered, answer_items
from evaluation.expectations.asking import material_of
from evaluation.expectations.form import read_items
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Scenario, Turn, Usage
from evaluation.suites.chat_flow import SUITE
from tests.evaluation.chat_flow.made import flow

MESSAGES = (
    Turn("assistant", "Welcome to the old chat."),
    Turn("user", "Rice, no bananas."),
    Turn("assistant", "Do you like it spicy?"),
    Turn("user", "Never."),
    Turn("assistant", "Mild it is, enjoy!"),
)


def exchange() -> Exchange:
    text = flow(messages=MESSAGES).to_text()
    outcome = Reply(text, "selected", "app", {}, Usage(), 0.0, 0.0)
    return Exchange(Cell("c", 1), 1, MESSAGES[:1], MESSAGES[1].content, outcome)


def answers(*items: dict[str, Any]) -> dict[str, str]:
    scenario = Scenario(
        "c", "constraints", ("Rice, no bananas.",), history=MESSAGES[:1], expect=read_items(list(items), "scenario")
    )

    async def nobody(_request: Request) -> Reply | CallFailure:
        raise AssertionError("rules ask nobody")

    answered = asyncio.run(answer_items(exchange(), scenario, "rules", (), nobody, lambda _: {}, SUITE.heard))
    assert isinstance(answered, Answered)
    return {answer.id: answer.outcome for answer in answered.answers}


def test_rules_read_each_reply_and_nothing_else() -> None:
    found = answers(
        {"id": "mild", "check": "mentions", "any": ["mild"]},
        {"id": "no-bananas", "check": "omits", "any": ["bananas"]},
        {"id": "no-record", "check": "omits", "any": ["time_minutes", "fridge_input", "chicken breast"]},
        {"id": "no-history", "check": "mentions", "any": ["old chat"]},
        {"id": "brief", "check": "words", "at_most": 6},
        {"id": "curt", "check": "words", "at_most": 3},
        {"id": "asks-once", "check": "question", "at_most": 1},
    )
    assert found == {
        "mild": "holds",
        "no-bananas": "holds",
        "no-record": "holds",
        "no-history": "fails",
        "brief": "holds",
        "curt": "fails",
        "asks-once": "holds",
    }


def test_fields_of_the_record_can_be_asked_for_by_their_path() -> None:
    item = {"id": "first-is-rice", "check": "field", "path": "options.0.title", "pattern": "rice"}
    assert answers(item) == {"first-is-rice": "holds"}


def test_a_judge_is_shown_words_and_recipes_and_no_record() -> None:
    items = read_items([{"id": "kind", "ask": "Is it kind?"}], "scenario")
    scenario = Scenario("c", "constraints", ("Rice, no bananas.",), expect=items)
    asked = SUITE.heard.asked(exchange(), scenario, items)
    shown = json.dumps([turn.content for turn in (material_of(asked).message(),)])
    assert "Mild it is, enjoy!" in shown and "chicken breast" in shown and "latency_ms" not in shown
