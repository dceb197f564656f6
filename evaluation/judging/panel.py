"""A panel: several judges are asked about the same exchange, and their mean counts.

Each member answers in its own format. Where their overalls lie too far apart, a stronger judge decides, or people
are to look. A verdict counts where every one could be read: the mean of some of them would be another judge's.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TypeAlias

from evaluation.judging.asking import JudgeRubric
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.judge import Judge
from evaluation.judging.merging import JOINED
from evaluation.judging.scale import Scale
from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Scenario, Usage, Verdict
from evaluation.runspec import JudgePin

APART = 0.3
"""Share of the scale beyond which members lie too far apart, where nothing else is asked for: three honest judges, each
0.1 off an exchange (standard deviation), lie farther apart on 9% of exchanges."""
MEMBERS_APART = "the members of the panel lie"
"""Begins the reason why people are to look where nobody else decides."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Panel:
    """The judges of a panel's pin, under one rubric and one seed."""

    pin: JudgePin
    rubric: JudgeRubric
    seed: int

    @cached_property
    def members(self) -> tuple[Judge, ...]:
        """In the order of the pin."""
        return tuple(Judge(pin, self.rubric, self.seed) for pin in self.pin.members)

    @property
    def arbiter(self) -> Judge | None:
        """Who decides where they lie too far apart; None where nobody does."""
        pin = self.pin.escalate
        return None if pin is None else Judge(pin, self.rubric, self.seed)

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics that any member gives values for, in the rubric's order."""
        return max((member.judged_metrics for member in self.members), key=len)

    @property
    def scale(self) -> Scale:
        """Lowest and highest value of a score."""
        return (self.rubric.low, self.rubric.high)

    async def judge(
        self, exchange: Exchange, complete: Complete, scenario: Scenario | None = None
    ) -> Verdict | CallFailure:
        """Asks every member at once. Where one gets no answer the whole fails: a resume asks that one alone."""
        said = await asyncio.gather(
            *(member.judge(exchange, complete, scenario) for member in self.members), return_exceptions=True
        )
        verdicts: list[Verdict] = []
        for each in said:
            if isinstance(each, BaseException):
                raise each
            if isinstance(each, CallFailure):
                return each
            verdicts.append(each)
        verdict = merge_members(self.pin.members, verdicts, self.rubric)
        if not self._lie_apart(verdict):
            return verdict
        arbiter = self.arbiter
        if arbiter is None:
            apart = verdict.spread[self.rubric.overall]
            return replace(verdict, review=(*verdict.review, f"{MEMBERS_APART} {apart:g} apart"))
        decided = await arbiter.judge(exchange, complete, scenario)
        return decided if isinstance(decided, CallFailure) else decide_by(decided, verdict)

    def _lie_apart(self, verdict: Verdict) -> bool:
        apart = APART if self.pin.apart is None else self.pin.apart
        width = self.rubric.high - self.rubric.low
        return verdict.parsed and verdict.spread.get(self.rubric.overall, 0.0) > apart * width + ROUNDING


AnyJudge: TypeAlias = Judge | Panel


def judge_of(pin: JudgePin, rubric: JudgeRubric, seed: int) -> AnyJudge:
    """The judge, or the panel, that a pin describes."""
    return Panel(pin, rubric, seed) if pin.members else Judge(pin, rubric, seed)


def judges_of(judge: AnyJudge | None) -> tuple[Judge, ...]:
    """Everybody who is asked for a verdict; nobody without a judge."""
    if judge is None:
        return ()
    return tuple(Judge(pin, judge.rubric, judge.seed) for pin in judge.pin.judges)


def panel_pin(members: Sequence[JudgePin], escalate: JudgePin | None, apart: float | None) -> JudgePin:
    """The pin of several judges; of one alone its own, as a panel of one is that judge."""
    if len(members) == 1:
        return members[0]
    first = members[0]
    return JudgePin(
        model=JOINED.join(member.model for member in members),
        endpoint=JOINED.join(dict.fromkeys(member.endpoint for member in members)),
        format=JOINED.join(dict.fromkeys(member.format for member in members)),
        samples=first.samples,
        parameters=first.parameters,
        prompt=first.prompt,
        form=first.form,
        members=tuple(members),
        escalate=escalate,
        apart=APART if apart is None else apart,
    )


def with_formats(pin: JudgePin, formats: Mapping[str, str]) -> JudgePin:
    """The pin with each judge in the format of its model; one that is not named keeps its own."""
    settled = {each.model: replace(each, format=formats.get(each.model, each.format)) for each in pin.judges}
    if not pin.members:
        return settled[pin.model]
    escalate = None if pin.escalate is None else settled[pin.escalate.model]
    return panel_pin([settled[member.model] for member in pin.members], escalate, pin.apart)


def merge_members(pins: Sequence[JudgePin], verdicts: Sequence[Verdict], rubric: JudgeRubric) -> Verdict:
    """One verdict of all: means and, per metric, how far the members that gave it lie apart."""
    unread = next(((pin, each) for pin, each in zip(pins, verdicts, strict=True) if not each.parsed), None)
    names = dict.fromkeys(name for each in verdicts for name in each.scores) if unread is None else {}
    given = {name: [each.scores[name] for each in verdicts if name in each.scores] for name in names}
    longest = max(verdicts, key=lambda each: len(each.scores))
    joined = join_verdicts(
        pins,
        verdicts,
        scores={name: round(fmean(values), 10) for name, values in given.items()},
        spread={name: round(max(values) - min(values), 10) for name, values in given.items() if len(values) > 1},
        rationale=longest.rationale,
        problem="" if unread is None else f"{unread[0].model}: {unread[1].problem}",
    )
    return joined if unread is None else replace(joined, fallback=rubric.fallback)


