"""A run's means in the units of people: the tool's, corrected by labels of responses that were drawn at random.

Only a label whose probability of being drawn was recorded counts; the others are counted and named. Labels of other
runs are held beside and never decide.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from evaluation.expectations.human import content_digest
from evaluation.records import Json, Reply, Result, Source
from evaluation.statistics.clusters import Scale
from evaluation.statistics.prediction import (
    CorrectedMean,
    MeanInterval,
    Response,
    carried_mean,
    corrected_mean,
)
from evaluation.statistics.prediction import Label as ForeignLabel
from evaluation.statistics.reliability import RatedScore, Reliability, reliability
from evaluation.statistics.scenario_scores import Estimate
from evaluation.summary.columns import Columns, Key, is_value
from evaluation.summary.labels import Chance, Draw, Label, LabelPlace, Labels
from evaluation.summary.metric import MetricSummary

LEAST_LABELS = 30
LEAST_SITUATIONS = 10
MOST_TAGS = 20
"""Tags whose means are corrected too, those with the most labels."""
LEAST_ANSWERED = 0.9
"""Share of the drawn responses that must have a label: those that nobody answers may be the hard ones."""


@dataclass(frozen=True, slots=True)
class HumanMetric:
    """One metric in human units."""

    source: Source
    """Whose values are corrected."""
    found: CorrectedMean | None
    """None where no drawn response has a label."""
    carried: MeanInterval | None = None
    """By labels of other runs, as if the tool erred alike in this one; None without any."""

    def to_json(self) -> dict[str, Json]:
        found = self.found
        return {
            "source": self.source,
            "raw": None if found is None else found.raw,
            "corrected": None if found is None else asdict(found.corrected),
            "people": None if found is None else asdict(found.people),
            "lambda": None if found is None else found.slope,
            "labels": 0 if found is None else found.labels,
            "situations": 0 if found is None else found.clusters,
            "responses": 0 if found is None else found.responses,
            "carried_over": None if self.carried is None else asdict(self.carried),
        }


@dataclass(frozen=True, slots=True)
class HumanUnits:
    """All that labels say of a run."""

    metrics: Mapping[str, HumanMetric]
    labels: int
    """Drawn responses with people's overall."""
    situations: int
    drawn: int
    """Responses of this run that were drawn; those without a label included."""
    undrawn: int = 0
    """Labels of this run whose probability was not recorded: they do not count."""
    other_rubric: int = 0
    """Labels of this run under another rubric: they do not count."""
    carried: int = 0
    """Labels of other runs, drawn there."""
    own: frozenset[str] = field(default_factory=frozenset)
    """Metrics that have labels in enough situations to be decided on."""
    by_tag: Mapping[str, CorrectedMean] = field(default_factory=dict)
    """Tag of scenarios -> the overall of theirs, from the labels among them; of production a version is a tag."""
    reliability: Mapping[Source, Reliability] = field(default_factory=dict)
    """Source -> the overall that it gave the labelled responses of this run, against what people gave them."""

    @property
    def lacking(self) -> tuple[str, ...]:
        """What is missing before anything is decided on people's values, in phrases; empty where nothing is."""
        found = []
        if self.labels < LEAST_LABELS:
            found.append(f"{LEAST_LABELS - self.labels} more labels (of {LEAST_LABELS})")
        if self.situations < LEAST_SITUATIONS:
            found.append(f"labels in {LEAST_SITUATIONS - self.situations} more situations (of {LEAST_SITUATIONS})")
        if self.labels < LEAST_ANSWERED * self.drawn:
            found.append(f"{self.drawn - self.labels} of the {self.drawn} responses that were drawn have no label")
        return tuple(found)

    def metric(self, name: str) -> MetricSummary | None:
        """The corrected mean of a metric as decisions read means; None where it has too few labels."""
        found = self.metrics[name].found if name in self.own else None
        if found is None:
            return None
        mean = found.corrected
        estimate = Estimate(found.labels, found.clusters, mean.mean, None, mean.se, mean.ci95, None, None, None, None)
        return MetricSummary(estimate, found.labels, 0, None)

    def to_json(self) -> dict[str, Json]:
        return {
            "labels": self.labels,
            "situations": self.situations,
            "drawn": self.drawn,
            "lacking": list(self.lacking),
            "labels_not_drawn": self.undrawn,
            "labels_under_another_rubric": self.other_rubric,
            "labels_of_other_runs": self.carried,
            "metrics": {name: metric.to_json() for name, metric in self.metrics.items()},
            **({"by_tag": {name: asdict(found) for name, found in self.by_tag.items()}} if self.by_tag else {}),
        }


