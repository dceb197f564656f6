"""Sound: how long a response takes to say, and what in it cannot be taken in by ear.

Patterns read bounded stretches from where they begin, so the time is linear in the text.
"""

import re
from typing import Annotated, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrase, RuleSettings, once_a_reply
from evaluation.metrics.cues.unspoken import EMOJI_RUN, may_hold_symbols
from evaluation.metrics.utterance import Utterance, fold, tokens_of
from evaluation.records import Finding
from evaluation.text.remembered import RememberedWords

Words: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]

LETTERS_A_SECOND = 11.3
SLOW = 0.4
"""Seconds for a pause, and for a digit or symbol, which are read out one by one."""
IDEOGRAPH = 0.25
"""Seconds for a character of Chinese, Japanese or Korean, each of which is about a syllable."""
_SLOW = re.compile(r"[0-9@#$%&*+/<=>^_~|\\]|[.!?…;:]+")
_PAUSES = ".!?"
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def seconds_to_say(text: str) -> float:
    """An estimate of how long the text takes to say: letters at a steady rate, digits one by one, pauses between.

    Narration is recommended at 150 to 160 words a minute, the range in which people listen with ease (Williams 1998,
    Guidelines for the use of multimedia in instruction, Human Factors and Ergonomics Society 42nd Annual Meeting,
    pp. 1447-1451). Everyday English has some 4 letters a word and 12 words a sentence; at 11.3 letters a second and
    0.4 seconds a pause that makes 155 words a minute.
    """
    pieces = _SLOW.findall(text)
    ideographs = 0 if text.isascii() else len(_IDEOGRAPH.findall(text))
    letters = len(text) - text.count(" ") - sum(map(len, pieces)) - ideographs
    return letters / LETTERS_A_SECOND + SLOW * len(pieces) + IDEOGRAPH * ideographs


def _at_most(plain: str) -> float:
    """A bound for a text of letters, blanks and everyday punctuation."""
    return len(plain) / LETTERS_A_SECOND + SLOW * sum(map(plain.count, _PAUSES))


class ListeningSettings(RuleSettings):
    """Seconds that are listened to with ease, and from which on the length counts in full."""

    free: float = Field(gt=0)
    full: float = Field(gt=0)


def takes_long(settings: ListeningSettings) -> Detect:
    """The seconds that the response takes to say, where that is more than one listens to; graded up to `full`."""
    if settings.full <= settings.free:
        raise ValueError(f"full ({settings.full:g} seconds) is not above free ({settings.free:g})")
    short = int(settings.free / SLOW)

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        line = text.line
        # Most responses are short and plain, and counting says so sooner.
        if len(line) <= short or (_at_most(line) <= settings.free and text.is_plain):
            return ()
        seconds = seconds_to_say(line)
        if seconds <= settings.free:
            return ()
        strength = min(1.0, (seconds - settings.free) / (settings.full - settings.free))
        return (text.measurement("takes_long", f"{seconds:.0f} seconds to say", round(strength, 3)),)

    return detect


class HardToHearSettings(RuleSettings):
    """What of abbreviations, units and capitals is hard by ear, and what everybody understands."""

    abbreviations: Words
    """Hard wherever they stand, with or without a full stop."""
    before_number: Words = ()
    """Hard with a full stop before a number alone: "no. 5"."""
    units: Words = ()
    """Hard directly after a number."""
    fine: Words = ()
    """Capitals, numbers and signs that are said every day: TV, 911, 24/7, and/or."""
    full: float = Field(gt=0)
    """The weight at which it counts in full; an address weighs 4, most else 2, a light one 1, of which one is free."""


ADDRESS, HEAVY, LIGHT, NONE = 4.0, 2.0, 1.0, 0.0
TELEPHONE = 9
"""Digits of a number that nobody remembers who hears it."""
MOST_SHOWN = 5

