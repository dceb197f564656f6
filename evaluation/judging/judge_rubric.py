"""The judge's part of a suite: what its rubric says to the judge, and how an exchange is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from evaluation.errors import UsageError
from evaluation.judging.material import NOTHING_SAID, ShowMaterial, reply_material
from evaluation.prompts import VARIABLE, PromptVersion
from evaluation.records import Turn
from evaluation.rubrics.rubric import Metric, Rubric

CRITERIA = "criteria"
"""Stands for the definition and the bands of every dimension, as the rubric has them. May be left out."""


@dataclass(frozen=True)
class JudgeRubric:
    """All that a judge's question and answer depend on, but for the exchange."""

    template: str
    """Holds each of the `fields` in double braces."""
    dimensions: tuple[str, ...]
    """Metric names that a structured verdict scores."""
    overall: str
    fallback: float
    low: float
    high: float
    guides: tuple[Metric, ...] = ()
    """The dimensions with their criteria, for the structured formats; the text format is the template's own."""
    role: str = ""
    """The judge's role, in the structured formats."""
    considerations: tuple[str, ...] = ()
    """Points to bear in mind beside the criteria, in the structured formats."""
    fields: tuple[str, ...] = ("user_message", "assistant_response", "context_summary")
    """The fields that the template is filled with."""
    subject: str = "response"
    """The thing of the assistant's that is scored, in the structured formats."""
    rationales: bool = False
    """True where each score has a rationale of its own, in the structured formats."""
    prompt: tuple[Turn, ...] = ()
    """The team's own messages in the place of role, criteria, considerations and template; empty without one."""
    show: ShowMaterial = reply_material

    @classmethod
    def of(cls, rubric: Rubric, show: ShowMaterial = reply_material) -> "JudgeRubric | None":
        """The judge's part of a rubric; None for a rubric without one. Raises UsageError for a field not shown."""
        if rubric.judge is None:
            return None
        known = show(NOTHING_SAID, None).fields()
        for field in rubric.judge.fields:
            if field not in known:
                raise UsageError(
                    f"rubric {rubric.name!r}: judge.fields names {field!r}, and its suite shows {', '.join(known)}"
                )
        return cls(
            **dict(rubric.judge),
            overall=rubric.overall,
            low=rubric.low,
            high=rubric.high,
            guides=tuple(rubric.metrics[name] for name in rubric.judge.dimensions),
            show=show,
        )


def with_prompt(rubric: JudgeRubric, prompt: PromptVersion) -> JudgeRubric:
    """The rubric with a prompt that a team keeps itself in the place of the rubric's words.

    It must hold each field of the rubric, and only in user messages: what people and models said is no instruction.
    A text prompt is one user message. Raises UsageError naming what is wrong.
    """
    messages = _messages(prompt)
    name = _name(prompt)
    for message in messages:
        if message.role == "placeholder":
            raise UsageError(
                f"{name} has a message placeholder {message.content[:80]!r}: a judge is given the conversation through "
                f"{_braced(rubric.fields)}"
            )
    named = [(field, message.role) for message in messages for field in VARIABLE.findall(message.content)]
    for field, role in named:
        if field not in (*rubric.fields, CRITERIA):
            near = get_close_matches(field, (*rubric.fields, CRITERIA), 1)
            hint = f"did you mean {{{{{near[0]}}}}}?" if near else f"known are {_braced((*rubric.fields, CRITERIA))}"
            raise UsageError(f"{name} has the unknown placeholder {{{{{field[:80]}}}}}: {hint}")
        if field != CRITERIA and role != "user":
            raise UsageError(
                f"{name} has {{{{{field}}}}} in a message of role {role!r}: move it to a user message, "
                "for what is judged may never stand as an instruction"
            )
    for field in rubric.fields:
        if field not in [found for found, _ in named]:
            raise UsageError(f"{name} lacks {{{{{field}}}}}: a judge's prompt holds {_braced(rubric.fields)}")
    return replace(rubric, prompt=messages)


def _messages(prompt: PromptVersion) -> tuple[Turn, ...]:
    if prompt.kind == "text":
        return tuple(Turn("user", message.content) for message in prompt.messages)
    return prompt.messages


def _name(prompt: PromptVersion) -> str:
    return f"judge prompt {prompt.pin.name!r} {prompt.pin.version_title}"


def _braced(fields: Sequence[str]) -> str:
    return ", ".join(f"{{{{{field}}}}}" for field in fields)
