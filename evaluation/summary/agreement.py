"""How far the sources of a run's scores are known to agree with people: found among what was measured before.

What was measured counts for a run whose rules, judge and rubric are the same. What differs is marked as earlier, or is
not known.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from evaluation.records import Json, Source

Origin: TypeAlias = Literal["calibration", "reviews", "shipped"]
ORIGINS: tuple[Origin, ...] = ("calibration", "reviews", "shipped")
"""Whose ratings, the nearest to the team's own users first."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """One metric of one source against what people rated in one set."""

    source: Source
    data: str
    """Name of the set of ratings."""
    dimension: str
    metric: str
    n: int
    clusters: int
    rho: float | None
    """Spearman's."""
    rho_ci95: tuple[float, float] | None
    kappa: float | None = None
    """Quadratic-weighted, on the bands of the rubric."""
    kappa_ci95: tuple[float, float] | None = None
    ceiling: float | None = None
    """One person against the mean of the others; None where the set has means alone."""


@dataclass(frozen=True, slots=True)
class MeasuredBy:
    """The rubric, rules and judge of a run, or of what was measured. Hashes; an empty one is not known."""

    rubric: str
    """Name."""
    version: str
    rubric_sha256: str
    rules: str
    """Of what the rubric says of its rules, and of the code that applies them."""
    scorer: str
    """Of all code that turns responses and verdicts into scores."""
    judge: str = ""
    """Of the judge's pin; empty without one."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one calibration, report of reviews or shipped file says."""

    origin: Origin
    by: MeasuredBy
    figures: tuple[AgreementFigure, ...]


@dataclass(frozen=True, slots=True)
class KnownAgreement:
    """The figure that stands beside a source."""

    figure: AgreementFigure
    origin: Origin
    earlier: str = ""
    """Why it is not of exactly this source; empty where it is."""

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self.figure), "origin": self.origin, "earlier": self.earlier}


Agreement: TypeAlias = Mapping[Source, KnownAgreement | None]
"""Source -> what is known; None where nothing is."""


def find_agreement(
    sources: Sequence[Source], metric: str, by: MeasuredBy, measured: Iterable[Measurement]
) -> dict[Source, KnownAgreement | None]:
    """The nearest figure on one metric for each source: of exactly this source, then the team's own, then by n."""
    known = list(measured)
    found: dict[Source, KnownAgreement | None] = {}
    for source in sources:
        candidates = [
            KnownAgreement(figure, each.origin, earlier)
            for each in known
            if (earlier := _difference(source, by, each.by)) is not None
            for figure in each.figures
            if figure.source == source and figure.metric == metric and figure.rho is not None
        ]
        found[source] = min(
            candidates,
            key=lambda each: (bool(each.earlier), ORIGINS.index(each.origin), -each.figure.n),
            default=None,
        )
    return found


def _difference(source: Source, run: MeasuredBy, measured: MeasuredBy) -> str | None:
    """What differs between a source of a run and what was measured: empty for nothing, None for another source."""
    series = [version.partition(".")[0] for version in (run.version, measured.version)]
    if run.rubric != measured.rubric or series[0] != series[1]:
        return None
    if source in ("judge", "combined") and (not run.judge or run.judge != measured.judge):
        return None
    if source in ("heuristic", "combined", "check") and run.rules != measured.rules:
        return f"of the rules of {measured.rubric} {measured.version}, which were others"
    if source in ("judge", "combined") and (run.rubric_sha256, run.scorer) != (measured.rubric_sha256, measured.scorer):
        return f"of this judge under another state of rubric or code ({measured.rubric} {measured.version})"
    return ""
