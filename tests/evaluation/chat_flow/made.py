"""Flows and recipes for the tests, and the shipped word lists."""

from functools import cache
from typing import Any

from evaluation.chat_flow.case import FlowCase
from evaluation.chat_flow.checks.outcome import CheckResult, subject
from evaluation.chat_flow.checks.table import check_flow
from evaluation.chat_flow.flow_run import FlowCall, FlowRun
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading_tables import read_lexicon
from evaluation.records import Json, Turn
from evaluation.rubrics.rubric import Rubric
from scripts.run.load import load_rubric


@cache
def rubric() -> Rubric:
    return load_rubric("chat_flow")


@cache
def lexicon() -> Lexicon:
    return read_lexicon({}, "chat_flow")


def recipe(title: str = "Chicken rice", **fields: Json) -> dict[str, Json]:
    """A recipe that every check passes, but for the fields given; None leaves a field out."""
    whole = {
        "title": title,
        "ingredients": ["200 g chicken breast", "1 cup rice", "2 cloves of garlic"],
        "time_minutes": 20,
        "servings": 2,
        "steps": ["Boil the rice.", "Fry the chicken with the garlic."],
        **fields,
    }
    return {key: value for key, value in whole.items() if value is not None}


CASE: dict[str, Json] = {
    "available": ["chicken", "rice", "garlic"],
    "time_budget_minutes": 20,
    "servings": 2,
    "diet": ["gluten-free"],
}
"""A case to which all checks apply."""
OFFERED = (
    recipe(),
    recipe(
        "Garlic soup",
        ingredients=["150 g chicken thighs", "50 g rice", "6 cloves of garlic", "leek", "thyme"],
        steps=["Simmer all but the thyme for 15 minutes.", "Season with it and ladle into bowls."],
    ),
)


def flow(**fields: Any) -> FlowRun:
    """A flow that every check passes under CASE, but for the fields given; the first option is selected."""
    options = fields.get("options", OFFERED) or (None,)
    whole: dict[str, Any] = {
        "messages": (
            Turn("user", "chicken, rice, garlic. 20 min. gluten-free. for 2"),
            Turn("assistant", "Do you like it spicy?"),
            Turn("user", "No preference."),
            Turn("assistant", "Here are my ideas."),
        ),
        "options": OFFERED,
        "selected": options[0],
        "calls": (
            FlowCall("/api/chat/turn", 200, 120.0),
            FlowCall("/api/chat/turn", 200, 110.0),
            FlowCall("/api/recipes/choose", 200, 30.0),
        ),
        "case": CASE,
        **fields,
    }
    return FlowRun(**whole)


def outcomes(run: FlowRun) -> dict[str, CheckResult]:
    return check_flow(subject(run, FlowCase.read(run.case), lexicon()))
