"""People's values of responses, and the draws that chose these: what a mean in human units rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evaluation.records import Source


class LabelPlace(NamedTuple):
    """A response by its place in a plan and by its content: the same in every run that holds it."""

    scenario_id: str
    repeat: int
    turn: int
    content: str
    """Digest of what was asked and answered, and of who was speaking."""


@dataclass(frozen=True, slots=True)
class Label:
    """What people gave one response, on average over those who did."""

    place: LabelPlace
    run_id: str
    """Of the run whose response was shown to them."""
    cluster: str
    """The scenario's situation."""
    values: Mapping[str, float]
    """Metric -> value."""
    scale: tuple[float, float]
    machine: Mapping[Source, Mapping[str, float]] = field(default_factory=dict)
    """What the tool gave it then: source -> metric -> value."""
    same_rubric: bool = True
    """False where people scored by another rubric than the one that is asked about."""


@dataclass(frozen=True, slots=True)
class Chance:
    """How a response came to be drawn."""

    probability: float
    """Above 0, at most 1."""
    weight: float = 1.0
    """Its share in the mean of the run that it was drawn from, in any unit."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The responses of one run that were drawn to be labelled, with the probabilities that were recorded."""

    run_id: str
    chances: Mapping[LabelPlace, Chance]


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of a suite, and all draws."""

    labels: Sequence[Label] = ()
    draws: Sequence[Draw] = ()


NO_LABELS = Labels()
