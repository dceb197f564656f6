"""The ranges that are expected of each setting, read from a file, beside the mean that was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from evaluation.records import Json
from evaluation.statistics.scenario_scores import Estimate
from evaluation.text.forms import Form, SourceText
from evaluation.text.yaml_text import ValuePath

Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Where: TypeAlias = Literal["inside", "below", "above"]


class _Lenient(Form):
    model_config = ConfigDict(strict=False)


class Column(_Lenient):
    """A span of the parameter: from `low` up to, and without, `below`."""

    at: Number | None = None
    """The value that the statement itself names; None where it names none."""
    low: Number = Field(alias="from")
    below: Number

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.low >= self.below:
            raise ValueError(f"from {self.low:g} is not below {self.below:g}")
        return self


class Statement(_Lenient):
    """One set of expectations."""

    title: Annotated[str, Field(min_length=1)]
    """Goes on after "expected": "by the table"."""
    columns: Mapping[str, Column] = Field(min_length=1)
    ranges: Mapping[str, Mapping[str, tuple[Number, Number]]]
    """Metric -> column -> lowest and highest mean."""
    remarks: Mapping[str, Mapping[str, str]] = {}
    """Metric -> column -> what is said of it in words."""

    def column_of(self, value: Json) -> str | None:
        """The column that speaks of a value of the parameter; None where none does."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return next((name for name, column in self.columns.items() if column.low <= value < column.below), None)


class Expectations(_Lenient):
    """All statements, which may contradict one another."""

    parameter: Annotated[str, Field(min_length=1)]
    statements: Mapping[str, Statement] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class RangeCheck:
    """One expectation beside what was measured."""

    statement: str
    """Title of the statement."""
    column: str
    metric: str
    setting: str
    expected: tuple[float, float]
    mean: float
    ci95: tuple[float, float] | None
    where: Where
    """Where the mean lies."""
    sure: bool
    """True where the whole interval lies there too."""


def parse_expectations(text: str, place: str, metrics: Sequence[str]) -> Expectations:
    """Reads a file of expected ranges; `metrics` are those that may be spoken of, `place` names the file in errors.

    Raises ParseError for text that is no YAML, unknown or missing keys, unknown metrics or columns, and a range whose
    ends are swapped.
    """
    source = SourceText(text, place)
    found = source.read(Expectations, "'parameter:' and 'statements:'")
    for name, statement in found.statements.items():
        for path, reason in _faults(statement, metrics):
            raise source.error(("statements", name, *path), reason)
    return found


def _faults(statement: Statement, metrics: Sequence[str]) -> Iterator[tuple[ValuePath, str]]:
    for part, table in (("ranges", statement.ranges), ("remarks", statement.remarks)):
        for metric, cells in table.items():
            if metric not in metrics:
                yield (part, metric), f"unknown metric {metric!r}: known are {', '.join(metrics)}"
            for column in (name for name in cells if name not in statement.columns):
                yield (part, metric, column), f"unknown column {column!r}: known are {', '.join(statement.columns)}"
    for metric, ranges in statement.ranges.items():
        for column, (low, high) in ranges.items():
            if low > high:
                yield ("ranges", metric, column), f"[{low:g}, {high:g}]: give the lower end first"


def check_ranges(
    expectations: Expectations,
    settings: Sequence[tuple[str, Mapping[str, Json]]],
    means: Mapping[str, Mapping[str, Estimate]],
) -> Iterator[RangeCheck]:
    """Every expectation that speaks of a setting. `settings` are (name, parameters), `means` are metric -> setting."""
    for statement in expectations.statements.values():
        for metric, ranges in statement.ranges.items():
            for name, parameters in settings:
                column = statement.column_of(parameters.get(expectations.parameter))
                estimate = means.get(metric, {}).get(name)
                if column is None or column not in ranges or estimate is None or estimate.mean is None:
                    continue
                ends, where = estimate.ci95, _where(estimate.mean, ranges[column])
                sure = ends is not None and all(_where(end, ranges[column]) == where for end in ends)
                yield RangeCheck(
                    statement.title, column, metric, name, ranges[column], estimate.mean, ends, where, sure
                )


def _where(value: float, expected: tuple[float, float]) -> Where:
    return "below" if value < expected[0] else "above" if value > expected[1] else "inside"
