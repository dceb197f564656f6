"""A sample of production's responses tonight, held against an approved one of before: the same alarm, and its cause.

Both are weighted samples of what users met, scored by the same rules. The difference of their means is that of two
independent samples: the root of both squared standard errors, each clustered by user, with Welch's degrees of freedom
(`statistics.clusters.unpaired_difference`). Some users write much more than others, so that a sample has as many users
as would weigh evenly (`effective_clusters`; cf. Carter, Schnepel and Steigerwald 2017, "Asymptotic Behavior of a t-Test
Robust to Cluster Heterogeneity"). Users who come back are in both samples, which makes the true error smaller. Nothing
of single users or responses is kept of the approved sample, and no sign-flip test can be made of two means; the t test
stands alone, on samples that are not small.

A metric raises the alarm as it does on invented scenarios: the overall by itself, its components together after Holm,
each at 0.5% with one side looked at, and by the margin of the gate's rules. What repetition moves is in the error of
the samples, so there is no noise floor.

What people write differs from week to week, and with it the scores. Each response is of one of four kinds by what can
be seen without judging it: the first of its conversation or a later one, to a short message or a longer one. The
difference of the means is the sum of what goes with other shares of the kinds (the mix) and of what changed within them
(Kitagawa 1955, "Components of a Difference Between Two Rates"):

    mix = sum over k (share'_k - share_k) (mean'_k + mean_k) / 2
    within = sum over k (mean'_k - mean_k) (share'_k + share_k) / 2

A kind that one sample lacks has the other's mean in both, so that all of it counts as mix.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeAlias

from evaluation.comparison.differences import correct
from evaluation.comparison.gate import RegressionRules
from evaluation.nightly.alarm import LEVEL, AlarmCheck, falls_far
from evaluation.production.summary import ScoredTurn, is_small
from evaluation.records import Json
from evaluation.statistics.clusters import Scale, WeightedEstimate, WeightedValue, effective_clusters, weighted_estimate
from evaluation.statistics.power import detectable
from evaluation.statistics.unpaired import UnpairedDifference, unpaired_difference
from evaluation.suites.suite import Suite

SHORT = 12
"""Words of a short message at most."""

SampleState: TypeAlias = Literal["holds", "lower", "small", "no_baseline", "refused", "failed", "away"]
"""`refused`: the two samples do not measure the same; `failed`: production could not be read."""
NOT_WATCHED = ("no_baseline", "refused", "failed", "away")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of production's responses a sample is of, apart from version and time."""

    prompt: str
    environments: tuple[str, ...] = ()
    tag: str = ""


@dataclass(frozen=True, slots=True)
class KindShare:
    """One kind of response in a sample."""

    share: float
    """Of all responses, by the weights; 0 to 1."""
    mean: float
    """Of the overall."""
    n: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What is kept of a sample: means, and no response and no user."""

    sample_id: str
    selection: Selection
    version: int | None
    since: str
    """ISO 8601, UTC."""
    until: str
    suite: str
    rubric: str
    """Name and version of the rubric."""
    scored_by: str
    """Digest of the rubric's text and of the code that scores."""
    overall: str
    turns: float
    """About how many responses it stands for."""
    means: Mapping[str, WeightedEstimate]
    users: Mapping[str, float]
    """Metric -> the effective number of users behind its mean."""
    kinds: Mapping[str, KindShare]

    @property
    def small(self) -> bool:
        """True where its overall rests on too few responses or users."""
        return is_small(self.means[self.overall])

    @property
    def title(self) -> str:
        """The prompt version for people."""
        return self.selection.prompt if self.version is None else f"{self.selection.prompt} v{self.version}"


@dataclass(frozen=True, slots=True)
class Mix:
    """The two parts of the difference of the overall."""

    mix: float
    within: float


@dataclass(frozen=True, slots=True)
class ProductionWatch:
    """What tonight's sample of production says. Empty where it did not come so far."""

    state: SampleState
    reason: str = ""
    """Why nothing can be said, or too little."""
    tonight: Sample | None = None
    before: Sample | None = None
    checks: tuple[AlarmCheck, ...] = ()
    mix: Mix | None = None
    sentences: tuple[str, ...] = ()
    """About the cause."""
    next_command: str = ""

    @property
    def raised(self) -> tuple[AlarmCheck, ...]:
        return tuple(check for check in self.checks if check.raised)

    @property
    def difference(self) -> float | None:
        """Of the overall, tonight less the approved sample."""
        overall = "" if self.tonight is None else self.tonight.overall
        return next((check.difference for check in self.checks if check.metric == overall), None)

    def to_json(self) -> dict[str, Json]:
        return {
            "state": self.state,
            "reason": self.reason,
            "sample_id": None if self.tonight is None else self.tonight.sample_id,
            "baseline_sample_id": None if self.before is None else self.before.sample_id,
            "version": None if self.tonight is None else self.tonight.version,
            "since": None if self.tonight is None else self.tonight.since,
            "until": None if self.tonight is None else self.tonight.until,
            "checks": [asdict(check) for check in self.checks],
            "mix": None if self.mix is None else asdict(self.mix),
            "attribution": list(self.sentences),
        }


def kind_of(message: str, turns_before: int) -> str:
    """The kind of a response, by the message that it answers and what was said before."""
    place = "first" if turns_before == 0 else "later"
    return f"{place}, {'short' if len(message.split()) <= SHORT else 'longer'} message"


