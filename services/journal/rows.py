"""Records as rows and back, exactly, whatever the texts hold.

Long texts stand in `bodies`, once each, and are named by hash elsewhere. A text that is not valid Unicode (lone
surrogates) is stored as a BLOB of its bytes, since SQLite takes no such TEXT; everything else stays readable TEXT.
Replies, failures, scores and verdicts are arrays of the fields named below, because a run writes tens of thousands of
them. A result is {"input": text*, "context": [[role, text*], ...], "reply": reply|null, "failure": failure|null,
"scores": [score, ...], "verdict": verdict|null, "error": failure|null, "moderation": [category, ...],
"expectations": [answer, ...], "answer_calls": calls, "tool_calls": [call, ...], "words": text*,
"first_token_ms": number, "language": code}, the last seven only where there are any; * is the hash of a body, which
the text of a reply (its first value) and `raw` are as well. A call of a tool is [id, name, arguments], with its result
behind them where it has one; a message about a tool is
[role, text*, {"tool_calls": [call, ...], "tool_call_id": id}]. The result of a whole conversation stands at turn 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from evaluation.records import (
    WHOLE,
    AnswerCalls,
    CallFailure,
    Cell,
    Exchange,
    ItemAnswer,
    Json,
    NumberToken,
    Reply,
    Request,
    Result,
    Score,
    State,
    ToolCall,
    Turn,
    Usage,
    Verdict,
)
from evaluation.runspec import digest
from services.journal.writer import Row, Stored, Write, insert_into
from services.json_text import from_json, to_json

CALL_COLUMNS = (
    *("run_id", "key", "purpose", "scenario_id", "repeat", "turn", "sample", "model", "messages", "answered_by"),
    *("parameters", "response", "finish_reason", "input_tokens", "output_tokens", "started_at", "ended_at"),
    *("attempts", "cost_usd", "cached", "cached_input_tokens", "saved_usd", "numbers", "tool_calls", "http"),
)
_CALLS = insert_into("calls", CALL_COLUMNS)
_REPLACING = (
    "ON CONFLICT (run_id, scenario_id, repeat, turn) "
    "DO UPDATE SET state = excluded.state, record = excluded.record WHERE "
)
_OPEN = "results.state NOT IN ('scored', 'unparsed')"
RESULT_COLUMNS = ("run_id", "scenario_id", "repeat", "turn", "state", "record")
_RESULTS = insert_into("results", RESULT_COLUMNS, _REPLACING + _OPEN)
_JUDGED_AGAIN = insert_into(
    "results",
    RESULT_COLUMNS,
    f"{_REPLACING}{_OPEN} OR (results.state = 'unparsed' AND excluded.state IN ('scored', 'unparsed'))",
)


def to_stored(text: str) -> Stored:
    """TEXT where SQLite can hold it, else the same bytes as a BLOB."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_stored(value: Stored) -> str:
    """The inverse of `to_stored`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def from_column(value: Stored) -> Any:
    """The JSON value in a column."""
    return from_json(from_stored(value))


class Bodies(dict[str, Stored]):
    """Texts to store, by hash."""

    def add(self, text: str) -> str:
        """Takes the text in; returns its hash."""
        key = digest(text)
        if key not in self:
            self[key] = to_stored(text)
        return key

    def add_turns(self, turns: Sequence[Turn]) -> list[list[Json]]:
        return [[turn.role, self.add(turn.content), *tool_part(turn)] for turn in turns]


_REPLY = attrgetter(
    *("finish_reason", "model", "parameters", "usage.input_tokens", "usage.output_tokens", "started_at", "ended_at"),
    *("attempts", "cost_usd", "cached", "usage.cached_input_tokens", "saved_usd"),
)
"""Of a reply, after its text."""
REPLY_COLUMNS = (
    "bodies.text, finish_reason, answered_by, parameters, input_tokens, output_tokens, "
    "started_at, ended_at, attempts, cost_usd, cached, cached_input_tokens, saved_usd, numbers, "
    "tool_calls, http"
)
"""The same in the table of calls."""
_NUMBER = attrgetter("start", "digits", "odds")
_FAILURE = attrgetter("kind", "message", "attempts", "started_at", "ended_at", "purpose")
_SCORE = attrgetter("metric", "source", "value", "explanation", "applicable", "reason")
_ANSWER = attrgetter("id", "outcome", "source", "quote", "reason", "turn", "answers")
_ANSWER_CALLS = attrgetter(
    *("calls", "model", "usage.input_tokens", "usage.output_tokens", "usage.cached_input_tokens", "cost_usd"),
    *("latency_ms", "cached"),
)
_VERDICT = attrgetter(
    *("scores", "reasoning", "parsed", "raw", "model", "problem", "fallback", "samples", "injection_suspected"),
    *("usage.input_tokens", "usage.output_tokens", "cost_usd", "latency_ms", "cached", "given_overall", "spread"),
    *("review", "rationale", "usage.cached_input_tokens", "saved_usd"),
    *("members", "escalated", "bounds"),
)
_FIRST_OF_VERDICT = 18
"""Fields of the oldest verdicts that are read."""
_ADDED_TO_VERDICT: tuple[Any, ...] = (None, 0.0, {}, "", {})
"""What the later fields are in verdicts that were written before them."""


def _call_array(call: ToolCall) -> list[Json]:
    """Its fields in order; the result last, and only where there is one."""
    return [call.id, call.name, call.arguments, *([] if call.result is None else [call.result])]


def tool_part(turn: Turn) -> list[Json]:
    """What stands behind the role and the text of a message: nothing where it is about no tool."""
    if not turn.tool_calls and not turn.tool_call_id:
        return []
    return [{"tool_calls": list(map(_call_array, turn.tool_calls)), "tool_call_id": turn.tool_call_id}]


def _turn(role: str, content: str, tools: Mapping[str, Json] | None = None) -> Turn:
    """The inverse of `tool_part`, with the role and the text before it."""
    if tools is None:
        return Turn(role, content)
    return Turn(role, content, _tool_calls(tools["tool_calls"]), tools["tool_call_id"])


def _failure_array(failure: CallFailure) -> tuple[Json, ...]:
    """With the raw call where there is one."""
    return (*_FAILURE(failure), failure.http) if failure.http else _FAILURE(failure)


def _tool_calls(arrays: Iterable[Sequence[str]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(*each) for each in arrays)


def reply_of(run_id: str, key: str, request: Request, reply: Reply) -> Write[None]:
    """Adds an answered call: a row in the order of the columns."""
    bodies = Bodies()
    finish_reason, model, parameters, *rest, cached, from_cache, saved = _REPLY(reply)
    row = (
        to_stored(run_id),
        key,
        request.purpose,
        to_stored(request.cell.scenario_id),
        request.cell.repeat,
        request.turn,
        request.sample,
        to_stored(request.model),
        to_stored(to_json(bodies.add_turns(request.messages))),
        to_stored(model),
        to_stored(to_json(parameters)),
        bodies.add(reply.text),
        to_stored(finish_reason),
        *rest,
        int(cached),
        from_cache,
        saved,
        to_stored(to_json(list(map(_NUMBER, reply.numbers)))) if reply.numbers else None,
        to_stored(to_json(list(map(_call_array, reply.tool_calls)))) if reply.tool_calls else None,
        to_stored(to_json(reply.http)) if reply.http else None,
    )
    return Write(bodies, ((_CALLS, row),))


def reply_from_columns(row: Row) -> Reply:
    """The reply of one row of REPLY_COLUMNS."""
    text, finish_reason, model, parameters, *rest, cached, from_cache, saved, numbers, calls, http = row
    text, finish_reason, model = from_stored(text), from_stored(finish_reason), from_stored(model)
    reply = _reply(text, finish_reason, model, from_column(parameters), *rest, bool(cached), from_cache, saved)
    if numbers is None and calls is None and http is None:
        return reply
    raw = None if http is None else from_column(http)
    found = () if numbers is None else tuple(NumberToken(*each) for each in from_column(numbers))
    return replace(
        reply,
        numbers=found,
        tool_calls=() if calls is None else _tool_calls(from_column(calls)),
        http=raw,
        first_token_ms=None if raw is None else raw.get("first_token_ms"),
    )


def result_of(
    run_id: str, result: Result, outbox: Iterable[tuple[str, Row]] = (), *, judged_again: bool = False
) -> Write[None]:
    """Adds a result with the rows of its deliveries; replaces one that is not final, neither scored nor unparsed.

    With `judged_again` a result with a verdict also takes the place of an unparsed one.
    """
    bodies = Bodies()
    exchange, verdict = result.exchange, result.verdict
    outcome = exchange.outcome
    record: dict[str, Json] = {
        "input": bodies.add(exchange.user_input),
        "context": bodies.add_turns(exchange.context),
        "reply": [bodies.add(outcome.text), *_REPLY(outcome)] if isinstance(outcome, Reply) else None,
        "failure": None if isinstance(outcome, Reply) else _failure_array(outcome),
        "scores": list(map(_SCORE, result.scores)),
        "verdict": None if verdict is None else _verdict_array(verdict, bodies),
        "error": None if result.error is None else _failure_array(result.error),
    }
    if isinstance(outcome, Reply) and outcome.tool_calls:
        record["tool_calls"] = list(map(_call_array, outcome.tool_calls))
    if isinstance(outcome, Reply) and outcome.first_token_ms is not None:
        record["first_token_ms"] = outcome.first_token_ms
    if exchange.words is not None:
        record["words"] = bodies.add(exchange.words)
    if exchange.language:
        record["language"] = exchange.language
    if exchange.moderation:
        record["moderation"] = exchange.moderation
    if result.expectations:
        record["expectations"] = list(map(_answer_array, result.expectations))
    if result.answer_calls is not None:
        record["answer_calls"] = _ANSWER_CALLS(result.answer_calls)
    cell = exchange.cell
    row = (
        to_stored(run_id),
        to_stored(cell.scenario_id),
        cell.repeat,
        exchange.turn,
        result.state,
        to_stored(to_json(record)),
    )
    return Write(bodies, ((_JUDGED_AGAIN if judged_again else _RESULTS, row), *outbox))


def body_hashes(record: Mapping[str, Json]) -> Iterator[str]:
    """The hashes of all bodies that a result's record names."""
    yield record["input"]
    for turn in record["context"]:
        yield turn[1]
    if record["reply"] is not None:
        yield record["reply"][0]
    if "words" in record:
        yield record["words"]
    if record["verdict"] is not None:
        yield record["verdict"][3]