_ODD = re.compile(r"[^a-zA-Z ,.!?'\"\n’‘“”…–—-]")
_CAPITALS = re.compile(r"[A-Z](?:[A-Z]|(?<=[a-z][A-Z]))")
_INNER_STOP = re.compile(r"\.[a-zA-Z]")
_PIECE = re.compile(r"[+(]{0,2}\d[\d ()./:-]{4,40}\d(?!\S{0,40}[^\W\d])|\S{1,200}")
"""Groups of digits with what stands between them, or whatever stands between white space."""
_ADDRESS = re.compile(
    r"(?i)https?://|www\.|[\w.+-]{1,64}@[\w-]{1,63}\.\w|[a-z][\w-]{0,62}\.(?:com|org|net|gov|edu|io|co\.\w\w|org\.\w\w)\b"
)
_HOUR = r"\d{1,2}(?::\d\d)?(?:[ap]m)?"
_EASY_NUMBER = re.compile(
    rf"\d{{1,3}}|[12]\d{{3}}|{_HOUR}(?:[-–]{_HOUR})?|\d{{1,2}}\.\d\d(?:[ap]m)?|\d{{1,2}}(?:st|nd|rd|th)|\d{{2,4}}'?s"
    r"|\d{1,4}[-–]\d{1,4}|[1-9]/\d|\d{1,2}/10|#?\d{1,2}|\d'\d{1,2}|\d{1,2}x|[A-Za-z]{2,12}-?\d{1,3}"
    r"|[$£€]\d{1,4}(?:\.\d\d)?k?|\d{1,4}(?:\.\d\d)?[$£€]|[$£€]?\d{1,3},\d{3}|\d{1,3}k"
    r"|\d{1,3}(?:-[a-z]{1,20}){1,3}|\d{1,2}-to-\d{1,2}"
)
"""A small number, a year, a time, a price, some thousands, 3rd, 80s, 10-15, 5-year-old, 8/10, PS5."""
_NUMBER = re.compile(
    r"\d{1,3}|[12]\d{3}|\d{1,2}[:.]\d\d(?:[ap]m)?|\d{1,2}(?:am|pm|st|nd|rd|th)|\d{2,4}'?s|\d{1,4}[-–]\d{1,4}|[1-9]/\d"
    r"|[$£€]\d{1,4}(?:\.\d\d)?k?|\d{1,4}(?:\.\d\d)?[$£€]|\d{1,3},\d{3}|\d{1,3}k|\d{1,3}(?:-[a-z]{1,20}){1,3}"
)
"""A small number, a year, a time, a price, some thousands, 3rd, 80s, 10-15, 5-year-old."""
_NUMBER = re.compile(r"[$£€]?\d{1,4}(?:\.\d{1,4})?%?|[$£€]?\d{1,3}(?:,\d{3}){1,2}|[A-Za-z]\d{1,2}|\d{1,2}[A-Za-z]")
_CODE = re.compile(
    r"(?:[A-Za-z]\.){1,5}[A-Za-z]|[A-Za-z]\w{0,60}_\w{1,60}|[a-z]{2,60}[A-Z][a-z]\w{0,60}"
    r"|\w{1,60}\(\)|@\w{2,60}|\w{1,20}(?:\+\w{1,20})+"
)
_FORMULA = re.compile(r"[-=]>|<[-=]|[→←⇒⇐=^×÷±≈≤≥√∑§\\|{}]|\w[<>]\w")
_SIGN = re.compile(r"[&%+*°€£$@~/#<>]|[A-Za-z]{1,40}/[A-Za-z]{1,40}")
_LETTER_WORD = re.compile(r"[IVX]{2,7}|[A-Z]{2,3}s?|[B-DF-HJ-NP-TV-XZ]{4,6}s?|[A-Z]{1,4}[&-][A-Z]{1,4}")
"""Four and more capitals with a vowel are spoken as a word (NASA), or are a word that is stressed."""
_AROUND = "\"'‘’“”()[].,;:!?…*"


