"""Traces as applications leave them, written by several SDKs and frameworks, straight into the memory of a double."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.store import StoredSpan

MONDAY_NS = 1_794_787_200_000_000_000
"""2026-11-16 00:00 UTC."""
SECOND_NS = 1_000_000_000
SINCE, UNTIL = "2026-11-16", "2026-11-30"
USER_TEXTS = (
    "I had a long day at work and feel tired.",
    "Can you help me plan the weekend?",
    "My cat is ill and I am worried.",
    "What should I cook tonight?",
)
ANSWERS = (
    "That sounds exhausting, and it makes sense that you feel tired. What part of the day weighed most on you?",
    "Gladly! Would you rather rest or go out? We could begin with one thing that you look forward to.",
    "No.",
    "**Plan**\n- step one\n- step two\n- step three\nAs an AI language model I cannot feel anything.",
    "I am sorry to hear about your cat. How is she now, and have you been able to reach a vet?",
)
"""Good ones and bad ones, so that scores differ."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange that an application had."""

    number: int
    user: str
    asked: str
    answered: str
    start_ns: int
    version: int
    session: str = ""


Shape = Callable[[Turn], Sequence[Mapping[str, Any]]]
"""The spans that one framework writes for a turn: name, parent (name or none), type, input, output."""


def of_openai(turn: Turn) -> Sequence[Mapping[str, Any]]:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": turn.asked}]
    answer = {"role": "assistant", "content": turn.answered}
    return [{"name": "OpenAI-generation", "type": "generation", "input": {"messages": messages}, "output": answer}]


def of_spans(turn: Turn) -> Sequence[Mapping[str, Any]]:
    return [
        {"name": "handle-request", "type": "span", "input": {"path": "/chat"}, "output": {"ok": True}},
        {"name": "retrieve", "parent": "handle-request", "type": "retriever", "input": turn.asked, "output": []},
        {
            "name": "answer",
            "parent": "handle-request",
            "type": "generation",
            "input": [{"role": "user", "content": turn.asked}],
            "output": {"role": "assistant", "content": [{"type": "text", "text": turn.answered}]},
        },
    ]


def of_langchain(turn: Turn) -> Sequence[Mapping[str, Any]]:
    def message(kind: str, text: str) -> dict[str, Any]:
        return {"lc": 1, "id": ["langchain", "schema", "messages", kind], "kwargs": {"content": text}}

    return [
        {"name": "RunnableSequence", "type": "chain", "input": {"input": turn.asked}, "output": turn.answered},
        {
            "name": "ChatOpenAI",
            "parent": "RunnableSequence",
            "type": "generation",
            "input": [[message("SystemMessage", "Be kind."), message("HumanMessage", turn.asked)]],
            "output": {"generations": [[{"text": turn.answered, "message": message("AIMessage", turn.answered)}]]},
        },
    ]


def of_vercel(turn: Turn) -> Sequence[Mapping[str, Any]]:
    prompt = {"system": "Be kind.", "messages": [{"role": "user", "content": [{"type": "text", "text": turn.asked}]}]}
    return [
        {"name": "ai.generateText", "type": "span", "input": prompt, "output": turn.answered},
        {
            "name": "ai.generateText.doGenerate",
            "parent": "ai.generateText",
            "type": "generation",
            "input": prompt["messages"],
            "output": {"text": turn.answered, "toolCalls": []},
        },
    ]


def of_texts(turn: Turn) -> Sequence[Mapping[str, Any]]:
    return [{"name": "answer", "type": "generation", "input": turn.asked, "output": turn.answered}]


def of_tools(turn: Turn) -> Sequence[Mapping[str, Any]]:
    """A step of an agent that says nothing."""
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "search"}}]}
    return [{"name": "plan", "type": "generation", "input": [{"role": "user", "content": turn.asked}], "output": calls}]


