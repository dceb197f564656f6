"""The responses of a run that people should label next: drawn at random, with probabilities that are known exactly.

Each response has a rate: its share in the mean, half of it alike for all (`RANDOM_SHARE`), half by what its label is
expected to bring. That is how far rules and judge lie apart, how far the judge lies from itself, whether the overall
is near a bound of the decision, and whether a critical expectation fails, on which a decision hangs. It has a random
number of its own, too, which follows from the seed and stays. Drawn is each whose number lies below its probability,
`min(1, c * rate)`, with c so that as many are expected as were asked for: independent Poisson sampling with permanent
random numbers (Ohlsson 1995). So a later, larger draw holds the earlier one, and the probabilities of the larger one
are right for all of it. How many are drawn is a matter of chance.
"""

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.errors import ParseError
from evaluation.expectations.human import content_digest
from evaluation.records import Json, Reply, Result
from evaluation.run import Run
from evaluation.statistics.clusters import average
from evaluation.statistics.prediction import Response, response_weights
from evaluation.suites.suite import Suite
from evaluation.summary.columns import deciding_source
from evaluation.summary.disagreement import disagreement
from evaluation.summary.labels import Chance, Draw, LabelPlace

SCHEMA_VERSION = 1
RANDOM_SHARE = 0.5
MOST_GAIN = 3.0
"""The largest gain, in mean gains: no label shall weigh much more than the others."""
NEAR = 0.05
"""Distance from a bound, as a share of the scale, within which a response is near it."""
NEARNESS = 0.1
"""Worth of lying on a bound, beside distances as shares of the scale."""

CRITICAL = 0.5
"""Worth of a failed critical expectation, beside the same: as if rules and judge lay half the scale apart."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A response that could be drawn."""

    place: LabelPlace
    weight: float
    """Its share in the mean overall, times the number of scenarios."""
    rate: float
    """Proportional to its probability until that reaches 1; 1 on average."""


@dataclass(frozen=True, slots=True)
class LabelDraw:
    """What was drawn from a run, and all that a larger draw needs."""

    run_id: str
    suite: str
    seed: int
    expected: float
    """Number of drawn responses that is expected."""
    candidates: tuple[Candidate, ...]

    def drawn(self) -> Iterator[tuple[Candidate, float]]:
        """Each drawn response with its probability, in plan order."""
        for candidate, chance in zip(self.candidates, self.chances(), strict=True):
            if lot(self.seed, self.run_id, candidate.place) < chance:
                yield candidate, chance

    def chances(self) -> list[float]:
        """Of each candidate, in their order."""
        return probabilities([each.rate for each in self.candidates], self.expected)

    def larger(self, by: int) -> "LabelDraw":
        """The draw that holds this one and is expected to hold so many more."""
        return replace(self, expected=min(float(len(self.candidates)), self.expected + by))

    def as_draw(self) -> Draw:
        return Draw(self.run_id, {each.place: Chance(chance, each.weight) for each, chance in self.drawn()})


def draw_of(run: Run, results: Iterable[Result], *, seed: int) -> LabelDraw:
    """A draw of nothing yet, from the answered responses of a run that its deciding source scored."""
    scenarios, source = {scenario.id: scenario for scenario in run.scenarios}, deciding_source(run.sources)
    places: list[LabelPlace] = []
    gains: list[float] = []
    frame: list[Response] = []
    sampled = run.weights
    for result in results:
        exchange, cell = result.exchange, result.exchange.cell
        value = result.values(source).get(run.suite.overall)
        if value is None or not isinstance(exchange.outcome, Reply):
            continue
        scenario = scenarios[cell.scenario_id]
        digest = content_digest(run.suite.describe(exchange), scenario.audience)
        places.append(LabelPlace(cell.scenario_id, cell.repeat, exchange.turn, digest))
        critical = {item.id for item in scenario.expect if item.critical}
        gains.append(expected_gain(result, value, run.suite, critical))
        weight = 1.0 if sampled is None else sampled.of_scenario(scenario.id).weight
        frame.append(Response(scenario.cluster, scenario.id, cell.repeat, exchange.turn, value, stands_for=weight))
    weights = list(response_weights(frame))
    parts = zip(places, weights, mixed_rates(weights, gains), strict=True)
    candidates = tuple(Candidate(place, weight, rate) for place, weight, rate in parts)
    return LabelDraw(run.run_id, run.suite.name, seed, 0.0, candidates)


