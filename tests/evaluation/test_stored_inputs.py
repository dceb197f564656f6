"""Scenarios as a run keeps them: the text and back."""

import json
from dataclasses import asdict

import pytest

from evaluation.records import Expectation, Scenario, Turn
from evaluation.run import scenarios_from_text, scenarios_to_text

FULL = Scenario(
    *(
        "b",
        "c",
        ("Hé", 'Say "2"'),
        "x",
        "a nurse",
        ("t",),
        "n\n",
        (Turn("user", "q"), Turn("assistant", "a")),
        {"k": [1]},
    ),
    expect=(Expectation("e", "check", "Is it short?", "most_words", {"words": 9}, scope="turn", turn=2),),
)


@pytest.mark.parametrize("scenarios", [(), (FULL,), (Scenario("a", "c", ("Hi",)), FULL)])
def test_scenarios_come_back_from_the_json_of_their_fields(scenarios: tuple[Scenario, ...]) -> None:
    text = scenarios_to_text(scenarios)
    plain = [
        {**asdict(each), "history": [{"role": turn.role, "content": turn.content} for turn in each.history]}
        for each in scenarios
    ]
    for each in plain:
        assert each.pop("tools") == {}
    assert text == json.dumps(plain), "as earlier versions kept it"
    assert scenarios_from_text(text) == scenarios
