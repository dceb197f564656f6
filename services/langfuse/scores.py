"""Scores in Langfuse: which are sent, as which bodies, and how."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Literal, TypeAlias, TypeVar

from evaluation.identity import observation_id, score_id
from evaluation.records import Json, Result, Scenario, Score, Verdict
from evaluation.run import Run
from services.json_text import to_line
from services.langfuse.item_scores import item_figures
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.rest import JSON_HEADERS, LangfuseRest, Rejected, share_out
from services.langfuse.score_names import (
    CRITICAL,
    DataType,
    Figure,
    ScoreKind,
    conversation_name,
    item_name,
    kinds_of_run,
    own_name,
    score_name,
)
from services.langfuse.traces import ROOT, CellRef, turn_observation

T = TypeVar("T")
Body: TypeAlias = dict[str, Json]
Refusals: TypeAlias = dict[str, str]
"""Score id -> why the server, or the check before sending, refuses it."""
ScoreMode: TypeAlias = Literal["list", "single"]
"""Says whether scores go in lists or, to a server before 4.59, one per request."""

MAX_COMMENT = 20_000
"""Characters of a score's comment."""
MAX_BYTES = 900_000
"""Of one list; the server takes less than 1,000,000."""
AT_ONCE: dict[ScoreMode, int] = {"list": 1, "single": 8}
"""Requests with scores under way at a time: their order does not matter, as each score replaces itself alone."""


def chosen_scores(run: Run, scores: Iterable[Score]) -> list[Score]:
    """The scores of one exchange that are sent: all of them, or per metric the one that decides, and each overall.

    What is not applicable stays out: averages in the UI would count it.
    """
    usable = [score for score in scores if score.value is not None and score.applicable]
    if run.suite.checks or run.request.langfuse_scores == "all":
        return usable
    combined = {score.metric for score in scores if score.source == "combined"}
    return [
        score
        for score in usable
        if score.source == "combined"
        or score.metric == run.suite.overall
        or (score.source == "heuristic" and score.metric not in combined)
    ]


