"""The JSON object that a judge is to write: its keys in their order, its numbers, and how it is described."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evaluation.records import Json

REASONING = "reasoning"
"""The key of the words on a verdict as a whole."""
RATIONALE, SCORES = "rationale", "scores"
"""In its place where every score has a rationale of its own: the texts by dimension, then the numbers by dimension."""
TENTHS = 10
"""Steps of a short scale in whole numbers, where the rubric's own is none."""


@dataclass(frozen=True)
class AnswerShape:
    """One object with a number for each key, and words that give the reasons."""

    dimensions: tuple[str, ...]
    overall: str | None
    """The key of the number for the whole; None where none is asked for."""
    low: float
    high: float
    """Of the numbers as they are written."""
    whole_numbers: bool = False
    """True where each number is one token: a whole one on a short scale."""
    words_first: bool = True
    rationales: bool = False
    """True where each number has words of its own."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Key -> what its number is for."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The numbers, in order: the dimensions, then the overall."""
        return self.dimensions if self.overall is None else (*self.dimensions, self.overall)

    def schema(self) -> dict[str, Json]:
        """JSON schema: words and numbers in the order of the shape, each number within the scale.

        With a rationale per score, the texts stand in one object and the dimensions' numbers in another.
        """
        numbers: dict[str, Json] = {
            name: {
                "type": "integer" if self.whole_numbers else "number",
                "minimum": self.low,
                "maximum": self.high,
                "description": self.titles.get(name, name),
            }
            for name in self.keys
        }
        if not self.rationales:
            return closed_object(self._in_order({REASONING: {"type": "string"}}, numbers))
        total = {} if self.overall is None else {self.overall: numbers.pop(self.overall)}
        texts = closed_object({name: {"type": "string"} for name in self.dimensions})
        return closed_object(self._in_order({RATIONALE: texts}, {SCORES: closed_object(numbers), **total}))

    def _in_order(self, words: dict[str, Json], numbers: dict[str, Json]) -> dict[str, Json]:
        return {**words, **numbers} if self.words_first else {**numbers, **words}

    def example(self) -> str:
        """The form of the answer, for the judge to see."""
        if not self.rationales:
            return self._joined(f'"{REASONING}": "<text>"', _pairs(self.keys, "<number>"))
        texts, numbers = _pairs(self.dimensions, '"<text>"'), _pairs(self.dimensions, "<number>")
        total = "" if self.overall is None else f", {_pairs((self.overall,), '<number>')}"
        return self._joined(f'"{RATIONALE}": {{{texts}}}', f'"{SCORES}": {{{numbers}}}{total}')

    def _joined(self, words: str, numbers: str) -> str:
        return f"{{{words}, {numbers}}}" if self.words_first else f"{{{numbers}, {words}}}"


def _pairs(names: Iterable[str], value: str) -> str:
    return ", ".join(f'"{name}": {value}' for name in names)


def closed_object(properties: dict[str, Json]) -> dict[str, Json]:
    """An object with all of these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def response_format(name: str, schema: Mapping[str, Json], answer_format: str) -> dict[str, Json]:
    """The request parameter that asks for an object of this schema in a format; empty for the text format."""
    if answer_format == "schema":
        described = {"name": name, "strict": True, "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    return {"response_format": {"type": "json_object"}} if answer_format == "json" else {}


def short_scale(low: float, high: float) -> tuple[float, float]:
    """The scale in whole numbers that stands for a rubric's: its own where that is short and whole, else 0 to 10."""
    own = low.is_integer() and high.is_integer() and 2 <= high - low <= TENTHS
    return (low, high) if own else (0.0, float(TENTHS))
