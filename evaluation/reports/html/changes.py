"""What changed, as the page of a comparison shows it: the prompts' lines with the words that differ, and settings."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.comparison.compare import Comparison
from evaluation.comparison.prompt_change import ChangedMessage, ChangedSetting, Line, PromptChange
from evaluation.comparison.prompt_steps import steps_between
from evaluation.comparison.ranking import Ranking
from evaluation.reports.prompts import change_in_one_line

MOST_CHARACTERS = 100_000
"""Of both prompts' lines: a page of many responses has to stay small."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message of the prompts, as far as the page has room for it."""

    role: str
    changed: bool
    parts: tuple[tuple[bool, tuple[Line, ...]], ...]
    """(to be folded, lines), in order."""
    left_out: int = 0
    """Lines for which there was no room."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The section that the details of a comparison begin with."""

    sentence: str
    settings: tuple[ChangedSetting, ...]
    """Of the prompts' configs, and what else was compared, such as the model."""
    messages: tuple[ShownMessage, ...]
    before: str
    """Names the side that the prompts' lines are removed from."""
    after: str


def changes_of(result: Comparison) -> Changes | None:
    """None where neither prompts nor settings are known to tell the runs apart."""
    change = result.prompt_change
    others = tuple(ChangedSetting(*leaf) for leaf in result.terms.compared if not _is_of_prompt(leaf[0]))
    names = (result.base.name, result.candidate.name)
    if change is None:
        return Changes("The runs differ in these settings.", others, (), *names) if others else None
    return Changes(_sentence(change), (*change.config, *others), tuple(_shown(change, MOST_CHARACTERS)), *names)


def steps_of(result: Ranking) -> list[Changes]:
    """From each prompt of a ranking to the next; all of them together have the room that two prompts have."""
    steps = steps_between(result.runs)
    return [
        Changes(
            f"{_sentence(step.change)[:-1]}, from {step.before} to {step.after}.",
            step.change.config,
            tuple(_shown(step.change, MOST_CHARACTERS // len(steps))),
            step.before,
            step.after,
        )
        for step in steps
    ]


def _is_of_prompt(name: str) -> bool:
    """True for the prompt's name, number and hash, which its text makes needless."""
    return name == "prompt" or name.startswith("prompt.")


def _sentence(change: PromptChange) -> str:
    if change.is_empty:
        return "Both runs were given the same prompt, with the same config."
    return f"In the prompt: {change_in_one_line(change)}."


def _shown(change: PromptChange, room: int) -> Iterator[ShownMessage]:
    """The messages; once the room of so many characters is used up, the lines that are left out are counted."""
    for message in change.messages:
        parts: list[tuple[bool, tuple[Line, ...]]] = []
        for folded, lines in message.parts() if message.is_changed else ((True, message.lines),):
            kept = []
            for line in lines:
                room -= len(line.text) + 1
                if room < 0:
                    break
                kept.append(line)
            parts += [(folded, tuple(kept))] if kept else []
        yield ShownMessage(message.role, message.is_changed, tuple(parts), _left_out(message, parts))


def _left_out(message: ChangedMessage, parts: list[tuple[bool, tuple[Line, ...]]]) -> int:
    return len(message.lines) - sum(len(lines) for _, lines in parts)