def of_nested(turn: Turn) -> Sequence[Mapping[str, Any]]:
    """A generation of a framework, in which a step holds the generation of the model: one turn."""
    said = {"input": turn.asked, "output": turn.answered}
    return [
        {"name": "agent", "type": "generation", **said},
        {"name": "step", "parent": "agent", "type": "span", "input": {"step": 1}, "output": {"ok": True}},
        {"name": "call", "parent": "step", "type": "chain", "input": {"step": 1}, "output": {"ok": True}},
        {"name": "model", "parent": "call", "type": "generation", **said},
    ]


def of_labels(turn: Turn) -> Sequence[Mapping[str, Any]]:
    """A classifier, which is no chat."""
    return [{"name": "classify", "type": "generation", "input": turn.asked, "output": {"label": "small talk"}}]


CHATS: tuple[Shape, ...] = (of_openai, of_spans, of_langchain, of_vercel, of_texts)
SHAPES: tuple[Shape, ...] = (*CHATS, of_tools, of_labels)


def turns(count: int, seed: str = "turn", versions: Sequence[int] = (1, 1, 1, 2, 2, 3)) -> Iterator[Turn]:
    """Turns over two weeks by forty users; versions and answers vary with the seed."""
    for number in range(count):
        chance = int.from_bytes(hashlib.sha256(f"{seed}|{number}".encode()).digest()[:8])
        version = versions[chance % len(versions)]
        yield Turn(
            number=number,
            user=f"user-{chance // 7 % 40}@example.org",
            asked=USER_TEXTS[chance // 11 % len(USER_TEXTS)],
            answered=ANSWERS[(chance // 13 + version) % (3 if version == 3 else len(ANSWERS))],
            start_ns=MONDAY_NS + (number * 14 * 86_400 * SECOND_NS) // count,
            version=version,
        )


def write(
    double: LangfuseDouble,
    played: Sequence[Turn],
    shapes: Sequence[Shape] = SHAPES,
    *,
    prefix: str = "app",
    prompt: str | None = "penpal-companion",
    **attributes: Any,
) -> list[str]:
    """Stores the turns, the shapes in turn; returns the trace ids. `attributes` go on every span."""
    store = double.store
    traces = []
    with store.lock:
        for turn in played:
            shape = shapes[turn.number % len(shapes)]
            trace = hashlib.sha256(f"{prefix}|{turn.number}".encode()).hexdigest()[:32]
            traces.append(trace)
            store.add_spans(_spans(double, turn, shape(turn), trace, prompt, attributes))
    return traces


def _spans(
    double: LangfuseDouble,
    turn: Turn,
    parts: Sequence[Mapping[str, Any]],
    trace: str,
    prompt: str | None,
    attributes: Mapping[str, Any],
) -> Iterator[StoredSpan]:
    store = double.store
    mark, first = store.mark(), len(store.spans)

    def identity(name: str) -> str:
        return hashlib.sha256(f"{trace}|{name}".encode()).hexdigest()[:16]

    for place, part in enumerate(parts):
        own: dict[str, Any] = {
            "langfuse.observation.type": part["type"],
            "langfuse.environment": "production",
            "user.id": turn.user,
            "langfuse.trace.tags": ["voice" if turn.number % 3 == 0 else "text"],
        }
        for name in ("input", "output"):
            value = part[name]
            own[f"langfuse.observation.{name}"] = value if isinstance(value, str) else json.dumps(value)
        if turn.session:
            own["session.id"] = turn.session
        if part["type"] == "generation" and prompt is not None:
            own["langfuse.observation.prompt.name"] = prompt
            own["langfuse.observation.prompt.version"] = turn.version
        yield StoredSpan(
            trace_id=trace,
            id=identity(part["name"]),
            parent_id=identity(part["parent"]) if part.get("parent") else None,
            name=part["name"],
            start_ns=turn.start_ns + place * 1_000_000,
            end_ns=turn.start_ns + SECOND_NS,
            attributes={**own, **attributes},
            resource={"service.name": "app"},
            scope="langfuse-sdk",
            scope_version="5.0.4",
            status="UNSET",
            status_message="",
            sequence=first + place,
            stored_at=store.now(),
            mark=mark,
        )