class LabelTally:
    """Finds the results of a run that people labelled, or that were drawn to be."""

    def __init__(self, columns: Columns, labels: Labels) -> None:
        self._columns, self._labels = columns, labels
        self._audiences = {scenario.id: scenario.audience for scenario in columns.scenarios}
        known = [label.place for label in labels.labels]
        self._wanted = {place[:3] for place in (*known, *(place for draw in labels.draws for place in draw.chances))}
        self._slots: dict[LabelPlace, int] = {}
        self._values: Mapping[Key, Sequence[float]] = {}

    def add(self, result: Result, slot: int) -> None:
        exchange = result.exchange
        place = (exchange.cell.scenario_id, exchange.cell.repeat, exchange.turn)
        if place in self._wanted and isinstance(exchange.outcome, Reply):
            described = self._columns.suite.describe(exchange)
            digest = content_digest(described, self._audiences.get(exchange.cell.scenario_id, ""))
            self._slots[LabelPlace(*place, digest)] = slot

    def measure(self, run_id: str) -> HumanUnits | None:
        """What they say, once all results were added; None where there is no label and no draw of the run."""
        self._values = dict(self._columns.in_order())
        own = {label.place: label for label in self._labels.labels if label.place in self._slots}
        others = [label for label in self._labels.labels if label.place not in self._slots and label.same_rubric]
        usable = {place: label for place, label in own.items() if label.same_rubric}
        chances = self._chances(run_id, usable)
        away = list(self._elsewhere(others))
        if not own and not chances and not away:
            return None
        labels = {place: label for place, label in usable.items() if place in chances}
        metrics = dict(self._metrics(labels, chances, away))
        overall = metrics.get(self._columns.suite.overall)
        found = None if overall is None else overall.found
        return HumanUnits(
            metrics=metrics,
            labels=0 if found is None else found.labels,
            situations=0 if found is None else found.clusters,
            drawn=sum(self._is_scored(place) for place in chances),
            undrawn=sum(place not in chances for place in usable),
            other_rubric=len(own) - len(usable),
            carried=len(away),
            own=frozenset(
                name
                for name, each in metrics.items()
                if each.found is not None and each.found.clusters >= LEAST_SITUATIONS
            ),
            by_tag=self._by_tag(labels, chances),
            reliability=dict(self._reliability(usable)),
        )

    def _by_tag(
        self, labels: Mapping[LabelPlace, Label], chances: Mapping[LabelPlace, Chance]
    ) -> dict[str, CorrectedMean]:
        """The overall of each tag with labels in two situations or more, the tags with the most labels first."""
        metric = self._columns.suite.overall
        source = self._source_of(metric)
        scale = self._columns.suite.scale(source)
        tags = {scenario.id: scenario.tags for scenario in self._columns.scenarios}
        responses = list(self._responses(source, metric, self._people(labels, chances, metric, scale)))
        often = Counter(tag for each in responses if each.people is not None for tag in tags[each.scenario_id])
        found = {
            tag: corrected_mean((each for each in responses if tag in tags[each.scenario_id]), scale)
            for tag, _ in often.most_common(MOST_TAGS)
        }
        return {tag: each for tag, each in found.items() if each is not None and each.clusters > 1}

    def _people(
        self, labels: Mapping[LabelPlace, Label], chances: Mapping[LabelPlace, Chance], metric: str, scale: Scale
    ) -> dict[int, tuple[float, float]]:
        """Place of a labelled response in the plan -> people's value and the probability of being drawn."""
        return {
            self._slots[place]: (_placed(label, metric, scale), chances[place].probability)
            for place, label in labels.items()
            if metric in label.values
        }

    def _reliability(self, labels: Mapping[LabelPlace, Label]) -> Iterator[tuple[Source, Reliability]]:
        """Of every source that has an overall, over the labelled responses as they are, however they were chosen."""
        suite = self._columns.suite
        for (source, metric), column in self._values.items():
            if metric == suite.overall and source != "human":
                scale = suite.scale(source)
                rated = [
                    RatedScore(label.cluster, column[self._slots[place]], _placed(label, metric, scale))
                    for place, label in labels.items()
                    if metric in label.values and is_value(column[self._slots[place]])
                ]
                if rated:
                    yield source, reliability(rated, scale)

    def _chances(self, run_id: str, labels: Mapping[LabelPlace, Label]) -> Mapping[LabelPlace, Chance]:
        """Of the draw that most labels are of: that of the run, or of the run whose responses it scores once more."""

        def rank(draw: Draw) -> tuple[int, bool]:
            return sum(place in labels for place in draw.chances), draw.run_id == run_id

        best = max(self._labels.draws, key=rank, default=None)
        if best is None:
            return {}
        return {place: chance for place, chance in best.chances.items() if place in self._slots}

    def _is_scored(self, place: LabelPlace) -> bool:
        column = self._values.get((self._columns.source, self._columns.suite.overall))
        return column is not None and is_value(column[self._slots[place]])

    def _elsewhere(self, labels: list[Label]) -> Iterator[tuple[Label, Chance]]:
        chances: dict[tuple[str, LabelPlace], Chance] = {}
        for draw in self._labels.draws:
            chances.update({(draw.run_id, place): chance for place, chance in draw.chances.items()})
        for label in labels:
            chance = chances.get((label.run_id, label.place))
            if chance is not None:
                yield label, chance

    def _metrics(
        self,
        labels: Mapping[LabelPlace, Label],
        chances: Mapping[LabelPlace, Chance],
        away: list[tuple[Label, Chance]],
    ) -> Iterator[tuple[str, HumanMetric]]:
        suite = self._columns.suite
        for metric in suite.metrics:
            source = self._source_of(metric)
            scale = suite.scale(source)
            responses = list(self._responses(source, metric, self._people(labels, chances, metric, scale)))
            foreign = [
                ForeignLabel(
                    label.cluster, _placed(label, metric, scale), machine[metric], chance.weight / chance.probability
                )
                for label, chance in away
                if metric in label.values and metric in (machine := label.machine.get(source, {}))
            ]
            found, carried = corrected_mean(responses, scale), carried_mean(responses, foreign, scale)
            if found is not None or carried is not None:
                yield metric, HumanMetric(source, found, carried)

    def _source_of(self, metric: str) -> Source:
        """The deciding source where it has a value of the metric, else the rules."""
        columns = self._columns
        has_value = any(map(is_value, self._values.get((columns.source, metric), ())))
        return columns.source if has_value else columns.suite.rules

    def _responses(self, source: Source, metric: str, people: Mapping[int, tuple[float, float]]) -> Iterator[Response]:
        columns, column = self._columns, self._values.get((source, metric), ())
        for scenario, span in zip(columns.scenarios, columns.plan.spans, strict=True) if column else ():
            weight = 1.0 if span.sample is None else span.sample.weight
            for slot in range(span.start, span.stop) if weight > 0 else ():
                if is_value(column[slot]):
                    repeat, turn = divmod(slot - span.start, span.turns)
                    value, chance = people.get(slot, (None, 1.0))
                    yield Response(span.cluster, scenario.id, repeat, turn, column[slot], value, chance, weight)


def _placed(label: Label, metric: str, scale: Scale) -> float:
    """People's value on the scale of the source."""
    low, high = label.scale
    share = (label.values[metric] - low) / (high - low)
    return scale[0] + share * (scale[1] - scale[0])
