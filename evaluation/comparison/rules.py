"""The rules of the no-regression gate, as evaluation/gates/no_regression.yaml holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.decision.limits import Limits
from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_text import load_yaml, located

GATE = "no_regression"
DEFAULT = "default"
"""Stands for every metric that has no margin of its own."""
SHARES = {"min_coverage": 0.98, "max_failure_rate": 0.02, "max_fallback_rate": 0.05}
"""Keys that hold a share from 0 to 1, and their values where the file does not name them."""
KEYS = ("gate", *SHARES, "min_clusters", "min_overall", "margins")
USUAL_MARGIN = 0.05
USUAL_CLUSTERS = 10


def _usual_limits() -> Limits:
    return Limits(None, SHARES["max_failure_rate"], SHARES["max_fallback_rate"])


@dataclass(frozen=True, slots=True)
class RegressionRules:
    """Margins are shares of the scale's width; the rest is as in the file."""

    margins: Mapping[str, float] = field(default_factory=dict)
    default_margin: float = USUAL_MARGIN
    min_coverage: float = SHARES["min_coverage"]
    min_clusters: int = USUAL_CLUSTERS
    limits: Limits = field(default_factory=_usual_limits)

    def margin(self, metric: str) -> float:
        """The share by which this metric may be worse."""
        return self.margins.get(metric, self.default_margin)


def parse_regression_rules(text: str, place: str) -> RegressionRules:
    """Reads the rules; `place` names the file in errors. What is not given has its usual value.

    Raises ParseError for text that is no YAML, an unknown key, and a number that is none or out of range.
    """
    file = _File(text, place, load_yaml(text, place))
    file.check_keys()
    margins = file.margins()
    return RegressionRules(
        margins={metric: share for metric, share in margins.items() if metric != DEFAULT},
        default_margin=margins.get(DEFAULT, USUAL_MARGIN),
        min_coverage=file.share("min_coverage"),
        min_clusters=file.clusters(),
        limits=Limits(file.least_overall(), file.share("max_failure_rate"), file.share("max_fallback_rate")),
    )


@dataclass(frozen=True, slots=True)
class _File:
    text: str
    place: str
    value: Json

    def check_keys(self) -> None:
        if not isinstance(self.value, dict):
            raise ParseError(self.place, f"holds no mapping: give {', '.join(KEYS)}")
        for key in self.value:
            if key not in KEYS:
                raise self.problem([key], f"unknown key {key!r}: known are {', '.join(KEYS)}")
        if self.value.get("gate", GATE) != GATE:
            raise self.problem(["gate"], f"gate {self.value['gate']!r}: these are the rules of {GATE}")

    def margins(self) -> dict[str, float]:
        margins = self.value.get("margins", {})
        if not isinstance(margins, dict):
            raise self.problem(["margins"], f"margins {margins!r}: give a mapping of metric to share")
        return {metric: self.checked(["margins", metric], share) for metric, share in margins.items()}

    def share(self, key: str) -> float:
        return self.checked([key], self.value.get(key, SHARES[key]))

    def clusters(self) -> int:
        clusters = self.value.get("min_clusters", USUAL_CLUSTERS)
        if isinstance(clusters, bool) or not isinstance(clusters, int) or clusters < 2:
            raise self.problem(["min_clusters"], f"min_clusters {clusters!r}: give a whole number from 2 on")
        return clusters

    def least_overall(self) -> float | None:
        least = self.value.get("min_overall")
        if least is None:
            return None
        if isinstance(least, bool) or not isinstance(least, int | float):
            raise self.problem(["min_overall"], f"min_overall {least!r}: give a number, or null for none")
        return float(least)

    def checked(self, path: list[str], value: Json) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.problem(path, f"{'.'.join(path)} {value!r}: give a share from 0 to 1")
        return float(value)

    def problem(self, path: list[str], what: str) -> ParseError:
        return ParseError(located(self.text, self.place, path), what)
