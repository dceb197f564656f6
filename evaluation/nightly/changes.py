"""The changes since the baseline was approved: of the prompt, of the set-up of the model, or none that anyone made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.comparison.terms import Leaf, terms
from evaluation.runspec import RunSpec

Cause: TypeAlias = Literal["nothing", "prompt", "model", "prompt and model"]

MODEL_PARTS = ("model", "endpoint", "parameters", "moderation")
"""Parts of a run's specification that make the model's side of what users hear."""
COMPARED = ("prompt", *MODEL_PARTS)
"""The parts in which a night may differ from its baseline. Anything else changes the measure, not what is measured."""
MEASURE = {
    "judge": "the judge",
    "rubric": "the rubric",
    "scorer": "the code that scores",
    "scenarios": "the scenarios",
    "repeats": "the number of repeats",
    "seed": "the seed",
    "suite": "the suite",
}


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between a baseline and tonight, sorted."""

    cause: Cause
    """Of what people changed; "nothing" leaves drift of the model behind its name as the only cause of a difference."""
    details: tuple[str, ...]
    """One sentence for each change."""
    refusal: str
    """Why tonight cannot be held against the baseline; empty when it can."""


def changes_between(baseline: RunSpec, tonight: RunSpec) -> Changes:
    """Sorts what differs; a prompt is the same when its resolved text and configuration are, under whatever number."""
    found = terms(baseline, tonight, COMPARED)
    prompt = _sha(baseline) != _sha(tonight)
    model = [leaf for leaf in found.compared if leaf[0].split(".")[0] in MODEL_PARTS]
    cause: Cause = "nothing"
    if prompt:
        cause = "prompt and model" if model else "prompt"
    elif model:
        cause = "model"
    details = [*([_describe_move(baseline, tonight)] if prompt else []), *map(_describe_change, model)]
    return Changes(cause, tuple(details), _refusal(found.parts, found.others))


def version_name(spec: RunSpec) -> str:
    """The prompt of a run for people, in short."""
    return "no prompt" if spec.prompt is None else spec.prompt.short_title


def _sha(spec: RunSpec) -> str | None:
    return None if spec.prompt is None else spec.prompt.sha256


def _describe_move(baseline: RunSpec, tonight: RunSpec) -> str:
    before, after = version_name(baseline), version_name(tonight)
    if before != after:
        label = tonight.prompt.label if tonight.prompt is not None else None
        return f"the label {label} moved from {before} to {after}" if label else f"the prompt is {after}, not {before}"
    old, new = (str(_sha(spec))[:8] for spec in (baseline, tonight))
    return f"{after} does not hold the text that it held: it or what it includes was edited (sha256 {old}, now {new})"


def _describe_change(leaf: Leaf) -> str:
    name, before, after = leaf
    return f"{name} was {before} and is {after}"


def _refusal(parts: Sequence[str], leaves: Sequence[Leaf]) -> str:
    if not parts:
        return ""
    names = " and ".join(MEASURE.get(part, part) for part in parts)
    shown = "; ".join(f"{name} {before} / {after}" for name, before, after in leaves[:4])
    return f"{names} changed since the baseline was approved, so that scores mean something else: {shown}"