@dataclass(frozen=True)
class ScoreProjection:
    """One run's scores. `configs` gives the server's config id of a name, where there is one that fits."""

    run: Run
    environment: str
    fit: Outgoing
    configs: Mapping[str, str]

    def cell(self, ref: CellRef, results: Sequence[Result]) -> list[Body]:
        """The scores of one cell: on its turns' generations and, for a conversation, their means on its root.

        Those of the conversation as a whole stand on the root as well.

        Timestamps are the journaled ends of the exchanges, so that sending a score again replaces it at any time.
        """
        if ref.failed:
            return []
        turns = len(self._scenarios[ref.cell.scenario_id].turns)
        trace = ref.trace_id(self.run.run_id)
        responses = [result for result in results if result.scope == "response"]
        by_turn = [(result, list(self._of_result(result))) for result in responses]
        bodies: list[Body] = []
        for result, values in by_turn:
            target = turn_observation(trace, turns, result.exchange.turn)
            at = timestamp(result.exchange.outcome.ended_at)
            bodies.extend(self._body(value, at, trace=trace, observation=target) for value in values)
        root = observation_id(trace, ROOT)
        for result in results:
            if result.scope == "conversation":
                at = timestamp(result.exchange.outcome.ended_at)
                whole = self._of_conversation(result)
                bodies.extend(self._body(value, at, trace=trace, observation=root) for value in whole)
        if turns > 1 and responses:
            at = timestamp(max(result.exchange.outcome.ended_at for result in responses))
            means = self._means([values for _, values in by_turn])
            bodies.extend(self._body(value, at, trace=trace, observation=root) for value in means)
        return bodies

    def whole(self, experiment: str, figures: Iterable[Figure]) -> list[Body]:
        """The figures of a run on one of its experiments, stamped with the run's beginning."""
        at = timestamp(self.run.created_at)
        return [self._body(figure, at, experiment=experiment) for figure in figures]

    @cached_property
    def _scenarios(self) -> dict[str, Scenario]:
        return {scenario.id: scenario for scenario in self.run.scenarios}

    @cached_property
    def kinds(self) -> dict[str, ScoreKind]:
        """Name -> type and range."""
        suite = self.run.suite.name
        items = {item_name(suite, item.id) for scenario in self.run.scenarios for item in scenario.expect}
        kinds = (*(ScoreKind(name, "BOOLEAN") for name in items), *kinds_of_run(self.run))
        return {kind.name: kind for kind in kinds}

    def kind(self, name: str) -> ScoreKind:
        """Of any name; one that the run did not announce is a number without bounds."""
        return self.kinds.get(name) or ScoreKind(name, "NUMERIC")

    @cached_property
    def _rubric(self) -> Json:
        rubric = self.run.spec.rubric
        origin: Json = {"rubric": rubric.name, "rubric_version": rubric.version, "rubric_sha256": rubric.sha256}
        return fit_json(origin, self.fit)

    def _of_result(self, result: Result) -> Iterator[Figure]:
        verdict, suite = result.verdict, self.run.suite.name
        for score in chosen_scores(self.run, result.scores):
            assert score.value is not None
            yield Figure(
                score_name(suite, score.source, score.metric),
                score.value,
                self._comment(score, result),
                _of_panel(score, verdict),
            )
        if verdict is not None:
            comment = verdict.reasoning if verdict.parsed else verdict.problem
            yield Figure(own_name(suite, "judge_parsed"), float(verdict.parsed), comment)
        overall = {score.source: score.value for score in result.scores if score.metric == self.run.suite.overall}
        yield from item_figures(self.run, self._scenarios[result.exchange.cell.scenario_id], result)
        yield from self._level(overall["combined"] if "combined" in overall else overall.get("heuristic"))

    def _of_conversation(self, result: Result) -> Iterator[Figure]:
        """The judge's scores of a conversation; what there is nothing of has none."""
        rationale = {} if result.verdict is None else result.verdict.rationale
        for score in result.scores:
            if score.value is not None:
                name = conversation_name(self.run.suite.name, score.metric)
                comment = rationale.get(score.metric, score.explanation)
                yield Figure(name, score.value, comment, metadata=_of_panel(score, result.verdict))

    def _comment(self, score: Score, result: Result) -> str:
        reasoning = result.verdict.reasoning if result.verdict is not None else ""
        if score.source == "judge":
            return reasoning or score.explanation
        if score.source == "combined" and reasoning:
            return f"{score.explanation}\n{reasoning}"
        return score.explanation

    def _level(self, overall: float | None) -> Iterator[Figure]:
        """The quality level of an overall, with that overall as comment; nothing without a level."""
        level = self.run.suite.level_of(overall)
        if level is not None:
            yield Figure(
                own_name(self.run.suite.name, "quality_level"), level, f"{self.run.suite.overall} {overall:.3g}"
            )

    def _means(self, turns: Sequence[Sequence[Figure]]) -> Iterator[Figure]:
        """Per name the mean over the turns that have it; true only if all are; critical failures added up; the level of
        the mean overall."""
        by_name: dict[str, list[float | str]] = defaultdict(list)
        for values in turns:
            for value in values:
                by_name[value.name].append(value.value)
        means: dict[str, float] = {}
        for name, found in by_name.items():
            numbers = [value for value in found if not isinstance(value, str)]
            if numbers and self.kind(name).data_type == "BOOLEAN":
                yield Figure(name, min(numbers), f"{sum(numbers):g} of {len(numbers)} turns")
            elif numbers and name == own_name(self.run.suite.name, CRITICAL):
                listed = ", ".join(f"{number:g}" for number in numbers)
                yield Figure(name, sum(numbers), f"sum of {len(numbers)} turns: {listed}")
            elif numbers:
                means[name] = round(fmean(numbers), 10)
                listed = ", ".join(f"{number:.3g}" for number in numbers)
                yield Figure(name, means[name], f"mean of {len(numbers)} turns: {listed}")
        combined = score_name(self.run.suite.name, "combined", self.run.suite.overall)
        rules = score_name(self.run.suite.name, "heuristic", self.run.suite.overall)
        yield from self._level(means.get(combined, means.get(rules) if self.run.spec.judge is None else None))

    def _body(self, figure: Figure, at: str, *, trace: str = "", observation: str = "", experiment: str = "") -> Body:
        return score_body(
            figure,
            self.kind(figure.name).data_type,
            subject=experiment or f"{trace}|{observation}",
            target={"datasetRunId": experiment} if experiment else {"traceId": trace, "observationId": observation},
            environment=self.environment,
            metadata=fit_json({**self._rubric, **figure.metadata}, self.fit) if figure.metadata else self._rubric,
            at=at,
            fit=self.fit,
            configs=self.configs,
        )


