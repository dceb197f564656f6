"""How far a reply takes up what the user feels by all its words, beside the rows that say so."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from evaluation.metrics.cues.feelings import MirrorSettings, mirrors_feeling
from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.shipped import v3_cue, v3_rubric, v3_rules

MATERIAL = Path(__file__).parent / "material" / "understanding.yaml"
UNDERSTANDS = (
    "Three years of trying, and then that letter in the rain. I bet you read it twice before you dared to laugh."
)
FACTS = "The letter has to be answered within two weeks, and a copy of it should be kept with the contract at home."


@lru_cache(maxsize=1)
def answered() -> list[Mapping[str, str]]:
    found: list[Mapping[str, str]] = yaml.safe_load(MATERIAL.read_text(encoding="utf-8"))["items"]
    return found


def strength(reply: str) -> float:
    return max((each.strength for each in v3_cue("mirrors_feeling")(Utterance("", reply))), default=0.0)


def emotional(message: str, reply: str) -> float:
    return v3_rules().explain(Utterance(message, reply))["emotional_intelligence"].value or 0.0


def test_a_reply_without_a_known_phrase_can_understand_and_shows_by_which_words() -> None:
    rows_alone = MirrorSettings.model_validate(v3_rubric().cues["mirrors_feeling"].settings).model_copy(
        update={"by_words": 0.0}
    )
    assert mirrors_feeling(rows_alone)(Utterance("", UNDERSTANDS)) == ()
    found = v3_cue("mirrors_feeling")(Utterance("The letter came!", UNDERSTANDS))
    assert 1 <= len(found) <= 3
    assert all(each.quote and each.quote in UNDERSTANDS for each in found)
    assert found[0].strength > 0.3


@pytest.mark.parametrize(
    "reply", [FACTS, "I love dogs! I have two of them, and they eat all day.", "Okay.", "She must be so proud.", ""]
)
def test_facts_talk_about_itself_and_a_few_words_do_not(reply: str) -> None:
    assert strength(reply) == 0


@pytest.mark.parametrize(
    "reply",
    [
        "Das klingt nach einem langen Tag, und niemand hat es gesehen. Was hat dir heute gutgetan?",
        "Eso suena muy duro, y nadie lo vio. ¿Qué te ayudó hoy un poco?",
        "Zork blimp frobnic quux wibble snarf plugh xyzzy grault.",
    ],
)
def test_words_that_no_weight_knows_show_nothing(reply: str) -> None:
    assert strength(reply) == 0


def test_a_reply_to_somebody_else_counts_half() -> None:
    own = v3_cue("mirrors_feeling")(Utterance("After three years of trying I finally got the letter!", UNDERSTANDS))
    assert own[0].strength == pytest.approx(2 * strength(UNDERSTANDS), abs=0.002)


def test_formulas_piled_up_stay_worth_one() -> None:
    assert (
        strength("I hear you, I see you, I'm so sorry, that must be so hard, I can see why, you're not alone.") <= 0.3
    )


def test_the_share_of_the_words_is_a_setting() -> None:
    settings = MirrorSettings.model_validate(v3_rubric().cues["mirrors_feeling"].settings)
    half = mirrors_feeling(settings.model_copy(update={"by_words": 0.5}))(Utterance("", UNDERSTANDS))
    assert half[0].strength == pytest.approx(strength(UNDERSTANDS) / 2, abs=0.001)


@pytest.mark.parametrize(
    ("other", "least"), [("matter_of_fact", 40), ("generic", 44), ("about_itself", 44), ("misses", 40)]
)
def test_who_understands_is_above_others_in_most_pairs_of_another_author(other: str, least: int) -> None:
    """Emotional intelligence of 50 messages, of whose replies no weight knows one (docs/validity.md)."""
    above = [emotional(each["user"], each["understands"]) > emotional(each["user"], each[other]) for each in answered()]
    assert len(above) == 50 and sum(above) >= least
