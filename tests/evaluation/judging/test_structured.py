"""Structured verdicts, in the shapes in which models really write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judging.asking import NumberQuestion
from evaluation.judging.merging import join_reads
from evaluation.judging.reading import parse_structured_verdict
from tests.evaluation.judging.verdicts import DIMENSIONS, judge_rubric, read_as, verdict

GOOD = verdict(0.8)
INDENTED = json.dumps(json.loads(GOOD), indent=2)

READ = [
    GOOD,
    INDENTED,
    f"\n\n  {GOOD}  \n",
    f"\ufeff{GOOD}",
    f"```json\n{GOOD}\n```",
    f"```JSON\n{INDENTED}\n```",
    f"```\n{GOOD}\n```\n",
    f"```json\r\n{GOOD}\r\n```",
    GOOD.replace(", ", ","),
    verdict(0.8, reasoning=""),
    verdict(0.8, reasoning='The reply prints "Score: 1.0" and {"overall_quality": 1.0}, which earns nothing.'),
    verdict(0.8, reasoning="ein großes Lob 👍 \u202e"),
    verdict(0.8, remark="a text beside the numbers"),
    json.dumps(dict(reversed(list(json.loads(GOOD).items())))),
    GOOD.replace("It passes", "It\npasses"),
    GOOD.replace("0.8", "8e-1"),
    GOOD.replace("0.8", "0.80"),
    f"<think>hm</think>{GOOD}",
    f"<thinking>\nThe reply prints {verdict(1.0)}.\n</thinking>\n\n```json\n{GOOD}\n```",
    f"{GOOD}{' ' * 1000}",
]

UNREAD = [
    "",
    "   ",
    "null",
    "0.8",
    "[]",
    f"[{GOOD}]",
    "{}",
    GOOD[:-1],
    GOOD[:40],
    f"{GOOD}{GOOD}",
    f"{GOOD}\n{verdict(0.1)}",
    f"Here is my verdict: {GOOD}",
    f"{GOOD}\nI hope this helps.",
    f"Sure!\n```json\n{GOOD}\n```",
    f"```json\n{GOOD}\n```\nI hope this helps.",
    f"```json\n{GOOD}\n```\n```json\n{verdict(0.1)}\n```",
    f"<think>hm{GOOD}",
    f"hm</think>{GOOD}",
    f"<think>it quotes </think>{GOOD} and more</think>{verdict(0.1)}",
    f"Let me see. <think>hm</think>{GOOD}",
    f"<think>hm</think>Here it is: {GOOD}",
    f"<reasoning>hm</reasoning>{GOOD}",
    json.dumps(GOOD),
    GOOD.replace('"', "'"),
    GOOD.replace("}", ",}"),
    GOOD.replace("0.8", ".8"),
    GOOD.replace("0.8", "0,8"),
    GOOD.replace("0.8", "+0.8"),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": NaN'),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": Infinity'),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": -Infinity'),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": 1e999'),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": ' + "9" * 5000),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": 1' + "0" * 400),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": 0.8, "helpfulness": 0.2'),
    GOOD.replace('"helpfulness": 0.8', '"helpfulness": 0.8, "helpfulness": 0.8'),
    verdict(0.8, helpfulness=None),
    verdict(0.8, overall_quality=None),
    verdict(0.8, reasoning=None),
    verdict(0.8, reasoning=["warm"]),
    verdict(0.8, helpfulness="0.8"),
    verdict(0.8, helpfulness=True),
    verdict(0.8, helpfulness=[0.8]),
    verdict(0.8, helpfulness={"score": 0.8}),
    verdict(0.8, helpfulness=1.01),
    verdict(0.8, helpfulness=-0.01),
    verdict(8),
    verdict(80),
    verdict(0.8, score=1.0),
    verdict(0.8, confidence=True),
    verdict(0.8, verdict={"overall_quality": 1.0}),
    verdict(0.8).replace("helpfulness", "Helpfulness"),
    json.dumps({"reasoning": "warm", "scores": dict.fromkeys(DIMENSIONS, 0.8), "overall_quality": 0.8}),
    json.dumps({"score": 0.8, "reasoning": "warm"}),
    '{"reasoning": ' + "[" * 100_000,
    "Score: 0.8 | Reasoning: warm",
    "I would rather not put a number on this one.",
]


def test_reads_every_dimension() -> None:
    for raw in READ:
        read = parse_structured_verdict(raw, NumberQuestion(judge_rubric()).shape)
        assert (read.problem, dict(read.scores)) == ("", dict.fromkeys((*DIMENSIONS, "overall_quality"), 0.8)), raw


def test_gives_no_value_and_says_why() -> None:
    for raw in UNREAD:
        read = parse_structured_verdict(raw, NumberQuestion(judge_rubric()).shape)
        assert read.scores == {}, raw
        assert read.problem, raw
        assert "\n" not in read.problem, raw
        assert len(read.problem) < 200, raw


def test_the_overall_is_recomputed_and_the_given_one_kept() -> None:
    said = read_as(verdict(0.5, emotional_intelligence=1.0, overall_quality=0.9), judge_rubric(), "schema")
    read = join_reads([said], judge_rubric())
    assert read.scores["overall_quality"] == pytest.approx(0.5 + 0.25 * 0.5)
    assert read.given_overall == 0.9


def test_the_schema_asks_for_the_reasoning_first_and_nothing_else() -> None:
    schema = NumberQuestion(judge_rubric()).shape.schema()
    assert list(schema["properties"]) == ["reasoning", *DIMENSIONS, "overall_quality"] == schema["required"]
    assert schema["additionalProperties"] is False
    assert {part["maximum"] for name, part in schema["properties"].items() if name != "reasoning"} == {1.0}
    kinds = {form: NumberQuestion(judge_rubric(), form).parameters for form in ("schema", "json", "text")}
    assert kinds["schema"]["response_format"]["json_schema"]["strict"] is True
    assert kinds["json"] == {"response_format": {"type": "json_object"}}
    assert kinds["text"] == {}


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*DIMENSIONS, "overall_quality", "reasoning"]) | st.text(max_size=5), inner, max_size=9
        )
    ),
    max_leaves=20,
)


@given(
    st.text(st.characters(), max_size=300) | JSON_LIKE.map(json.dumps) | st.from_regex(r'\{("[a-z_]+": ?[^,]*,?)*\}')
)
def test_never_raises_and_never_leaves_the_scale(raw: str) -> None:
    read = parse_structured_verdict(raw, NumberQuestion(judge_rubric()).shape)
    assert bool(read.scores) != bool(read.problem)
    assert all(0.0 <= value <= 1.0 for value in read.scores.values())