def _of_panel(score: Score, verdict: Verdict | None) -> dict[str, Json]:
    """What each member of a panel gave, on the score of the judge; nothing of a single judge."""
    if verdict is None or score.source != "judge" or not verdict.members:
        return {}
    given = {model: values[score.metric] for model, values in verdict.members.items() if score.metric in values}
    found: dict[str, Json] = {"judge_members": given, "judge_spread": verdict.spread.get(score.metric)}
    return {**found, "judge_escalated": verdict.escalated} if verdict.escalated else found


def score_body(
    figure: Figure,
    data_type: DataType,
    *,
    subject: str,
    target: Mapping[str, str],
    environment: str,
    metadata: Json,
    at: str,
    fit: Outgoing,
    configs: Mapping[str, str],
) -> Body:
    """The body that posts one value; its id follows from the subject and the name."""
    body: Body = {
        "id": score_id(subject, figure.name),
        **target,
        "name": figure.name,
        "value": figure.value,
        "dataType": data_type,
        "environment": environment,
        "metadata": metadata,
        "timestamp": at,
    }
    if figure.comment:
        body["comment"] = fit(figure.comment)[:MAX_COMMENT]
    if figure.name in configs:
        body["configId"] = configs[figure.name]
    return body


def timestamp(seconds: float) -> str:
    """A time since the epoch in ISO 8601, UTC, to the millisecond."""
    milliseconds = round(seconds * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(milliseconds // 1000))
    return f"{whole}.{milliseconds % 1000:03d}Z"


async def post_scores(rest: LangfuseRest, bodies: Iterable[Body], mode: ScoreMode) -> Refusals:
    """Sends all bodies; sending one again replaces it. Raises TryAgain when patience ends, UsageError for the keys."""
    refusals: Refusals = {}
    texts = ((str(body["id"]), to_line(body).encode()) for body in bodies)
    # A score on its own is a list of which no other score shares the request.
    parts = split_within(texts, lambda text: len(text[1]) + 1, MAX_BYTES - 2 if mode == "list" else 0)

    async def post(part: Sequence[tuple[str, bytes]]) -> None:
        refusals.update(await _post(rest, part, mode))

    await share_out(parts, post, AT_ONCE[mode])
    return refusals


def split_within(items: Iterable[T], size_of: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """In order, one group for each request: none larger than `most` unless a single item is."""
    group: list[T] = []
    size = 0
    for item in items:
        own = size_of(item)
        if group and size + own > most:
            yield group
            group, size = [], 0
        group.append(item)
        size += own
    if group:
        yield group


def check(body: Body, kind_of: Callable[[str], ScoreKind]) -> str:
    """Why the server would refuse or silently drop this score; empty when it is good."""
    if len(to_line(body).encode()) > MAX_BYTES:
        return f"is larger than {MAX_BYTES:,} bytes"
    return kind_of(body["name"]).problem(body["value"])


async def _post(rest: LangfuseRest, part: Sequence[tuple[str, bytes]], mode: ScoreMode) -> Refusals:
    """One request; when the server refuses some of it without saying which, both halves, down to the single score."""
    joined = b",".join(text for _, text in part)
    content = b"[" + joined + b"]" if mode == "list" else joined
    try:
        response = await rest.send("POST", "scores", content=content, headers=JSON_HEADERS)
    except Rejected as rejected:
        if rejected.status == 404:
            raise
        message = str(rejected)
    else:
        if response.status != 207:
            return {}
        errors = response.json().get("errors") or [{}]
        message = str(errors[0].get("message", "refused without a reason"))[:300]
    if len(part) == 1:
        return {part[0][0]: message}
    middle = len(part) // 2
    return await _post(rest, part[:middle], mode) | await _post(rest, part[middle:], mode)
