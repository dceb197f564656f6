"""What changed from each prompt of several runs to the next, the versions in the order of their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.comparison.prompt_change import PromptChange, find_change
from evaluation.comparison.runs import RunScores


@dataclass(frozen=True, slots=True)
class PromptStep:
    """Two prompts, one after the other, and what differs."""

    before: str
    """The earlier one for people: "v2"."""
    after: str
    change: PromptChange


def change_between(base: RunScores, candidate: RunScores) -> PromptChange | None:
    """None where one of the runs has no prompt, or its text is not at hand."""
    if base.prompt is None or candidate.prompt is None:
        return None
    return find_change(base.prompt, candidate.prompt)


def steps_between(runs: Sequence[RunScores]) -> tuple[PromptStep, ...]:
    """A step for each prompt but the first; runs of one prompt count once, and files without a number come last."""
    prompts = {run.spec.prompt.sha256: run for run in runs if run.spec.prompt is not None}
    found = []
    ordered = sorted(prompts.values(), key=_place)
    for base, candidate in pairwise(ordered):
        change = change_between(base, candidate)
        if change is not None:
            found.append(PromptStep(_name(base), _name(candidate), change))
    return tuple(found)


def _place(run: RunScores) -> tuple[str, bool, int]:
    pin = run.spec.prompt
    assert pin is not None, "runs without a prompt are left out"
    return (pin.name, pin.version is None, pin.version or 0)


def _name(run: RunScores) -> str:
    return "" if run.spec.prompt is None else run.spec.prompt.short_title
