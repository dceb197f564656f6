"""One judgement: the exchange goes out under the rubric, the answers come back as one verdict and become scores."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from evaluation.judging.asking import JudgeRubric, questions
from evaluation.judging.checking import signs_of_injection
from evaluation.judging.forms import Form, form_called
from evaluation.judging.merging import join_reads, merge_reads
from evaluation.judging.question import Judged, Question
from evaluation.judging.scale import SHARES, Scale, rescale
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Purpose, Reply, Request, Scenario, Score, Verdict
from evaluation.runspec import JudgePin, call_seed

CLIP = 200
"""Characters of the judge's reasoning that ride on its score as explanation."""


@dataclass(frozen=True)
class Judge:
    """A judge by its pin, under a rubric and a seed."""

    pin: JudgePin
    rubric: JudgeRubric
    seed: int

    @cached_property
    def form(self) -> Form:
        """How it is asked. Raises UsageError for a form that this version does not know."""
        return form_called(self.pin.form)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The calls of one verdict, in their order."""
        return questions(self.rubric, self.form, self.pin.format)

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics that it gives values for, the overall last."""
        asked = dict.fromkeys(metric for question in self.questions for metric in question.metrics)
        return (*(metric for metric in asked if metric != self.rubric.overall), self.rubric.overall)

    @property
    def scale(self) -> Scale:
        """Lowest and highest value of a score."""
        return (self.rubric.low, self.rubric.high)

    async def judge(
        self, exchange: Exchange, complete: Complete, scenario: Scenario | None = None
    ) -> Verdict | CallFailure:
        """Asks once per sample; an answer that cannot be read is a verdict with `parsed=False`, not a failure.

        A call that gets no answer is a failure of the whole: when it is asked again, only it is paid for again.
        """
        judged = self.put(exchange, scenario)
        outcomes = await asyncio.gather(*map(complete, self._requests(judged, "judge")), return_exceptions=True)
        replies: list[Reply] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            if isinstance(outcome, CallFailure):
                return outcome
            replies.append(outcome)
        return self._read(replies, judged)

    def put(self, exchange: Exchange, scenario: Scenario | None = None) -> Judged:
        """The exchange as this judge is shown it."""
        guided = any(question.guided for question in self.questions)
        return Judged(exchange, self.rubric.material(exchange, scenario, guided=guided), scenario)

    def requests(
        self, exchange: Exchange, scenario: Scenario | None = None, purpose: Purpose = "judge"
    ) -> list[Request]:
        """The calls of every sample, one sample after another, as they are sent and known by in the journal."""
        return self._requests(self.put(exchange, scenario), purpose)

    def read(self, replies: Sequence[Reply], exchange: Exchange, scenario: Scenario | None = None) -> Verdict:
        """The verdict in the replies to these calls, in their order; the exchange is what they judge."""
        return self._read(replies, self.put(exchange, scenario))

    def _requests(self, judged: Judged, purpose: Purpose) -> list[Request]:
        exchange = judged.exchange
        cell = exchange.cell
        asked = [(question, question.messages(judged)) for question in self.questions] * self.pin.samples
        return [
            Request(
                purpose=purpose,
                model=self.pin.model,
                messages=messages,
                parameters={
                    "seed": call_seed(self.seed, cell.scenario_id, cell.repeat, exchange.turn, number),
                    **self.pin.parameters,
                    **question.parameters,
                },
                cell=cell,
                turn=exchange.turn,
                sample=number,
                endpoint=self.pin.endpoint,
                readable=partial(_can_read, question, judged),
            )
            for number, (question, messages) in enumerate(asked, start=1)
        ]

    def _read(self, replies: Sequence[Reply], judged: Judged) -> Verdict:
        suspected = any(map(signs_of_injection, judged.shown.recent()))
        calls = len(self.questions)
        samples = [
            join_reads(
                [
                    question.read(reply, judged)
                    for question, reply in zip(self.questions, replies[start : start + calls], strict=True)
                ],
                self.rubric,
                in_context=bool(judged.exchange.context),
            )
            for start in range(0, len(replies), calls)
        ]
        return merge_reads(samples, replies, self.rubric, self.form, suspected=suspected)


def _can_read(question: Question, judged: Judged, reply: Reply) -> bool:
    return not question.read(reply, judged).problem


def with_judgement(
    heuristics: Sequence[Score],
    verdict: Verdict | CallFailure,
    judged_metrics: Sequence[str],
    *,
    judge_scale: Scale = SHARES,
    scale: Scale = SHARES,
) -> tuple[Score, ...]:
    """The heuristics, then the judge's scores, then the combined ones: the mean of both, per judged metric.

    The judge's scores keep its own scale; for the mean they are put on the `scale` of the heuristics. Without a value
    from the judge there is no combined value either: the heuristic alone would mix scales. Checks are not combined.
    """
    by_metric = {score.metric: score for score in heuristics if score.source == "heuristic"}
    judged = [_judge_score(metric, verdict, by_metric.get(metric)) for metric in judged_metrics]
    combined = [
        _combine(by_metric[score.metric], score, judge_scale, scale) for score in judged if score.metric in by_metric
    ]
    return (*heuristics, *judged, *combined)


def _judge_score(metric: str, verdict: Verdict | CallFailure, heuristic: Score | None) -> Score:
    applicable = heuristic is None or heuristic.applicable
    if isinstance(verdict, CallFailure):
        return Score(metric, "judge", None, applicable=applicable, reason=f"judge call failed: {verdict.kind}")
    value = verdict.scores.get(metric)
    if value is None:
        reason = verdict.rationale.get(metric, "it has no value") if verdict.parsed else ""
        reason = reason[:CLIP] or f"verdict not read: {verdict.problem}"
        return Score(metric, "judge", None, applicable=applicable, reason=reason)
    why = verdict.rationale.get(metric, verdict.reasoning)
    return Score(metric, "judge", value, explanation=why[:CLIP], applicable=applicable)


def _combine(heuristic: Score, judge: Score, judge_scale: Scale, scale: Scale) -> Score:
    if heuristic.value is None or judge.value is None:
        reason = judge.reason or heuristic.reason
        return Score(heuristic.metric, "combined", None, applicable=heuristic.applicable, reason=reason)
    judged = rescale(judge.value, judge_scale, scale)
    mean = round((heuristic.value + judged) / 2, 10)
    explanation = f"mean of rules {heuristic.value:g} and judge {judged:g}"
    return Score(heuristic.metric, "combined", mean, explanation, applicable=heuristic.applicable)
