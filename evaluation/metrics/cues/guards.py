"""Guards: what around a match of a row shows that it means something else."""

import re
from collections.abc import Sequence
from functools import cached_property

from evaluation.metrics.cues.coding import Coded, words_of
from evaluation.metrics.cues.contractions import spellings
from evaluation.metrics.cues.cue import Phrases, RuleSettings
from evaluation.metrics.cues.row_index import RowIndex
from evaluation.metrics.cues.steps import CodedPhrases

LONGEST_CLAUSE = 12
"""Words before a match in which a guard is looked for, within the same clause."""
_CLOSING = re.compile('(?:[,.?!]?"[,.?!]?)?')
"""Marks between a match that is quoted and the words directly after it."""


class GuardSettings(RuleSettings):
    """Words beside a match that show that it means something else."""

    unless_before: Phrases = ()
    """Negations, reported speech, questions: in the same clause before a match they take it back."""
    unless_after: Phrases = ()
    """Words that directly after a match make it something else."""
    own_words: Phrases = ()
    """Signs that the speaker says it himself after all: with one of these `unless_before` takes nothing back."""


class Guards:
    """Says of a match whether what stands around it takes it back. Lists are compiled for the first match."""

    def __init__(self, index: RowIndex, settings: GuardSettings, reach: int = LONGEST_CLAUSE) -> None:
        self._index = index
        self._settings = settings
        self._reach = reach
        for phrases in (settings.unless_before, settings.own_words, settings.unless_after):
            index.learn(phrases)

    @cached_property
    def _before(self) -> CodedPhrases:
        return self._any_of(self._settings.unless_before)

    @cached_property
    def _own(self) -> CodedPhrases:
        return self._any_of(self._settings.own_words)

    @cached_property
    def _after(self) -> CodedPhrases:
        return self._any_of(self._settings.unless_after)

    def take_back(self, coded: Coded, start: int, end: int) -> bool:
        """True where the match from piece `start` to `end` is taken back."""
        line = coded.line
        if self._is_followed(line, end):
            return True
        clause = coded.clause_start(start, self._reach)
        if clause == start:
            return False
        return self._before.within(line, clause, start) and not self._own.within(line, clause, start)

    def _is_followed(self, line: str, end: int) -> bool:
        closing = _CLOSING.match(line, end) if '"' in line[end : end + 2] else None
        behind = closing.end() if closing else end
        return behind < len(line) and self._after.begin(line, behind)

    def _any_of(self, phrases: Sequence[str]) -> CodedPhrases:
        return self._index.code(words for phrase in phrases for words in spellings(words_of(phrase)))


class SpeechSettings(GuardSettings):
    """The same for what a reply says itself: not what it quotes, asks or is sorry for."""

    asking: Phrases = ()
    """Words before a match that make it, in a question, something that is asked and not said."""
    apologies: Phrases = ()
    """Words behind a match, a comma between them or not, that make it an apology or a refusal."""


class SpeechGuards(Guards):
    """Guards that also take back what is quoted, asked or apologised for."""

    def __init__(self, index: RowIndex, settings: SpeechSettings, reach: int = LONGEST_CLAUSE) -> None:
        super().__init__(index, settings, reach)
        self._speech = settings
        for phrases in (settings.asking, settings.apologies):
            index.learn(phrases)

    @cached_property
    def _asking(self) -> CodedPhrases:
        return self._any_of(self._speech.asking)

    @cached_property
    def _apologies(self) -> CodedPhrases:
        return self._any_of(self._speech.apologies)

    def take_back(self, coded: Coded, start: int, end: int) -> bool:
        """The same, and for what stands behind an opening quotation mark, in a question or in an apology."""
        line = coded.line
        if ('"' in line and coded.is_quoted(start)) or self._is_followed(line, end):
            return True
        behind = end + line.startswith(",", end)
        if behind < len(line) and self._apologies.begin(line, behind):
            return True
        clause = coded.clause_start(start, self._reach)
        if clause == start:
            return False
        if self._before.within(line, clause, start):
            return not self._own.within(line, clause, start)
        return self._asking.within(line, clause, start) and line[coded.sentence(start)[1] - 1] == "?"
