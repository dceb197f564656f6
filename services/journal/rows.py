"""Records as rows and back, exactly, whatever the texts hold.

Long texts stand in `bodies`, once each, and are named by hash elsewhere. A text that is not valid Unicode (lone
surrogates) is stored as a BLOB of its bytes, since SQLite takes no such TEXT; everything else stays readable TEXT.
The arrays below are positional, because a run writes tens of thousands of them; new fields go to the end.

    reply    [text*, finish_reason, model, parameters, input_tokens, output_tokens, started_at, ended_at, attempts,
              cost_usd, cached]
    failure  [kind, message, attempts, started_at, ended_at, purpose]    (without the last in older journals)
    score    [metric, source, value, explanation, applicable, reason]
    verdict  [scores, reasoning, parsed, raw*, model, problem, fallback, samples, injection_suspected, input_tokens,
              output_tokens, cost_usd, latency_ms, cached, given_overall, spread, review]
              (without the last three in older journals)
    result   {"input": text*, "context": [[role, text*], ...], "reply": reply|null, "failure": failure|null,
              "scores": [score, ...], "verdict": verdict|null, "error": failure|null,
              "moderation": [category, ...]}    (the last only where there is any; * hash of a body)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    Json,
    Reply,
    Request,
    Result,
    Score,
    State,
    Turn,
    Usage,
    Verdict,
)
from evaluation.runspec import digest
from services.json_text import from_json, to_json

Stored: TypeAlias = str | bytes
"""A text as SQLite takes it."""
Row: TypeAlias = tuple[Any, ...]


def stored(text: str) -> Stored:
    """TEXT where SQLite can hold it, else the same bytes as a BLOB."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def loaded(value: Stored) -> str:
    """The inverse of `stored`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def from_column(value: Stored) -> Any:
    """The JSON value in a column."""
    return from_json(loaded(value))


class Bodies(dict[str, Stored]):
    """Texts to store, by hash."""

    def add(self, text: str) -> str:
        """Takes the text in; returns its hash."""
        key = digest(text)
        if key not in self:
            self[key] = stored(text)
        return key

    def add_turns(self, turns: Sequence[Turn]) -> list[list[str]]:
        return [[turn.role, self.add(turn.content)] for turn in turns]


def call_row(run_id: str, key: str, request: Request, reply: Reply, bodies: Bodies) -> Row:
    """A row of `calls` without its id, in the order of the columns."""
    return (
        stored(run_id),
        key,
        request.purpose,
        stored(request.cell.scenario_id),
        request.cell.repeat,
        request.turn,
        request.sample,
        stored(request.model),
        stored(to_json(bodies.add_turns(request.messages))),
        stored(reply.model),
        stored(to_json(reply.parameters)),
        bodies.add(reply.text),
        stored(reply.finish_reason),
        reply.usage.input_tokens,
        reply.usage.output_tokens,
        reply.started_at,
        reply.ended_at,
        reply.attempts,
        reply.cost_usd,
        int(reply.cached),
    )


REPLY_COLUMNS = (
    "bodies.text, finish_reason, answered_by, parameters, input_tokens, output_tokens, "
    "started_at, ended_at, attempts, cost_usd, cached"
)


def reply_from_columns(row: Row) -> Reply:
    """The reply of one row of REPLY_COLUMNS."""
    return _reply([loaded(row[0]), loaded(row[1]), loaded(row[2]), from_column(row[3]), *row[4:10], bool(row[10])])


def result_row(run_id: str, result: Result, bodies: Bodies) -> Row:
    """A row of `results` without its id, in the order of the columns."""
    exchange = result.exchange
    outcome = exchange.outcome
    record: dict[str, Json] = {
        "input": bodies.add(exchange.user_input),
        "context": bodies.add_turns(exchange.context),
        "reply": _reply_array(outcome, bodies) if isinstance(outcome, Reply) else None,
        "failure": _failure_array(outcome) if isinstance(outcome, CallFailure) else None,
        "scores": [[s.metric, s.source, s.value, s.explanation, s.applicable, s.reason] for s in result.scores],
        "verdict": None if result.verdict is None else _verdict_array(result.verdict, bodies),
        "error": None if result.error is None else _failure_array(result.error),
    }
    if exchange.moderation:
        record["moderation"] = exchange.moderation
    cell = exchange.cell
    return (
        stored(run_id),
        stored(cell.scenario_id),
        cell.repeat,
        exchange.turn,
        result.state,
        stored(to_json(record)),
    )


def body_hashes(record: Mapping[str, Json]) -> Iterator[str]:
    """The hashes of all bodies that a result's record names."""
    yield record["input"]
    for _, key in record["context"]:
        yield key
    if record["reply"] is not None:
        yield record["reply"][0]
    if record["verdict"] is not None:
        yield record["verdict"][3]


