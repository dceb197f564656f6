"""Readability: how near sentences and words are to their best length."""

from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Settings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.text.advice import absent, counted, explained, held, short
from evaluation.metrics.utterance import Utterance


class ReadingLevel(Settings):
    """A name for values from `at_least` up to the next level, and who reads that with ease."""

    at_least: float = Field(ge=0, le=1)
    name: str
    readers: str


class Readability(Settings):
    """Best lengths in words and characters; the weights add up to 1; levels fall to 0."""

    sentence_words: float = Field(gt=0)
    word_characters: float = Field(gt=0)
    sentence_weight: float = Field(ge=0, le=1)
    word_weight: float = Field(ge=0, le=1)
    levels: tuple[ReadingLevel, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if abs(self.sentence_weight + self.word_weight - 1) > 1e-9:
            raise ValueError("sentence_weight and word_weight must add up to 1")
        bounds = [level.at_least for level in self.levels]
        if bounds != sorted(set(bounds), reverse=True) or bounds[-1] != 0:
            raise ValueError("levels must begin with the highest and end with one from 0")
        return self


def readability(constants: Readability) -> Rule:
    """Each part is 1 at its best length and falls in a straight line to 0 at nothing and at twice that length."""

    def rule(utterance: Utterance) -> Explained:
        prose = utterance.response.prose
        if not prose.words:
            return absent(prose.missing)
        count, sentences = len(prose.words), len(prose.lengths)
        per_sentence = count / sentences
        per_word = sum(map(len, prose.words)) / count
        terms = (
            Term(constants.sentence_weight * nearness(per_sentence, constants.sentence_words), "sentence length"),
            Term(constants.word_weight * nearness(per_word, constants.word_characters), "word length"),
        )
        value = held(terms)
        level = reading_level(constants.levels, value)
        found = (
            f"{short(terms[0].amount)} for {short(per_sentence)} words per sentence + {short(terms[1].amount)} for "
            f"{short(per_word)} characters per word, over {counted(sentences, 'sentence')}: "
            f"{level.name} ({level.readers})"
        )
        advice = _advice("sentences", per_sentence, constants.sentence_words, "words")
        advice += _advice("words", per_word, constants.word_characters, "characters")
        return explained(value, terms, found, advice)

    return rule


def nearness(value: float, best: float) -> float:
    """1 - |value - best| / best, not below 0."""
    return 1.0 - min(abs(value - best) / best, 1.0)


def reading_level(levels: tuple[ReadingLevel, ...], value: float) -> ReadingLevel:
    """The level that a value reaches."""
    return next(level for level in levels if value >= level.at_least)


def _advice(what: str, value: float, best: float, unit: str) -> list[str]:
    if nearness(value, best) >= 0.9:
        return []
    return [f"{'shorter' if value > best else 'longer'} {what} (best about {short(best).removesuffix('.0')} {unit})"]
