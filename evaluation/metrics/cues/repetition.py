"""Repetition: does a reply say again what it has said, what its speaker said earlier, or nothing but the message?"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.content_words import Place, findings_at, stems_when_needed
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, RuleSettings, once_a_reply
from evaluation.metrics.utterance import Text, Utterance, fold_phrase, tokens_of
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import CONTENT_STEMS

Share: TypeAlias = Annotated[float, Field(gt=0, le=1)]
MOST_SENTENCES = 40
"""Sentences of a reply that are held against others one by one; copies to the word are found in any number."""
MOST_EARLIER = 200
"""Earlier sentences against which they are held, the latest first."""
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_GOES_ON = re.compile(r"[.!?…\n][\s\"'”’]{0,3}\w")
"""The end of a sentence after which another one begins."""
_CLAUSE_END = re.compile(r"[,;:–—.!?…\n]+")
_TOKEN = re.compile(r"[^\W_]+")
_PERSONS = frozenset(("i", "me", "my", "mine", "we", "us", "our", "you", "your"))
"""Words that somebody who answers turns: "I" becomes "you"."""
FEWEST_IN_COMMON = 3
"""Content words that two sentences must share before they are the same in other words."""


class RepeatSettings(RuleSettings):
    """What may stand before a sentence, how long a copy must be, and how near."""

    leads: Phrases = ()
    """Words that open a sentence and make no other one of it."""
    shortest_sentence: int = Field(default=3, ge=1)
    """Words of a sentence below which it is a formula that may be said again."""
    shortest_run: int = Field(default=5, ge=3)
    """Words in a row that are a copy within other sentences."""
    near: Share = 0.8
    """Share of the content words of the longer of two sentences that make one a copy of the other."""
    same_words: Share = 0.6
    """Share of all different words that two questions, or two sentences with the same content words, have in common."""
    everyday: Phrases = ()
    """Content words of every conversation: a question or a row of words needs others to be known again."""
    said_back: Share = 0.5
    """Share of the reply's words, in whole sentences of the user's message, from which on it only says that back."""
    shortest_message: int = Field(default=6, ge=1)
    """Words of a message from which on it is no wish that may be returned, though it speaks of no one."""


class Sentence(NamedTuple):
    """One sentence without its lead, and where the whole stands."""

    place: Place
    tokens: tuple[str, ...]
    content: frozenset[str]
    asks: bool

    @property
    def loops(self) -> bool:
        """Whether it holds enough words twice to go round in a circle."""
        return len(self.tokens) - len(set(self.tokens)) > FEWEST_IN_COMMON


class Said:
    """What was said before, in the forms in which it is found again; each form is made when it is first needed."""

    def __init__(self, settings: RepeatSettings, everyday: Callable[[], frozenset[str]]) -> None:
        self.settings = settings
        self._everyday = everyday
        self.sentences: list[Sentence] = []
        self._tokens: set[str] = set()
        self._texts: list[str] = []
        self._clauses: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()
        self._in_runs = self._in_clauses = 0

    def add(self, text: str, sentences: Iterable[Sentence]) -> None:
        """Adds a text with its sentences to what was said."""
        self._texts.append(text)
        for sentence in sentences:
            self._tokens.update(sentence.tokens)
            self.sentences.append(sentence)

    def words_again(self, sentence: Sentence, compare: bool) -> int:
        """Words of a sentence that were said before: all of them where it is a copy.

        Copies to the word are found always, near ones where it is to be compared.
        """
        known = self._tokens.intersection(sentence.tokens)
        if len(known) < self.settings.shortest_sentence:
            return self._in_long_runs(sentence) if sentence.loops else 0
        if len(known) == len(set(sentence.tokens)) and " ".join(sentence.tokens) in self._all_clauses():
            return len(sentence.tokens)
        if compare and any(self._same(sentence, other) for other in self.sentences[-MOST_EARLIER:]):
            return len(sentence.tokens)
        return self._in_long_runs(sentence) if len(known) > 1 else 0

    def _all_clauses(self) -> set[str]:
        """Sentences and the clauses of sentences, by their words."""
        if self._texts:
            self._clauses.update(
                " ".join(_TOKEN.findall(clause)) for text in self._texts for clause in _CLAUSE_END.split(text)
            )
            self._clauses.update(" ".join(sentence.tokens) for sentence in self.sentences[self._in_clauses :])
            self._in_clauses = len(self.sentences)
            self._texts.clear()
        return self._clauses

    def _same(self, one: Sentence, other: Sentence) -> bool:
        """Whether one sentence says or asks what the other did, in nearly the same words."""
        common, longer = one.content & other.content, max(len(one.content), len(other.content))
        if not common or 2 * len(common) < longer:
            return False
        if len(common) >= FEWEST_IN_COMMON and len(common) >= self.settings.near * longer:
            return True
        ours, theirs = frozenset(one.tokens), frozenset(other.tokens)
        alike = len(ours & theirs) / len(ours | theirs)
        if len(common) == len(one.content | other.content) > 1:
            return alike >= self.settings.same_words
        return one.asks and other.asks and alike >= self.settings.same_words and not common <= self._everyday()

    def _in_long_runs(self, sentence: Sentence) -> int:
        """Words in rows of words that were said before, or earlier in the sentence, and are about something."""
        size = self.settings.shortest_run
        while self._in_runs < len(self.sentences):
            self._runs.update(_runs(self.sentences[self._in_runs].tokens, size))
            self._in_runs += 1
        runs = list(_runs(sentence.tokens, size))
        # Most sentences hold no row that was said before and none twice, and sets say so at once.
        if self._runs.isdisjoint(runs) and len(set(runs)) == len(runs):
            return 0
        again: set[int] = set()
        first: dict[tuple[str, ...], int] = {}
        for start, run in enumerate(runs):
            if (run in self._runs or start - first.setdefault(run, start) >= size - 1) and self._tells(run):
                again.update(range(start, start + size))
        return len(again)

    def _tells(self, run: Iterable[str]) -> bool:
        """Whether a row of words has two content words that are not said every day."""
        return len({CONTENT_STEMS[token] for token in run} - {""} - self._everyday()) > 1


def _runs(tokens: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """All rows of so many words, in order."""
    return zip(*[tokens[start:] for start in range(size)], strict=False)


def repeats(settings: RepeatSettings) -> Detect:
    """The sentences, and the long rows of words, that this reply or an earlier one of its speaker has said.

    The strength grows with the share of the reply that is said again, from a half to the whole amount.
    """
    leads: dict[str, list[tuple[str, ...]]] = {}
    for words in sorted((tuple(tokens_of(fold_phrase(lead))) for lead in settings.leads), key=len, reverse=True):
        leads.setdefault(words[0], []).append(words)
    shortest = settings.shortest_sentence
    everyday = stems_when_needed(settings.everyday)

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        if _only_says_back(response, utterance.user_input, settings):
            return findings_at("repeats", response, [(0, len(response.folded))], 1.0)
        turns = [text for role, text in utterance.earlier if role == "assistant" and _share(text, response, shortest)]
        if not turns:
            return within_itself(utterance)
        said = Said(settings, everyday)
        for text in turns:
            said.add(text.folded, _sentences(text, leads))
        return again_in(response, said)

    @once_a_reply
    def within_itself(utterance: Utterance) -> Findings:
        response = utterance.response
        return again_in(response, Said(settings, everyday)) if _says_words_again(response, shortest) else ()

    def again_in(response: Text, said: Said) -> Findings:
        own = list(_sentences(response, leads))
        places, again = _said_again(response, own, said)
        if not places:
            return ()
        total = sum(len(sentence.tokens) for sentence in own)
        return findings_at("repeats", response, places, min(1.0, 0.5 + again / total))

    return detect


def _only_says_back(response: Text, message: Text, settings: RepeatSettings) -> bool:
    """Whether sentences of the message are most of the reply. A wish may be returned: "Good night, sleep well!"."""
    known = response.tokens & message.tokens
    if len(known) < settings.shortest_sentence or len(known) < settings.said_back * len(response.tokens):
        return False
    if len(message.tokens) < settings.shortest_message and message.tokens.isdisjoint(_PERSONS):
        return False
    said = f" {' '.join(response.tokens_in_order)} "
    copied = sum(
        len(sentence.tokens)
        for sentence in _sentences(message, {})
        if not _is_formula(sentence, settings.shortest_sentence) and f" {' '.join(sentence.tokens)} " in said
    )
    return copied >= settings.said_back * len(response.tokens_in_order)


def _share(one: Text, other: Text, shortest: int) -> bool:
    """Whether the two texts have the words for a sentence in common."""
    common = one.tokens & other.tokens
    return len(common) > shortest or (len(common) == shortest and not common <= FUNCTION_WORDS)


def _says_words_again(text: Text, shortest: int) -> bool:
    """Whether enough words stand in the text more than once for a sentence to be said again."""
    tokens = text.tokens_in_order
    if len(tokens) - len(text.tokens) < shortest:
        return False
    twice = {token for token, times in Counter(tokens).items() if times > 1}
    if len(twice) < shortest and len(twice - FUNCTION_WORDS) < 2:
        return False
    if _GOES_ON.search(text.folded):
        return True
    content = [token for token in tokens if token not in FUNCTION_WORDS]
    return len(content) > len(set(content)) + 1


def _said_again(response: Text, own: Sequence[Sentence], said: Said) -> tuple[list[Place], int]:
    """The places of the repeated sentences, and the number of repeated words."""
    places: list[Place] = []
    again = 0
    for number, sentence in enumerate(own):
        if _is_formula(sentence, said.settings.shortest_sentence):
            continue
        words = said.words_again(sentence, compare=number < MOST_SENTENCES)
        if words:
            places.append(sentence.place)
            again += words
        said.add(response.folded[slice(*sentence.place)], (sentence,))
    return places, again


def _is_formula(sentence: Sentence, shortest: int) -> bool:
    """Whether it is so short, or so short and empty, that it may be said again."""
    words = len(sentence.tokens)
    return words < shortest or (words == shortest and not sentence.content)


def _sentences(text: Text, leads: Mapping[str, Sequence[tuple[str, ...]]]) -> Iterator[Sentence]:
    for match in _SENTENCE.finditer(text.folded):
        tokens = tuple(_TOKEN.findall(match[0]))
        if not tokens:
            continue
        for lead in leads.get(tokens[0], ()):
            if tokens[: len(lead)] == lead and len(tokens) > len(lead):
                tokens = tokens[len(lead) :]
                break
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        content = frozenset([stem for token in tokens if (stem := CONTENT_STEMS[token])])
        yield Sentence((start, match.end()), tokens, content, match[0].endswith("?"))


REPETITION_CUES = (
    Cue(
        "repeats",
        "the response says again what it or an earlier one has said, or nothing but the message",
        RepeatSettings,
        repeats,
    ),
)
