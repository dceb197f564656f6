"""From what was read of the calls of one question to one verdict: joined by dimension, then merged over the samples."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median

from evaluation.judging.asking import JudgeRubric
from evaluation.judging.forms import Form
from evaluation.judging.reading import ReadVerdict
from evaluation.records import Reply, Usage, Verdict

LARGEST_SPREAD = 0.2
"""Share of the scale by which the samples' overalls may lie apart before a person should look."""
LARGEST_GAP = 0.15
"""Share of the scale by which the overall that the judge gave may differ from the one that its dimensions make."""
LEAST_KNOWN = 0.5
"""Of the weights, that the dimensions with a value must hold together for an overall."""
JOINED = " + "
"""Stands between the models that answered the samples of one verdict."""


def join_reads(reads: Sequence[ReadVerdict], rubric: JudgeRubric, *, in_context: bool = True) -> ReadVerdict:
    """One sample's answers as one, with the overall that the dimensions make; unread where one of them is.

    `in_context` is False for an exchange without an earlier conversation.
    """
    unread = next((read for read in reads if read.problem), None)
    if unread is not None:
        return unread
    values = {name: value for read in reads for name, value in read.scores.items()}
    joined = reads[0] if len(reads) == 1 else _side_by_side(reads)
    if rubric.overall not in values and _known_share(values, rubric) < LEAST_KNOWN:
        problem = f"too little was shown: {len(values)} of {len(rubric.dimensions)} dimensions have a value"
        return ReadVerdict({}, joined.reasoning, problem)
    return replace(joined, scores={**values, rubric.overall: weighted_overall(values, rubric, in_context=in_context)})


def _known_share(values: Mapping[str, float], rubric: JudgeRubric) -> float:
    """The share of the weights that the dimensions with a value hold."""
    weights = {name: guide.weight or 0.0 for name, guide in rubric.guides.items()}
    known = math.fsum(weight for name, weight in weights.items() if name in values)
    return known / (math.fsum(weights.values()) or 1.0)


def _side_by_side(reads: Sequence[ReadVerdict]) -> ReadVerdict:
    """Answers about some dimensions each, with their words by dimension."""
    why = {
        name: said
        for read in reads
        for name, said in (read.rationale or dict.fromkeys(read.scores, read.reasoning)).items()
    }
    bounds = {name: each for read in reads for name, each in read.bounds.items()}
    return ReadVerdict({}, " ".join(f"{name}: {said}" for name, said in why.items()), rationale=why, bounds=bounds)


def weighted_overall(values: Mapping[str, float], rubric: JudgeRubric, *, in_context: bool = True) -> float:
    """The overall from the dimensions that have a value, by the rubric's weights.

    Where the rubric has no weights, the one that was given, or else the mean of the dimensions. Without an earlier
    conversation (`in_context`) it leaves out what the rubric leaves out then.
    """
    counted = {name: guide for name, guide in rubric.guides.items() if in_context or not guide.leaves_overall}
    weights = {name: guide.weight or 0.0 for name, guide in counted.items() if name in values}
    total = math.fsum(weights.values())
    if total <= 0:
        return values[rubric.overall] if rubric.overall in values else fmean(values.values())
    return round(math.fsum(weight * values[name] for name, weight in weights.items()) / total, 10)


def merge_reads(
    reads: Sequence[ReadVerdict], replies: Sequence[Reply], rubric: JudgeRubric, form: Form, *, suspected: bool
) -> Verdict:
    """One verdict from one sample or more. It is unread unless more than half of the samples were read."""
    centre = median if form.takes_median else fmean
    good = [read for read in reads if read.scores]
    parsed = 2 * len(good) > len(reads)
    kept = good if parsed else []
    metrics = dict.fromkeys(name for read in kept for name in read.scores)
    values = {name: round(centre(_values_of(name, kept)), 10) for name in metrics}
    spread = _spread(kept) if len(reads) > 1 else {}
    givens = [read.given_overall for read in kept if read.given_overall is not None]
    given = round(centre(givens), 10) if givens else None
    first = kept[0] if kept else reads[0]
    problem = "" if parsed else next(read.problem for read in reads if not read.scores)
    costs = [reply.cost_usd for reply in replies]
    return Verdict(
        scores=values,
        reasoning=first.reasoning,
        rationale=first.rationale,
        bounds=_bounds(kept),
        parsed=parsed,
        raw=said_by_samples(replies),
        model=JOINED.join(dict.fromkeys(reply.model for reply in replies)),
        problem=problem,
        fallback=None if parsed else rubric.fallback,
        samples=tuple(read.scores[rubric.overall] for read in good),
        injection_suspected=suspected,
        usage=add_usage(replies),
        saved_usd=sum(reply.saved_usd for reply in replies),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        latency_ms=sum(reply.latency_ms for reply in replies),
        cached=all(reply.cached for reply in replies),
        given_overall=given,
        spread=spread,
        review=_review(values, given, spread, len(reads) - len(good), rubric),
    )


def _values_of(name: str, reads: Sequence[ReadVerdict]) -> list[float]:
    return [read.scores[name] for read in reads if name in read.scores]


def _bounds(reads: Sequence[ReadVerdict]) -> dict[str, tuple[float, float]]:
    """The mean of the least and of the most over the samples; one that is sure of a value counts with that."""
    names = dict.fromkeys(name for read in reads for name in read.bounds)
    found: dict[str, tuple[float, float]] = {}
    for name in names:
        values = [(read.scores[name],) * 2 for read in reads if name in read.scores and name not in read.bounds]
        low, high = zip(*values, *(read.bounds[name] for read in reads if name in read.bounds), strict=True)
        found[name] = (round(fmean(low), 10), round(fmean(high), 10))
    return found


def _spread(reads: Sequence[ReadVerdict]) -> dict[str, float]:
    values = {name: _values_of(name, reads) for read in reads for name in read.scores}
    return {name: round(max(each) - min(each), 10) for name, each in values.items()}


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


def said_by_samples(replies: Sequence[Reply]) -> str:
    """The answers as they came, numbered where there are several."""
    if len(replies) == 1:
        return replies[0].text
    return "\n\n".join(f"[sample {number}]\n{reply.text}" for number, reply in enumerate(replies, start=1))


def add_usage(replies: Sequence[Reply]) -> Usage:
    """The tokens of all answers; None where one did not say."""

    def total(counts: Sequence[int | None]) -> int | None:
        return None if None in counts else sum(count or 0 for count in counts)

    return Usage(
        total([reply.usage.input_tokens for reply in replies]),
        total([reply.usage.output_tokens for reply in replies]),
        total([reply.usage.cached_input_tokens for reply in replies]),
    )
