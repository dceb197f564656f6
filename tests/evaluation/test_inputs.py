"""Texts that were read become inputs in one step: rubric first, then sets, one leg for each prompt and setting."""

from dataclasses import replace

import pytest

from evaluation.errors import ParseError
from evaluation.expectations.criteria import no_sets
from evaluation.inputs import InputTexts, parse_inputs
from evaluation.plan import Leg
from evaluation.request import EvaluationRequest
from evaluation.suites import SUITES
from evaluation.text.forms import SourceText
from scripts.run.texts import read_rubric

SET = """
category: small_talk
scenarios:
  - {id: tired, turns: ["I had a long day."]}
"""


def texts() -> InputTexts:
    rubric = read_rubric("companion")
    return InputTexts(SUITES["companion"], None, (None, None), rubric, (SourceText(SET, "set.yaml"),))


def test_texts_become_a_leg_for_each_prompt_and_setting_unless_legs_are_given() -> None:
    request = EvaluationRequest(vary=(("temperature", (0.1, 0.9)),))
    inputs = parse_inputs(texts(), request, (), no_sets)
    assert [scenario.id for scenario in inputs.scenarios] == ["tired"]
    assert [leg.request.temperature for leg in inputs.legs] == [0.1, 0.9, 0.1, 0.9]
    given = [Leg(None, request)]
    assert parse_inputs(texts(), request, given, no_sets).legs == given


def test_a_fault_of_the_rubric_is_named_before_one_of_a_set() -> None:
    wrong_set = replace(texts(), sets=(SourceText("category: nosuch", "set.yaml"),))
    with pytest.raises(ParseError, match=r"^set\.yaml"):
        parse_inputs(wrong_set, EvaluationRequest(), (), no_sets)
    both = replace(wrong_set, rubric=SourceText("titel: x", "rubric.yaml"))
    with pytest.raises(ParseError, match=r"^rubric\.yaml"):
        parse_inputs(both, EvaluationRequest(), (), no_sets)
