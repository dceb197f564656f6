"""The same instruction in words that nobody wrote a pattern for is read as the same, and its look-alikes are not."""

import pytest

from services.rehearsal.instructions import read_guidance
from services.rehearsal.vocabulary import figure
from services.rehearsal.wordings import Instruction
from tests.services.rehearsal.other_words import GENERIC, GIVEN, NOT_GIVEN, PARAPHRASES_OF_V3


def pairs(table: dict[Instruction, tuple[str, ...]]) -> list[tuple[Instruction, str]]:
    return [(instruction, sentence) for instruction, sentences in table.items() for sentence in sentences]


@pytest.mark.parametrize(("instruction", "sentence"), pairs(GIVEN))
def test_given_in_other_words(instruction: Instruction, sentence: str) -> None:
    assert instruction in read_guidance(sentence).instructions


@pytest.mark.parametrize(("instruction", "sentence"), pairs(NOT_GIVEN))
def test_look_alikes(instruction: Instruction, sentence: str) -> None:
    assert instruction not in read_guidance(sentence).instructions


@pytest.mark.parametrize("prompt", GENERIC)
def test_prompts_for_something_else_give_none(prompt: str) -> None:
    assert read_guidance(prompt).instructions == frozenset()


@pytest.mark.parametrize("prompt", PARAPHRASES_OF_V3.values(), ids=PARAPHRASES_OF_V3.keys())
def test_whole_prompts_in_other_words(prompt: str) -> None:
    guidance = read_guidance(prompt)
    assert guidance.instructions == frozenset(Instruction)
    assert guidance.words in (25, 30)


@pytest.mark.parametrize(
    ("words", "value"),
    [("25", 25), ("twenty-five", 25), ("twenty five", 25), ("thirty", 30), ("eleven", 11), ("a dozen", 12)],
)
def test_figures_in_words(words: str, value: int) -> None:
    assert figure(words) == value
    assert read_guidance(f"At most {words} words.").words == value
