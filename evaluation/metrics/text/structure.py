"""Structure: paragraphs, lists, headings, and sentences of varied length."""

import math
from collections.abc import Sequence

from pydantic import Field

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Settings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.quoting import shown, signed
from evaluation.metrics.text.advice import absent, counted, explained, held, short
from evaluation.metrics.text.asked import Asked, asked_for
from evaluation.metrics.text.prose import Prose
from evaluation.metrics.text.steps import Steps, points
from evaluation.metrics.utterance import Utterance

FEW_SENTENCES = 3
"""A prompt for fewer sentences asks for no structure."""


class Structure(Settings):
    """Points for each sign of structure; `follow_prompt` replaces them by what the prompt asks for."""

    paragraphs: Steps
    list_points: float = Field(ge=0, le=1)
    length_deviation: Steps
    heading_points: float = Field(ge=0, le=1)
    follow_prompt: bool = False


def structure(constants: Structure) -> Rule:
    """Points for paragraphs, a list, varied sentence length and a heading."""

    def rule(utterance: Utterance) -> Explained:
        prose = utterance.response.prose
        if not prose.words:
            return absent(prose.missing)
        asked = asked_for(utterance.user_input.folded) if constants.follow_prompt else Asked()
        if asked.sentences and asked.sentences < FEW_SENTENCES:
            return absent(f"{counted(asked.sentences, 'sentence')} asked for: no structure is wanted")
        deviation = standard_deviation(prose.lengths)
        terms = (
            _paragraphs(constants, prose, asked),
            _list(constants, prose, asked),
            Term(points(constants.length_deviation, deviation), f"sentence lengths vary by {short(deviation)} words"),
            Term(constants.heading_points, f'heading ("{shown(prose.headings[0].strip())}")')
            if prose.headings
            else Term(0.0, "no heading"),
        )
        found = ", ".join([f"{signed(term.amount)} {term.label}" for term in terms])
        return explained(held(terms), terms, found, _advice(constants, terms, asked))

    return rule


def standard_deviation(values: Sequence[int]) -> float:
    """Of the population: the sentences are the whole text, not a sample of it. 0 for fewer than two values.

    The sums are of whole numbers and so exact.
    """
    count = len(values)
    if count < 2:
        return 0.0
    total = sum(values)
    return math.sqrt(count * sum([value * value for value in values]) - total * total) / count


def _paragraphs(constants: Structure, prose: Prose, asked: Asked) -> Term:
    count = prose.paragraphs
    if not asked.paragraphs:
        return Term(points(constants.paragraphs, count), counted(count, "paragraph"))
    share = _share(count, asked.paragraphs)
    return Term(constants.paragraphs[0].add * share, f"{counted(count, 'paragraph')} of {asked.paragraphs} asked for")


def _list(constants: Structure, prose: Prose, asked: Asked) -> Term:
    count = len(prose.items)
    if asked.items:
        label = f"{counted(count, 'list item')} of {asked.items} asked for"
        return Term(constants.list_points * _share(count, asked.items), label)
    if not count:
        return Term(0.0, "no list")
    return Term(constants.list_points, f'list ("{shown(prose.items[0].strip())}")')


def _share(count: int, wanted: int) -> float:
    """1 where as many came as were asked for; too few and too many fall off alike: min / max."""
    return min(count, wanted) / max(count, wanted)


def _advice(constants: Structure, terms: tuple[Term, ...], asked: Asked) -> list[str]:
    paragraphs, items, variation, heading = (term.amount for term in terms)
    advice = []
    if paragraphs < constants.paragraphs[0].add:
        advice.append(f"{asked.paragraphs or constants.paragraphs[0].least} paragraphs")
    if items < constants.list_points:
        advice.append(f"a list of {asked.items}" if asked.items else "a list")
    if variation < constants.length_deviation[0].add:
        advice.append("short sentences beside long ones")
    if heading < constants.heading_points:
        advice.append("a heading")
    return advice
