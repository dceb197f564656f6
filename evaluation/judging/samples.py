"""Several answers of the judge to one question, as one verdict: the median of each value, and how far they differ."""

from collections.abc import Mapping, Sequence
from statistics import median

from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.judging.reading import ReadVerdict
from evaluation.records import Reply, Usage, Verdict

LARGEST_SPREAD = 0.2
"""Share of the scale by which the samples' overalls may lie apart before a person should look."""
LARGEST_GAP = 0.15
"""Share of the scale by which the overall that the judge gave may differ from the one that its dimensions make."""


def merged(reads: Sequence[ReadVerdict], replies: Sequence[Reply], rubric: JudgeRubric, *, suspected: bool) -> Verdict:
    """One verdict from one sample or more. It is unread unless more than half of the samples were read."""
    good = [read for read in reads if read.scores]
    parsed = 2 * len(good) > len(reads)
    kept = good if parsed else []
    values = {name: round(median(read.scores[name] for read in kept), 10) for name in (kept[0].scores if kept else ())}
    spread = _spread(kept) if len(reads) > 1 else {}
    givens = [read.given_overall for read in kept if read.given_overall is not None]
    given = round(median(givens), 10) if givens else None
    told = kept[0] if kept else reads[0]
    problem = "" if parsed else next(read.problem for read in reads if not read.scores)
    costs = [reply.cost_usd for reply in replies]
    return Verdict(
        scores=values,
        reasoning=told.reasoning,
        rationale=told.rationale,
        parsed=parsed,
        raw=_raw(replies),
        model=replies[0].model,
        problem=problem,
        fallback=None if parsed else rubric.fallback,
        samples=tuple(read.scores[rubric.overall] for read in good),
        injection_suspected=suspected,
        usage=_usage(replies),
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
    """Why a person should look; nothing for a verdict that was not read, which is counted by itself."""
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
    tokens_in = [reply.usage.input_tokens for reply in replies]
    tokens_out = [reply.usage.output_tokens for reply in replies]
    return Usage(
        None if None in tokens_in else sum(count or 0 for count in tokens_in),
        None if None in tokens_out else sum(count or 0 for count in tokens_out),
    )
