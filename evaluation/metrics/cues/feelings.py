"""Feelings: does the response take up what the user feels, and does it brush that aside?

What it says is found by rows of words. A row may name a feeling ("that must be so hard"), or be a formula that fits
everything ("I hear you"): by itself it is worth less. Either is worth more in a sentence with a content of its own. How
likely the whole reply is one by which somebody feels understood is read by words with fitted weights.
"""

from functools import lru_cache
from typing import NamedTuple

from pydantic import Field

from evaluation.metrics.cues.coding import Coded
from evaluation.metrics.cues.content_words import content_of
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, Same, Span
from evaluation.metrics.cues.guards import SpeechGuards
from evaluation.metrics.cues.learnt import findings_by_words, surely
from evaluation.metrics.cues.row_index import WordClasses
from evaluation.metrics.cues.rows import REPLIES, Openings, RowCue, RowList, Rows, RowSettings
from evaluation.metrics.utterance import Utterance, fold_phrase, pieces_of
from evaluation.text.remembered import RememberedWords

UNDERSTANDING = "understanding"
"""The table of weights."""
OF_ANYBODY = 0.5
"""What is left of it in a reply without a content word of the user's: it may be one to somebody else."""
LEAST = 0.05
"""Strength by words that is none."""
LEAST_WORDS = 8
"""Words and pairs of words, some five words, below which a reply says too little."""


class MirrorSettings(RowSettings):
    """What acknowledges a feeling, and what each kind of acknowledgement is worth."""

    names: Rows = ()
    """Rows that name a feeling or what weighs on somebody."""
    openings: Rows = ()
    """Rows that do so without a subject: they count at the start of a sentence only."""
    formulas: Rows = ()
    """Rows that would fit any feeling."""
    plain_words: Phrases = ()
    """Words that give a sentence no content of its own; the words of the classes are plain too."""
    named: float = Field(default=0.6, ge=0, le=1)
    """Strength of a sentence that names a feeling."""
    formula: float = Field(default=0.3, ge=0, le=1)
    """Strength of a sentence with a formula."""
    content: float = Field(default=0.4, ge=0, le=1)
    """What content of its own adds to a sentence."""
    second: float = Field(default=0.25, ge=0, le=1)
    """Share of the strength that comes from a second sentence, if that is no bare formula."""
    by_words: float = Field(default=0.0, ge=0, le=1)
    """Strength of a reply that by its words is surely one of those that understand; 0 does not look at them."""
    piled: int = Field(default=4, ge=2)
    """From so many acknowledgements on, with no more content words than that, they are worth one formula."""


class _Acknowledgement(NamedTuple):
    """One sentence that takes up a feeling."""

    worth: float
    span: Span
    """Its first acknowledgement."""
    places: int
    """Acknowledgements in it that do not overlap."""
    own_words: int
    """Words that say something beyond them."""


def mirrors_feeling(settings: MirrorSettings) -> Detect:
    """The sentences that take up a feeling, the two best of them; the strength says how far they do.

    The same object for the same settings: cues that ask for it look at a reply once.
    """
    return _mirror(Same(settings))