def hard_to_hear(settings: HardToHearSettings) -> Detect:
    """Numbers, addresses, abbreviations, signs and code, and runs of emoji; graded by their weight."""
    hearing, full = _Hearing(settings), settings.full
    may_be_hard = RememberedWords(hearing.may_be_hard)

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        said = utterance.response.original
        # In most responses every word by itself shows that nothing is hard.
        if not any(map(may_be_hard.__getitem__, utterance.response.written_parts)):
            return ()
        hard = hearing.hard_pieces(said)
        light = sum(1 for _, weight in hard if weight == LIGHT)
        weight = sum(weight for _, weight in hard) - min(light, 1) * LIGHT
        if weight <= 0:
            return ()
        strength = round(min(1.0, weight / full), 3)
        shown = (span for span, _ in hard[:MOST_SHOWN])
        return tuple(Finding("hard_to_hear", "response", *span, said[slice(*span)], strength) for span in shown)

    return detect


class _Hearing:
    """The lists of the settings, folded, and the weights of the pieces of a text by them."""

    def __init__(self, settings: HardToHearSettings) -> None:
        self._abbreviations = frozenset(word.strip(".") for word in map(fold, settings.abbreviations))
        self._before_number = frozenset(map(fold, settings.before_number))
        self._units = frozenset(map(fold, settings.units))
        self._fine = frozenset(map(fold, settings.fine))
        self._is_easy = RememberedWords(self._weighs_nothing)

    def may_be_hard(self, word: str) -> bool:
        """Whether something between white space is hard in some text: elsewhere it weighs nothing."""
        odd = _ODD.search(word) or _CAPITALS.search(word) or _INNER_STOP.search(word)
        return odd is not None or not self._abbreviations.isdisjoint(tokens_of(fold(word)))

    def hard_pieces(self, said: str) -> list[tuple[tuple[int, int], float]]:
        """Places and weights of what is hard, in order."""
        pieces = _PIECE.findall(said)
        hard: list[tuple[tuple[int, int], float]] = []
        after_number = False
        is_easy = self._is_easy
        end = 0
        for place, piece in enumerate(pieces):
            start = said.index(piece, end)
            end = start + len(piece)
            if is_easy[piece]:
                after_number = False
                continue
            bare = piece.strip(_AROUND)
            weight = self._weight(piece, bare, "".join(pieces[place + 1 : place + 2]), after_number)
            after_number = bare[-1:].isdigit()
            if weight:
                start += piece.find(bare)
                hard.append(((start, start + len(bare)), weight))
        runs = [match.span() for match in EMOJI_RUN.finditer(said)] if may_hold_symbols(said) else []
        return hard + [(span, HEAVY) for span in runs]

    def _weighs_nothing(self, piece: str) -> bool:
        """Whether a piece weighs nothing whatever stands beside it, and makes no unit of what follows."""
        bare = piece.strip(_AROUND)
        folded = fold(bare)
        if folded in self._units or folded in self._before_number or bare[-1:].isdigit():
            return False
        return self._weight(piece, bare, "", after_number=False) == NONE

    def _weight(self, piece: str, bare: str, follower: str, after_number: bool) -> float:
        folded = fold(bare)
        if not bare or folded in self._fine or fold(piece) in self._fine:
            return NONE
        if folded in self._abbreviations:
            return HEAVY
        if after_number and folded in self._units:
            return LIGHT
        if bare.isalpha() and (bare.islower() or bare.istitle()):
            return LIGHT if piece.endswith(".") and folded in self._before_number and follower[:1].isdigit() else NONE
        if _ADDRESS.match(bare):
            return ADDRESS
        if any(map(str.isdigit, bare)):
            return self._weight_of_number(bare)
        if _CODE.fullmatch(bare) or _FORMULA.search(bare):
            return HEAVY
        return LIGHT if _SIGN.fullmatch(bare) or _LETTER_WORD.fullmatch(bare) else NONE

    def _weight_of_number(self, bare: str) -> float:
        if _EASY_NUMBER.fullmatch(bare):
            return NONE
        if _NUMBER.fullmatch(bare) or bare.lstrip("0123456789.,").lower() in self._units:
            return LIGHT
        return ADDRESS if sum(map(str.isdigit, bare)) >= TELEPHONE else HEAVY


SOUND_CUES = (
    Cue("takes_long", "the response takes longer to say than one listens to", ListeningSettings, takes_long),
    Cue("hard_to_hear", "the response holds what cannot be taken in by ear", HardToHearSettings, hard_to_hear),
)
