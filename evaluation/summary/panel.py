"""A panel's members beside one another: how far they agree, and whether one prefers its own family's words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import StatisticsError, correlation, fmean

from evaluation.judging.panel import MEMBERS_APART
from evaluation.records import Json, Reply, Result, Scenario
from evaluation.statistics.scenario_scores import Observation, estimate
from evaluation.statistics.unpaired import unpaired_difference
from evaluation.summary.families import family_of

FEWEST = 10
"""Situations with responses of each kind, below which a preference is not measured."""


@dataclass(frozen=True, slots=True)
class Preference:
    """How much higher a member scores its own family's words than the other members do, beside other words."""

    difference: float | None
    """Its lead over the mean of the others on its own family's responses, less that on the others; None: not known."""
    ci95: tuple[float, float] | None = None
    own: int = 0
    """Responses of its own family."""
    others: int = 0
    why_not: str = ""
    """Why nothing is known; empty where it is measured."""


@dataclass(frozen=True, slots=True)
class MemberFigures:
    """One member, by its values of the overall."""

    model: str
    family: str
    """Empty where its name says nothing."""
    mean: float
    lead: float
    """Its mean less that of the other members."""
    lead_ci95: tuple[float, float] | None
    preference: Preference


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Two members, by their values of the overall."""

    first: str
    second: str
    correlation: float | None
    """Pearson's; None where one of them gave a single value."""
    apart: float
    """Mean distance."""


@dataclass(frozen=True, slots=True)
class PanelSummary:
    """The members of a panel over the responses that all of them judged."""

    judged: int
    spread: Mapping[str, float]
    """Metric -> mean of the largest less the smallest value."""
    members: tuple[MemberFigures, ...]
    pairs: tuple[PairFigures, ...]
    escalated: int
    """Responses on which a stronger judge decided."""
    to_review: int
    """Responses that people are to look at, as the members lie too far apart."""

    def to_json(self) -> Json:
        return asdict(self)


class PanelTally:
    """Gathers what the members of a panel said."""

    def __init__(self, overall: str, scenarios: Iterable[Scenario]) -> None:
        self._overall = overall
        self._clusters = {scenario.id: scenario.cluster for scenario in scenarios}
        self._rows: list[tuple[Observation, str, Mapping[str, float]]] = []
        """(place, family of the one that answered, member -> overall)."""
        self._own = 0
        """Rows of the run itself: they come first."""
        self._spreads: defaultdict[str, list[float]] = defaultdict(list)
        self._escalated = self._to_review = 0

    def add(self, result: Result) -> None:
        """Takes in a result of the run; one that no panel judged says nothing."""
        verdict = result.verdict
        if verdict is None or len(verdict.members) < 2:
            return
        self._escalated += bool(verdict.escalated)
        self._to_review += any(reason.startswith(MEMBERS_APART) for reason in verdict.review)
        for metric, apart in verdict.spread.items():
            self._spreads[metric].append(apart)
        self._own += self._keep(result)

    def add_beside(self, result: Result) -> None:
        """Takes in what the same panel said of another model's response, to hold a preference against."""
        self._keep(result)

    def _keep(self, result: Result) -> bool:
        verdict, exchange = result.verdict, result.exchange
        if verdict is None or not isinstance(exchange.outcome, Reply):
            return False
        values = {model: found[self._overall] for model, found in verdict.members.items() if self._overall in found}
        if len(values) < 2 or len(values) < len(verdict.members):
            return False
        cell = exchange.cell
        cluster = self._clusters.get(cell.scenario_id, cell.scenario_id)
        place = Observation(cluster, cell.scenario_id, cell.repeat, exchange.turn, 0.0)
        self._rows.append((place, family_of(exchange.outcome.model), values))
        return True

    def measure(self) -> PanelSummary | None:
        """None where no panel judged."""
        rows = self._rows[: self._own]
        if not rows:
            return None
        names = list(rows[0][2])
        return PanelSummary(
            judged=len(rows),
            spread={metric: round(fmean(values), 6) for metric, values in self._spreads.items()},
            members=tuple(self._member(name) for name in names),
            pairs=tuple(_pair(first, second, rows) for first, second in combinations(names, 2)),
            escalated=self._escalated,
            to_review=self._to_review,
        )

    def _member(self, name: str) -> MemberFigures:
        rows = self._rows[: self._own]
        lead = estimate(_leads(name, rows), None)
        return MemberFigures(
            model=name,
            family=family_of(name),
            mean=fmean(values[name] for _, _, values in rows),
            lead=lead.mean or 0.0,
            lead_ci95=lead.ci95,
            preference=self._preference(name),
        )

    def _preference(self, name: str) -> Preference:
        family = family_of(name)
        if not family:
            return Preference(None, why_not="its name says no family")
        known = [row for row in self._rows if row[1]]
        own, others = ([row for row in known if (row[1] == family) is same] for same in (True, False))
        if not own or not others:
            kind = "of its own" if not own else "of another"
            return Preference(None, own=len(own), others=len(others), why_not=f"no response is {kind} family")
        before, after = estimate(_leads(name, others), None), estimate(_leads(name, own), None)
        if min(before.clusters, after.clusters) < FEWEST:
            return Preference(
                None, own=len(own), others=len(others), why_not=f"fewer than {FEWEST} situations of one kind"
            )
        found = unpaired_difference(before, after)
        if found is None:
            return Preference(None, own=len(own), others=len(others), why_not="nothing can be averaged")
        return Preference(found.value, found.ci95, len(own), len(others))


def _leads(name: str, rows: Iterable[tuple[Observation, str, Mapping[str, float]]]) -> Iterable[Observation]:
    """How far a member lies above the mean of the others, response by response."""
    for place, _, values in rows:
        others = fmean(value for model, value in values.items() if model != name)
        yield place._replace(value=values[name] - others)


def _pair(first: str, second: str, rows: Sequence[tuple[Observation, str, Mapping[str, float]]]) -> PairFigures:
    a, b = ([values[name] for _, _, values in rows] for name in (first, second))
    try:
        together = round(correlation(a, b), 6)
    except StatisticsError:
        together = None
    return PairFigures(first, second, together, fmean(abs(x - y) for x, y in zip(a, b, strict=True)))
