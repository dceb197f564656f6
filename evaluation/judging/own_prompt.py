"""A judge's prompt that a team keeps itself, in the place of the rubric's words: what it must hold, and where."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from evaluation.errors import UsageError
from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.prompts import VARIABLE, PromptVersion
from evaluation.records import Turn

CRITERIA = "criteria"
"""Stands for the definition and the bands of every dimension, as the rubric has them. May be left out."""


def prompted(rubric: JudgeRubric, prompt: PromptVersion) -> JudgeRubric:
    """The rubric with a prompt of the team's own.

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
