"""The grounds of a decision as plain sentences with figures."""

from evaluation.decision.case import Bar, Case, Choice
from evaluation.summary.summarise import ROUNDING, Summary
from evaluation.text import numbers

FEW_CLUSTERS = 10
"""Below this many situations an interval is rough and the sample is called small."""


def reasons_for(
    case: Case, summary: Summary, verdict: Choice, lower: Choice | None, upper: Choice | None, strict: bool
) -> list[str]:
    return [
        _overall_reason(case, strict),
        *_floor_reasons(case, strict),
        *_area_reasons(case, verdict),
        *_source_reasons(case),
        *_coverage_reasons(case, summary),
        *_stability_reasons(case, verdict, lower, upper),
    ]


def _overall_reason(case: Case, strict: bool) -> str:
    rule, bar = case.rule, case.overall
    value = bar.interval_low() if strict else bar.mean()
    if value is None:
        return f"{bar.metric} has no interval whose lower end could clear, as strict asks: more situations are needed"
    bound, name = next(
        (
            (bound, name)
            for bound, name in ((rule.deploy, "deploy"), (rule.ab_test, "A/B test"))
            if value >= bound - ROUNDING
        ),
        (rule.ab_test, "A/B test"),
    )
    mean, shown = numbers.beside(value, bound)
    sign = ">=" if value >= bound - ROUNDING else "<"
    what = f"lower end of {bar.metric}" if strict else bar.metric
    aside = f"mean {numbers.score(bar.mean())}, " if strict else ""
    found = bar.summary.estimate
    over = f"95% interval {numbers.interval(found.ci95)} over {numbers.times(found.clusters, 'situation')}"
    return f"{what} {mean} {sign} {shown} ({name}); {aside}{over}"


def _floor_reasons(case: Case, strict: bool) -> list[str]:
    value = Bar.interval_low if strict else Bar.mean
    shown = [(bar, found) for bar in case.breaches(value) if (found := value(bar)) is not None]
    prefix = "lower end of " if strict else ""
    reasons = []
    for bar, found in shown:
        mean, floor = numbers.beside(found, case.rule.floor)
        reasons.append(f"{prefix}{bar.metric} {mean} < {floor} floor ({bar.source})")
    if not reasons:
        measured = [(found, bar) for bar in case.others if (found := value(bar)) is not None]
        if measured:
            found, bar = min(measured, key=lambda pair: pair[0])
            mean, floor = numbers.beside(found, case.rule.floor)
            reasons.append(f"no metric is below its floor: the lowest is {prefix}{bar.metric} {mean} >= {floor}")
    for bar in case.others:
        if not bar.summary.planned:
            reasons.append(f"{bar.metric} applies to no exchange of this run: its floor was not tested")
        elif bar.mean() is None:
            reasons.append(f"{bar.metric} applies but has no value: its floor was not tested")
    return reasons


def _area_reasons(case: Case, verdict: Choice) -> list[str]:
    if verdict == "deploy":
        return []
    means = {bar.metric: numbers.score(bar.mean()) for bar in case.others}
    named = ", ".join(f"{metric} {means[metric]}" for metric in case.areas())
    return [f"to improve: {named}"] if named else []


def _source_reasons(case: Case) -> list[str]:
    borrowed = [bar.metric for bar in case.others if bar.source != case.overall.source]
    if not borrowed:
        return []
    which = "the floors" if len(borrowed) == len(case.others) else "the floors of " + ", ".join(borrowed)
    source, overall = case.overall.source, case.overall.metric
    return [f"{which} are held against the heuristic means: {source} has {overall}, but no value for them"]


def _coverage_reasons(case: Case, summary: Summary) -> list[str]:
    found, counts = case.overall.summary, summary.counts
    if found.estimate.n >= found.planned:
        return []
    return [
        f"{found.estimate.n} of {numbers.times(found.planned, 'planned exchange')} count "
        f"({numbers.percent(found.coverage)}; {counts.failed} failed, {counts.unparsed} unparsed, "
        f"{counts.skipped} skipped): with the missing ones the mean lies within {numbers.interval(found.bounds)}"
    ]


def _stability_reasons(case: Case, verdict: Choice, lower: Choice | None, upper: Choice | None) -> list[str]:
    clusters = case.overall.summary.estimate.clusters
    reasons = []
    if lower is None or upper is None:
        bare = [bar.metric for bar in (case.overall, *case.others) if bar.summary.planned and bar.low() is None]
        reasons.append(f"not stable: {', '.join(bare)} rests on one situation, which gives no interval")
    elif verdict == lower == upper:
        reasons.append("stable: the same verdict with all means at their lower and at their upper ends")
    else:
        turns = [
            f"{choice} at the {side} ends" for choice, side in ((lower, "lower"), (upper, "upper")) if choice != verdict
        ]
        reasons.append(f"not stable: {' and '.join(turns)} of the intervals")
    if clusters < FEW_CLUSTERS:
        reasons.append(
            f"small sample: {numbers.times(clusters, 'situation')}; below {FEW_CLUSTERS} the intervals are rough"
        )
    return reasons
