"""Length appropriateness: a curve over the number of words, best in the middle."""

from bisect import bisect_right
from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Settings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.quoting import number
from evaluation.metrics.text.advice import DECIMALS, absent, counted, explained
from evaluation.metrics.text.asked import Asked, asked_for
from evaluation.metrics.utterance import Utterance


class CurvePoint(Settings):
    """A corner of the curve."""

    words: float = Field(ge=0)
    score: float = Field(ge=0, le=1)


class LengthCurve(Settings):
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
        count = len(prose.words)
        asked = asked_for(utterance.user_input.folded) if constants.follow_prompt else Asked()
        if asked.words is None and not asked.sentences:
            value = value_at(count)
            found = f"{counted(count, 'word')}; best from {_plain(low)} to {_plain(high)}"
            return explained(value, (Term(value, "length"),), found, [_advice(count, low, high, "word")])
        size, unit, wanted = _in_asked_unit(count, len(prose.lengths), asked)
        value = value_at(stretched(size, wanted, (low, high)))
        found = f"{counted(size, unit)}; asked for {_range(*wanted)}"
        return explained(value, (Term(value, "length"),), found, [_advice(size, *wanted, unit)])

    return rule


def curve(points: tuple[CurvePoint, ...]) -> "_Curve":
    """The function through the points."""
    return _Curve([point.words for point in points], [point.score for point in points])


class _Curve:
    __slots__ = ("scores", "words")

    def __init__(self, words: list[float], scores: list[float]) -> None:
        self.words = words
        self.scores = scores

    def __call__(self, count: float) -> float:
        place = bisect_right(self.words, count)
        if place == 0:
            return self.scores[0]
        if place == len(self.words):
            return self.scores[-1]
        left, right = self.words[place - 1], self.words[place]
        low, high = self.scores[place - 1], self.scores[place]
        return round(low + (count - left) / (right - left) * (high - low), DECIMALS)


def stretched(size: float, wanted: tuple[float, float], best: tuple[float, float]) -> float:
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


def _advice(size: float, low: float, high: float, unit: str) -> str:
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
