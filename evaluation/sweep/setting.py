"""The settings of a sweep: each a run, and the factors in which they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.comparison.runs import RunScores
from evaluation.records import Json

PROMPT = "prompt"
"""The factor that is no parameter of the request."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that varies, with its values in the order in which they were asked for."""

    name: str
    values: tuple[Json, ...]

    @property
    def numeric(self) -> bool:
        """True where its values can be ranked and correlated."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)

    @property
    def rising(self) -> tuple[float, ...]:
        """The values of a numeric factor from the lowest to the highest."""
        return tuple(sorted(float(value) for value in self.values if isinstance(value, int | float)))


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of the grid."""

    values: Mapping[str, Json]
    """Factor -> its value here."""
    run: RunScores

    @property
    def name(self) -> str:
        """For people: "temperature 0.3", "v3, top_p 1"."""
        return self.run.name


def factors_of(settings: Sequence[Setting]) -> tuple[Factor, ...]:
    """The factors that vary between the settings; all of them have values of the same names."""
    found: dict[str, dict[str, Json]] = {}
    for setting in settings:
        for name, value in setting.values.items():
            found.setdefault(name, {}).setdefault(repr(value), value)
    factors = (Factor(name, tuple(values.values())) for name, values in found.items())
    return tuple(factor for factor in factors if len(factor.values) > 1)


def setting_name(values: Mapping[str, Json]) -> str:
    """A setting's name for people; a prompt goes by its name alone."""
    return ", ".join(str(value) if name == PROMPT else f"{name} {shown(value)}" for name, value in values.items())


def shown(value: Json) -> str:
    """A value as it was asked for: 0.3, 1, gpt-4o."""
    return f"{value:g}" if isinstance(value, float) else str(value)
