"""The rules of the no-regression gate, as evaluation/gates/no_regression.yaml holds them."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.decision.gate import Limits
from evaluation.errors import ParseError
from evaluation.text.complaint import complaint
from evaluation.text.yaml_text import load_yaml, located

DEFAULT = "default"
"""Stands among the margins for every metric that has none of its own."""
USUAL_MARGIN = 0.05

Share: TypeAlias = Annotated[float, Field(strict=True, ge=0, le=1)]


class RegressionRules(BaseModel):
    """Margins are shares of the scale's width; the rest is as in the file, which may leave out any of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gate: Literal["no_regression"] = "no_regression"
    margins: Mapping[str, Share] = {}
    min_coverage: Share = 0.98
    min_clusters: Annotated[int, Field(strict=True, ge=2)] = 10
    min_overall: Annotated[float, Field(strict=True, allow_inf_nan=False)] | None = None
    max_failure_rate: Share = 0.02
    max_fallback_rate: Share = 0.05

    def margin(self, metric: str) -> float:
        """The share by which this metric may be worse."""
        return self.margins.get(metric, self.margins.get(DEFAULT, USUAL_MARGIN))

    @property
    def limits(self) -> Limits:
        """Of the candidate."""
        return Limits(self.min_overall, self.max_failure_rate, self.max_fallback_rate)


def parse_regression_rules(text: str, place: str) -> RegressionRules:
    """Reads the rules; `place` names the file in errors.

    Raises ParseError for text that is no YAML, an unknown key, and a number that is none or out of range.
    """
    value = load_yaml(text, place)
    keys = tuple(RegressionRules.model_fields)
    if not isinstance(value, dict):
        raise ParseError(place, f"holds no mapping: give {', '.join(keys)}")
    try:
        return RegressionRules.model_validate(value)
    except ValidationError as error:
        path, reason = complaint(error, lambda _: keys)
        raise ParseError(located(text, place, path), f"{'.'.join(map(str, path))}: {reason}") from None
