"""The index of all rows that texts of one kind are looked at for, so that each text is read once.

A row is filed under the words with which it can begin, and coded when a text first holds one of these.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TypeAlias

from evaluation.metrics.cues.coding import CLAUSE_ENDS, Coded, Vocabulary, words_of
from evaluation.metrics.cues.contractions import VERBS, spellings
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.cues.row_states import Row, States
from evaluation.metrics.cues.steps import CLOSES, END, ENDED, GAP, MARKS, Closes, CodedPhrases, Gap, Opens, Steps, Word
from evaluation.metrics.utterance import Text

_NEGATIONS = ("not", "never", "cannot", "can't", "won't", *(f"{verb}n't" for verb in VERBS))
"""Words over which a gap does not reach: with them a row says the contrary."""
Words: TypeAlias = tuple[str, ...]


class WordClasses:
    """The classes that rows name, each coded once for all rows."""

    def __init__(self, index: "RowIndex", classes: Mapping[str, Sequence[str]]) -> None:
        self.index = index
        self.given = classes
        """Name -> its words and phrases."""
        self._phrases: dict[str, CodedPhrases] = {}
        self._spelled: dict[str, list[Words]] = {}
        for members in classes.values():
            index.learn(members)

    def first_words(self, row: str) -> Iterator[str]:
        """All words with which a row can begin."""
        for word in row.split():
            yield from [words[0] for words in self._spellings(word)]
            if not (word.endswith("?") or word in MARKS):
                return

    def steps(self, row: str) -> Steps:
        """A row in its steps."""
        then: Steps = (ENDED,)
        for word in reversed(row.split()):
            if word == GAP:
                then = (Gap(self.index.blocked, then), *then)
            elif word in MARKS:
                then = (Closes(then) if word == CLOSES else Opens(then),)
            else:
                step = Word(self._coded(word), then)
                then = (step, *then) if word.endswith("?") else (step,)
        return then

    def _coded(self, word: str) -> CodedPhrases:
        """The phrases for which a word of a row stands, as coded."""
        found = self._phrases.get(word)
        if found is None:
            found = self._phrases[word] = self.index.code(self._spellings(word))
        return found

    def _spellings(self, word: str) -> Iterable[Words]:
        """The phrases for which a word of a row stands, in all their spellings."""
        choices = () if word in MARKS else word.removesuffix("?").split("|")
        return [words for choice in choices for words in self._choice(choice)]

    def _choice(self, choice: str) -> list[Words]:
        found = self._spelled.get(choice)
        if found is None:
            phrases = self.given[choice[1:-1]] if choice.startswith("<") else (choice,)
            found = self._spelled[choice] = [words for phrase in phrases for words in spellings(words_of(phrase))]
        return found


class Reading(Coded):
    """A coded text and the rows that it says."""

    def __init__(self, text: Text, line: str, found: dict[object, list[Span]], edition: int) -> None:
        self.text, self.line, self.edition = text, line, edition
        self.found = found
        """List of rows -> the places of its rows, in order; nothing for one of which no row is there."""


class RowIndex:
    """All rows that texts of one kind are looked at for: replies, or messages of users."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._unlearnt = list(_NEGATIONS)
        self._waiting: list[tuple[object, Sequence[str], WordClasses]] = []
        self._filed: dict[str, list[Row]] = {}
        self._states = States(self._filed)
        self._rows = 0
        self._edition = 0

    def learn(self, phrases: Iterable[str]) -> None:
        """Phrases of which a text keeps each word apart."""
        self._unlearnt.extend(phrases)
        self._edition += 1

    def add(self, rows: object, listed: Sequence[str], classes: WordClasses) -> None:
        """Rows are filed when a text is first read, for a rubric is read more often than one of its cues is used."""
        self._waiting.append((rows, listed, classes))
        self._edition += 1

    def read(self, text: Text) -> Reading:
        """The text as coded, and what it says; read once, unless rows were added since."""
        reading: Reading | None = text.remembered.get(self)
        if reading is None or reading.edition != self._edition:
            self._file()
            codes = self._vocabulary.codes_in(text)
            found = self._states.spans(codes)
            reading = text.remembered[self] = Reading(text, "".join(codes), found, self._edition)
        return reading

    def _file(self) -> None:
        if not (self._unlearnt or self._waiting):
            return
        self._vocabulary.learn(self._unlearnt)
        code_of, filed = self._vocabulary.__getitem__, self._filed
        for rows, listed, classes in self._waiting:
            for said in listed:
                row = Row(self._rows, rows, partial(classes.steps, said))
                self._rows += 1
                for code in dict.fromkeys(map(code_of, classes.first_words(said))):
                    filed.setdefault(code, []).append(row)
        self._states.clear(self.blocked)
        self._unlearnt.clear()
        self._waiting.clear()

    def codes(self, words: Iterable[str]) -> str:
        """Words that were learnt, in their characters."""
        return self._vocabulary.codes(words)

    def code(self, phrases: Iterable[Words]) -> CodedPhrases:
        """Phrases of words that were learnt."""
        return CodedPhrases(set(map(self.codes, phrases)))

    @cached_property
    def blocked(self) -> str:
        """What a gap does not reach over."""
        return CLAUSE_ENDS + END + self.codes(_NEGATIONS)
