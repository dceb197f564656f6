"""Each check on flows made for it, and that one defect fails one check."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.chat_flow.checks.table import CHECKS, METRICS, build_flow_scorer
from evaluation.chat_flow.flow_run import FAULT_KINDS, Fault, FlowCall, FlowRun
from evaluation.errors import ParseError
from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage
from tests.evaluation.chat_flow.made import CASE, OFFERED, flow, lexicon, outcomes, recipe

TURN, CHOOSE = "/api/chat/turn", "/api/recipes/choose"


def with_option(**fields: Json) -> FlowRun:
    """A flow whose first option has other fields; the second is the one selected."""
    return flow(options=(recipe(**fields), OFFERED[1]), selected=OFFERED[1])


def test_a_good_flow_passes_every_check() -> None:
    assert {name: found.ending for name, found in outcomes(flow()).items()} == dict.fromkeys(CHECKS, "passed")


def broken(kind: Any, where: str = TURN, **fields: Any) -> FlowRun:
    return flow(fault=Fault(kind, where, "said why"), **{"options": None, "selected": None, **fields})


DEFECTS: Mapping[str, tuple[FlowRun, str]] = {
    "ignores the time": (with_option(time_minutes=45), "time_budget"),
    "forgets the diet": (with_option(ingredients=["chicken", "rice", "garlic", "soy sauce"]), "dietary"),
    "invents ingredients": (with_option(ingredients=["quinoa", "kale"], steps=["Mix.", "Eat."]), "ingredient_overlap"),
    "chooses what was not offered": (flow(selected=recipe("Something else")), "consistency"),
    "changes what was chosen": (flow(selected={**OFFERED[0], "time_minutes": 12}), "consistency"),
    "chooses nothing": (flow(selected=None), "consistency"),
    "answers the choice with null": (
        flow(selected=None, fault=Fault("empty", CHOOSE, "selected is null")),
        "consistency",
    ),
    "one step only": (with_option(steps=["Cook it all."]), "steps_present"),
    "blank steps": (with_option(steps=["Cook it all.", " ", ""]), "steps_present"),
    "serves one": (with_option(servings=1), "servings"),
    "serves two more": (with_option(servings=4), "servings"),
    "empty options": (flow(options=(), selected=None), "options_present"),
    "never offers": (flow(options=None, selected=None), "options_present"),
    "an empty body": (broken("no_body"), "no_fault"),
    "the same twice": (flow(options=(OFFERED[0], OFFERED[0])), "no_duplicates"),
    "the same title": (
        flow(options=(OFFERED[0], recipe("CHICKEN, rice!", time_minutes=19))),
        "no_duplicates",
    ),
    "time is missing": (with_option(time_minutes=None), "schema"),
    "time as text": (with_option(time_minutes="20"), "schema"),
    "no steps at all": (with_option(steps=None), "schema"),
    "an option that is a text, of which nobody knows what is in it": (
        flow(options=(*OFFERED, "soup")),
        "dietary schema",
    ),
    "options that are no list": (broken("schema"), "schema"),
    "no selected in the answer": (
        flow(selected=None, fault=Fault("schema", CHOOSE, "selected is missing")),
        "schema",
    ),
    "slow": (flow(calls=(FlowCall(TURN, 200, 10_001.0),)), "latency"),
    "500": (broken("http_status", calls=(FlowCall(TURN, 500, 20.0),)), "no_fault"),
    "500 at the choice": (
        flow(
            selected=None,
            fault=Fault("http_status", CHOOSE, "HTTP 500"),
            calls=(FlowCall(TURN, 200, 20.0), FlowCall(CHOOSE, 500, 20.0)),
        ),
        "no_fault",
    ),
    "time-out": (broken("timeout", calls=(FlowCall(TURN, None, 60_000.0),)), "no_fault"),
    "connection": (broken("connection", calls=(FlowCall(TURN, None, 3.0),)), "no_fault"),
    "no JSON": (broken("invalid_json"), "no_fault"),
    "loop": (broken("loop"), "no_fault"),
    "dead end": (broken("dead_end"), "no_fault"),
    "too many turns": (broken("too_many_turns"), "no_fault"),
}


def test_one_defect_fails_one_check() -> None:
    for defect in DEFECTS:
        run, check = DEFECTS[defect]
        assert [name for name, found in outcomes(run).items() if found.ending == "failed"] == check.split(), defect


def test_every_fault_fails_one_check() -> None:
    for kind in FAULT_KINDS:
        for where in [TURN, CHOOSE]:
            options = None if where == TURN else OFFERED
            failed = [
                name
                for name, found in outcomes(broken(kind, where, options=options)).items()
                if found.ending == "failed"
            ]
            assert len(failed) == 1, (kind, where)


def test_what_a_check_finds() -> None:
    cases: list[tuple[str, FlowRun, str, str | None]] = [
        ("options_present", flow(), "passed", "2 options"),
        ("options_present", flow(options=()), "failed", "the list of options is empty"),
        (
            "options_present",
            flow(options=(), case={"options_may_be_empty": True}),
            "not_applicable",
            "the case allows that there is nothing to offer",
        ),
        ("options_present", broken("loop"), "not_applicable", f"the flow broke off: loop at {TURN}"),
        (
            "time_budget",
            with_option(time_minutes=45),
            "failed",
            'option 1 "Chicken rice" takes 45 minutes; at most 20 minutes were asked for',
        ),
        (
            "time_budget",
            flow(options=(recipe(time_minutes=20.0),)),
            "passed",
            'option 1 "Chicken rice" takes 20 minutes; at most 20 minutes were asked for',
        ),
        ("time_budget", flow(case={}), "not_applicable", "the messages state no time budget"),
        ("time_budget", flow(options=(recipe(time_minutes=None),)), "not_applicable", "no option states its time"),
        ("time_budget", broken("timeout"), "not_applicable", "the flow broke off before options"),
        ("servings", with_option(servings=2.0), "passed", None),
        ("servings", with_option(servings=4), "failed", 'option 1 "Chicken rice" serves 4; 2 were asked for'),
        ("servings", flow(options=(recipe(servings=None),)), "not_applicable", "no option states its servings"),
        ("servings", flow(case={}), "not_applicable", "the messages state no servings"),
        (
            "steps_present",
            with_option(steps=[]),
            "failed",
            'option 1 "Chicken rice" has no steps; at least 2 are needed',
        ),
        ("steps_present", flow(options=(recipe(steps=["a", "b"]),)), "passed", None),
        ("steps_present", flow(options=(recipe(steps=["a", " "]),)), "failed", None),
        ("steps_present", flow(options=()), "not_applicable", "there are no options"),
        ("consistency", flow(), "passed", 'selected is option 1 "Chicken rice", unchanged'),
        ("consistency", flow(selected={**OFFERED[1], "shopping_list": []}), "passed", None),
        (
            "consistency",
            flow(selected={**OFFERED[0], "time_minutes": 12}),
            "failed",
            'selected is option 1 "Chicken rice", changed: time_minutes 20 became 12',
        ),
        (
            "consistency",
            flow(selected=recipe("Pie", steps=["Knead.", "Bake."])),
            "failed",
            'selected is "Pie", and none of the 2 options',
        ),
        ("consistency", flow(selected="Pie"), "failed", "selected is a text, and none of the options"),
        ("consistency", flow(selected=None, case={"choose": False}), "not_applicable", "the case asks for no choice"),
        ("consistency", flow(options=(), selected=None), "not_applicable", "there are no options"),
        ("no_duplicates", flow(options=(OFFERED[0],)), "not_applicable", "there are fewer than two options"),
        ("no_duplicates", flow(options=({"a": 1}, {"a": 1})), "failed", None),
        ("no_duplicates", flow(options=({"a": 1}, {"a": 2})), "passed", None),
        (
            "schema",
            with_option(time_minutes=True, steps="Cook."),
            "failed",
            'option 1 "Chicken rice": time_minutes is true or false, not a number, steps is a text, not a list',
        ),
        ("schema", broken("schema"), "failed", f"{TURN}: said why"),
        ("schema", flow(options=()), "not_applicable", "there are no options"),
        ("no_fault", flow(), "passed", "3 calls answered"),
        ("no_fault", broken("http_status"), "failed", f"http_status at {TURN}: said why"),
        (
            "no_fault",
            flow(calls=(FlowCall(TURN, 200, 1.0), FlowCall(CHOOSE, 404, 1.0))),
            "failed",
            f"call 2, {CHOOSE}, was answered 404",
        ),
        (
            "latency",
            flow(calls=(FlowCall(TURN, 200, 90.5), FlowCall(CHOOSE, 200, 1500.0)), case={"max_latency_ms": 1000}),
            "failed",
            f"the slowest call, {CHOOSE}, took 1500 ms; at most 1000 ms",
        ),
        ("latency", flow(calls=()), "not_applicable", "no call was answered"),
        ("latency", broken("timeout"), "not_applicable", f"the flow broke off: timeout at {TURN}"),
    ]
    for name, run, ending, evidence in cases:
        found = outcomes(run)[name]
        assert found.ending == ending, (name, run, ending, evidence)
        assert evidence is None or found.evidence == evidence, (name, run, ending, evidence)


def test_a_constraint_of_an_answer_holds_once_it_was_given() -> None:
    asks = {"answers": [{"to": ["time"], "say": "15 minutes.", "states": {"time_budget_minutes": 15}}]}
    silent = flow(case=asks, messages=(Turn("user", "chicken"),))
    asked = replace(silent, messages=(Turn("user", "chicken"), Turn("assistant", "Time?"), Turn("user", "15 minutes.")))
    assert outcomes(silent)["time_budget"].ending == "not_applicable"
    assert outcomes(asked)["time_budget"].ending == "failed"


def test_a_case_names_the_checks_that_apply() -> None:
    found = outcomes(flow(case={**CASE, "checks": ["time_budget"]}))
    assert [name for name, outcome in found.items() if outcome.ending != "not_applicable"] == ["time_budget"]
    assert found["schema"].evidence == "the case does not ask for it"


def exchange(text: str) -> Exchange:
    reply = Reply(text, "selected", "app", {}, Usage(), 0.0, 1.0)
    return Exchange(Cell("a", 1), 1, (), "chicken", reply)


def test_outcomes_become_scores() -> None:
    run = replace(with_option(time_minutes=45), case={"time_budget_minutes": 20})
    scores = {score.metric: score for score in build_flow_scorer(lexicon())(exchange(run.to_text()))}
    assert tuple(scores) == METRICS
    assert {score.source for score in scores.values()} == {"check"}
    assert (scores["schema"].value, scores["time_budget"].value, scores["overall"].value) == (1.0, 0.0, 0.0)
    assert scores["time_budget"].explanation.startswith('option 1 "Chicken rice" takes 45 minutes')
    assert scores["overall"].explanation == "1 of 19 checks failed: time_budget"
    dietary = scores["dietary"]
    assert (dietary.value, dietary.applicable) == (None, False)
    assert dietary.reason == "not applicable: the messages state no diet or allergy"


def test_a_response_that_is_no_flow_is_refused() -> None:
    with pytest.raises(ParseError, match="is no record of a flow"):
        build_flow_scorer(lexicon())(exchange("Here is your soup."))


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
words = st.sampled_from(["no", "vegan", "butter", "(", ",", "free", "without", "鶏肉", "egg", "\u0301", "\ud800", "-"])
texts = st.lists(words | st.text(max_size=4), max_size=6).map(" ".join)
anything = st.recursive(
    leaves | texts, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)
recipes = st.fixed_dictionaries(
    {}, optional={name: anything | texts | st.lists(texts) for name in ("title", "ingredients", "steps", "diet")}
    | dict.fromkeys(("time_minutes", "servings"), anything),
)  # fmt: skip


@given(st.lists(recipes | anything, max_size=4), anything, anything)
def test_no_check_raises_whatever_an_application_sends(options: list[Json], selected: Json, fridge: Json) -> None:
    case = {**CASE, "diet": ["vegan", "kosher"], "allergies": ["nuts", "kiwi"], "forbidden": ["nail polish"]}
    run = flow(options=tuple(options), selected=selected, fridge_input=fridge, case=case)
    scores = build_flow_scorer(lexicon())(exchange(run.to_text()))
    assert len(scores) == len(METRICS)
    assert outcomes(FlowRun.from_text(run.to_text())) == outcomes(FlowRun.from_text(run.to_text()))


@pytest.mark.slow
def test_thirty_thousand_characters_of_ingredient_are_read() -> None:
    cases: list[tuple[str, str]] = [
        ("egg, " * 6_000, "failed"),
        ("no milk, " * 3_000, "passed"),
        ("no egg" + ", egg" * 6_000, "failed"),
        ("rice vegan " * 3_000, "passed"),
        ("é" * 30_000, "not_known"),
        ("a\u0301\u0316" * 10_000, "not_known"),
        ("no " * 10_000, "not_known"),
        ("(" * 30_000, "not_known"),
        ("x" * 30_000, "not_known"),
    ]
    for text, ending in cases:
        run = flow(options=(recipe(ingredients=[text], steps=["Mix.", text]),), case={"diet": ["vegan"]})
        assert outcomes(run)["dietary"].ending == ending, text[:40]
