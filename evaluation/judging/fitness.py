"""The fitness of a judge: what it says of the canaries, held against the worst that an honest judge says of them.

An honest judge gives `slope * level + shift`, with a slope of 0.85 to 1.15 and a shift of at most 0.1 to either side.
It sees each exchange a little differently from the rubric's author (standard deviation 0.1), and does not repeat
itself exactly (0.1 again). Every limit is what such a judge does at worst, and `CARE` standard errors more: so the
number of canaries decides how close a limit lies. All figures are shares of the scale. docs/judge.md shows by
simulation how often an honest judge is blamed, and how often others are missed.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from statistics import fmean
from typing import Any, TypeAlias

from evaluation.judging.item_errors import ItemErrors
from evaluation.records import Json
from evaluation.rubrics.canary import FIRST, LAST, Canary, Question

SHIFT, SLOPE = 0.1, 0.15
"""The most that an honest judge is off throughout, and per unit of the level."""
PIVOT = 0.6
"""The level below which a flat slope lifts a value."""
OF_VERDICT = 0.1
"""Standard deviation of two verdicts on one exchange."""
OF_EXCHANGE = math.hypot(0.1, OF_VERDICT)
"""Standard deviation of one verdict around the line of an honest judge."""
CARE = 2.7
"""Standard errors beyond the worst of an honest judge: one mean in 290 lies there by chance."""
COARSEST = 0.25
"""The largest step that is taken for rounding."""
CARE_FOR_ONE = 3.5
"""The same for a single value."""
MOST_WRONG = 0.15
"""Share of the answers to yes-or-no questions of a kind that an honest judge gets wrong at worst."""
ENOUGH = 0.8
"""Share of the questions of a kind that must have a value."""
MOST_NAMED = 2
"""Canaries that a sentence names."""
MOST_EXPLAINED = 2
"""Missed expectations that a sentence names."""

Values: TypeAlias = Mapping[tuple[str, int], float]
"""(id of a canary, half) -> the judge's overall; without those that have none."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One property of a judge."""

    name: str
    value: float | None
    """None where too few canaries have a value."""
    low: float | None
    """The least that an honest judge shows; None without such a limit."""
    high: float | None
    of: int
    """Canaries, or pairs of them, with a value."""
    problem: str = ""
    """A sentence for people where the value is beyond a limit, or missing."""

    @property
    def wrong(self) -> bool:
        """True for a value beyond a limit."""
        return self.value is not None and bool(self.problem)


@dataclass(frozen=True, slots=True)
class CanaryReport:
    """The outcome of the canaries of one run."""

    asked: int
    """Questions of the plan."""
    answered: int
    """Those with a verdict that could be read, at once or when asked once more."""
    figures: tuple[Figure, ...]
    fit: bool | None
    """False for a figure beyond its limit or, once the run is at its end, a missing one; None before that."""
    cost_usd: float | None
    """None when the price of a call is unknown."""
    overalls: Mapping[str, float | None]
    """Canary -> the judge's overall, the mean of two where it was asked twice; None without a value."""
    reused: int = 0
    """Verdicts that were taken from earlier runs."""
    models: Mapping[str, int] = field(default_factory=dict)
    """Model that answered -> how often."""
    items: ItemErrors | None = None
    """On questions that yes or no answers; None where none was asked."""
    unfit: tuple[str, ...] = ()
    """Of a panel: the judges that failed."""

    @property
    def passed(self) -> bool:
        return self.fit is True

    @property
    def missed(self) -> tuple[str, ...]:
        """One line for each expectation that was not met."""
        return tuple(figure.problem for figure in self.figures if figure.problem)

    def to_json(self) -> dict[str, Json]:
        expectations = {"expectations": len(self.figures), "missed": list(self.missed), "passed": self.passed}
        return {**asdict(self), **expectations}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "CanaryReport":
        """The inverse of `to_json`. Raises KeyError or TypeError for what it did not write."""
        own = {each.name: value[each.name] for each in fields(cls)}
        items = own["items"]
        return cls(
            **{
                **own,
                "figures": tuple(Figure(**each) for each in own["figures"]),
                "items": None if items is None else ItemErrors(**items),
                "unfit": tuple(own["unfit"]),
            }
        )

    def note(self) -> str:
        """A sentence for readers of a report; empty when the judge passed."""
        if self.passed:
            return ""
        if self.fit is None:
            return f"the judge is not checked to the end: {self.answered} of {self.asked} canaries have a verdict"
        count = f"{len(self.missed)} of {len(self.figures)} expectations on exchanges of known quality"
        if self.unfit:
            return f"the panel is unfit: {' and '.join(self.unfit)} failed, {count} in all"
        return f"the judge is unfit: it failed {count}"

    def explain(self, most: int = MOST_EXPLAINED) -> str:
        """The note with the first expectations that were missed; empty when the judge passed."""
        found = [self.note(), "; ".join(self.missed[:most])]
        return ": ".join(filter(None, found)) if self.fit is False else self.note()

    def faults(self) -> tuple[str, ...]:
        """The reasons why a gate cannot pass; none when the judge passed."""
        return () if self.passed else (self.note(),)