def kind_shares(
    turns: Sequence[ScoredTurn], kinds: Mapping[str, str], overall: str, scale: Scale | None
) -> dict[str, KindShare]:
    """Each kind of a sample; `kinds` is the kind of each scored turn, by its key."""
    found = {
        kind: weighted_estimate(
            [_value(turn, overall, inside=kinds.get(turn.drawn.observation.key) == kind) for turn in turns], scale
        )
        for kind in sorted(set(kinds.values()))
    }
    total = sum(each.stands_for for each in found.values())
    return {
        kind: KindShare(each.stands_for / total, each.mean, each.n)
        for kind, each in found.items()
        if each.mean is not None
    }


def _value(turn: ScoredTurn, metric: str, *, inside: bool = True) -> WeightedValue:
    drawn = turn.drawn
    value = turn.scores.get(metric) if inside and not turn.reason else None
    return WeightedValue(drawn.stratum, drawn.observation.cluster, drawn.weight, value)


def refusal(before: Sample, tonight: Sample) -> str:
    """Why tonight's sample cannot be held against the approved one; empty where it can."""
    if before.suite != tonight.suite or before.scored_by != tonight.scored_by:
        rules = f"{before.suite}, {before.rubric}", f"{tonight.suite}, {tonight.rubric}"
        named = "" if rules[0] == rules[1] else f" ({rules[0]}; tonight {rules[1]})"
        return f"the approved sample of production was scored by other rules than those of tonight{named}"
    if before.selection != tonight.selection:
        return (
            f"the approved sample of production is of other responses: {_said(before.selection)}, tonight "
            f"{_said(tonight.selection)}"
        )
    return ""


def _said(selection: Selection) -> str:
    environments = ", ".join(selection.environments) or "any"
    return f"environment {environments}, tag {selection.tag or 'any'}"


def hold(before: Sample, tonight: Sample, suite: Suite, rules: RegressionRules) -> ProductionWatch:
    """Tonight's sample against the approved one; a small sample raises nothing."""
    if reason := refusal(before, tonight):
        return ProductionWatch("refused", reason, tonight, before)
    checks = tuple(_checks(before, tonight, suite, rules))
    mix = split(before.kinds, tonight.kinds)
    if tonight.small:
        found = tonight.means[tonight.overall]
        reason = f"a small sample, {found.n} responses of {found.clusters} users: it raises no alarm"
        quiet = tuple(replace(check, surely=False, raised=False) for check in checks)
        return ProductionWatch("small", reason, tonight, before, quiet, mix)
    state: SampleState = "lower" if any(check.raised for check in checks) else "holds"
    return ProductionWatch(state, "", tonight, before, checks, mix)


def _checks(before: Sample, tonight: Sample, suite: Suite, rules: RegressionRules) -> Iterable[AlarmCheck]:
    """The overall first, then its components."""
    low, high = suite.scale("heuristic")
    metrics = [metric for metric in suite.metrics_of("heuristic") if metric != tonight.overall]
    shared = [metric for metric in metrics if metric in before.means and metric in tonight.means]
    found = {metric: _difference(before, tonight, metric) for metric in (tonight.overall, *shared)}
    family = correct([None if (each := found[metric]) is None else each.p for metric in shared])
    adjusted = dict(zip(shared, family, strict=True))
    for metric, difference in found.items():
        p = adjusted.get(metric, None if difference is None else difference.p)
        if difference is not None:
            margin = rules.margin(metric, "heuristic") * (high - low)
            yield _check(metric, before.means[metric], tonight.means[metric], difference, p, margin)


def _difference(before: Sample, tonight: Sample, metric: str) -> UnpairedDifference | None:
    """None where a side has no mean; of a small one nothing is tested."""
    found = unpaired_difference(_side(before, metric), _side(tonight, metric))
    small = is_small(before.means[metric]) or is_small(tonight.means[metric])
    return replace(found, p=None) if found is not None and small else found


def _side(sample: Sample, metric: str) -> WeightedEstimate:
    """The mean, with the effective number of users in the place of all."""
    return replace(sample.means[metric], clusters=max(2, int(sample.users.get(metric, 0.0))))


def users_behind(turns: Sequence[ScoredTurn], metrics: Sequence[str]) -> dict[str, float]:
    """Metric -> the effective number of users behind its mean."""
    return {metric: effective_clusters(_value(turn, metric) for turn in turns) for metric in metrics}


def _check(
    metric: str,
    before: WeightedEstimate,
    tonight: WeightedEstimate,
    found: UnpairedDifference,
    p: float | None,
    margin: float,
) -> AlarmCheck:
    surely = p is not None and p <= LEVEL
    least = None
    if found.se is not None and found.freedom is not None:
        least = detectable(found.se, int(found.freedom) + 1, LEVEL)
    return AlarmCheck(
        metric=metric,
        source="heuristic",
        before=before.mean,
        tonight=tonight.mean,
        difference=found.value,
        ci95=found.ci95,
        p=p,
        margin=margin,
        floor=None,
        detectable=least,
        surely=surely,
        raised=surely and falls_far(found.value, margin),
    )


def split(before: Mapping[str, KindShare], tonight: Mapping[str, KindShare]) -> Mix | None:
    """The parts of the difference of the overall; None where a sample has no kinds."""
    if not before or not tonight:
        return None
    mix = within = 0.0
    for kind in {**before, **tonight}:
        old, new = before.get(kind), tonight.get(kind)
        shares = (0.0 if old is None else old.share, 0.0 if new is None else new.share)
        known = [each.mean for each in (old, new) if each is not None]
        means = (known[0], known[-1])
        mix += (shares[1] - shares[0]) * (means[0] + means[1]) / 2
        within += (means[1] - means[0]) * (shares[0] + shares[1]) / 2
    return Mix(mix, within)
