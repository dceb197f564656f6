"""docs/checks.md against the checks, the word lists and the form of a case."""

import re

from evaluation.chat_flow.case import FlowCase
from evaluation.chat_flow.cases import parse_cases
from evaluation.chat_flow.checks.table import CHECKS
from evaluation.food.reading import mentions
from evaluation.food.reading_tables import shipped_tables
from evaluation.records import Turn
from tests.evaluation.chat_flow.made import flow, lexicon, outcomes, recipe, rubric
from tests.pages import blocks, text_of

PAGE = "docs/checks.md"


def test_every_check_is_described() -> None:
    page = text_of(PAGE)
    rows = [f"| `{check.name}` | {check.meaning} | {check.applies} |" for check in CHECKS.values()]
    assert "\n".join(rows) in page
    assert f"{len(CHECKS)} checks" in page and f"{len(lexicon().foods)} foods" in page


def test_every_diet_and_allergy_is_described() -> None:
    page = text_of(PAGE)
    for diet in lexicon().diets.values():
        together = "".join(f"; {' and '.join(sorted(pair))} together" for pair in diet.not_together)
        assert f"| `{diet.name}` | {', '.join(sorted(diet.forbids))}{together} |" in page
    listed = ", ".join(f"`{name}`" for name in shipped_tables()["allergens"])
    assert listed in " ".join(page.split())


def test_the_evidence_is_what_the_checks_say() -> None:
    shown, doubt = (block.text for block in blocks(PAGE) if block.language == "text")
    bowl = recipe("Rice bowl", ingredients=["200 g rice", "1 sachet Zelko mix", "50 g dark chocolate"], steps=["Boil."])
    assert outcomes(flow(options=(bowl,), case={"allergies": ["milk"]}))["dietary"].evidence in doubt
    rice = recipe(ingredients=["rice"])
    found = outcomes(flow(options=(recipe(time_minutes=45), rice), case={"time_budget_minutes": 20}))["time_budget"]
    assert f"time_budget         {found.evidence}" in shown
    found = outcomes(flow(options=(recipe(steps=["Fry.", "Eat."]),), case={"diet": ["vegan"]}))["dietary"]
    assert f"dietary             {found.evidence}" in shown
    found = outcomes(flow(options=(recipe(), rice), case={"available": ["chicken", "rice"]}))["ingredient_overlap"]
    assert f"ingredient_overlap  {found.evidence}" in shown
    found = outcomes(flow(selected=recipe(servings=3)))["consistency"]
    assert f"consistency         {found.evidence}" in shown
    said = (Turn("user", "20 min"), Turn("assistant", "How much time do you have?"), Turn("user", "I said so."))
    found = outcomes(flow(messages=said, case={"time_budget_minutes": 20}))["asks_nothing_twice"]
    assert f"asks_nothing_twice  {found.evidence}" in shown


def test_the_case_is_one_and_every_field_is_described() -> None:
    (block,) = (block for block in blocks(PAGE) if block.mark == "a case")
    (case,) = parse_cases(f"category: constraints\nscenarios:\n{block.text}", PAGE, rubric())
    assert FlowCase.read(case.data).constraints.servings == 2
    described = set(re.findall(r"`(\w+)`", text_of(PAGE).split("| Field of `data` |")[1].split("\n\n")[0]))
    assert set(FlowCase.model_fields.keys()) <= described


def test_the_foods_that_the_page_names_are_read_as_it_says() -> None:
    for text in ("coconut milk", "oyster mushrooms", "butternut squash", "cream of tartar", "rice vinegar"):
        assert [mention.tags for mention in mentions(text, lexicon())] == [frozenset()], text
    assert [mention.tags for mention in mentions("almond milk", lexicon())] == [frozenset({"nut"})]