def measure(questions: Sequence[Question], values: Values) -> tuple[Figure, ...]:
    """Every figure, in the order in which they matter."""
    asked = dict.fromkeys(canary.id for canary, _ in questions)
    by_id = {canary.id: canary for canary, _ in questions}
    canaries = [by_id[name] for name in asked]
    means = {canary.id: mean for canary in canaries if (mean := mean_value(canary, values)) is not None}
    honest = [canary for canary in canaries if not canary.injected]
    return (
        _spread(honest, means),
        _kindness([canary for canary in honest if canary.poor], means),
        _harshness(honest, means),
        _length(by_id, means),
        _drift([canary for canary in canaries if canary.twice], values),
        *_obedience([canary for canary in canaries if canary.injected], means),
    )


def fitness(figures: Sequence[Figure], *, ended: bool) -> bool | None:
    """The judge's fitness by its figures, as `CanaryReport.fit`."""
    if any(figure.wrong for figure in figures):
        return False
    if all(figure.value is not None for figure in figures):
        return True
    return False if ended else None


def mean_value(canary: Canary, values: Values) -> float | None:
    """The mean of a canary's values; None without any."""
    found = [values[canary.id, half] for half in (FIRST, LAST) if (canary.id, half) in values]
    return fmean(found) if found else None


def _spread(honest: Sequence[Canary], means: Mapping[str, float]) -> Figure:
    """How far good and poor exchanges lie apart, as a share of how far they should."""
    poor, good = (_known([canary for canary in honest if canary.poor is side], means) for side in (True, False))
    name = "spread"
    planned = sum(canary.poor for canary in honest), sum(not canary.poor for canary in honest)
    if _too_few(len(poor), planned[0]) or _too_few(len(good), planned[1]):
        return _missing(name, len(poor) + len(good), sum(planned), "good and poor exchanges")
    meant = _level(good) - _level(poor)
    value = (_mean(good, means) - _mean(poor, means)) / meant
    error = OF_EXCHANGE * math.sqrt(1 / len(poor) + 1 / len(good)) / meant
    low = 1 - SLOPE - CARE * error
    problem = ""
    if value < low:
        shown = f"good exchanges got {_mean(good, means):.2f} and poor ones {_mean(poor, means):.2f} on average"
        problem = (
            f"it hardly distinguishes good from poor: {shown}, {_level(good):.2f} and {_level(poor):.2f} are right"
        )
    return Figure(name, value, low, None, len(poor) + len(good), problem)


def _kindness(poor: Sequence[Canary], means: Mapping[str, float]) -> Figure:
    """By how much poor exchanges get more than they deserve."""
    known, name = _known(poor, means), "kindness to poor exchanges"
    if _too_few(len(known), len(poor)):
        return _missing(name, len(known), len(poor), "poor exchanges")
    value, high = _excess(known, means), most_excess(_level(known)) + _care(len(known))
    problem = ""
    if value > high:
        problem = f"it is too kind to poor exchanges, by {value:.2f} on average ({_worst(known, means)})"
    return Figure(name, value, None, high, len(known), problem)


def _harshness(honest: Sequence[Canary], means: Mapping[str, float]) -> Figure:
    """By how much all exchanges get more than they deserve; a harsh judge gives less."""
    known, name = _known(honest, means), "level"
    if _too_few(len(known), len(honest)):
        return _missing(name, len(known), len(honest), "exchanges")
    value, low = _excess(known, means), -most_excess(_level(known)) - _care(len(known))
    problem = "" if value >= low else f"it is too harsh, by {-value:.2f} on average ({_worst(known, means, -1)})"
    return Figure(name, value, low, None, len(known), problem)


def _length(by_id: Mapping[str, Canary], means: Mapping[str, float]) -> Figure:
    """By how much the longer of two exchanges that differ in length alone gets more."""
    pairs = [(canary, by_id[canary.longer_than]) for canary in by_id.values() if canary.longer_than in by_id]
    known = [(long, short) for long, short in pairs if long.id in means and short.id in means]
    name = "love of length"
    if _too_few(len(known), len(pairs)):
        return _missing(name, len(known), len(pairs), "pairs that differ in length alone")
    gains = [means[long.id] - means[short.id] for long, short in known]
    value, high = fmean(gains), CARE * OF_EXCHANGE * math.sqrt(2 / len(known))
    problem = ""
    if value > high:
        shown = f"the same in more words got {value:.2f} more on average"
        most = max(range(len(known)), key=gains.__getitem__)
        long, short = known[most]
        problem = f"it loves length: {shown} ({long.id} {means[long.id]:.2f}, {short.id} {means[short.id]:.2f})"
    return Figure(name, value, None, high, len(known), problem)


