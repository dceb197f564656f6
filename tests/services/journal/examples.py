"""Records to store: small ones made by hand, and strategies for any."""

import json
from dataclasses import asdict
from typing import Any

from hypothesis import strategies as st

from evaluation.ports import Complete, Exchanges
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
from evaluation.request import EvaluationRequest
from evaluation.run import Run, texts_of
from evaluation.runspec import JudgePin, PromptPin, RunSpec, TextPin
from evaluation.suites.suite import Suite
from evaluation.suites.turns import CellPlan
from services.journal import Journal, StoredRun

SPEC = RunSpec(
    suite="companion",
    prompt=PromptPin("penpal", 3, "production", "ab" * 32, "directory"),
    model="model-a",
    endpoint="http://127.0.0.1/v1",
    parameters={"temperature": 0.7},
    judge=JudgePin("judge-a", "http://127.0.0.1/v1", "line", prompt=PromptPin("judge", 1, None, "cd" * 32, "langfuse")),
    rubric=TextPin("companion", "2.0.1", "ef" * 32),
    scenarios=TextPin("default", "36", "01" * 32),
    repeats=2,
    seed=7,
)


async def nothing_played(_part: CellPlan, _complete: Complete) -> Exchanges:
    none: tuple[Exchange, ...] = ()
    for exchange in none:
        yield exchange


SUITE = Suite(
    name="companion",
    metrics=("overall_quality",),
    overall="overall_quality",
    low=0.0,
    high=1.0,
    play=nothing_played,
    score=lambda _exchange: (),
)


def a_run(run_id: str = "run-1", **changes: Any) -> Run:
    fields: dict[str, Any] = {
        "run_id": run_id,
        "group_id": "group-1",
        "parent_run_id": None,
        "created_at": 1_700_000_000.25,
        "spec": SPEC,
        "request": EvaluationRequest(prompts=("v3",), repeats=2),
        "suite": SUITE,
        "prompt": None,
        "scenarios": (),
        "inputs": {"rubric": "name: companion\n"},
    }
    return Run(**{**fields, **changes})


def stored(run: Run, **changes: Any) -> StoredRun:
    """The run as the journal holds it."""
    fields: dict[str, Any] = {
        "run_id": run.run_id,
        "group_id": run.group_id,
        "parent_run_id": run.parent_run_id,
        "created_at": run.created_at,
        "spec": run.spec,
        "arguments": json.loads(json.dumps(asdict(run.request))),
        "inputs": dict(texts_of(run)),
        "provenance": run.provenance,
    }
    return StoredRun(**{**fields, **changes})


def request(scenario_id: str = "s1", repeat: int = 1, turn: int = 1, content: str = "Hello") -> Request:
    return Request(
        purpose="generation",
        model="model-a",
        messages=(Turn("system", "Be kind."), Turn("user", content)),
        parameters={"temperature": 0.7},
        cell=Cell(scenario_id, repeat),
        turn=turn,
    )


def reply(text: str = "Hi!", cost_usd: float | None = 0.5, *, cached: bool = False) -> Reply:
    usage = Usage(12, 3)
    return Reply(text, "stop", "model-a-0613", {"temperature": 0.7}, usage, 10.0, 11.5, 2, cost_usd, cached)


def result(
    scenario_id: str = "s1", repeat: int = 1, turn: int = 1, state: State = "scored", text: str = "Hi!"
) -> Result:
    cell = Cell(scenario_id, repeat)
    if state in ("failed", "skipped"):
        failure = CallFailure("timeout", "no answer within 60 s", 4, 10.0, 70.0)
        return Result(Exchange(cell, turn, (), "Hello", failure), state, (), error=failure)
    context = (Turn("user", "Before"), Turn("assistant", "Then"))
    scores = (
        Score("helpfulness", "heuristic", 0.75, "0.5 base, +0.25"),
        Score("overall", "judge", None, reason="none"),
    )
    return Result(Exchange(cell, turn, context, "Hello", reply(text)), state, scores)


texts = st.one_of(
    st.text(max_size=20),
    st.text(st.characters(), max_size=10),  # surrogates included
    st.sampled_from(
        ["", "\0", "a\0b", "\ud83d\ude00", "\udc00", "\x1b[31m", "\u202eabc", "'; DROP TABLE runs; --", "😀"]
    ),
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 2**53)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | counts | numbers | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
parameters = st.dictionaries(texts, values, max_size=2)
usages = st.builds(Usage, st.none() | counts, st.none() | counts, st.none() | counts)
turns = st.builds(Turn, texts, texts)
contexts = st.lists(turns, max_size=3).map(tuple)
cells = st.builds(Cell, texts, st.integers(1, 3))
replies = st.builds(
    Reply,
    texts,
    texts,
    texts,
    parameters,
    usages,
    numbers,
    numbers,
    counts,
    st.none() | numbers,
    st.booleans(),
    numbers,
)
purposes = st.sampled_from(["generation", "judge", "moderation", "canary"])
requests = st.builds(
    Request,
    purposes,
    texts,
    contexts,
    parameters,
    cells,
    st.integers(1, 5),
    st.integers(1, 3),
)
failures = st.builds(CallFailure, texts, texts, counts, numbers, numbers, st.none() | purposes)
flags = st.lists(texts, max_size=2).map(tuple)
exchanges = st.builds(Exchange, cells, st.integers(1, 5), contexts, texts, replies | failures, flags)
sources = st.sampled_from(["heuristic", "check", "judge", "combined", "human"])
scores = st.builds(Score, texts, sources, numbers, texts, st.booleans(), texts) | st.builds(
    Score, texts, sources, st.none(), texts, st.booleans(), texts.filter(bool)
)
verdicts = st.builds(
    Verdict,
    st.dictionaries(texts, numbers, max_size=3),
    texts,
    st.booleans(),
    texts,
    texts,
    texts,
    st.none() | numbers,
    st.lists(numbers, max_size=3).map(tuple),
    st.booleans(),
    usages,
    st.none() | numbers,
    numbers,
    st.booleans(),
    saved_usd=numbers,
)
results = st.builds(
    Result,
    exchanges,
    st.sampled_from(["scored", "failed", "unparsed", "skipped"]),
    st.lists(scores, max_size=4).map(tuple),
    st.none() | verdicts,
    st.none() | failures,
)


def count_commits(journal: Journal) -> list[str]:
    """Grows by one with each transaction that the journal's writer commits from now on."""
    commits: list[str] = []
    journal.writer._connection.set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None)
    return commits
