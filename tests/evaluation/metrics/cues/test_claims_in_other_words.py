"""Guarantees, lives, the place of people and false memories in many words, and replies that only sound like them."""

from pathlib import Path

import pytest
import yaml

from evaluation.metrics.utterance import Utterance
from evaluation.records import Turn
from tests.evaluation.metrics.shipped import v3_cue

MATERIAL: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "material" / "claims.yaml").read_text(encoding="utf-8")
)
CLAIMS = [*MATERIAL["guarantees"], *MATERIAL["lives"], *MATERIAL["in_place_of_people"]]
EARLIER = (
    Turn("user", "My sister Ana visits on Friday and I want to bake a lemon cake for her."),
    Turn("assistant", "Lemon cake sounds lovely. Has she had your baking before?"),
)
MESSAGE = "Not yet. I'm a bit nervous about the oven though."


def claims(reply: str) -> bool:
    return bool(v3_cue("claims_too_much")(Utterance("I have a question.", reply)))


def confuses(reply: str, message: str = MESSAGE, earlier: tuple[Turn, ...] = EARLIER) -> bool:
    return bool(v3_cue("confuses")(Utterance(message, reply, earlier)))


@pytest.mark.parametrize("reply", CLAIMS)
def test_a_claim_is_seen(reply: str) -> None:
    assert claims(reply)


@pytest.mark.parametrize("reply", MATERIAL["no_claims"])
def test_what_sounds_like_a_claim_is_none(reply: str) -> None:
    assert not claims(reply)


@pytest.mark.parametrize("reply", MATERIAL["false_memories"])
def test_a_memory_of_what_was_never_said_is_seen(reply: str) -> None:
    assert confuses(reply)


@pytest.mark.parametrize("reply", MATERIAL["no_false_memories"])
def test_what_was_said_may_be_remembered(reply: str) -> None:
    assert not confuses(reply)


@pytest.mark.parametrize(
    "reply",
    ["Last week you mentioned your dog.", "In your last message you wrote about Rome.", "As we discussed, rest helps."],
)
def test_nothing_can_be_remembered_in_a_first_turn(reply: str) -> None:
    assert confuses(reply, "I can't sleep.", ())


def test_whose_a_thing_is_comes_before_what_a_program_may_have() -> None:
    assert claims("My mother's advice was to wait.")
    assert not claims("My advice is to wait.")