def join_verdicts(
    pins: Sequence[JudgePin],
    verdicts: Sequence[Verdict],
    *,
    scores: Mapping[str, float],
    spread: Mapping[str, float],
    rationale: Mapping[str, str],
    problem: str,
) -> Verdict:
    """The words, costs and values of all members in one verdict; unread where there is a problem."""
    return Verdict(
        scores=scores,
        reasoning=_titled(pins, [each.reasoning for each in verdicts]),
        rationale=rationale,
        parsed=not problem,
        raw=_titled(pins, [each.raw for each in verdicts]),
        model=JOINED.join(each.model for each in verdicts),
        problem=problem,
        injection_suspected=any(each.injection_suspected for each in verdicts),
        usage=_usage(verdicts),
        saved_usd=sum(each.saved_usd for each in verdicts),
        cost_usd=_cost(verdicts),
        latency_ms=max(each.latency_ms for each in verdicts),
        cached=all(each.cached for each in verdicts),
        spread=spread,
        review=tuple(
            f"{pin.model}: {reason}" for pin, each in zip(pins, verdicts, strict=True) for reason in each.review
        ),
        members={pin.model: dict(each.scores) for pin, each in zip(pins, verdicts, strict=True)},
    )


def decide_by(decided: Verdict, verdict: Verdict) -> Verdict:
    """The verdict with another judge's in the place of the mean; what that one does not score stays the mean."""
    both = (verdict, decided)
    return replace(
        verdict,
        scores={**verdict.scores, **decided.scores} if decided.parsed else {},
        reasoning=f"[{decided.model}, who decides] {decided.reasoning}\n\n{verdict.reasoning}",
        rationale=decided.rationale or verdict.rationale,
        parsed=decided.parsed,
        raw=f"[{decided.model}, who decides]\n{decided.raw}\n\n{verdict.raw}",
        problem=decided.problem and f"{decided.model}: {decided.problem}",
        fallback=decided.fallback,
        injection_suspected=verdict.injection_suspected or decided.injection_suspected,
        usage=_usage(both),
        saved_usd=verdict.saved_usd + decided.saved_usd,
        cost_usd=_cost(both),
        latency_ms=verdict.latency_ms + decided.latency_ms,
        cached=verdict.cached and decided.cached,
        review=decided.review,
        escalated=decided.model,
    )


def _titled(pins: Sequence[JudgePin], texts: Sequence[str]) -> str:
    return "\n\n".join(f"[{pin.model}] {text}" for pin, text in zip(pins, texts, strict=True))


def _cost(verdicts: Sequence[Verdict]) -> float | None:
    costs = [each.cost_usd for each in verdicts]
    return None if None in costs else sum(cost or 0.0 for cost in costs)


def _usage(verdicts: Sequence[Verdict]) -> Usage:
    def total(counts: Sequence[int | None]) -> int | None:
        return None if None in counts else sum(count or 0 for count in counts)

    return Usage(
        total([each.usage.input_tokens for each in verdicts]),
        total([each.usage.output_tokens for each in verdicts]),
        total([each.usage.cached_input_tokens for each in verdicts]),
    )


def merge_reports(
    judge: AnyJudge, reports: Mapping[str, CanaryReport], items: Mapping[str, ItemErrors] | None = None
) -> CanaryReport | None:
    """What the canaries say of all judges of a run, by model: fit where each of them is. None where nobody was asked.

    Of one judge it is that judge's own; of several each figure bears the name of the judge that it is of. `items` has
    the errors of the panel's majority under the panel's name.
    """
    if not judge.pin.members:
        return reports.get(judge.pin.model)
    found = list(reports.values())
    if not found:
        return None
    fits = [report.fit for report in found]
    costs = [report.cost_usd for report in found]
    return CanaryReport(
        asked=sum(report.asked for report in found),
        answered=sum(report.answered for report in found),
        figures=tuple(
            replace(figure, name=f"{model}: {figure.name}", problem=figure.problem and f"{model}: {figure.problem}")
            for model, report in reports.items()
            for figure in report.figures
        ),
        fit=False if False in fits else None if None in fits else True,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        overalls=_mean_overalls([reports[pin.model] for pin in judge.pin.members if pin.model in reports]),
        reused=sum(report.reused for report in found),
        models=_added(reports[pin.model].models for pin in judge.pin.members if pin.model in reports),
        items=(items or {}).get(judge.pin.model),
        unfit=tuple(model for model, report in reports.items() if report.fit is False),
    )


def _mean_overalls(reports: Sequence[CanaryReport]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in dict.fromkeys(name for report in reports for name in report.overalls):
        values = [value for report in reports if (value := report.overalls.get(name)) is not None]
        found[name] = round(fmean(values), 10) if values else None
    return found


def _added(models: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for counts in models:
        total.update(counts)
    return dict(total)
