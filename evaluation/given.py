"""Replies that a run is given instead of asking for them: responses of production, which users had already."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, field

from evaluation.errors import JournalError
from evaluation.ports import Complete
from evaluation.records import Exchange, Reply, Usage
from evaluation.suites.suite import Play
from evaluation.suites.turns import CellPlan

INPUT = "given_replies"
"""Their name among the inputs of a run."""


@dataclass(frozen=True, slots=True)
class GivenReply:
    """One response as it was met, or as it lies in a collection."""

    text: str
    """Masked."""
    started_at: float
    """Seconds since the epoch, UTC."""
    ended_at: float
    trace_id: str
    """Of the trace in which it was met; of a collection's row what names it for people."""
    observation_id: str
    """With it unique; of a row its file and its place there."""


@dataclass(frozen=True, slots=True)
class GivenReplies:
    """The responses of a run, and the sample of production that they come from."""

    sample_id: str
    replies: Mapping[str, GivenReply] = field(repr=False)
    """Scenario id -> its response."""
    traces_at: str = ""
    """Address of a trace's page up to its id; empty where nobody knows it."""

    def to_text(self) -> str:
        """The inverse of `given_from_text`."""
        return json.dumps(asdict(self))

    def play(self) -> Play:
        """Plays a cell by its response, at no cost."""

        async def play(part: CellPlan, _complete: Complete) -> AsyncIterator[Exchange]:
            given = self.replies[part.cell.scenario_id]
            reply = Reply(
                *(given.text, "stop", "", {}, Usage(), given.started_at, given.ended_at), cost_usd=0.0, cached=True
            )
            yield Exchange(
                part.cell,
                1,
                part.scenario.history,
                part.scenario.turns[0],
                reply,
                language=part.scenario.answer_language,
            )

        return play


def given_from_text(text: str, place: str) -> GivenReplies:
    """The responses as `to_text` wrote them. Raises JournalError, which names `place`, for anything else."""
    try:
        found = json.loads(text)
        replies = {str(name): GivenReply(**reply) for name, reply in found["replies"].items()}
        return GivenReplies(str(found["sample_id"]), replies, str(found["traces_at"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(f"{place}: are not readable ({type(error).__name__}): draw another sample") from None
