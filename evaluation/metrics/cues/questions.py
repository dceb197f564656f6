"""Questions: which are directed at the user, and how many a response asks.

In speech that was written down a question may have no mark. In a response without any question mark it is seen by
its form alone: a question word, an auxiliary and a pronoun in this order, or an auxiliary before "you" where a clause
begins.
"""

from itertools import pairwise
from operator import methodcaller

from pydantic import Field

from evaluation.metrics.cues.content_words import stems_when_needed
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Needs, Phrase, RuleSettings, once_a_reply
from evaluation.metrics.cues.phrases import whole_phrases
from evaluation.metrics.utterance import EDGE, Text, Utterance, fold_phrase, tokens_of
from evaluation.records import Finding
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.remembered import RememberedWords
from evaluation.text.stems import stem_of


class DirectedSettings(RuleSettings):
    """Words that direct a question at the user, and words that make it an empty one."""

    addressing: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    """Words that turn to the user."""
    offers: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Openings of a question that offers something without naming the user."""
    rhetorical: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Phrases whose question expects no answer."""
    tags: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Words that turn a statement into a question after its last comma."""


class Directed:
    """Says of a question whether it turns to the user or offers something, and is neither rhetorical nor a mere tag."""

    def __init__(self, settings: DirectedSettings) -> None:
        self._addressing = whole_phrases(settings.addressing)
        self._offers = tuple(map(fold_phrase, settings.offers))
        self._tags = frozenset(map(fold_phrase, settings.tags))
        self._rhetorical = whole_phrases(settings.rhetorical)

    def __call__(self, folded: str, tokens: frozenset[str]) -> bool:
        line = " ".join(folded.split()).strip("?？؟!. ")
        if "," in line and line.rpartition(",")[2].strip() in self._tags:
            return False
        if not self._addressing.occur(line, tokens) and not line.startswith(self._offers):
            return False
        return not self._rhetorical.occur(line, tokens)


def helpful_question(settings: DirectedSettings) -> Detect:
    """The first question that turns to the user or offers something, and is neither rhetorical nor a mere tag."""
    directed = Directed(settings)

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        for start, end in text.questions:
            if directed(text.folded[start:end], text.tokens):
                return (Finding("helpful_question", "response", start, end, text.original[start:end]),)
        return ()

    return detect


class AskingSettings(DirectedSettings):
    """As of a directed question, and how much of asking is welcome."""

    at_most: int = Field(ge=1)
    """Questions of a response that is still a conversation."""
    beside: int = Field(ge=1)
    """Words that the response must hold outside its questions."""


def asks_user(settings: AskingSettings) -> Detect:
    """The first question directed at the user, in a response that asks little and says something beside it."""
    directed = Directed(settings)

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        spans = asked(utterance)
        if not spans or len(spans) > settings.at_most:
            return ()
        for start, end in spans:
            if directed(text.folded[start:end], text.tokens):
                if len(_beside(utterance, spans)) < settings.beside:
                    return ()
                return (Finding("asks_user", "response", start, end, text.original[start:end]),)
        return ()

    return detect


class InterrogationSettings(RuleSettings):
    """How many questions are too many, and which words beside them say nothing of their own."""

    more_than: int = Field(ge=1)
    full: int = Field(ge=2)
    """The number of questions at which it counts in full."""
    only_one: float = Field(gt=0, le=1)
    """Strength of a response that is one question and nothing else."""
    beside: int = Field(ge=1)
    """Words of its own that make a response more than its questions."""
    empty: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Single words beside a question that are none of its own: oh, okay, so, and."""
    reactions: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Phrases beside a question that take up what was said, short as they are: oh no, ouch."""
    generic: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Words of questions that could be asked of anybody; function words are such anyway."""


def interrogates(settings: InterrogationSettings) -> Detect:
    """How many questions a response asks, where they are too many or all that it says; graded by their number."""
    empty = frozenset(map(fold_phrase, settings.empty))
    reactions = whole_phrases(settings.reactions)
    generic = stems_when_needed(settings.generic)

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        text, spans = utterance.response, asked(utterance)
        if not spans:
            return ()
        number = len(spans)
        if len(text.tokens & _WH) > 1:
            number += sum(_joined(text.folded[start:end].split()) for start, end in spans)
        if number > settings.more_than:
            strength = round(min(1.0, number / settings.full), 3)
            return (text.measurement("interrogates", f"{number} questions", strength),)
        own = [word for word in _beside(utterance, spans) if word not in empty]
        if len(own) >= settings.beside or reactions.occur(text.line, text.tokens):
            return ()
        if number == 1 and any(_says_more(text.folded[start:end], generic()) for start, end in spans):
            return ()
        if number == 1:
            return (text.measurement("interrogates", "nothing but a question", settings.only_one),)
        return (text.measurement("interrogates", "nothing but questions"),)

    return detect


