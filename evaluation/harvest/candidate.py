"""What a user said in production and what came back, read from a line of a sample, a record of a file, or an item.

The forms: a line of a sample (docs/production.md), a record with `user_input`, `input`, `message`, `question` or
`prompt` and perhaps `response` or `output`, as JSON or as a row of CSV, and an item of a Langfuse dataset.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.production.messages import NoChat, read_input, read_output
from evaluation.records import Json, Turn

MESSAGES = ("user_input", "input", "message", "question", "query", "prompt", "text")
RESPONSES = ("response", "output", "answer", "completion")
IDEALS = ("expected_output", "expectedOutput", "ideal", "reference")
MOST_BEFORE = 20
"""Messages before the user's that are kept, the newest."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One message of a user, as it came: nothing is masked yet."""

    key: str
    """Names it for ever: of its trace and observation, or of its file and its own id."""
    message: str
    response: str = ""
    context: tuple[Turn, ...] = ()
    """What was said before, oldest first; it ends with the assistant, or is empty."""
    ideal: str = ""
    """The answer that somebody wrote down as the right one."""
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Source -> metric -> value."""
    failed: tuple[str, ...] = ()
    """Ids of critical expectations that failed."""
    weight: float = 1.0
    """How many messages of production it stands for."""
    trace_id: str = ""
    observation_id: str = ""


def read_candidate(record: Mapping[str, Any], place: str, critical: Collection[str] = ()) -> Candidate:
    """The candidate of a record; `place` names it where the record has no id. Raises NoChat with the reason.

    `critical` are ids of items whose failure is critical, where the record does not say that itself.
    """
    if record.get("state") == "skipped":
        raise NoChat(str(record.get("reason") or "was skipped"))
    turns = [turn for turn in read_input(_first(record, MESSAGES)) if turn.content.strip()]
    spoken = [turn for turn in turns if turn.role in ("user", "assistant")]
    if not spoken or spoken[-1].role != "user":
        raise NoChat("has no message of a user")
    before = (*_context(record.get("context")), *spoken[:-1])
    trace, own = _text(record, "trace_id", "sourceTraceId"), _text(record, "id", "sourceObservationId")
    observation = own if "trace_id" in record else _text(record, "sourceObservationId", "observation_id")
    return Candidate(
        key="|".join(filter(None, (trace, observation or own))) or place,
        message=spoken[-1].content.strip(),
        response=_answer(record, RESPONSES),
        context=_ending_with_the_assistant(before),
        ideal=_answer(record, IDEALS),
        scores=_scores(record.get("scores")),
        failed=_failed(record, critical),
        weight=_weight(record.get("weight")),
        trace_id=trace,
        observation_id=observation,
    )


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Json:
    return next((record[name] for name in names if record.get(name) not in (None, "", [], {})), None)


def _text(record: Mapping[str, Any], *names: str) -> str:
    found = _first(record, names)
    return str(found) if isinstance(found, str | int) else ""


def _answer(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    try:
        return read_output(_first(record, names)).strip()
    except NoChat:
        return ""


def _context(value: Json) -> tuple[Turn, ...]:
    """The messages before; none where they cannot be read, as an older sample's lines have none."""
    if not value:
        return ()
    try:
        return tuple(turn for turn in read_input(value) if turn.role in ("user", "assistant") and turn.content.strip())
    except NoChat:
        return ()


def _ending_with_the_assistant(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The newest messages up to the last of the assistant: what a scenario can tell as its history."""
    while turns and turns[-1].role != "assistant":
        turns = turns[:-1]
    return turns[-MOST_BEFORE:]


def _scores(value: Json) -> dict[str, dict[str, float]]:
    """Source -> metric -> value, without what has none."""
    if not isinstance(value, Mapping):
        return {}
    return {
        str(source): {str(metric): float(each) for metric, each in given.items() if _is_number(each)}
        for source, given in value.items()
        if isinstance(given, Mapping)
    }


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _failed(record: Mapping[str, Any], critical: Collection[str]) -> tuple[str, ...]:
    """Ids of the critical items that a line says failed: of a run with all about each, of a sample by id alone."""
    judged = record.get("judged")
    outcomes = judged.get("expectations") if isinstance(judged, Mapping) else None
    by_id = outcomes if isinstance(outcomes, Mapping) else {}
    items = record["expectations"] if isinstance(record.get("expectations"), list) else []
    return tuple(str(name) for name, outcome in by_id.items() if outcome == "fails" and name in critical) + tuple(
        str(item.get("id", ""))
        for item in items
        if isinstance(item, Mapping)
        and item.get("critical") is True
        and "fails" in (item.get("outcome"), item.get("state"))
    )


def _weight(value: Json) -> float:
    return float(value) if _is_number(value) and 0 < value < 1e12 else 1.0
