"""From a rubric to the function that scores an exchange by rule."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.metrics.adjustments import Rule, WeightedSum, adjustment_rule, weighted_sum
from evaluation.metrics.explained import Explained
from evaluation.metrics.utterance import Utterance
from evaluation.ports import ScoreExchange
from evaluation.records import Exchange, Json, Score, Source
from evaluation.rubrics.rubric import Measure, Metric, Rubric

if TYPE_CHECKING:
    from evaluation.metrics.formulas import Formula


@dataclass(frozen=True, slots=True)
class RubricRules:
    """The rules of a rubric, prepared once."""

    rules: Mapping[str, Rule]
    """Metric -> rule, in rubric order, for the metrics that code can score by themselves."""
    overall: str
    overall_rule: WeightedSum | None
    """None when some weighted metric has no rule, so that code has no overall either."""
    contextual: frozenset[str]
    """Metrics that mean nothing without an earlier conversation."""
    measures: Mapping[str, Rule] = field(default_factory=dict)
    """Measure -> rule, in rubric order."""

    def explain(self, utterance: Utterance) -> dict[str, Explained]:
        """Metric -> value and explanation, in rubric order, the overall last."""
        explained = {name: rule(utterance) for name, rule in self.rules.items()}
        if self.overall_rule is not None:
            explained[self.overall] = self.overall_rule(explained)
        return explained

    def scores(self, utterance: Utterance) -> tuple[Score, ...]:
        """The same as scores of source `heuristic`, and the measures as source `measure`.

        Without context the contextual ones are marked not applicable, and so is what has nothing to measure.
        """
        missing = frozenset() if utterance.context else self.contextual
        scores = [
            _score(name, "heuristic", explained, name not in missing)
            for name, explained in self.explain(utterance).items()
        ]
        for name, rule in self.measures.items():
            scores.append(_score(name, "measure", rule(utterance), applicable=True))
        return tuple(scores)


def rubric_rules(rubric: Rubric) -> RubricRules:
    """Prepares a rubric's cues and formulas. Metrics that only people or a judge score have no rule."""
    rules = {
        name: _rule(metric, rubric)
        for name, metric in rubric.metrics.items()
        if metric.kind in ("adjustments", "formula")
    }
    weights = {name: metric.weight for name, metric in rubric.metrics.items() if metric.weight is not None}
    return RubricRules(
        rules=rules,
        overall=rubric.overall,
        overall_rule=weighted_sum(weights, rubric.low, rubric.high) if weights.keys() <= rules.keys() else None,
        contextual=frozenset(name for name, metric in rubric.metrics.items() if metric.needs_context),
        measures={name: _measure_rule(measure) for name, measure in rubric.measures.items()},
    )


def build_scorer(rubric: Rubric) -> ScoreExchange:
    """The rubric as the function that the runner calls: one heuristic score per metric with a rule, in rubric order."""
    rules = rubric_rules(rubric)

    def score(exchange: Exchange) -> tuple[Score, ...]:
        return rules.scores(Utterance(exchange.user_input, exchange.response, exchange.context, exchange.moderation))

    return score


def _rule(metric: Metric, rubric: Rubric) -> Rule:
    if metric.kind == "adjustments":
        return adjustment_rule(metric, rubric.low, rubric.high)
    from evaluation.metrics.formulas import FORMULAS  # for rubrics that have any; others start sooner

    return _built(FORMULAS[metric.formula], metric.constants)


def _measure_rule(measure: Measure) -> Rule:
    from evaluation.metrics.formulas import INDICES

    return _built(INDICES[measure.formula], measure.constants)


def _built(formula: "Formula", constants: Mapping[str, Json] | None) -> Rule:
    return formula.build(formula.settings(**(constants or {})))


def _score(name: str, source: Source, explained: Explained, applicable: bool) -> Score:
    value = explained.value
    return Score(name, source, value, explained.explanation, applicable and value is not None, explained.missing)