def expected_gain(result: Result, overall: float, suite: Suite, critical: Collection[str] = ()) -> float:
    """How much a label of this response is expected to say, as a share of the scale; at least 0.

    `critical` holds the ids of its scenario's critical expectations.
    """
    gain = 0.0
    apart = disagreement(result, suite)
    if apart is not None:
        gain += apart.gap / (suite.high - suite.low)
    if result.verdict is not None and suite.judge is not None:
        spread = result.verdict.spread
        gain += max(spread.values(), default=0.0) / (suite.judge.high - suite.judge.low)
    if suite.decision is not None:
        bounds = (suite.decision.deploy, suite.decision.ab_test)
        nearest = min(abs(overall - bound) for bound in bounds) / (suite.high - suite.low)
        gain += NEARNESS * max(0.0, 1 - nearest / NEAR)
    if any(answer.outcome == "fails" and answer.id in critical for answer in result.expectations):
        gain += CRITICAL
    return gain


def mixed_rates(weights: Sequence[float], gains: Sequence[float]) -> list[float]:
    """The rates, 1 on average: half alike, half by gain, times the weights."""
    if not weights:
        return []
    mean = average(gains)
    capped = [1.0 if mean <= 0 else min(MOST_GAIN, gain / mean) for gain in gains]
    mixed = [weight * (RANDOM_SHARE + (1 - RANDOM_SHARE) * gain) for weight, gain in zip(weights, capped, strict=True)]
    whole = math.fsum(mixed) / len(mixed)
    return [rate / whole for rate in mixed]


def probabilities(rates: Sequence[float], expected: float) -> list[float]:
    """`min(1, c * rate)` of each, summing up to `expected`; all 1 where that many are asked for."""
    if expected >= len(rates):
        return [1.0] * len(rates)
    certain = 0
    rising = sorted(rates, reverse=True)
    left = math.fsum(rising)
    # The largest are certain, as long as the others' share would put them above 1.
    while certain < len(rising) and (expected - certain) * rising[certain] > left:
        left -= rising[certain]
        certain += 1
    factor = (expected - certain) / left if left > 0 else 0.0
    return [min(1.0, factor * rate) for rate in rates]


def lot(seed: int, run_id: str, place: LabelPlace) -> float:
    """The random number of a response, from 0 up to 1, the same for ever."""
    text = f"{seed}|label|{run_id}|{place.scenario_id}|{place.repeat}|{place.turn}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6]) / 2**48


# --- the file ---------------------------------------------------------------------------------------------------------


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _CandidateForm(_Form):
    scenario_id: str
    repeat: int = Field(ge=1)
    turn: int = Field(ge=1)
    content_sha256: str
    weight: float = Field(gt=0, allow_inf_nan=False)
    rate: float = Field(gt=0, allow_inf_nan=False)
    probability: float | None = Field(None, gt=0, le=1)
    """Of a drawn one."""


class _DrawForm(_Form):
    schema_version: Literal[1]
    run_id: str = Field(min_length=1)
    suite: str
    seed: int
    expected: float = Field(ge=0, allow_inf_nan=False)
    candidates: list[_CandidateForm]


def draw_lines(draw: LabelDraw) -> Iterator[dict[str, Json]]:
    """The file: a line for the draw, and one for each candidate, with its probability where it was drawn."""
    head = {name: getattr(draw, name) for name in ("run_id", "suite", "seed", "expected")}
    yield {"schema_version": SCHEMA_VERSION, **head}
    chances = {candidate.place: chance for candidate, chance in draw.drawn()}
    for each in draw.candidates:
        scenario_id, repeat, turn, content = each.place
        place = {"scenario_id": scenario_id, "repeat": repeat, "turn": turn, "content_sha256": content}
        yield {**place, "weight": each.weight, "rate": each.rate, "probability": chances.get(each.place)}


def parse_draw(lines: Iterable[Json], place: str) -> LabelDraw:
    """Reads the file. Raises ParseError for another form, and where a probability is not the one that it says."""
    head, *rest = lines or [{}]
    try:
        form = _DrawForm.model_validate({**(head if isinstance(head, dict) else {}), "candidates": rest})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ParseError(place, f"{where}: {first['msg']}: draw once more under another --seed") from None
    candidates = tuple(
        Candidate(
            LabelPlace(each.scenario_id, each.repeat, each.turn, each.content_sha256),
            each.weight,
            each.rate,
        )
        for each in form.candidates
    )
    found = LabelDraw(form.run_id, form.suite, form.seed, form.expected, candidates)
    chances = {candidate.place: chance for candidate, chance in found.drawn()}
    for each, candidate in zip(form.candidates, candidates, strict=True):
        if not math.isclose(each.probability or 0.0, chances.get(candidate.place, 0.0), abs_tol=1e-9):
            raise ParseError(place, f"{candidate.place.scenario_id}: its probability does not follow from its rate")
    return found
