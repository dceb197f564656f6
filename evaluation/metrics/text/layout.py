"""Structure under a profile: the signs of form that a kind of text has, or else those that the prompt asks for."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal, NamedTuple, Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Phrase, Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term, with_sign
from evaluation.metrics.text.asked import Asked, read_request
from evaluation.metrics.text.lines import PLAIN, Counted, closes, greets, verse_lines
from evaluation.metrics.text.points import absent, bounded_sum, explain, range_text, share_of_range, short
from evaluation.metrics.text.prose import prose_of
from evaluation.metrics.text.signs import standard_deviation
from evaluation.metrics.utterance import Utterance

SignName: TypeAlias = Literal[
    "paragraphs",
    "items",
    "numbered",
    "bullets",
    "headings",
    "no_list",
    "no_heading",
    "lines",
    "turns",
    "code",
    "json",
    "table",
    "verse",
    "varied",
    "greeting",
    "closing",
]
NAMES: Mapping[str, tuple[str, str]] = {
    "paragraphs": ("paragraph", "paragraphs"),
    "items": ("list item", "list items"),
    "numbered": ("numbered item", "numbered items"),
    "bullets": ("bullet point", "bullet points"),
    "headings": ("heading", "headings"),
    "lines": ("line", "lines"),
    "turns": ("turn of speech", "turns of speech"),
    "table": ("row of a table", "rows of a table"),
    "verse": ("line of verse", "lines of verse"),
    "varied": ("word of deviation of sentence lengths", "words of deviation of sentence lengths"),
}
"""Signs that are counted, in words."""
YES_NO: Mapping[str, tuple[str, str, str]] = {
    "no_list": ("no list", "a list", "no list"),
    "no_heading": ("no heading", "a heading", "no heading"),
    "code": ("code", "no code", "a block of code"),
    "json": ("JSON", "no valid JSON", "valid JSON and nothing else"),
    "greeting": ("greeting", "no greeting", "a greeting"),
    "closing": ("close", "no close", "a close such as kind regards"),
}
"""Signs that are there or are not, in words: found, missing, and what to do."""
ASKED_FORMS: Mapping[str, tuple[tuple[SignName, float], ...]] = {
    "json": (("json", 1),),
    "table": (("table", 2),),
    "bullets": (("bullets", 2),),
    "numbered": (("numbered", 2),),
    "verse": (("verse", 2),),
    "prose": (("no_list", 1),),
}
"""Form that a prompt asks for -> the signs of it, and from how many on."""


class Sign(RuleSettings):
    """A sign, from how many on it counts in full, and what it adds."""

    sign: SignName
    at_least: float = Field(gt=0)
    at_most: float | None = None
    add: float = Field(gt=0, le=1)

    @property
    def wanted(self) -> tuple[float, float]:
        return self.at_least, float("inf") if self.at_most is None else self.at_most


class Layout(RuleSettings):
    """The points of the signs add up to 1."""

    signs: Annotated[tuple[Sign, ...], Field(strict=False, min_length=1)]
    verse_words: int = Field(12, ge=1)
    """Words of a line of verse at the most."""
    greetings: tuple[Phrase, ...] = Field((), strict=False)
    closings: tuple[Phrase, ...] = Field((), strict=False)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if abs(sum(sign.add for sign in self.signs) - 1) > 1e-9:
            raise ValueError("the points of the signs must add up to 1")
        return self


class Wanted(NamedTuple):
    """A sign that counts for this exchange."""

    sign: SignName
    size: tuple[float, float]
    add: float


def layout(constants: Layout) -> Rule:
    """The points of the signs that are reached, in proportion where too few or too many are there.

    Where the prompt asks for a form of its own, the signs are those of it, each with the same share.
    """
    count = _counters(constants)
    usual = tuple(Wanted(sign.sign, sign.wanted, sign.add) for sign in constants.signs)

    def rule(utterance: Utterance) -> Explained:
        text = utterance.response
        if not text.parts:
            return absent(prose_of(text).missing)
        asked = _asked_signs(read_request(utterance.user_input.original))
        terms, advice = [], []
        for wanted in asked or usual:
            found = float(count[wanted.sign](text))
            share = share_of_range(found, wanted.size)
            label = _label(wanted, found, asked=bool(asked))
            terms.append(Term(round(wanted.add * share, DECIMALS), label))
            if share < 1:
                advice.append(_advice(wanted))
        said = ", ".join([f"{with_sign(term.amount)} {term.label}" for term in terms])
        return explain(bounded_sum(tuple(terms)), tuple(terms), said, advice)

    return rule


def _counters(constants: Layout) -> dict[str, Counted]:
    return {
        **PLAIN,
        "verse": partial(verse_lines, most_words=constants.verse_words),
        "varied": lambda text: standard_deviation(prose_of(text).lengths),
        "greeting": partial(greets, greetings=constants.greetings),
        "closing": partial(closes, closings=constants.closings),
    }


def _asked_signs(asked: Asked) -> tuple[Wanted, ...]:
    """The signs that a prompt asks for, each with the same share; none where it asks for none."""
    found: dict[SignName, tuple[float, float]] = {}
    if asked.paragraphs:
        found["paragraphs"] = asked.paragraphs
    if asked.lines:
        found["lines"] = asked.lines
    for sign, least in ASKED_FORMS.get(asked.form or "", ()):
        found[sign] = (least, float("inf"))
    if asked.items:
        found[_sign_of_items(asked)] = asked.items
    return tuple(Wanted(sign, size, 1 / len(found)) for sign, size in found.items())


def _sign_of_items(asked: Asked) -> SignName:
    return "bullets" if asked.form == "bullets" else "numbered" if asked.form == "numbered" else "items"


def _label(wanted: Wanted, found: float, *, asked: bool) -> str:
    if wanted.sign in YES_NO:
        there, missing, _ = YES_NO[wanted.sign]
        return f"{there if found else missing}{', as asked for' if asked and found else ''}"
    one, many = NAMES[wanted.sign]
    counted = f"{short(found).removesuffix('.0')} {one if found == 1 else many}"
    return f"{counted} of {range_text(wanted.size)} {'asked for' if asked else 'wanted'}"


def _advice(wanted: Wanted) -> str:
    if wanted.sign in YES_NO:
        return YES_NO[wanted.sign][2]
    if wanted.sign == "varied":
        return "short sentences beside long ones"
    one, many = NAMES[wanted.sign]
    return f"{range_text(wanted.size)} {one if wanted.size == (1, 1) else many}"
