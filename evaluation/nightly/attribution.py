"""The changes since the baseline was approved, and the cause of a night's difference: the prompt, or the model.

Where the prompt is the baseline's, the whole difference is the model's: drift. Where it is another, the baseline's
prompt is played tonight as well. Against the baseline it shows the drift, against tonight's production the effect of
the prompt; neither holds anything of the other, and they add up to the whole difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import ALPHA, MetricDifference
from evaluation.comparison.runs import Leaf, terms
from evaluation.nightly.alarm import LEVEL
from evaluation.records import Json
from evaluation.runspec import RunSpec
from evaluation.text import numbers

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
    parts: tuple[str, ...] = ()
    """The parts of the measure that differ: rubric, judge, scenarios, ..."""


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
    return Changes(cause, tuple(details), _refusal(found.parts, found.others), found.parts)


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


@dataclass(frozen=True, slots=True)
class Contribution:
    """One part of the difference of the overall."""

    name: str
    """drift, or prompt."""
    difference: float | None
    ci95: tuple[float, float] | None
    shown: bool
    """True where both tests find it: at the level of an alarm for the same prompt, else at 5% as the interval."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The parts of the difference, and sentences about them."""

    parts: tuple[Contribution, ...]
    sentences: tuple[str, ...]

    def to_json(self) -> Json:
        parts = {
            part.name: {"difference": part.difference, "ci95": part.ci95, "shown": part.shown} for part in self.parts
        }
        return {**parts, "sentences": list(self.sentences)}


def attribute(
    changes: Changes, whole: Comparison, parts: tuple[Comparison, Comparison] | None = None, unresolved: str = ""
) -> Attribution:
    """Splits the difference of production from the baseline (`whole`).

    `parts` are the baseline's prompt tonight against the baseline, and production against that prompt, both tonight;
    None where it was not played, and `unresolved` says why.
    """
    if "prompt" not in changes.cause:
        drift = _part("drift", whole.primary, LEVEL)
        return Attribution((drift,), tuple(_drift_alone(changes, drift)))
    if parts is None:
        why = unresolved or "it was not played"
        return Attribution((), (f"drift and prompt cannot be distinguished: the baseline prompt is missing ({why})",))
    drift, effect = _part("drift", parts[0].primary, ALPHA), _part("prompt", parts[1].primary, ALPHA)
    return Attribution((drift, effect), tuple(_both(changes, drift, effect)))


def _part(name: str, row: MetricDifference | None, level: float) -> Contribution:
    if row is None:
        return Contribution(name, None, None, False)
    found = row.estimate
    return Contribution(name, found.difference, found.ci95, found.p is not None and found.p <= level)


def _drift_alone(changes: Changes, drift: Contribution) -> Iterable[str]:
    if changes.cause == "model":
        yield f"same prompt, other model or settings: the difference is theirs, {_figures(drift)}"
    elif drift.shown:
        yield f"model drift: the same prompt under the same settings is answered differently, {_figures(drift)}"
    else:
        yield f"nothing was changed, and no drift of the model is shown at the level of an alarm: {_figures(drift)}"


def _both(changes: Changes, drift: Contribution, effect: Contribution) -> Iterable[str]:
    theirs = "model or settings" if "model" in changes.cause else "model drift"
    for part, name in ((effect, "the prompt"), (drift, theirs)):
        verb = "moves" if part.shown else "is not shown to move"
        yield f"{name} {verb} the overall: {_figures(part)}, distinguished by playing the baseline prompt tonight"


def _figures(part: Contribution) -> str:
    return numbers.with_sign(part.difference) + (f" (95% CI {numbers.span(part.ci95)})" if part.ci95 else "")
