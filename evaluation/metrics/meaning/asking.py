"""Which texts of an exchange a model of embeddings is given, and its answer as the vectors of these texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.languages.packs import ENGLISH
from evaluation.metrics.in_language import speech_of
from evaluation.metrics.lookup import languages_of
from evaluation.metrics.utterance import Text, Utterance, text_before_reply
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Meaning, Request, Scenario, Turn
from evaluation.runspec import EmbeddingPin
from evaluation.vectors import Vector, read

LONGEST_TEXT = 6_000
"""Characters of a text that are embedded: models take 512 to 8,192 tokens, and most endpoints refuse a longer text."""
MOST_SENTENCES = 40
"""Of one response; of a longer one neighbouring sentences are joined, so that no response asks for hundreds."""
KEY_POINTS = "key_points"
"""In a scenario's data: what its replies should cover, a list of texts, which `evaluation.scenarios.parser` checks."""
UNUSABLE = frozenset({"rejected", "content_filter"})
"""Kinds of failure that lie in the text: another try would bring the same."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of an exchange, by the part that they play in it."""

    response: str
    sentences: tuple[str, ...]
    messages: tuple[str, ...]
    replies: tuple[str, ...]
    points: tuple[str, ...]
    said: tuple[str, ...]

    def each_once(self) -> list[str]:
        """All of them, in order."""
        return list(
            dict.fromkeys((self.response, *self.messages, *self.replies, *self.sentences, *self.points, *self.said))
        )


def texts_of(exchange: Exchange, scenario: Scenario | None) -> Texts:
    """The texts of an exchange that have a word in them, without white space at their ends, and cut where too long.

    Key points are due at the last turn of their scenario; what may cover them are the replies of its own turns.
    """
    spoken = languages_of(Utterance(exchange.user_input, exchange.response, exchange.context), exchange.language)
    speech = speech_of(spoken.scored(ENGLISH))
    sentences = sentences_of(Text(exchange.response, "response", speech))
    points = () if scenario is None else key_points(scenario, exchange.turn)
    history = 0 if scenario is None else len(scenario.history)
    own = [turn.content for turn in exchange.context[history:] if turn.role == "assistant"] if points else []
    before = [sentence for reply in own for sentence in sentences_of(text_before_reply(reply, "context", speech))]
    return Texts(
        response=_cut(exchange.response),
        sentences=sentences,
        messages=_spoken((*exchange.context, Turn("user", exchange.user_input)), "user"),
        replies=_spoken(exchange.context, "assistant"),
        points=points,
        said=tuple(dict.fromkeys((*before, *sentences))) if points else (),
    )


def key_points(scenario: Scenario, turn: int) -> tuple[str, ...]:
    """The key points that are due at a turn of a scenario: all of them at its last, none before."""
    if turn != len(scenario.turns):
        return ()
    return tuple(filter(None, map(_cut, scenario.data.get(KEY_POINTS, ()))))


def sentences_of(text: Text) -> tuple[str, ...]:
    """The sentences of a text, code left out; of very many, neighbours are joined."""
    from evaluation.metrics.text.prose import prose_of  # where texts are embedded: others start sooner

    found = prose_of(text).sentences
    together = -(-len(found) // MOST_SENTENCES)
    if together > 1:
        found = ["".join(found[start : start + together]) for start in range(0, len(found), together)]
    return tuple(filter(None, map(_cut, found)))


async def embed(
    exchange: Exchange, scenario: Scenario | None, pin: EmbeddingPin, complete: Complete
) -> Exchange | CallFailure:
    """The exchange with its vectors. A failure that another try may mend names `embedding` as its purpose.

    A text that the endpoint will not take leaves the exchange without vectors, with the reason. The reply to a request
    of this purpose holds one vector a line, as `evaluation.vectors` writes them, in the order of the messages.
    """
    texts = texts_of(exchange, scenario)
    asked = texts.each_once()
    if not texts.response:
        return replace(exchange, meaning=Meaning(pin.title, missing="the response holds no words to embed"))
    outcome = await complete(embedding_request(asked, pin, exchange))
    if isinstance(outcome, CallFailure):
        if outcome.kind in UNUSABLE:
            reason = f"{pin.model} takes no such text: {outcome.message}"
            return replace(exchange, meaning=Meaning(pin.title, missing=reason))
        return replace(outcome, purpose="embedding")
    vectors = dict(zip(asked, map(read, outcome.text.split("\n")), strict=True))
    return replace(exchange, meaning=_meaning(texts, vectors, pin))


def embedding_request(texts: Sequence[str], pin: EmbeddingPin, exchange: Exchange) -> Request:
    """The question for the vectors of some texts."""
    return Request(
        purpose="embedding",
        model=pin.model,
        messages=tuple(Turn("user", text) for text in texts),
        parameters={} if pin.dimensions is None else {"dimensions": pin.dimensions},
        cell=exchange.cell,
        turn=exchange.turn,
        endpoint=pin.endpoint,
    )


def _meaning(texts: Texts, vectors: Mapping[str, Vector], pin: EmbeddingPin) -> Meaning:
    return Meaning(
        by=pin.title,
        sentences=tuple(map(vectors.__getitem__, texts.sentences)),
        response=vectors[texts.response],
        messages=tuple(map(vectors.__getitem__, texts.messages)),
        replies=tuple(map(vectors.__getitem__, texts.replies)),
        points=tuple((text, vectors[text]) for text in texts.points),
        said=tuple((text, vectors[text]) for text in texts.said),
    )


def _spoken(turns: Sequence[Turn], role: str) -> tuple[str, ...]:
    return tuple(filter(None, (_cut(turn.content) for turn in turns if turn.role == role)))


def _cut(text: str) -> str:
    """Empty where the text has no letter or digit: endpoints refuse a text of nothing."""
    found = text.strip()[:LONGEST_TEXT].strip()
    return found if any(map(str.isalnum, found)) else ""
