"""What the judge is given beside the criteria: indicators, the focus of the category, and what the group needs."""

import pytest

from evaluation.judging.asking import JudgeRubric
from evaluation.judging.judge import Judge
from evaluation.prompts import PromptVersion
from evaluation.records import Request, Scenario, Turn
from evaluation.runspec import JudgePin, PromptPin
from evaluation.suites.loaded import with_prompt
from scripts.run.load import load_suite
from tests.evaluation.judging.verdicts import DIMENSIONS, exchange
from tests.evaluation.metrics.shipped import companion_rubric

JUDGED = exchange("Hi", "Hello!")
SCENARIO = Scenario("s", "emotional_support", ("Hi",), tags=("vulnerable", "work"), note="Greets.")


def rubric(guidance: bool = True) -> JudgeRubric:
    whole = companion_rubric()
    assert whole.judge is not None
    section = whole.judge.model_copy(update={"guidance": guidance})
    found = JudgeRubric.of(whole.model_copy(update={"judge": section}))
    assert found is not None
    return found


def request(kind: str, form: str = "reasoned", scenario: Scenario | None = SCENARIO, guidance: bool = True) -> Request:
    return Judge(JudgePin("j", "e", kind, form=form), rubric(guidance), 7).requests(JUDGED, scenario)[0]


@pytest.mark.parametrize("form", ["reasoned", "score_first"])
@pytest.mark.parametrize("kind", ["schema", "json"])
def test_the_indicators_stand_with_their_dimension(form: str, kind: str) -> None:
    system = request(kind, form).messages[0].content
    for name in DIMENSIONS:
        section = system.split(f"## {name}:")[1].split("## ")[0]
        guide = companion_rubric().metrics[name]
        assert section.index("Signs of a good one:") < section.index("Signs of a poor one:")
        for sign in (*guide.positive, *guide.negative):
            assert f"- {sign}" in section, sign


def test_the_category_and_the_group_are_material_and_the_instructions_stay_the_same() -> None:
    first, other = request("schema"), request("schema", scenario=Scenario("o", "small_talk", ("Hi",)))
    assert first.messages[0] == other.messages[0], "a provider can cache it"
    said = first.messages[1].content
    category = companion_rubric().categories["emotional_support"]
    group = companion_rubric().audiences["vulnerable"]
    for shown in (category.focus, *category.criteria, group.focus):
        assert shown in said, shown
    assert "<category-" in said and "<group-" in said and "<group-" not in other.messages[1].content
    assert group.focus not in other.messages[1].content


def test_one_dimension_is_given_its_own_indicators_alone() -> None:
    system = request("schema", "reasoned_each").messages[0].content
    assert "Signs of a good one:" in system and system.count("Signs of a good one:") == 1
    assert companion_rubric().metrics[DIMENSIONS[-1]].positive[0] not in system


def test_without_guidance_and_in_the_template_nothing_is_added() -> None:
    bare = Scenario("s", "emotional_support", ("Hi",), note="Greets.")
    plain = request("schema", guidance=False)
    assert "Signs of" not in plain.messages[0].content and "<category-" not in plain.messages[1].content
    assert request("text").messages == request("text", scenario=bare).messages
    assert request("text").messages == request("text", guidance=False).messages


def test_a_prompt_of_ones_own_is_given_the_same() -> None:
    text = "{{criteria}}\n{{context_summary}}\n{{user_message}}\n{{assistant_response}}"
    pin = PromptPin("own", 1, None, "ab" * 32, "file")
    version = PromptVersion(pin, "text", (Turn("user", text),), {}, ())
    own = with_prompt(rubric(), version)
    for kind in ("schema", "text"):
        said = Judge(JudgePin("j", "e", kind), own, 7).requests(JUDGED, SCENARIO)[0].messages[-1].content
        assert "Signs of a good one:" in said and "<category-" in said, kind


def test_the_shipped_rubrics_give_guidance() -> None:
    for name in ("companion", "companion-v3"):
        found = load_suite("companion", name).suite.judge
        assert found is not None and found.guidance and found.categories and found.groups
