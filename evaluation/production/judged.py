"""What a judge says of the turns that were drawn a second time, and what that means for all of production."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Generic, TypeVar

from evaluation.production.second_phase import SecondPhase
from evaluation.production.summary import MOST_TAGS, Group, MetricMeans, ScoredTurn, groups_of, means_json
from evaluation.records import Expectation, Json, Outcome, Result, Scenario, Source
from evaluation.statistics.clusters import Scale, WeightedEstimate
from evaluation.statistics.two_phase import TwoPhaseValue, second_weights, two_phase_estimate

SOURCES: tuple[Source, ...] = ("judge", "combined")
"""Who is averaged here; the rules are, over the whole sample."""
SHOWN = 1_000
"""Characters of a judge's words that are kept."""
SHARE: Scale = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn of production as the judge saw it."""

    state: str
    """scored, unparsed or failed, as in a run."""
    scores: Mapping[Source, Mapping[str, float]]
    """Source -> metric -> value, of what means something for the turn."""
    items: Mapping[str, Outcome] = field(default_factory=dict)
    """Id of each expectation that was asked -> what became of it."""
    words: str = ""
    """The judge's reasoning, cut."""
    conversation: Mapping[str, float] = field(default_factory=dict)
    """What is asked of the conversation up to the response as a whole -> value; empty where that was not asked."""

    @property
    def is_scored(self) -> bool:
        return self.state == "scored"

    @property
    def met(self) -> float | None:
        """The share of its answered expectations that hold; None where none was answered."""
        answered = [outcome == "holds" for outcome in self.items.values() if outcome != "not_shown"]
        return sum(answered) / len(answered) if answered else None


def judged_turn(result: Result) -> JudgedTurn:
    """A result of the run that judges the turns."""
    scores: dict[Source, dict[str, float]] = {source: {} for source in SOURCES}
    for score in result.scores:
        if score.source in scores and score.applicable and score.value is not None:
            scores[score.source][score.metric] = score.value
    return JudgedTurn(
        result.state,
        scores,
        {answer.id: answer.outcome for answer in result.expectations},
        "" if result.verdict is None else result.verdict.reasoning[:SHOWN],
    )


def conversation_scores(result: Result) -> dict[str, float]:
    """A result on a conversation as a whole: what was asked -> value."""
    return {score.metric: score.value for score in result.scores if score.applicable and score.value is not None}


@dataclass(frozen=True, slots=True)
class ItemFailures:
    """One expectation that fails somewhere."""

    item: Expectation
    failed: int
    of: int
    """Judged turns of which it was answered."""
    share: WeightedEstimate
    """Of all turns for which it is expected, those that fail it."""
    turns: tuple[str, ...]
    """Keys of those that fail it."""

    def to_json(self) -> Json:
        return {
            **{name: getattr(self.item, name) for name in ("id", "question", "kind", "critical")},
            "failed": self.failed,
            "of": self.of,
            "share": asdict(self.share),
        }


@dataclass(frozen=True, slots=True)
class SecondCoverage:
    """What was given to the judge, and what became of it."""

    candidates: int
    strata: int
    drawn: int
    judged: int
    unread: int
    """Verdicts that could not be read."""
    failed: int
    """Turns of which a call got no answer."""
    open: int
    """Turns that were not come to."""


