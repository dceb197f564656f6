"""Completeness under a profile: does the text end, and is there as much of it as its kind, or the prompt, wants?"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Phrase, Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term, excerpt, with_sign
from evaluation.metrics.text.asked import Asked, Range, read_request
from evaluation.metrics.text.lines import has_code, is_closed, is_json, lines_of, listed, turns
from evaluation.metrics.text.points import Steps, absent, bounded_sum, explain, points, quantity, range_text
from evaluation.metrics.text.prose import phrase_forms, prose_of
from evaluation.metrics.text.signs import Mark
from evaluation.metrics.utterance import Text, Utterance

WORDS_OF_SENTENCE = 20
"""Words of a sentence where so many words are asked for that fewer sentences than usual are wanted."""
NO_CONCLUSION = 150
"""A prompt for fewer words wants no conclusion."""
FEW_PARAGRAPHS = 3
"""Nor does one for fewer paragraphs."""
Ending: TypeAlias = Literal["sentence", "open_mark", "code", "json"]


class Finished(RuleSettings):
    """The points of the ending, of the amount and of a conclusion add up to 1.

    `ending`: sentence, the text ends in an end mark; open_mark, it does not end in an open mark; code, what was opened
    is closed; json, it can be read.
    """

    end_marks: tuple[Mark, ...] = Field((".", "!", "?"), min_length=1, strict=False)
    closing_marks: tuple[Mark, ...] = Field((), strict=False)
    open_marks: tuple[Mark, ...] = Field((), strict=False)
    ending: Ending
    end_points: float = Field(gt=0, le=1)
    sentence_steps: Steps | None = None
    """Points for so many sentences."""
    items: float | None = Field(None, gt=0)
    item_points: float = Field(0, ge=0, le=1)
    lines: float | None = Field(None, gt=0)
    line_points: float = Field(0, ge=0, le=1)
    turns: float | None = Field(None, gt=0)
    turn_points: float = Field(0, ge=0, le=1)
    conclusions: tuple[Phrase, ...] = Field((), strict=False)
    conclusion_points: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        of_sentences = self.sentence_steps[0].add if self.sentence_steps else 0.0
        total = self.end_points + of_sentences + self.conclusion_points
        total += self.item_points + self.line_points + self.turn_points
        if abs(total - 1) > 1e-9:
            raise ValueError("the points of ending, amount and conclusion must add up to 1")
        return self


class Amount(NamedTuple):
    """A unit of which there must be some, and the points for it."""

    name: str
    count: Callable[[Text], int]
    wanted: float
    points: float
    asked: Callable[[Asked], Range | None]


def finished(constants: Finished) -> Rule:
    """Points for the ending and for as much as is wanted; those for a conclusion are not counted where none can be."""
    phrases = phrase_forms(constants.conclusions)
    amounts = _amounts(constants)

    def rule(utterance: Utterance) -> Explained:
        text = utterance.response
        prose = prose_of(text)
        if not text.parts:
            return absent(prose.missing)
        asked = read_request(utterance.user_input.original)
        terms, advice = list[Term](), list[str]()
        _add_ending(constants, text, terms, advice)
        if constants.sentence_steps:
            _add_sentences(constants.sentence_steps, len(prose.lengths), asked, terms, advice)
        for amount in amounts:
            _add_amount(amount, text, asked, terms, advice)
        whole = 1.0
        if constants.conclusion_points and _may_conclude(asked):
            said = next((phrase for phrase, form in phrases if form in prose.line), "")
            label = f'concludes ("{said}")' if said else "no conclusion"
            terms.append(Term(constants.conclusion_points if said else 0.0, label))
            if not said and constants.conclusions:
                advice.append(f'a conclusion such as "{constants.conclusions[0]}"')
        elif constants.conclusion_points:
            whole = 1 - constants.conclusion_points
            terms = [Term(round(term.amount / whole, DECIMALS), term.label) for term in terms]
        found = ", ".join([f"{with_sign(term.amount)} {term.label}" for term in terms])
        return explain(bounded_sum(tuple(terms)), tuple(terms), found, advice)

    return rule


def _amounts(constants: Finished) -> tuple[Amount, ...]:
    known = (
        Amount("item", listed, constants.items or 0, constants.item_points, lambda asked: asked.items),
        Amount(
            "line",
            lambda text: len(lines_of(text.original)),
            constants.lines or 0,
            constants.line_points,
            lambda asked: asked.lines,
        ),
        Amount("turn", turns, constants.turns or 0, constants.turn_points, lambda _: None),
    )
    return tuple(amount for amount in known if amount.points and amount.wanted)


def _add_ending(constants: Finished, text: Text, terms: list[Term], advice: list[str]) -> None:
    prose = prose_of(text)
    last = f'ends in "{excerpt(prose.last)}"'
    if constants.ending == "code":
        there = has_code(text)
        ends, hint = there and is_closed(text.original), "close what the code opens" if there else "a block of code"
        last = "code that is closed" if ends else "code that is not closed" if there else "no code"
    elif constants.ending == "json":
        ends, hint = is_json(text.original), "valid JSON and nothing else"
        last = "valid JSON" if ends else "no valid JSON"
    elif constants.ending == "open_mark":
        ends, hint = prose.last not in constants.open_marks, f"no {prose.last} at the end"
    else:
        closing = "".join(constants.closing_marks)
        ends = prose.last in constants.end_marks or prose.end.rstrip(closing)[-1:] in constants.end_marks
        hint = f"end in {' or '.join(constants.end_marks[:3])}"
    terms.append(Term(constants.end_points if ends else 0.0, last))
    if not ends:
        advice.append(hint)


def _add_sentences(steps: Steps, count: int, asked: Asked, terms: list[Term], advice: list[str]) -> None:
    """The points of the steps; all of them where there are as many as a prompt for few asks for."""
    most = asked.sentences[0] if asked.sentences else math.inf
    if asked.words is not None and asked.words[1] < math.inf:
        most = min(most, max(1, asked.words[1] // WORDS_OF_SENTENCE))
    enough = most < steps[0].bound and count >= most
    gained = steps[0].add if enough else points(steps, count)
    terms.append(Term(gained, quantity(count, "sentence")))
    if gained < steps[0].add:
        wanted = f"{min(most, steps[0].bound):g}"
        advice.append(f"{wanted} or more sentences")


def _add_amount(amount: Amount, text: Text, asked: Asked, terms: list[Term], advice: list[str]) -> None:
    stated = amount.asked(asked)
    wanted = stated[0] if stated else amount.wanted
    count = amount.count(text)
    share = min(count / wanted, 1.0)
    whole = f" of {range_text(stated)} asked for" if stated else ""
    terms.append(Term(round(amount.points * share, DECIMALS), f"{quantity(count, amount.name)}{whole}"))
    if share < 1:
        advice.append(f"{wanted:g} {amount.name}s")


def _may_conclude(asked: Asked) -> bool:
    """False where so little is asked for that a conclusion would be padding."""
    few_words = asked.words is not None and asked.words[1] < NO_CONCLUSION
    few_paragraphs = asked.paragraphs is not None and asked.paragraphs[1] < FEW_PARAGRAPHS
    return not (few_words or few_paragraphs or asked.sentences)
