"""The companion metrics as functions of one exchange, by the names that the rubric gives them."""

from collections.abc import Sequence

from evaluation.errors import UsageError
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Score, Turn
from evaluation.rubrics.rubric import Rubric


class CompanionMetrics:
    """Every companion metric of a rubric as a function of (user_input, response, context) for use outside a run.

    `evaluate` returns the value, 0.0 to 1.0; `explain` the score with its explanation. Both raise UsageError when the
    rubric, a team's own, has no rule for that metric.
    """

    def __init__(self, rubric: Rubric) -> None:
        self._name = rubric.name
        self._rules = rubric_rules(rubric)

    def explain(self, metric: str, user_input: str, response: str, context: Sequence[Turn] = ()) -> Score:
        """The heuristic score of one metric; not applicable where it needs a context and there is none."""
        scores = self._rules.scores(Utterance(user_input, response, context))
        for score in scores:
            if score.metric == metric:
                return score
        raise UsageError(
            f"rubric {self._name!r} has no rule for metric {metric!r}; it has {', '.join(s.metric for s in scores)}"
        )

    def evaluate(self, metric: str, user_input: str, response: str, context: Sequence[Turn] = ()) -> float:
        """The value of one metric, 0.0 to 1.0."""
        value = self.explain(metric, user_input, response, context).value
        assert value is not None, "adjustments always give a value"
        return value