@dataclass(frozen=True, slots=True)
class JudgedSummary:
    """All that is said of the second phase."""

    run_id: str
    """Of the run that judged."""
    source: Source
    """By which the turns are ordered: combined, else judge."""
    coverage: SecondCoverage
    means: Mapping[Source, MetricMeans]
    by_version: tuple[Group, ...]
    """Of `source`."""
    by_week: tuple[Group, ...]
    by_tag: tuple[Group, ...]
    conversations: MetricMeans
    """What is asked of conversations as a whole; empty where nothing is."""
    met: WeightedEstimate
    """The mean share of its expectations that a turn meets."""
    items: tuple[ItemFailures, ...]
    """Those that fail anywhere, critical ones first, then the most frequent ones."""
    worst: tuple[tuple[ScoredTurn, JudgedTurn], ...]

    def to_json(self) -> dict[str, Json]:
        """As in `summary.json`."""
        groups = (("by_version", self.by_version), ("by_week", self.by_week), ("by_tag", self.by_tag))
        return {
            "run_id": self.run_id,
            "source": self.source,
            "coverage": asdict(self.coverage),
            "metrics": {source: means_json(means) for source, means in self.means.items()},
            **{name: {group.name: means_json(group.means) for group in found} for name, found in groups},
            "conversations": means_json(self.conversations),
            "expectations": {"met": asdict(self.met), "failing": [each.to_json() for each in self.items]},
            "worst": [
                {
                    "trace_id": turn.drawn.observation.trace_id,
                    "observation_id": turn.drawn.observation.id,
                    "version": turn.drawn.observation.version,
                    "scores": {source: dict(values) for source, values in judged.scores.items()},
                    "failed": [name for name, outcome in judged.items.items() if outcome == "fails"],
                    "reasoning": judged.words,
                }
                for turn, judged in self.worst
            ],
        }


Unit = TypeVar("Unit")


@dataclass(frozen=True, slots=True)
class JudgedSample(ABC, Generic[Unit]):
    """What a judge said of what was drawn a second time: of turns of production, or of rows of a collection."""

    judged: Mapping[str, JudgedTurn]
    """Key -> what the judge said, of those that it was asked about."""

    @abstractmethod
    def first_phase(self) -> Iterator[tuple[str, Unit | None, TwoPhaseValue]]:
        """All that could be drawn with its place in the design, as if all that was drawn were measured.

        What stands for several that were not drawn has no key, and is None.
        """

    def estimate(self, value_of: Callable[[Unit, JudgedTurn], float | None], scale: Scale) -> WeightedEstimate:
        """The mean of a value over all of the first phase, of those for which there is one."""
        values = [self._measured(key, unit, place, value_of) for key, unit, place in self.first_phase()]
        return two_phase_estimate(values, scale)

    def weights(self) -> dict[str, float]:
        """Key of each drawn one -> how many it stands for, where all that were drawn are judged."""
        phase = list(self.first_phase())
        found = second_weights([place for _, _, place in phase])
        return {key: weight for (key, _, _), weight in zip(phase, found, strict=True) if key and weight}

    def pairs(self) -> list[tuple[Unit, JudgedTurn]]:
        """What was judged, in the order of the sample."""
        found = ((unit, self.judged.get(key)) for key, unit, _ in self.first_phase())
        return [(unit, said) for unit, said in found if unit is not None and said is not None and said.is_scored]

    def _measured(
        self,
        key: str,
        unit: Unit | None,
        place: TwoPhaseValue,
        value_of: Callable[[Unit, JudgedTurn], float | None],
    ) -> TwoPhaseValue:
        said = self.judged.get(key)
        if unit is None or said is None or not said.is_scored:
            return place._replace(measured=False)
        return place._replace(measured=True, value=value_of(unit, said))


@dataclass(frozen=True, slots=True)
class SecondSample(JudgedSample[ScoredTurn]):
    """The turns of the first phase with what was drawn of them."""

    turns: Sequence[ScoredTurn]
    phase: SecondPhase

    def first_phase(self) -> Iterator[tuple[str, ScoredTurn | None, TwoPhaseValue]]:
        drawn = frozenset(self.phase.drawn)
        for turn in self.turns:
            key, cluster = turn.drawn.observation.key, turn.drawn.observation.cluster
            second = self.phase.strata.get(key)
            yield key, turn, TwoPhaseValue(turn.drawn.stratum, cluster, turn.drawn.weight, second, key in drawn, None)