@lru_cache(maxsize=4)
def _mirror(given: Same[MirrorSettings]) -> Detect:
    settings = given.settings
    classes, guards = WordClasses(REPLIES, settings.classes), SpeechGuards(REPLIES, settings)
    names, formulas = RowList(settings.names, classes, guards), RowList(settings.formulas, classes, guards)
    openings = Openings(settings.openings, classes, guards, settings.leads)
    lists = {names, openings, formulas}
    plain = lru_cache(maxsize=1)(lambda: _plain_words(settings))  # worked out when a feeling is first taken up

    def own(piece: str) -> str:
        word = piece.partition("'")[0]
        return word if len(word) > 2 and word not in plain() else ""

    own_word = RememberedWords(own)
    """Piece -> the word that says something of its own; nothing for one that says nothing."""

    def acknowledgement(coded: Coded, sentence: Span, spans: list[Span], named: frozenset[Span]) -> _Acknowledgement:
        apart = _apart(spans)
        said = set(map(own_word.__getitem__, coded.text.pieces[slice(*sentence)]))
        own_words = len(said - {""})
        worth = settings.formula if named.isdisjoint(spans) else settings.named
        worth = min(1.0, worth + settings.content) if own_words else worth
        return _Acknowledgement(worth, apart[0], len(apart), own_words)

    def detect(utterance: Utterance) -> Findings:
        found = by_rows(utterance)
        # Formulas piled up are as strong as one: words that go with them do not undo that.
        if not settings.by_words or (found and found[0].strength <= settings.formula):
            return found
        understood = round(settings.by_words * _understood(utterance), 3)
        if understood <= max(LEAST, found[0].strength if found else 0.0):
            return found
        return findings_by_words("mirrors_feeling", UNDERSTANDING, utterance.response, understood) or found

    def by_rows(utterance: Utterance) -> Findings:
        coded = REPLIES.read(utterance.response)
        if lists.isdisjoint(coded.found):
            return ()
        named = frozenset((*names.spans(coded), *openings.spans(coded)))
        spans = sorted({*named, *formulas.spans(coded)})
        if not spans:
            return ()
        acknowledged = [
            acknowledgement(coded, sentence, within, named) for sentence, within in _by_sentence(coded, spans)
        ]
        best = sorted(acknowledged, key=lambda each: -each.worth)[:2]
        strength = _strength(acknowledged, best, settings)
        places = sorted(each.span for each in best)
        return tuple(coded.finding("mirrors_feeling", span, strength) for span in places)

    return detect


def _understood(utterance: Utterance) -> float:
    """How surely a reply is one by which somebody feels understood; less where nothing in it is the user's."""
    sure = surely(UNDERSTANDING, utterance.response, LEAST_WORDS)
    if not sure:
        return 0.0
    words = content_of(utterance.response).keys()
    said = (utterance.user_input, *(text for role, text in utterance.earlier if role == "user"))
    return sure * (OF_ANYBODY if all(map(words.isdisjoint, map(content_of, said))) else 1.0)


def _plain_words(settings: MirrorSettings) -> frozenset[str]:
    """The words that give a sentence no content of its own, without what follows an apostrophe."""
    members = (member for each in settings.classes.values() for member in each)
    rows = (*settings.names, *settings.openings, *settings.formulas)
    words = (word for phrase in (*settings.plain_words, *members, *rows) for word in pieces_of(fold_phrase(phrase)))
    return frozenset(word.partition("'")[0] for word in words)


def _strength(found: list[_Acknowledgement], best: list[_Acknowledgement], settings: MirrorSettings) -> float:
    count = sum(each.places for each in found)
    if count >= settings.piled and sum(each.own_words for each in found) <= count:
        return settings.formula
    second = best[1].worth if len(best) > 1 and best[1].worth > settings.formula else 0.0
    return round((1 - settings.second) * best[0].worth + settings.second * second, 3)


def _by_sentence(coded: Coded, spans: list[Span]) -> list[tuple[Span, list[Span]]]:
    """The sentences that hold spans, in order, each with its own."""
    sentences: list[tuple[Span, list[Span]]] = []
    for span in spans:
        if not sentences or span[0] >= sentences[-1][0][1]:
            sentences.append((coded.sentence(span[0]), []))
        sentences[-1][1].append(span)
    return sentences


def _apart(spans: list[Span]) -> list[Span]:
    """The spans, overlapping ones joined."""
    joined = [spans[0]]
    for start, end in spans[1:]:
        if start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


class DismissSettings(RowSettings):
    """What plays a feeling down, brushes it aside, lectures or blames."""

    rows: Rows = ()
    openings: Rows = ()
    """Rows that do so at the start of a sentence only."""


def dismisses(settings: DismissSettings) -> Detect:
    """The first place where the response plays a feeling down or blames the user."""
    classes, guards = WordClasses(REPLIES, settings.classes), SpeechGuards(REPLIES, settings)
    rows = RowList(settings.rows, classes, guards)
    openings = Openings(settings.openings, classes, guards, settings.leads)

    def detect(utterance: Utterance) -> Findings:
        coded = REPLIES.read(utterance.response)
        spans = (*rows.spans(coded), *openings.spans(coded))
        return (coded.finding("dismisses", min(spans)),) if spans else ()

    return RowCue((rows, openings), detect)


FEELING_CUES = (
    Cue("mirrors_feeling", "the response takes up what the user feels", MirrorSettings, mirrors_feeling),
    Cue("dismisses", "the response plays a feeling down or blames the user", DismissSettings, dismisses),
)