def result_from(cell: Cell, turn: int, state: State, record: Mapping[str, Json], texts: Mapping[str, str]) -> Result:
    """The inverse of `result_row`; `texts` holds the bodies by hash."""
    reply, failure, verdict, error = record["reply"], record["failure"], record["verdict"], record["error"]
    return Result(
        exchange=Exchange(
            cell=cell,
            turn=turn,
            context=tuple(Turn(role, texts[key]) for role, key in record["context"]),
            user_input=texts[record["input"]],
            outcome=CallFailure(*failure) if reply is None else _reply([texts[reply[0]], *reply[1:]]),
            moderation=tuple(record.get("moderation", ())),
        ),
        state=state,
        scores=tuple(Score(*score) for score in record["scores"]),
        verdict=None if verdict is None else _verdict([*verdict[:3], texts[verdict[3]], *verdict[4:]]),
        error=None if error is None else CallFailure(*error),
    )


def _reply_array(reply: Reply, bodies: Bodies) -> list[Json]:
    return [
        bodies.add(reply.text),
        reply.finish_reason,
        reply.model,
        reply.parameters,
        reply.usage.input_tokens,
        reply.usage.output_tokens,
        reply.started_at,
        reply.ended_at,
        reply.attempts,
        reply.cost_usd,
        reply.cached,
    ]


def _reply(array: Iterable[Json]) -> Reply:
    text, finish_reason, model, parameters, tokens_in, tokens_out, started, ended, attempts, cost, cached = array
    usage = Usage(tokens_in, tokens_out)
    return Reply(text, finish_reason, model, parameters, usage, started, ended, attempts, cost, cached)


def _failure_array(failure: CallFailure) -> list[Json]:
    return [
        failure.kind,
        failure.message,
        failure.attempts,
        failure.started_at,
        failure.ended_at,
        failure.purpose,
    ]


def _verdict_array(verdict: Verdict, bodies: Bodies) -> list[Json]:
    return [
        verdict.scores,
        verdict.reasoning,
        verdict.parsed,
        bodies.add(verdict.raw),
        verdict.model,
        verdict.problem,
        verdict.fallback,
        verdict.samples,
        verdict.injection_suspected,
        verdict.usage.input_tokens,
        verdict.usage.output_tokens,
        verdict.cost_usd,
        verdict.latency_ms,
        verdict.cached,
        verdict.given_overall,
        verdict.spread,
        verdict.review,
        verdict.rationale,
    ]


def _verdict(array: list[Json]) -> Verdict:
    scores, reasoning, parsed, raw, model, problem, fallback, samples, suspected, *rest = array
    tokens_in, tokens_out, cost, latency, cached, *later = rest
    given_overall, spread, review, *newest = later or (None, {}, ())
    return Verdict(
        scores=scores,
        reasoning=reasoning,
        parsed=parsed,
        raw=raw,
        model=model,
        problem=problem,
        fallback=fallback,
        samples=tuple(samples),
        injection_suspected=suspected,
        usage=Usage(tokens_in, tokens_out),
        cost_usd=cost,
        latency_ms=latency,
        cached=cached,
        given_overall=given_overall,
        spread=spread,
        review=tuple(review),
        rationale=newest[0] if newest else {},
    )