def result_from(cell: Cell, turn: int, state: State, record: Mapping[str, Json], texts: Mapping[str, str]) -> Result:
    """The inverse of `result_of`; `texts` holds the bodies by hash."""
    reply, failure, verdict, error = record["reply"], record["failure"], record["verdict"], record["error"]
    return Result(
        exchange=Exchange(
            cell=cell,
            turn=turn,
            context=tuple(_turn(role, texts[key], *more) for role, key, *more in record["context"]),
            user_input=texts[record["input"]],
            outcome=(
                CallFailure(*failure)
                if reply is None
                else replace(
                    _reply(texts[reply[0]], *reply[1:]),
                    tool_calls=_tool_calls(record.get("tool_calls", ())),
                    first_token_ms=record.get("first_token_ms"),
                )
            ),
            moderation=tuple(record.get("moderation", ())),
            words=texts[record["words"]] if "words" in record else None,
            language=record.get("language", ""),
        ),
        state=state,
        scores=tuple(Score(*score) for score in record["scores"]),
        verdict=None if verdict is None else _verdict([*verdict[:3], texts[verdict[3]], *verdict[4:]]),
        error=None if error is None else CallFailure(*error),
        expectations=tuple(map(_item_answer, record.get("expectations", ()))),
        answer_calls=_answer_calls(record.get("answer_calls")),
        scope="conversation" if turn == WHOLE else "response",
    )