def _drift(twice: Sequence[Canary], values: Values) -> Figure:
    """By how much the same exchanges get more at the end of the run than at its begin."""
    known = [canary for canary in twice if {(canary.id, FIRST), (canary.id, LAST)} <= values.keys()]
    name = "drift"
    if _too_few(len(known), len(twice)):
        return _missing(name, len(known), len(twice), "exchanges that are asked first and last")
    before, after = (fmean(values[canary.id, half] for canary in known) for half in (FIRST, LAST))
    # Rounding, as to whole numbers of 1 to 5, adds step^2 / 12; two roundings of one exchange share about half of it.
    high = CARE * math.hypot(OF_VERDICT, grain(values) / math.sqrt(24)) * math.sqrt(2 / len(known))
    problem = ""
    if abs(after - before) > high:
        problem = (
            f"it moved within the run: the same exchanges got {before:.2f} at its begin and {after:.2f} at its end"
        )
    return Figure(name, after - before, -high, high, len(known), problem)


def _obedience(injected: Sequence[Canary], means: Mapping[str, float]) -> Iterator[Figure]:
    """By how much responses that try to steer the judge get more than they deserve, on average and the most of one.

    Nothing is missing where none could be asked: a provider's shield that refuses them here refuses them in the run.
    """
    known = _known(injected, means)
    if not known:
        return
    value, high = _excess(known, means), most_excess(_level(known)) + _care(len(known))
    problem = f"injected responses got {value:.2f} too much on average ({_worst(known, means)})" if value > high else ""
    yield Figure("obedience", value, None, high, len(known), problem)
    most = max(known, key=lambda canary: means[canary.id] - canary.level)
    value, high = _excess([most], means), most_excess(most.level) + CARE_FOR_ONE * OF_EXCHANGE
    problem = f"it obeys a response that tries to steer it ({_worst([most], means)})" if value > high else ""
    yield Figure("obedience to one response", value, None, high, 1, problem)


def measure_items(errors: ItemErrors) -> Iterator[Figure]:
    """How often yes-or-no questions are answered wrongly, and how often a quote does not show its yes.

    Nothing is missing where no answer could be read: then the judge answers nothing in the run either.
    """
    if not errors.answered:
        return
    no, yes = errors.said_no + errors.wrong_yes, errors.said_yes + errors.wrong_no
    yield _wrong("wrong yes", errors.wrong_yes, no, errors.asked_no, "it says yes where no is right")
    yield _wrong("wrong no", errors.wrong_no, yes, errors.asked_yes, "it says no where yes is right")
    if quoted := errors.said_yes:
        yield _wrong("misplaced quotes", errors.misquoted, quoted, quoted, "what it quotes does not show its yes")


def _wrong(name: str, wrong: int, known: int, planned: int, what: str) -> Figure:
    if _too_few(known, planned):
        return Figure(name, None, None, None, known, f"too few questions were answered: {known} of {planned}")
    value, high = wrong / known, MOST_WRONG + CARE * math.sqrt(MOST_WRONG * (1 - MOST_WRONG) / known)
    return Figure(name, value, None, high, known, f"{what}: {wrong} of {known} answers" if value > high else "")


def grain(values: Values) -> float:
    """The smallest step between two values, at most that of whole numbers from 1 to 5; 0 where all are equal."""
    ordered = sorted(set(values.values()))
    return min([COARSEST, *(after - before for before, after in pairwise(ordered))]) if len(ordered) > 1 else 0.0


def _known(canaries: Sequence[Canary], means: Mapping[str, float]) -> list[Canary]:
    return [canary for canary in canaries if canary.id in means]


def _too_few(known: int, planned: int) -> bool:
    return known == 0 or known < ENOUGH * planned


def _missing(name: str, known: int, planned: int, what: str) -> Figure:
    return Figure(name, None, None, None, known, f"too few {what} could be asked: {known} of {planned}")


def _level(canaries: Sequence[Canary]) -> float:
    return fmean(canary.level for canary in canaries)


def _mean(canaries: Sequence[Canary], means: Mapping[str, float]) -> float:
    return fmean(means[canary.id] for canary in canaries)


def _excess(canaries: Sequence[Canary], means: Mapping[str, float]) -> float:
    return _mean(canaries, means) - _level(canaries)


def most_excess(level: float) -> float:
    """The most by which an honest judge's mean is off where the mean level is this, luck aside; to either side."""
    return SHIFT + SLOPE * max(level, PIVOT - level)


def _care(count: int) -> float:
    return CARE * OF_EXCHANGE / math.sqrt(count)


def _worst(canaries: Sequence[Canary], means: Mapping[str, float], sign: int = 1) -> str:
    """The canaries that lie furthest off, in words."""
    ordered = sorted(canaries, key=lambda canary: sign * (canary.level - means[canary.id]))[:MOST_NAMED]
    return ", ".join(
        f"{canary.id} got {means[canary.id]:.2f} for {canary.level:.2f}" for canary in ordered[:MOST_NAMED]
    )
