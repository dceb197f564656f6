"""The journal's scores of one cell, and a run's figures, as the bodies that are posted."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from evaluation.identity import observation_id, score_id
from evaluation.records import Json, Result, Score
from evaluation.run import Run
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.names import ScoreKind, chosen_scores, own_name, quality_level, score_kinds, score_name
from services.langfuse.outbox import CellRef, Figure
from services.langfuse.traces import ROOT, turn_observation

MAX_COMMENT = 20_000
"""Characters of a score's comment."""


@dataclass(frozen=True)
class ScoreProjection:
    """One run's scores. `configs` gives the server's config id of a name, where there is one that fits."""

    run: Run
    environment: str
    fit: Outgoing
    configs: Mapping[str, str]

    def cell(self, ref: CellRef, results: Sequence[Result]) -> list[dict[str, Json]]:
        """The scores of one cell: on its turns' generations and, for a conversation, their means on its root.

        Timestamps are the journaled ends of the exchanges, so that sending a score again replaces it at any time.
        """
        if ref.failed:
            return []
        turns = self._turns[ref.cell.scenario_id]
        trace = ref.trace_id(self.run.run_id)
        by_turn = [(result, list(self._of_result(result))) for result in results]
        bodies: list[dict[str, Json]] = []
        for result, values in by_turn:
            target = turn_observation(trace, turns, result.exchange.turn)
            at = timestamp(result.exchange.outcome.ended_at)
            bodies.extend(self._body(value, at, trace=trace, observation=target) for value in values)
        if turns > 1 and results:
            root = observation_id(trace, ROOT)
            at = timestamp(max(result.exchange.outcome.ended_at for result in results))
            means = self._means([values for _, values in by_turn])
            bodies.extend(self._body(value, at, trace=trace, observation=root) for value in means)
        return bodies

    def whole(self, experiment: str, figures: Iterable[Figure]) -> list[dict[str, Json]]:
        """The figures of a run on one of its experiments, stamped with the run's beginning."""
        at = timestamp(self.run.created_at)
        return [self._body(figure, at, experiment=experiment) for figure in figures]

    @cached_property
    def _turns(self) -> dict[str, int]:
        return {scenario.id: len(scenario.turns) for scenario in self.run.scenarios}

    @cached_property
    def kinds(self) -> dict[str, ScoreKind]:
        """Name -> type and range."""
        return {kind.name: kind for kind in score_kinds(self.run.suite, judged=self.run.spec.judge is not None)}

    def kind(self, name: str) -> ScoreKind:
        """Of any name; one that the run did not announce is a number without bounds."""
        return self.kinds.get(name) or ScoreKind(name, "NUMERIC")

    @cached_property
    def _rubric(self) -> Json:
        rubric = self.run.spec.rubric
        told: Json = {"rubric": rubric.name, "rubric_version": rubric.version, "rubric_sha256": rubric.sha256}
        return fit_json(told, self.fit)

    def _of_result(self, result: Result) -> Iterator[Figure]:
        verdict, suite = result.verdict, self.run.suite.name
        for score in chosen_scores(self.run, result.scores):
            assert score.value is not None
            yield Figure(score_name(suite, score.source, score.metric), score.value, self._comment(score, result))
        if verdict is not None:
            comment = verdict.reasoning if verdict.parsed else verdict.problem
            yield Figure(own_name(suite, "judge_parsed"), float(verdict.parsed), comment)
        level = self._level(result.scores)
        if level is not None:
            yield Figure(own_name(suite, "quality_level"), *level)

    def _comment(self, score: Score, result: Result) -> str:
        reasoning = result.verdict.reasoning if result.verdict is not None else ""
        if score.source == "judge":
            return reasoning or score.explanation
        if score.source == "combined" and reasoning:
            return f"{score.explanation}\n{reasoning}"
        return score.explanation

    def _level(self, scores: Iterable[Score]) -> tuple[str, str] | None:
        """The quality level of the deciding overall, with that overall as comment."""
        overall = {score.source: score.value for score in scores if score.metric == self.run.suite.overall}
        value = overall["combined"] if "combined" in overall else overall.get("heuristic")
        level = None if value is None else quality_level(self.run.suite, value)
        return None if level is None else (level, f"{self.run.suite.overall} {value:.3g}")

    def _means(self, turns: Sequence[Sequence[Figure]]) -> Iterator[Figure]:
        """Per name the mean over the turns that have it; parsed only if all are; the level of the mean overall."""
        by_name: dict[str, list[float | str]] = defaultdict(list)
        for values in turns:
            for value in values:
                by_name[value.name].append(value.value)
        level_name = own_name(self.run.suite.name, "quality_level")
        means: dict[str, float] = {}
        for name, found in by_name.items():
            numbers = [value for value in found if not isinstance(value, str)]
            if numbers and self.kind(name).data_type == "BOOLEAN":
                yield Figure(name, min(numbers), f"{sum(numbers):g} of {len(numbers)} turns")
            elif numbers:
                means[name] = round(fmean(numbers), 10)
                listed = ", ".join(f"{number:.3g}" for number in numbers)
                yield Figure(name, means[name], f"mean of {len(numbers)} turns: {listed}")
        combined = score_name(self.run.suite.name, "combined", self.run.suite.overall)
        rules = score_name(self.run.suite.name, "heuristic", self.run.suite.overall)
        overall = means.get(combined, means.get(rules) if self.run.spec.judge is None else None)
        level = None if overall is None else quality_level(self.run.suite, overall)
        if level is not None:
            yield Figure(level_name, level, f"{self.run.suite.overall} {overall:.3g}")

    def _body(
        self, value: Figure, at: str, *, trace: str = "", observation: str = "", experiment: str = ""
    ) -> dict[str, Json]:
        kind = self.kind(value.name)
        target = {"datasetRunId": experiment} if experiment else {"traceId": trace, "observationId": observation}
        body: dict[str, Json] = {
            "id": score_id(experiment or f"{trace}|{observation}", value.name),
            **target,
            "name": value.name,
            "value": value.value,
            "dataType": kind.data_type,
            "environment": self.environment,
            "metadata": self._rubric,
            "timestamp": at,
        }
        if value.comment:
            body["comment"] = self.fit(value.comment)[:MAX_COMMENT]
        if value.name in self.configs:
            body["configId"] = self.configs[value.name]
        return body


def timestamp(seconds: float) -> str:
    """A time since the epoch in ISO 8601, UTC, to the millisecond."""
    milliseconds = round(seconds * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000))
    return f"{whole}.{milliseconds % 1000:03d}Z"