def summarise_judged(
    sample: SecondSample,
    scenarios: Mapping[str, Scenario],
    metrics: Sequence[str],
    overall: str,
    scales: Mapping[Source, Scale],
    *,
    run_id: str,
    worst: int,
) -> JudgedSummary:
    """`scenarios` are those of the run by the keys of their turns; `worst` says how many are named."""
    pairs = sample.pairs()
    sources = [source for source in SOURCES if source in scales]
    source = sources[-1]

    def means(of: Source, inside: Callable[[ScoredTurn], bool] = lambda _: True) -> dict[str, WeightedEstimate]:
        return {metric: sample.estimate(_score_of(of, metric, inside), scales[of]) for metric in metrics}

    observations = [turn.drawn.observation for turn, _ in pairs]
    tags = Counter(tag for each in observations for tag in each.tags)
    ordered = sorted(
        (pair for pair in pairs if overall in pair[1].scores[source]),
        key=lambda pair: (pair[1].scores[source][overall], pair[0].drawn.observation.key),
    )
    return JudgedSummary(
        run_id=run_id,
        source=source,
        coverage=coverage_of(
            sample.phase.strata.values(), len(sample.phase.strata), len(sample.phase.drawn), sample.judged.values()
        ),
        means={each: means(each) for each in sources},
        **groups_of(observations, [tag for tag, _ in tags.most_common(MOST_TAGS)], partial(means, source)),
        conversations={
            name: sample.estimate(partial(of_conversation, name), scales["judge"])
            for name in dict.fromkeys(name for _, judged in pairs for name in judged.conversation)
        },
        met=sample.estimate(lambda _, judged: judged.met, SHARE),
        items=item_failures(
            ((turn.drawn.observation.key, judged) for turn, judged in pairs),
            scenarios.values(),
            lambda value_of: sample.estimate(lambda _, judged: value_of(judged), SHARE),
        ),
        worst=tuple(ordered[:worst]),
    )


def _score_of(
    source: Source, metric: str, inside: Callable[[ScoredTurn], bool]
) -> Callable[[ScoredTurn, JudgedTurn], float | None]:
    return lambda turn, judged: judged.scores[source].get(metric) if inside(turn) else None


def of_conversation(name: str, _unit: object, judged: JudgedTurn) -> float | None:
    """What the judge gave a conversation as a whole."""
    return judged.conversation.get(name)


def coverage_of(strata: Iterable[str], candidates: int, drawn: int, judged: Iterable[JudgedTurn]) -> SecondCoverage:
    """`strata` are those of the candidates; `judged` is what was said of those that were asked about."""
    states = Counter(each.state for each in judged)
    return SecondCoverage(
        candidates=candidates,
        strata=len(set(strata)),
        drawn=drawn,
        judged=states["scored"],
        unread=states["unparsed"],
        failed=states["failed"],
        open=drawn - states["scored"] - states["unparsed"] - states["failed"],
    )


def item_failures(
    pairs: Iterable[tuple[str, JudgedTurn]],
    scenarios: Iterable[Scenario],
    share_of: Callable[[Callable[[JudgedTurn], float | None]], WeightedEstimate],
) -> tuple[ItemFailures, ...]:
    """The expectations that fail, of what was judged by its keys; `share_of` estimates the mean of a value over all."""
    items = {item.id: item for scenario in scenarios for item in scenario.expect}
    failing: dict[str, list[str]] = {name: [] for name in items}
    answered = Counter[str]()
    for key, judged in pairs:
        for name, outcome in judged.items.items():
            answered[name] += outcome != "not_shown"
            if outcome == "fails" and name in failing:
                failing[name].append(key)
    found = [
        ItemFailures(items[name], len(keys), answered[name], share_of(partial(_fails, name)), tuple(keys))
        for name, keys in failing.items()
        if keys
    ]
    return tuple(sorted(found, key=lambda each: (not each.item.critical, -each.failed, each.item.id)))


def _fails(name: str, judged: JudgedTurn) -> float | None:
    outcome = judged.items.get(name)
    return None if outcome in (None, "not_shown") else float(outcome == "fails")
