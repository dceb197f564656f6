"""Length and readability: how near texts, sentences and words are to their best length."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term, number
from evaluation.metrics.text.asked import Asked, read_request
from evaluation.metrics.text.points import absent, bounded_sum, explain, quantity, short
from evaluation.metrics.utterance import Utterance


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
        prose = utterance.response.prose
        if prose.only_code:
            return absent(prose.missing)
        count = prose.word_count
        asked = read_request(utterance.user_input.folded) if constants.follow_prompt else Asked()
        if asked.words is None and not asked.sentences:
            value = value_at(count)
            found = f"{quantity(count, 'word')}; best from {_plain(low)} to {_plain(high)}"
            return explain(value, (Term(value, "length"),), found, [_length_advice(count, low, high, "word")])
        size, unit, wanted = _in_asked_unit(count, len(prose.lengths), asked)
        value = value_at(place_on_curve(size, wanted, (low, high)))
        found = f"{quantity(size, unit)}; asked for {_range(*wanted)}"
        return explain(value, (Term(value, "length"),), found, [_length_advice(size, *wanted, unit)])

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


def _in_asked_unit(words: int, sentences: int, asked: Asked) -> tuple[int, str, tuple[float, float]]:
    """The count, its unit, and the range that was asked for; words go before sentences."""
    if asked.words is not None:
        return words, "word", asked.words
    wanted = float(asked.sentences or 1)
    return sentences, "sentence", (wanted, wanted)


def _length_advice(size: float, low: float, high: float, unit: str) -> str:
    gap = _plain(low - size if size < low else size - high)
    return f"{gap} {'more' if size < low else 'fewer'} {unit if gap == '1' else unit + 's'}"


def _range(low: float, high: float) -> str:
    if high == float("inf"):
        return f"at least {_plain(low)}"
    if low <= 1 < high:
        return f"at most {_plain(high)}"
    return _plain(low) if low == high else f"{_plain(low)} to {_plain(high)}"


def _plain(value: float) -> str:
    return number(round(value, 3)).removesuffix(".0")


class ReadingLevel(RuleSettings):
    """A name for values from `at_least` up to the next level, and who reads that with ease."""

    at_least: float = Field(ge=0, le=1)
    name: str
    readers: str


class Readability(RuleSettings):
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
        value = bounded_sum(terms)
        level = reading_level(constants.levels, value)
        found = (
            f"{short(terms[0].amount)} for {short(per_sentence)} words per sentence + {short(terms[1].amount)} for "
            f"{short(per_word)} characters per word, over {quantity(sentences, 'sentence')}: "
            f"{level.name} ({level.readers})"
        )
        advice = _reading_advice("sentences", per_sentence, constants.sentence_words, "words")
        advice += _reading_advice("words", per_word, constants.word_characters, "characters")
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
