"""The cause of a night's difference: the prompt, or the model behind its name.

Where the prompt is the baseline's, the whole difference is the model's: drift. Where it is another, the baseline's
prompt is played tonight as well. Against the baseline it shows the drift, against tonight's production the effect of
the prompt; neither holds anything of the other, and they add up to the whole difference.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import ALPHA, MetricDifference
from evaluation.nightly.changes import Changes
from evaluation.nightly.noise import LEVEL
from evaluation.records import Json
from evaluation.text import numbers


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
        return Attribution((), (f"drift and prompt cannot be told apart: the baseline prompt is missing ({why})",))
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
        yield f"{name} {verb} the overall: {_figures(part)}, told apart by playing the baseline prompt tonight"


def _figures(part: Contribution) -> str:
    return numbers.signed(part.difference) + (f" (95% CI {numbers.span(part.ci95)})" if part.ci95 else "")