def _answer_array(answer: ItemAnswer) -> Json:
    """Its fields in order; the members of a panel last, and only where there are any."""
    members = {model: list(outcomes) for model, outcomes in answer.members.items()}
    return [*_ANSWER(answer), *([members] if members else [])]


def _answer_calls(array: list[Json] | None) -> AnswerCalls | None:
    if array is None:
        return None
    calls, model, asked, answered, from_cache, cost_usd, latency_ms, cached = array
    return AnswerCalls(calls, model, Usage(asked, answered, from_cache), cost_usd, latency_ms, cached)


def _item_answer(array: list[Json]) -> ItemAnswer:
    name, outcome, source, quote, reason, turn, answers, *rest = array
    members = {model: tuple(said) for model, said in (rest[0] if rest else {}).items()}
    return ItemAnswer(name, outcome, source, quote, reason, turn, tuple(answers), members)


def _reply(
    text: str, finish_reason: str, model: str, parameters: Json, asked: int | None, answered: int | None, *rest: Any
) -> Reply:
    # What was written before caching was counted ends earlier.
    started, ended, attempts, cost, cached, from_cache, saved = (*rest, None, 0.0)[:7]
    usage = Usage(asked, answered, from_cache)
    return Reply(text, finish_reason, model, parameters, usage, started, ended, attempts, cost, cached, saved)


def _verdict_array(verdict: Verdict, bodies: Bodies) -> list[Json]:
    scores, reasoning, parsed, raw, *rest = _VERDICT(verdict)
    return [scores, reasoning, parsed, bodies.add(raw), *rest]


def _verdict(array: list[Json]) -> Verdict:
    whole = [*array, *_ADDED_TO_VERDICT[len(array) - _FIRST_OF_VERDICT :]]
    *said, samples, suspected, asked, answered, cost, latency, cached, overall, spread = whole[:16]
    review, rationale, from_cache, saved, members, escalated, bounds = whole[16:]
    scores, reasoning, parsed, raw, model, problem, fallback = said
    return Verdict(
        *(scores, reasoning, parsed, raw, model, problem, fallback, tuple(samples), suspected),
        *(Usage(asked, answered, from_cache), cost, latency, cached, overall, spread, tuple(review), rationale, saved),
        members=members,
        escalated=escalated,
        bounds={name: (low, high) for name, (low, high) in bounds.items()},
    )
