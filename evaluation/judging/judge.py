"""One judgement: the exchange goes out under the rubric, the answers come back as one verdict and become scores."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import median
from typing import TypeAlias

from evaluation.judging.asking import JudgePrompt, JudgeRubric, is_structured, response_format, verdict_keys
from evaluation.judging.checking import signs_of_injection
from evaluation.judging.material import Material
from evaluation.judging.reading import ReadVerdict, judged_text, read_verdict, weighted_overall
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Json, Purpose, Reply, Request, Scenario, Score, Usage, Verdict
from evaluation.runspec import JudgePin, call_seed

LARGEST_SPREAD = 0.2
"""Share of the scale by which the samples' overalls may lie apart before a person should look."""
LARGEST_GAP = 0.15
"""Share of the scale by which the overall that the judge gave may differ from the one that its dimensions make."""
JOINED = " + "
"""Stands between the models that answered the samples of one verdict."""
CLIP = 200
"""Characters of the judge's reasoning that ride on its score as explanation."""
Scale: TypeAlias = tuple[float, float]
"""Lowest and highest value."""
SHARES: Scale = (0.0, 1.0)


@dataclass(frozen=True)
class Judge:
    """A judge by its pin, under a rubric and a seed."""

    pin: JudgePin
    rubric: JudgeRubric
    seed: int

    @cached_property
    def _prompt(self) -> JudgePrompt:
        return JudgePrompt(self.rubric, self.pin.format)

    @cached_property
    def _parameters(self) -> dict[str, Json]:
        return {**self.pin.parameters, **response_format(self.rubric, self.pin.format)}

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics that this format gives values for: the text format gives the overall alone."""
        return verdict_keys(self.rubric) if is_structured(self.pin.format) else (self.rubric.overall,)

    @property
    def scale(self) -> Scale:
        """Lowest and highest value of a score."""
        return (self.rubric.low, self.rubric.high)

    async def judge(
        self, exchange: Exchange, complete: Complete, scenario: Scenario | None = None
    ) -> Verdict | CallFailure:
        """Asks once per sample; an answer that cannot be read is a verdict with `parsed=False`, not a failure.

        A sample that gets no answer is a failure of the whole: when it is asked again, only it is paid for again.
        """
        shown = self.rubric.show(exchange, scenario)
        requests = self.requests(exchange, shown)
        outcomes = await asyncio.gather(*map(complete, requests), return_exceptions=True)
        replies: list[Reply] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            if isinstance(outcome, CallFailure):
                return outcome
            replies.append(outcome)
        return self.read(replies, exchange, shown)

    def requests(self, exchange: Exchange, shown: Material | None = None, purpose: Purpose = "judge") -> list[Request]:
        """The question, sample by sample, as it is sent and as it is known by in the journal.

        `shown` is the material of the exchange where it was made already, with what its scenario adds.
        """
        cell = exchange.cell
        messages = self._prompt.messages(shown or self.rubric.show(exchange, None))
        return [
            Request(
                purpose=purpose,
                model=self.pin.model,
                messages=messages,
                parameters={
                    "seed": call_seed(self.seed, cell.scenario_id, cell.repeat, exchange.turn, sample),
                    **self._parameters,
                },
                cell=cell,
                turn=exchange.turn,
                sample=sample,
                readable=partial(self._can_read, exchange, shown),
            )
            for sample in range(1, self.pin.samples + 1)
        ]

    def _can_read(self, exchange: Exchange, shown: Material | None, reply: Reply) -> bool:
        return self.read([reply], exchange, shown).parsed

    def read(self, replies: Sequence[Reply], exchange: Exchange, shown: Material | None = None) -> Verdict:
        """The verdict in the replies to one question; the exchange is what they judge, `shown` its material."""
        shown = shown or self.rubric.show(exchange, None)
        suspected = any(map(signs_of_injection, shown.recent()))
        judged = (judged_text(exchange, shown),)
        reads = [
            read_verdict(reply.text, self.rubric, self.pin.format, judged, cut_off=reply.finish_reason == "length")
            for reply in replies
        ]
        if not exchange.context:
            reads = [self._without_context(read) for read in reads]
        return merge_reads(reads, replies, self.rubric, suspected=suspected)

    def _without_context(self, read: ReadVerdict) -> ReadVerdict:
        """The verdict on an exchange without an earlier conversation: some metrics leave the overall then."""
        rubric = self.rubric
        leaves = any(guide.leaves_overall for guide in rubric.guides.values())
        if not leaves or not read.scores.keys() >= rubric.guides.keys():
            return read
        overall = weighted_overall(read.scores, rubric, in_context=False)
        return replace(read, scores={**read.scores, rubric.overall: overall})


def merge_reads(
    reads: Sequence[ReadVerdict], replies: Sequence[Reply], rubric: JudgeRubric, *, suspected: bool
) -> Verdict:
    """One verdict from one sample or more. It is unread unless more than half of the samples were read."""
    good = [read for read in reads if read.scores]
    parsed = 2 * len(good) > len(reads)
    kept = good if parsed else []
    values = {name: round(median(read.scores[name] for read in kept), 10) for name in (kept[0].scores if kept else ())}
    spread = _spread(kept) if len(reads) > 1 else {}
    givens = [read.given_overall for read in kept if read.given_overall is not None]
    given = round(median(givens), 10) if givens else None
    first = kept[0] if kept else reads[0]
    problem = "" if parsed else next(read.problem for read in reads if not read.scores)
    costs = [reply.cost_usd for reply in replies]
    return Verdict(
        scores=values,
        reasoning=first.reasoning,
        rationale=first.rationale,
        parsed=parsed,
        raw=_raw(replies),
        model=JOINED.join(dict.fromkeys(reply.model for reply in replies)),
        problem=problem,
        fallback=None if parsed else rubric.fallback,
        samples=tuple(read.scores[rubric.overall] for read in good),
        injection_suspected=suspected,
        usage=_usage(replies),
        saved_usd=sum(reply.saved_usd for reply in replies),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        latency_ms=sum(reply.latency_ms for reply in replies),
        cached=all(reply.cached for reply in replies),
        given_overall=given,
        spread=spread,
        review=_review(values, given, spread, len(reads) - len(good), rubric),
    )


def _spread(reads: Sequence[ReadVerdict]) -> dict[str, float]:
    if not reads:
        return {}
    return {
        name: round(max(read.scores[name] for read in reads) - min(read.scores[name] for read in reads), 10)
        for name in reads[0].scores
    }


def _review(
    values: Mapping[str, float],
    given: float | None,
    spread: Mapping[str, float],
    unread: int,
    rubric: JudgeRubric,
) -> tuple[str, ...]:
    """The reasons why a person should look; none for a verdict that was not read, which is counted by itself."""
    width = rubric.high - rubric.low
    overall = values.get(rubric.overall)
    if overall is None:
        return ()
    reasons = []
    apart = spread.get(rubric.overall, 0.0)
    if apart > LARGEST_SPREAD * width + 1e-9:
        reasons.append(f"its samples lie {apart:g} apart")
    if given is not None and abs(given - overall) > LARGEST_GAP * width + 1e-9:
        reasons.append(f"the judge gave {given:g} overall, its dimensions make {overall:g}")
    if unread:
        reasons.append(f"{unread} of its samples could not be read")
    return tuple(reasons)


def _raw(replies: Sequence[Reply]) -> str:
    if len(replies) == 1:
        return replies[0].text
    return "\n\n".join(f"[sample {number}]\n{reply.text}" for number, reply in enumerate(replies, start=1))


def _usage(replies: Sequence[Reply]) -> Usage:
    def total(counts: Sequence[int | None]) -> int | None:
        return None if None in counts else sum(count or 0 for count in counts)

    return Usage(
        total([reply.usage.input_tokens for reply in replies]),
        total([reply.usage.output_tokens for reply in replies]),
        total([reply.usage.cached_input_tokens for reply in replies]),
    )


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


def rescale(value: float, given: Scale, wanted: Scale) -> float:
    """The value's place on another scale: 3 of 1 to 5 is 0.5 of 0 to 1."""
    if given == wanted:
        return value
    share = (value - given[0]) / (given[1] - given[0])
    return round(wanted[0] + share * (wanted[1] - wanted[0]), 10)


def _judge_score(metric: str, verdict: Verdict | CallFailure, heuristic: Score | None) -> Score:
    applicable = heuristic is None or heuristic.applicable
    if isinstance(verdict, CallFailure):
        return Score(metric, "judge", None, applicable=applicable, reason=f"judge call failed: {verdict.kind}")
    value = verdict.scores.get(metric)
    if value is None:
        return Score(metric, "judge", None, applicable=applicable, reason=f"verdict not read: {verdict.problem}")
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
