"""Clauses of a text: what each is about, and whether it claims anything."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from evaluation.metrics.utterance import fold
from evaluation.reference.numbers import UNITS
from evaluation.reference.values import Span
from evaluation.reference.words import FILLERS, GENERAL, OPPOSED, TELLING
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of

_SENTENCE = re.compile(
    r"(?:[^.!?\u2026\n]|(?<=\d)\.(?=\d)|(?<=\b[DM]r)\.|(?<=\bM[rs]s)\.|(?<=\bMs)\."
    r"|(?<=\b[ap])\.(?=m\b)|(?<=[ap]\.m)\.(?! [A-Z]))+[.!?\u2026]*"
)
_CUT = re.compile(
    r"; |: |,? (?:but|while|whereas|although) |,? and (?=(?:the|a|an|your|my|our|his|her|its|their|it|you) )"
    r"| and (?=(?:opens?|closes?|starts?|ends?|begins?|leaves?)\b)|,? (?:of )?which |, (?:so|where) "
    r"| \u2013 | - |\u2014"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_GENERAL, _TELLING, _OPPOSED, _FILLERS = (
    frozenset(map(stem_of, words)) for words in (GENERAL, TELLING, OPPOSED, FILLERS)
)
_SPARED = re.compile(
    r"\b(?:not|never|no longer|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|won't|can't|cannot|used to|previously|"
    r"formerly|instead of|rather than|(?<!as )if|unless|would|could|might|maybe|perhaps|suppose|imagine|wish|hope|"
    r"let's|how about|what about|try|take|set aside|for example|for instance|e\.g\.|such as|like to|want to|"
    r"say\b(?=,)|once you|whether)\b"
)
_PRONOUN = re.compile(r"^\W*(?:(?:and|so|but|now|currently|today),? )?(?:it|they)\b")
_DENIED = re.compile(r"\b(?:not|never|no longer|isn't|aren't|wasn't|weren't|instead of|rather than)\b")
_ORDERS = re.compile(
    r"^\W*(?:please )?(?:take|try|give|let|set|spend|start|pick|write|count|breathe|hold|go|put|add|use|do|allow|plan|"
    r"aim|leave|move)\b"
)


@dataclass(frozen=True)
class Clause:
    """A part of a text that is about one thing."""

    text: str
    start: int
    """Of the clause in the text."""
    sentence: Span
    asks: bool
    """True in a question."""
    previous: "Clause | None" = field(default=None, repr=False, compare=False)
    """The clause before it."""

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def words(self) -> list[tuple[str, Span]]:
        """Stem of each word that is no function word, and where it stands in the clause."""
        return [
            (stem_of(match[0].removesuffix("'s")), match.span())
            for match in _WORD.finditer(self.folded)
            if match[0].removesuffix("'s") not in FUNCTION_WORDS
        ]

    @cached_property
    def claims(self) -> bool:
        """False for a question, a condition, a denial, a proposal, and what was so once."""
        return not (self.asks or _SPARED.search(self.folded) or _ORDERS.search(self.folded))

    @cached_property
    def denies(self) -> bool:
        """True where something is said not to be so."""
        return _DENIED.search(self.folded) is not None

    def subject(self, without: Span) -> frozenset[str]:
        """What a clause of a fact is about: the stems of its words but those of the value that stands there."""
        stems = [stem for stem, (start, end) in self.words if end <= without[0] or start >= without[1]]
        telling = frozenset(stem for stem in stems if stem not in _GENERAL)
        return telling | (frozenset(stems) & _TELLING)

    @cached_property
    def takes_over(self) -> bool:
        """True where a pronoun or a colon says that it is about what the clause before is about."""
        before = self.previous
        return before is not None and (
            before.folded.rstrip("*_ ").endswith(":") or _PRONOUN.match(self.folded) is not None
        )

    def is_about(self, subject: frozenset[str], value: Span) -> bool:
        """True where the clause speaks of all of this, and up to its value of nothing else."""
        missing = subject - {stem for stem, _ in self.words}
        if not subject or (missing and not self._is_said_before(missing)):
            return False
        last = max([value[0], *(end for stem, (_, end) in self.words if stem in subject)])
        return not any(
            end <= last and not (value[0] <= start < value[1]) and not self._is_beside(stem, start, subject)
            for stem, (start, end) in self.words
        ) and not any(stem in subject - _TELLING and self._is_other(span, subject) for stem, span in self.words)

    def _is_said_before(self, missing: frozenset[str]) -> bool:
        """True where the clause before, which this one takes over, is about the rest of a subject and nothing else."""
        before = self.previous if self.takes_over else None
        if before is None or not missing <= {stem for stem, _ in before.words}:
            return False
        return all(
            stem in missing or (stem in _GENERAL - _OPPOSED - _TELLING) or stem in _FILLERS for stem, _ in before.words
        )

    def is_in(self, word: str, subject: frozenset[str]) -> bool:
        """True where a word is one of a subject, or says nothing of what is spoken of."""
        return word in FUNCTION_WORDS or stem_of(word) in subject

    def _is_beside(self, stem: str, start: int, subject: frozenset[str]) -> bool:
        """True for a word of the subject, and for one that changes nothing of what is spoken of."""
        if stem in subject or (stem in _GENERAL - _OPPOSED - _TELLING) or stem in _FILLERS:
            return True
        written = re.match(r"[^\W\d_]+", self.folded[start:])
        return (
            written is not None
            and written[0].removesuffix("s") in UNITS
            and self.folded[:start].rstrip()[-1:].isdigit()
        )

    def _is_other(self, span: Span, subject: frozenset[str]) -> bool:
        """True where a word belongs to another thing: "the clinic's pharmacy", "results of the exam", "Basic plan"."""
        before = re.search(r"([^\W\d_]+)([ -]| of (?:the |your |my |our |his |her |a |an )?)$", self.folded[: span[0]])
        if before is not None and before[1] not in FUNCTION_WORDS and before[1].removesuffix("s") not in UNITS:
            stem = stem_of(before[1])
            if stem not in subject and (stem not in _GENERAL or stem in _OPPOSED):
                return True
        own = re.match(r"'s ([^\W\d_]+)", self.folded[span[1] :]) if not self.folded[: span[1]].endswith("'s") else None
        if self.folded[: span[1]].endswith("'s"):
            own = re.match(r" ([^\W\d_]+)", self.folded[span[1] :])
        if own is None:
            return False
        stem = stem_of(own[1])
        return stem not in subject and stem not in _GENERAL


def clauses_of(text: str) -> Iterator[Clause]:
    """The clauses of a text, in order; every character of a sentence is in one of them."""
    last: Clause | None = None
    for match in _SENTENCE.finditer(text):
        asks = match[0].rstrip().endswith("?")
        start = match.start()
        for end in (*(match.start() + cut.end() for cut in _CUT.finditer(match[0])), match.end()):
            if start < end:
                last = Clause(text[start:end], start, match.span(), asks, last)
                yield last
            start = end
