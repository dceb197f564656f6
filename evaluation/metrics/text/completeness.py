"""Completeness: does the text look finished?"""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Phrase, Settings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.quoting import shown, signed
from evaluation.metrics.text.advice import absent, counted, explained, held, short
from evaluation.metrics.text.phrases import phrase_forms
from evaluation.metrics.text.steps import Steps, points
from evaluation.metrics.utterance import Utterance

Mark = Annotated[str, StringConstraints(min_length=1, max_length=1)]


class Completeness(Settings):
    """Points for each sign; a mark either ends a text or leaves it open."""

    end_marks: tuple[Mark, ...] = Field(min_length=1, strict=False)
    end_points: float = Field(ge=0, le=1)
    sentences: Steps
    conclusions: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    conclusion_points: float = Field(ge=0, le=1)
    mean_sentence_words: Steps
    open_marks: tuple[Mark, ...] = Field(strict=False)
    open_penalty: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _marks_mean_one_thing(self) -> Self:
        both = sorted(set(self.end_marks) & set(self.open_marks))
        if both:
            raise ValueError(f"{both[0]!r} is both an end mark and an open mark")
        return self


def completeness(constants: Completeness) -> Rule:
    """Points for the end, the number of sentences, a conclusion and the mean sentence; an open end takes some off."""
    phrases = phrase_forms(constants.conclusions)

    def rule(utterance: Utterance) -> Explained:
        prose = utterance.response.prose
        if not prose.lengths:
            return absent(prose.missing)
        count = len(prose.lengths)
        mean = sum(prose.lengths) / count
        last = f'ends in "{shown(prose.last)}"'
        ending = constants.end_points if prose.last in constants.end_marks else 0.0
        if prose.last in constants.open_marks:
            ending = -constants.open_penalty
        said = next((phrase for phrase, form in phrases if form in prose.line), "")
        terms = (
            Term(ending, last),
            Term(points(constants.sentences, count), counted(count, "sentence")),
            Term(constants.conclusion_points if said else 0.0, f'concludes ("{said}")' if said else "no conclusion"),
            Term(points(constants.mean_sentence_words, mean), f"{short(mean)} words per sentence"),
        )
        found = ", ".join([f"{signed(term.amount)} {term.label}" for term in terms])
        return explained(held(terms), terms, found, _advice(constants, terms))

    return rule


def _advice(constants: Completeness, terms: tuple[Term, ...]) -> list[str]:
    ending, sentences, conclusion, length = (term.amount for term in terms)
    advice = []
    if ending < constants.end_points:
        advice.append(f"end in {' or '.join(constants.end_marks[:3])}")
    if sentences < constants.sentences[0].add:
        advice.append(f"{constants.sentences[0].least} or more sentences")
    if conclusion < constants.conclusion_points:
        advice.append(f'a conclusion such as "{constants.conclusions[0]}"')
    if length < constants.mean_sentence_words[0].add:
        advice.append(f"sentences of {constants.mean_sentence_words[0].least} or more words")
    return advice
