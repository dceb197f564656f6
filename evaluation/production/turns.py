"""Turns of chats, put together from generations: what the user said, what was said before, and what came back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.production.messages import NoChat, read_input, read_output
from evaluation.production.observation import Observation
from evaluation.records import Cell, Exchange, Reply, Turn, Usage

LONGEST = 200_000
"""Characters of a message or response; longer ones are documents that somebody had processed."""
MOST_MESSAGES = 100
"""Messages of the context that are kept, the newest."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Input and output of a generation as the API gives them."""

    observation: Observation
    asked: Any
    answered: Any


@dataclass(frozen=True, slots=True)
class ProductionTurn:
    """One turn of a chat as it was met in production."""

    observation: Observation
    context: tuple[Turn, ...]
    """The conversation before, oldest first, without the system prompt and what tools said."""
    user_input: str
    response: str

    @property
    def said_by_user(self) -> list[str]:
        """The user's messages, oldest first."""
        return [*(turn.content for turn in self.context if turn.role == "user"), self.user_input]

    def to_exchange(self) -> Exchange:
        """As it is scored."""
        turn = 1 + sum(1 for each in self.context if each.role == "assistant")
        reply = Reply(self.response, "stop", "", {}, Usage(), 0.0, 0.0)
        return Exchange(Cell(self.observation.id, 1), turn, self.context, self.user_input, reply)


def stands_alone(asked: Any) -> bool:
    """True where the input holds no earlier part of its conversation. Raises NoChat."""
    return not _split(read_input(asked))[0]


def refuse_inner(own: Observation, trace: Iterable[Mapping[str, Any]]) -> None:
    """Raises NoChat where a generation lies in another one, at any depth, so that a turn counts once.

    `trace` holds rows of its trace with the fields of core, of any type; an ancestor that is not among them ends the
    way up.
    """
    rows = {row.get("id"): row for row in trace}
    above, passed = own.parent_id, {own.id}
    while above in rows and above not in passed:
        if rows[above].get("type") == "GENERATION":
            raise NoChat("is part of another generation")
        passed.add(above)
        above = str(rows[above].get("parentObservationId") or "")


def read_turn(texts: Texts, generations: Iterable[Texts] = ()) -> ProductionTurn:
    """The turn in one generation; what came before it is in its own input, else in earlier generations.

    `generations` are those of its trace and session, in any order. Whether it lies in another one is what
    `refuse_inner` says. Raises NoChat with the reason by which it is counted.
    """
    own = texts.observation
    others = [each for each in generations if each.observation.key != own.key]
    response = read_output(texts.answered)
    context, message = _split(read_input(texts.asked))
    if not message.strip():
        raise NoChat("has no message of a user")
    if max(len(response), len(message)) > LONGEST:
        raise NoChat(f"is longer than {LONGEST:,} characters")
    if not context:
        context = _conversation(each for each in others if _goes_before(each.observation, own))
    return ProductionTurn(own, _newest(context), message, response)


def _goes_before(other: Observation, own: Observation) -> bool:
    """True for an earlier turn of the same conversation: the same step of an application, asked before."""
    same = other.prompt_name == own.prompt_name if other.prompt_name or own.prompt_name else other.name == own.name
    together = other.trace_id == own.trace_id or (own.session_id != "" and other.session_id == own.session_id)
    return together and (same or _numbered_alike(other, own)) and other.started_at < own.started_at


def _numbered_alike(other: Observation, own: Observation) -> bool:
    return other.prompt_name == own.prompt_name and other.name.rstrip("0123456789") == own.name.rstrip("0123456789")


def _conversation(earlier: Iterable[Texts]) -> tuple[Turn, ...]:
    """What was said in generations, the first of them first; what is no chat turn says nothing."""
    said: tuple[Turn, ...] = ()
    for texts in sorted(earlier, key=lambda each: each.observation.started_at):
        try:
            before, message = _split(read_input(texts.asked))
            answer = read_output(texts.answered)
        except NoChat:
            continue
        if message.strip():
            said = (*(before or said), Turn("user", message), Turn("assistant", answer))
    return said


def _split(messages: Sequence[Turn]) -> tuple[tuple[Turn, ...], str]:
    """(what was said before the last message of the user, that message; empty where there is none)."""
    said = [each for each in messages if each.role in ("user", "assistant")]
    last = max((place for place, each in enumerate(said) if each.role == "user"), default=-1)
    if last < 0:
        return (), ""
    return tuple(each for each in said[:last] if each.content.strip()), said[last].content


def _newest(context: Sequence[Turn]) -> tuple[Turn, ...]:
    """The end of the conversation that is neither too many messages nor too many characters."""
    kept: list[Turn] = []
    room = LONGEST
    for turn in reversed(context[-MOST_MESSAGES:]):
        room -= len(turn.content)
        if room < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def texts_of(observation: Observation, row: Mapping[str, Any]) -> Texts:
    """The texts in a row that was read with its input and output."""
    return Texts(observation, row.get("input"), row.get("output"))
