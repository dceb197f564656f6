"""Length and readability: how near texts, sentences and words are to their best length."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term
from evaluation.metrics.text.asked import Asked, Range, read_request
from evaluation.metrics.text.lines import lines_of, listed
from evaluation.metrics.text.points import absent, bounded_sum, explain, plain, quantity, range_text, short
from evaluation.metrics.text.prose import prose_of
from evaluation.metrics.text.wording_form import Reader
from evaluation.metrics.utterance import Text, Utterance

SIZES: Mapping[str, Callable[[Text], int]] = {
    "sentence": lambda text: len(prose_of(text).lengths),
    "line": lambda text: len(lines_of(text.original)),
    "item": listed,
    "paragraph": lambda text: prose_of(text).paragraphs,
}
"""Unit of a length that is no word -> how many of it a text has."""


class CurvePoint(RuleSettings):
    """A corner of the curve."""

    words: float = Field(ge=0)
    score: float = Field(ge=0, le=1)


class LengthCurve(RuleSettings):
    """Straight lines from corner to corner, level beyond the first and the last.

    With `follow_prompt` the curve is stretched so that its best range is the length that the prompt asks for.
    """

    points: tuple[CurvePoint, ...] = Field(min_length=2, strict=False)
    follow_prompt: bool = False

    @model_validator(mode="after")
    def _rises_along(self) -> Self:
        words = [point.words for point in self.points]
        if words != sorted(set(words)):
            raise ValueError("points must stand in rising order of words")
        if max(point.score for point in self.points) <= 0:
            raise ValueError("no point has a score above 0")
        return self

    @property
    def best(self) -> tuple[float, float]:
        """From which to which number of words the score is highest."""
        top = max(point.score for point in self.points)
        reached = [point.words for point in self.points if point.score == top]
        return reached[0], reached[-1]


def length_curve(constants: LengthCurve) -> Rule:
    """The curve at the number of words."""
    value_at = curve(constants.points)
    low, high = constants.best

    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        if prose.only_code:
            return absent(prose.missing)
        count = prose.word_count
        wanted = _wanted(read_request(utterance.user_input.original)) if constants.follow_prompt else None
        if wanted is None:
            value = value_at(count)
            found = f"{quantity(count, 'word')}; best from {plain(low)} to {plain(high)}"
            return explain(value, (Term(value, "length"),), found, [_length_advice(count, low, high, "word")])
        unit, asked = wanted
        size = count if unit == "word" else SIZES[unit](utterance.response)
        value = value_at(place_on_curve(size, asked, (low, high)))
        found = f"{quantity(size, unit)}; asked for {range_text(asked)}"
        return explain(value, (Term(value, "length"),), found, [_length_advice(size, *asked, unit)])

    return rule


def curve(points: tuple[CurvePoint, ...]) -> Callable[[float], float]:
    """The function through the points."""
    words, scores = [point.words for point in points], [point.score for point in points]

    def value_at(count: float) -> float:
        place = bisect_right(words, count)
        if place == 0:
            return scores[0]
        if place == len(words):
            return scores[-1]
        left, right = words[place - 1], words[place]
        low, high = scores[place - 1], scores[place]
        return round(low + (count - left) / (right - left) * (high - low), DECIMALS)

    return value_at


def place_on_curve(size: float, wanted: tuple[float, float], best: tuple[float, float]) -> float:
    """The place on the curve of a size beside what is wanted: within it the best, outside as far out in proportion."""
    low, high = wanted
    if size < low:
        return best[0] * size / low
    if size > high:
        return best[1] * size / high
    return best[0]


def _wanted(asked: Asked) -> tuple[str, Range] | None:
    """The unit in which a prompt states the length, and how many of it; of several the first that stands here."""
    stated = {
        "word": asked.words,
        "sentence": asked.sentences,
        "line": asked.lines,
        "item": asked.items,
        "paragraph": asked.paragraphs,
    }
    return next(((unit, size) for unit, size in stated.items() if size is not None), None)


def _length_advice(size: float, low: float, high: float, unit: str) -> str:
    gap = plain(low - size if size < low else size - high)
    return f"{gap} {'more' if size < low else 'fewer'} {unit if gap == '1' else unit + 's'}"


class ReadingLevel(RuleSettings):
    """A name for values from `at_least` up to the next level, and who reads that with ease."""

    at_least: float = Field(ge=0, le=1)
    name: str
    readers: str


class ReaderLengths(RuleSettings):
    """Best lengths for the readers that a prompt names."""

    sentence_words: float = Field(gt=0)
    word_characters: float = Field(gt=0)


class Readability(RuleSettings):
    """Best lengths in words and characters; the weights add up to 1; levels fall to 0.

    `readers` replace the best lengths where the prompt names a reader.
    """

    sentence_words: float = Field(gt=0)
    word_characters: float = Field(gt=0)
    sentence_weight: float = Field(ge=0, le=1)
    word_weight: float = Field(ge=0, le=1)
    levels: tuple[ReadingLevel, ...] = Field(min_length=1, strict=False)
    readers: dict[Reader, ReaderLengths] = Field(default_factory=dict)

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
        prose = prose_of(utterance.response)
        if not prose.words:
            return absent(prose.missing)
        count, sentences = len(prose.words), len(prose.lengths)
        per_sentence = count / sentences
        per_word = sum(map(len, prose.words)) / count
        reader = read_request(utterance.user_input.original).reader if constants.readers else None
        best = constants if reader is None else constants.readers.get(reader, constants)
        terms = (
            Term(constants.sentence_weight * nearness(per_sentence, best.sentence_words), "sentence length"),
            Term(constants.word_weight * nearness(per_word, best.word_characters), "word length"),
        )
        value = bounded_sum(terms)
        level = reading_level(constants.levels, value)
        found = (
            f"{short(terms[0].amount)} for {short(per_sentence)} words per sentence + {short(terms[1].amount)} for "
            f"{short(per_word)} characters per word, over {quantity(sentences, 'sentence')}: "
            f"{level.name} ({level.readers}){'' if reader is None else f', for the reader asked for ({reader})'}"
        )
        advice = _reading_advice("sentences", per_sentence, best.sentence_words, "words")
        advice += _reading_advice("words", per_word, best.word_characters, "characters")
        return explain(value, terms, found, advice)

    return rule


def nearness(value: float, best: float) -> float:
    """1 - |value - best| / best, not below 0."""
    return 1.0 - min(abs(value - best) / best, 1.0)


def reading_level(levels: tuple[ReadingLevel, ...], value: float) -> ReadingLevel:
    """The level that a value reaches."""
    return next(level for level in levels if value >= level.at_least)


def _reading_advice(what: str, value: float, best: float, unit: str) -> list[str]:
    if nearness(value, best) >= 0.9:
        return []
    return [f"{'shorter' if value > best else 'longer'} {what} (best about {short(best).removesuffix('.0')} {unit})"]
