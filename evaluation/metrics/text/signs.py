"""Coherence, lexical diversity, completeness and structure: is a text linked, varied, finished, ordered?."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from evaluation.metrics.cues.cue import Phrase, Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term, excerpt, with_sign
from evaluation.metrics.text.asked import Asked, read_request
from evaluation.metrics.text.points import (
    Steps,
    absent,
    bounded_sum,
    explain,
    points,
    quantity,
    range_text,
    share_of_range,
    short,
)
from evaluation.metrics.text.prose import Prose, phrase_forms, prose_of
from evaluation.metrics.utterance import Utterance

MOST_QUOTED = 3


class Coherence(RuleSettings):
    """The weights add up to 1."""

    transitions: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    transition_weight: float = Field(ge=0, le=1)
    repetition_weight: float = Field(ge=0, le=1)
    penalty_per_repeat: float = Field(ge=0, le=1)
    most_penalty: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _shares(self) -> Self:
        if abs(self.transition_weight + self.repetition_weight - 1) > 1e-9:
            raise ValueError("transition_weight and repetition_weight must add up to 1")
        return self


def coherence(constants: Coherence) -> Rule:
    """transition_weight x min(transitions / sentences, 1) + repetition_weight x (1 - penalty)."""
    phrases = phrase_forms(constants.transitions)

    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        if not prose.lengths:
            return absent(prose.missing)
        said = [(phrase, prose.line.count(form)) for phrase, form in phrases if form in prose.line]
        count, sentences = sum(times for _, times in said), len(prose.lengths)
        ratio = min(count / sentences, 1.0)
        trigram, most = most_repeated(prose)
        penalty = min((most - 1) * constants.penalty_per_repeat, constants.most_penalty)
        terms = (
            Term(constants.transition_weight * ratio, "transitions"),
            Term(constants.repetition_weight * (1 - penalty), "no repetition"),
        )
        quoted = f" ({', '.join(phrase for phrase, _ in said[:MOST_QUOTED])})" if said else ""
        kind = "trigram" if prose.speech.separates_words else f"run of {prose.speech.repeat_length} characters"
        repeated = f'the most repeated {kind}, {most}x ("{excerpt(trigram)}")' if most > 1 else f"no repeated {kind}"
        found = (
            f"{short(constants.transition_weight)} x {short(ratio)} for {quantity(count, 'transition')}{quoted} in "
            f"{quantity(sentences, 'sentence')} + {short(constants.repetition_weight)} x {short(1 - penalty)} for "
            f"{repeated}"
        )
        return explain(bounded_sum(terms), terms, found, _advice(constants, sentences - count, most))

    return rule


def most_repeated(prose: Prose) -> tuple[str, int]:
    """The three adjacent words that occur most often, and how often; 1 where there are fewer than three words.

    Where no blank parts words, as many characters as three words have.
    """
    words = prose.words
    if not prose.speech.separates_words:
        size = prose.speech.repeat_length
        runs = Counter(zip(*(words[start:] for start in range(size)), strict=False))
        [(run, times)] = runs.most_common(1) or [((), 1)]
        return "".join(run), times
    if len(set(zip(words, words[1:], words[2:], strict=False))) >= len(words) - 2:
        return "", 1
    trigram, count = Counter(zip(words, words[1:], words[2:], strict=False)).most_common(1)[0]
    return " ".join(trigram), count


def _advice(constants: Coherence, lacking: int, most: int) -> list[str]:
    advice = []
    if lacking > 0 and constants.transition_weight:
        advice.append(
            f"{quantity(lacking, 'more transition')} such as {', '.join(constants.transitions[:MOST_QUOTED])}"
        )
    if most > 1 and constants.penalty_per_repeat:
        advice.append("fewer repeated phrases")
    return advice


class Diversity(RuleSettings):
    """All in words."""

    moving_above: int = Field(ge=1)
    window: int = Field(ge=1)
    step: int = Field(ge=1)

    @model_validator(mode="after")
    def _has_windows(self) -> Self:
        if self.window > self.moving_above:
            raise ValueError(f"window {self.window} is longer than moving_above {self.moving_above}")
        return self


def diversity(constants: Diversity) -> Rule:
    """Different words / words; above `moving_above` words the mean of that over windows a step apart."""
    above, window, step = constants.moving_above, constants.window, constants.step

    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        words = prose.words
        total = len(words)
        if not total:
            return absent(prose.missing)
        if total > above:
            starts = range(0, total - window, step)
            kinds = sum([len(set(words[start : start + window])) for start in starts])
            value = round(kinds / (window * len(starts)), DECIMALS)
            found = f"{short(value)} on average in {quantity(len(starts), 'window')} of {window} of its {total} words"
        else:
            kinds = len(set(words))
            value = round(kinds / total, DECIMALS)
            found = f"{kinds} different of {quantity(total, 'word')}"
        return explain(value, (Term(value, "different words"),), found, ["fewer repeated words"])

    return rule


Mark = Annotated[str, StringConstraints(min_length=1, max_length=1)]


class Completeness(RuleSettings):
    """Points for each sign; a mark either ends a text or leaves it open."""

    end_marks: tuple[Mark, ...] = Field(min_length=1, strict=False)
    closing_marks: tuple[Mark, ...] = Field(default=(), strict=False)
    """Quotation marks that end a text only directly behind an end mark."""
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
    closing = "".join(constants.closing_marks)

    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        if not prose.lengths:
            return absent(prose.missing)
        count = len(prose.lengths)
        mean = sum(prose.lengths) / count
        last = f'ends in "{excerpt(prose.last)}"'
        ends = prose.last in constants.end_marks or prose.end.rstrip(closing)[-1:] in constants.end_marks
        ending = constants.end_points if ends else 0.0
        if prose.last in constants.open_marks:
            ending = -constants.open_penalty
        said = next((phrase for phrase, form in phrases if form in prose.line), "")
        terms = (
            Term(ending, last),
            Term(points(constants.sentences, count), quantity(count, "sentence")),
            Term(constants.conclusion_points if said else 0.0, f'concludes ("{said}")' if said else "no conclusion"),
            Term(points(constants.mean_sentence_words, mean), f"{short(mean)} words per sentence"),
        )
        found = ", ".join([f"{with_sign(term.amount)} {term.label}" for term in terms])
        return explain(bounded_sum(terms), terms, found, _advice_to_complete(constants, terms))

    return rule


def _advice_to_complete(constants: Completeness, terms: tuple[Term, ...]) -> list[str]:
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


FEW_SENTENCES = 3
"""A prompt for fewer sentences asks for no structure."""


class Structure(RuleSettings):
    """Points for each sign of structure; `follow_prompt` replaces them by what the prompt asks for."""

    paragraphs: Steps
    list_points: float = Field(ge=0, le=1)
    length_deviation: Steps
    heading_points: float = Field(ge=0, le=1)
    follow_prompt: bool = False


def structure(constants: Structure) -> Rule:
    """Points for paragraphs, a list, varied sentence length and a heading."""

    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        if not prose.words:
            return absent(prose.missing)
        asked = read_request(utterance.user_input.original) if constants.follow_prompt else Asked()
        if asked.sentences and asked.sentences[1] < FEW_SENTENCES:
            count = range_text(asked.sentences)
            return absent(f"{count} {'sentence' if count == '1' else 'sentences'} asked for: no structure is wanted")
        deviation = standard_deviation(prose.lengths)
        terms = (
            _paragraphs(constants, prose, asked),
            _list(constants, prose, asked),
            Term(points(constants.length_deviation, deviation), f"sentence lengths vary by {short(deviation)} words"),
            Term(constants.heading_points, f'heading ("{excerpt(prose.headings[0].strip())}")')
            if prose.headings
            else Term(0.0, "no heading"),
        )
        found = ", ".join([f"{with_sign(term.amount)} {term.label}" for term in terms])
        return explain(bounded_sum(terms), terms, found, _advice_to_structure(constants, terms, asked))

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
        return Term(points(constants.paragraphs, count), quantity(count, "paragraph"))
    share = share_of_range(count, asked.paragraphs)
    label = f"{quantity(count, 'paragraph')} of {range_text(asked.paragraphs)} asked for"
    return Term(constants.paragraphs[0].add * share, label)


def _list(constants: Structure, prose: Prose, asked: Asked) -> Term:
    count = len(prose.items)
    if asked.items:
        label = f"{quantity(count, 'list item')} of {range_text(asked.items)} asked for"
        return Term(constants.list_points * share_of_range(count, asked.items), label)
    if not count:
        return Term(0.0, "no list")
    return Term(constants.list_points, f'list ("{excerpt(prose.items[0].strip())}")')


SMALL_WORDS = 75
"""A prompt for fewer words asks for no list and no heading."""


def _advice_to_structure(constants: Structure, terms: tuple[Term, ...], asked: Asked) -> list[str]:
    """Nothing that a prompt which is followed speaks against."""
    paragraphs, items, variation, heading = (term.amount for term in terms)
    in_small = _is_small(asked)
    advice = []
    if paragraphs < constants.paragraphs[0].add and (asked.paragraphs or not in_small):
        advice.append(
            f"{range_text(asked.paragraphs) if asked.paragraphs else constants.paragraphs[0].least} paragraphs"
        )
    if items < constants.list_points and (asked.items or not in_small):
        advice.append(f"a list of {range_text(asked.items)}" if asked.items else "a list")
    if variation < constants.length_deviation[0].add:
        advice.append("short sentences beside long ones")
    if heading < constants.heading_points and not in_small and not asked.items:
        advice.append("a heading")
    return advice


def _is_small(asked: Asked) -> bool:
    """True where so little is asked for, or plain prose or verse, that a list or a heading would be against it."""
    few_words = asked.words is not None and asked.words[1] < SMALL_WORDS
    few_paragraphs = asked.paragraphs is not None and asked.paragraphs[1] < FEW_SENTENCES
    few_sentences = asked.sentences is not None and asked.sentences[1] < 2 * FEW_SENTENCES
    return few_words or few_paragraphs or few_sentences or asked.form in ("prose", "verse")