def _says_more(question: str, generic: frozenset[str]) -> bool:
    """Whether a question holds a word that not every question does."""
    return any(token not in FUNCTION_WORDS and stem_of(token) not in generic for token in tokens_of(question))


_WH = frozenset(("how", "what", "when", "where", "who", "whom", "why"))
_JOINS = frozenset(("and", "or"))
_MEASURES = frozenset(("else", "exactly", "long", "many", "much", "often", "kind", "sort", "time"))
"""Words that may stand between a question word and the auxiliary."""
_AUXILIARIES = frozenset(
    ["are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "will", "would"]
)
_TO_YOU = frozenset(["are", "can", "could", "did", "do", "have", "will", "would"])
_PRONOUNS = frozenset(["he", "i", "it", "she", "that", "there", "they", "this", "we", "you"])
_THINGS = frozenset(["it", "that", "there", "this"])
"""Objects of a clause that begins with "who": "I know who did it"."""
_LEADS = frozenset(("and", "but", "so"))
_LONGEST = 20
"""Words of a question without a mark that are shown."""


def asked(utterance: Utterance) -> tuple[tuple[int, int], ...]:
    """Places of the questions of the response in its original: closed by a mark or, without any, by their form."""
    text = utterance.response
    if text.questions or "?" in text.original or text.tokens.isdisjoint(_AUXILIARIES):
        return text.questions
    spans: tuple[tuple[int, int], ...] | None = text.remembered.get(asked)
    if spans is None:
        spans = text.remembered[asked] = _unmarked(text)
    return spans


def _unmarked(text: Text) -> tuple[tuple[int, int], ...]:
    parts = text.parts
    auxiliaries = [place for place, part in enumerate(parts) if part in _AUXILIARIES]
    starts = [start for start in (_question_start(parts, place) for place in auxiliaries) if start is not None]
    if not starts:
        return ()
    places = _places(text)
    return tuple(
        (places[start][0], places[_end(parts, start, min(following, start + _LONGEST))][1])
        for start, following in zip(starts, [*starts[1:], len(parts)], strict=True)
    )


def _question_start(parts: list[str], place: int) -> int | None:
    """Where a question with its auxiliary at this place begins; None where the auxiliary begins none."""
    subject = parts[place + 1].rstrip(".,!;") if place + 1 < len(parts) else ""
    before = parts[place - 1] if place else ""
    if subject not in _PRONOUNS:
        return None
    if before in _WH:
        return None if before == "who" and subject in _THINGS else place - 1
    if before in _MEASURES and place > 1 and parts[place - 2] in _WH:
        return place - 2
    opens = not before or before[-1] in ".!;," or before in _LEADS
    return place if opens and subject == "you" and parts[place] in _TO_YOU else None


def _end(parts: list[str], start: int, end: int) -> int:
    """The last part of the question: where its clause is closed, or the next question begins."""
    return next((place for place in range(start, end) if parts[place][-1] in ".!;,"), end - 1)


def _joined(parts: list[str]) -> int:
    """The further questions in one: "when was that, and where, and with whom?"."""
    pairs = pairwise(parts)
    return sum(1 for before, part in pairs if (before in _JOINS or before[-1] == ",") and part.rstrip(",?") in _WH)


def _places(text: Text) -> list[tuple[int, int]]:
    """Start and end of each part in the original."""
    places, at = [], 0
    for part in text.parts:
        at = text.folded.index(part, at)
        places.append((at, at + len(part)))
        at += len(part)
    return places


_STRIPPED = RememberedWords(methodcaller("strip", EDGE))
"""What stands between blanks -> the same without the punctuation around it."""


def _beside(utterance: Utterance, spans: tuple[tuple[int, int], ...]) -> list[str]:
    """The words of the response outside its questions; found once for all cues."""
    text = utterance.response
    found: list[str] | None = text.remembered.get(_beside)
    if found is None:
        folded, said, at = text.folded, [], 0
        for start, end in spans:
            said.append(folded[at:start])
            at = end
        parts = " ".join([*said, folded[at:]]).split()
        found = text.remembered[_beside] = [word for part in parts if (word := _STRIPPED[part])]
    return found


QUESTION_CUES = (
    Cue(
        "helpful_question",
        "the response asks a question that helps",
        DirectedSettings,
        helpful_question,
        Needs(lists=("addressing", "offers", "rhetorical", "tags")),
    ),
    Cue("asks_user", "the response asks the user something beside what it says", AskingSettings, asks_user),
    Cue("interrogates", "the response asks too much, or does nothing else", InterrogationSettings, interrogates),
)
