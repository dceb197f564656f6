"""The sentences that every report of a comparison shares. Nothing here computes a statistic."""

import math
from collections.abc import Iterable, Sequence

from evaluation.comparison.compare import Comparison, caution
from evaluation.comparison.differences import ALPHA, LEAST_CLUSTERS, MetricDifference
from evaluation.comparison.ranking import RankedPair, Ranking
from evaluation.records import Source
from evaluation.reports.run import REHEARSAL
from evaluation.text import numbers

MOST_NAMED = 2
"""Metrics named in a headline, of each kind."""
MOST_GAPS = 12
"""Pairs of a ranking with missing values that are described one by one."""
ROLES = {
    "primary": "tested, uncorrected",
    "component": "tested, Holm over these",
    "descriptive": "descriptive, not tested",
}


def title(metric: str, overall: str) -> str:
    """A metric in a sentence: the overall by that name, the others without underscores."""
    return "overall" if metric == overall else metric.replace("_", " ")


def headline(comparison: Comparison) -> str:
    """The verdict in one sentence, with the difference, its interval and what could have been found."""
    primary = comparison.primary
    base, candidate = comparison.base.name, comparison.candidate.name
    if primary is None or primary.estimate.difference is None:
        return f"no verdict on {candidate} against {base}: no exchange has an overall in both runs"
    found = primary.estimate
    change = f"{numbers.signed(found.difference)} overall"
    interval = f" (95% CI {numbers.span(found.ci95)})" if found.ci95 else ""
    power = "" if primary.detectable is None else f"; {capability(primary)}"
    if comparison.verdict is None:
        return f"no verdict on {candidate} against {base}: {change}{interval}; {comparison.reasons[0]}"
    if comparison.verdict == "equivalent":
        ends = f"{change}, 90% CI {numbers.span(found.ci90)}"
        within = f"{comparison.margin:g}"
        return f"{candidate} and {base} are equivalent within {within}: {ends}{_shifts(comparison, '')}{power}"
    if comparison.verdict == "inconclusive":
        return f"{candidate} cannot be told from {base}: {change}{interval}{_shifts(comparison, '')}{power}"
    carried = _carried(comparison)
    with_it = f", carried by {carried}" if carried else ""
    return (
        f"{candidate} is {comparison.verdict} than {base}: {change}{interval}{with_it}"
        f"{_shifts(comparison, comparison.verdict)}{power}"
    )


def change(row: MetricDifference) -> str:
    """+0.041 [+0.022, +0.060]."""
    found = row.estimate
    if found.ci95 is None:
        return numbers.signed(found.difference)
    return f"{numbers.signed(found.difference)} [{numbers.signed(found.ci95[0])}, {numbers.signed(found.ci95[1])}]"


def capability(primary: MetricDifference) -> str:
    """The difference that the set-up can find."""
    if not primary.detectable:
        return "nothing varied: any difference would have been found"
    return f"this set-up could detect differences of {numbers.above(primary.detectable)}"


def reach_phrase(rows: Iterable[MetricDifference]) -> str:
    """The differences that could have been found in each row; nothing where nothing varied."""
    least = max((row.detectable or 0.0) for row in rows)
    return f"; differences of {numbers.above(least)} could be detected in each" if least else ""


def _carried(comparison: Comparison) -> str:
    """The components that moved the overall most, of those that are shown to have moved its way."""
    direction = "higher" if comparison.verdict == "better" else "lower"
    rows = [row for row in comparison.components if row.call == direction]
    return _listed(sorted(rows, key=lambda row: -_weight(comparison, row)), comparison)


def _weight(comparison: Comparison, row: MetricDifference) -> float:
    return abs(row.estimate.difference or 0.0) * comparison.weights.get(row.metric, 1.0)


def _shifts(comparison: Comparison, verdict: str) -> str:
    """Components that moved against the verdict (either way without one), then categories that stand out."""
    parts = []
    for call, word in (("lower", "worse"), ("higher", "better")):
        if verdict == word:
            continue
        rows = [row for row in comparison.components if row.call == call]
        named = _listed(sorted(rows, key=lambda row: -_weight(comparison, row)), comparison)
        if named:
            parts.append(f"{word} on {named}")
        cells = _standing_out(comparison, call)
        if cells:
            parts.append(f"{call} on {' and '.join(cells)} (descriptive)")
    return "".join(f"; {part}" for part in parts)


def _standing_out(comparison: Comparison, call: str) -> list[str]:
    sign = 1 if call == "higher" else -1
    cells = [
        cell
        for cell in comparison.categories
        if cell.p_adjusted is not None and cell.p_adjusted <= ALPHA and (cell.row.estimate.difference or 0.0) * sign > 0
    ]
    cells.sort(key=lambda cell: (cell.p_adjusted or 0.0, -abs(cell.row.estimate.difference or 0.0)))
    return [f"{title(cell.row.metric, comparison.overall)} in {cell.category} scenarios" for cell in cells[:MOST_NAMED]]


def _listed(rows: Sequence[MetricDifference], comparison: Comparison) -> str:
    return " and ".join(title(row.metric, comparison.overall) for row in rows[:MOST_NAMED])


def details(comparison: Comparison) -> Iterable[str]:
    """The lines below the headline: grounds, limits, and what differs."""
    yield from comparison.reasons
    for name, before, after in comparison.others:
        yield f"also differs: {name} {before} / {after}"
    yield from comparison.terms.notes
    if any(comparison.unpaired):
        names = comparison.base.name, comparison.candidate.name
        parts = (f"{count} of {name}" for count, name in zip(comparison.unpaired, names, strict=True))
        yield f"scenarios without a counterpart: {', '.join(parts)}"
    primary = comparison.primary
    if primary is None or primary.estimate.difference is None:
        return
    yield from _size(primary)
    yield from _noise(primary)


def _size(primary: MetricDifference) -> Iterable[str]:
    found = primary.estimate
    share = f"coverage {numbers.percent(primary.coverage)}"
    if primary.paired < primary.planned:
        share += f", the missing pairs leave {numbers.span(primary.bounds)} possible"
    yield f"{numbers.times(found.scenarios, 'scenario')} in {numbers.times(found.clusters, 'situation')}, {share}"
    effect = "" if found.effect is None else f", standardised {numbers.signed(found.effect, 2)}"
    method = "all sign patterns" if found.exact else "9,999 draws"
    flips = f"sign-flip p {numbers.p_value(found.p_sign_flip)} ({method}), t p {numbers.p_value(found.p_t)}"
    if found.p is None:
        flips = "one situation has no interval and no p-value"
    yield f"{found.wins} higher, {found.ties} equal, {found.losses} lower{effect}; {flips}"


def _noise(primary: MetricDifference) -> Iterable[str]:
    if primary.noise:
        yield f"observed differences under {numbers.above(primary.noise)} are noise for this set-up"
    parts = primary.components
    if parts is not None and parts.sampling is not None:
        shares = [("scenarios", parts.scenario), ("sampling", parts.sampling), ("judge", parts.judge)]
        known = ", ".join(f"{name} {math.sqrt(value):.3f}" for name, value in shares if value is not None)
        yield f"standard deviation of a difference by origin: {known}" + (
            "" if parts.judge is not None else " (the judge included)"
        )
    need = primary.need
    if need is None or primary.detectable is None or primary.detectable <= need.effect:
        return
    ways = []
    if need.scenarios is not None:
        ways.append(f"{need.scenarios:,} scenarios of this kind")
    if need.repeats is not None:
        ways.append(f"{numbers.times(need.repeats, 'repeat')} of these")
    if ways:
        yield f"to detect {need.effect:g} it takes {' or '.join(ways)}"


def tested_lines(rows: Iterable[MetricDifference], overall: str) -> Iterable[str]:
    """Says what was tested in a table, at which level, and what could have been found; or that nothing was."""
    shown = list(rows)
    for row in shown:
        if row.role == "primary":
            yield f"{overall}: the primary metric, {_level(row)}"
    family = [row for row in shown if row.role == "component"]
    tested = [row for row in family if row.call is not None]
    if tested:
        count = numbers.times(len(tested), "component")
        of_all = count if len(tested) == len(family) else f"{len(tested)} of {numbers.times(len(family), 'component')}"
        yield f"{of_all}: called at 5% after Holm's correction{reach_phrase(tested)}"
    elif family:
        yield f"{numbers.times(len(family), 'component')}: not tested, fewer than {LEAST_CLUSTERS} situations"
    descriptive = [row for row in shown if row.role == "descriptive"]
    if descriptive:
        chance = "; one interval in 20 leaves out 0 by chance" if any(row.estimate.ci95 for row in descriptive) else ""
        yield f"(descr.): descriptive, not tested{chance}"


def _level(row: MetricDifference) -> str:
    if row.call is not None:
        return "tested at 5%, uncorrected"
    found = row.estimate
    if found.difference is None:
        return "not tested: no data"
    no_interval = "" if found.ci95 else " and no interval"
    return (
        f"not tested{no_interval}: {numbers.times(found.clusters, 'situation')}, at least {LEAST_CLUSTERS} are needed"
    )


def banners(rehearsal: bool, forced: bool) -> list[str]:
    """The lines that must stand above everything else."""
    found = [REHEARSAL] if rehearsal else []
    return [*found, "forced: the runs differ in more than what is compared"] if forced else found


def ordered_sources(comparison: Comparison) -> list[Source]:
    """The deciding source first."""
    return sorted(comparison.metrics, key=lambda source: source != comparison.source)


def ranking_headline(ranking: Ranking) -> str:
    """The best run, where there is one; else those that no other beats."""
    names = [run.name for run in ranking.runs]
    if all(pair.verdict is None for pair in ranking.pairs):
        return f"no verdict on {', '.join(names)}: too few situations or pairs in every pair"
    best = ranking.best()
    if best is not None:
        return f"{names[best]} is the best of {len(names)}"
    unbeaten = [names[place] for place in ranking.unbeaten()]
    if not any(pair.verdict in ("better", "worse") for pair in ranking.pairs):
        return f"none of {', '.join(unbeaten)} can be told from another"
    shown = f"none of {len(names)} is shown to beat all others"
    return f"{shown}; not beaten: {', '.join(unbeaten)}" if unbeaten else shown


def group_lines(ranking: Ranking) -> list[str]:
    """One sentence for each set of runs that cannot be distinguished."""
    return [
        "cannot be told apart: " + ", ".join(ranking.runs[place].name for place in group)
        for group in ranking.groups
        if len(group) > 1
    ]


def ranking_details(ranking: Ranking) -> list[str]:
    """The lines below the headline: groups, pairs without data or with gaps, and what else differs."""
    names = {run.run_id: run.name for run in ranking.runs}
    others = [
        f"also differs: {other.leaf[0]} {other.leaf[1]} / {other.leaf[2]} ({names[other.against]} / "
        f"{names[other.run_id]})"
        for other in ranking.others
    ]
    return [*group_lines(ranking), *_pair_lines(ranking), *others, *ranking.notes]


def pair_verdict(pair: RankedPair) -> str:
    """The verdict on the first of two, or why there is none."""
    return "no data" if pair.no_data else pair.verdict or "no verdict"


def pair_test_line(ranking: Ranking) -> str:
    """Says how the pairs were tested and what could have been found."""
    count = numbers.times(len(ranking.pairs), "pair")
    tested = [pair.row for pair in ranking.pairs if pair.row.call is not None]
    if not tested:
        return f"{count}: nothing is tested below {LEAST_CLUSTERS} situations with values in both runs"
    of_all = "" if len(tested) == len(ranking.pairs) else f", {len(tested)} of them tested"
    return (
        f"{count}{of_all}, corrected together by Holm; inconclusive ones cannot be told apart, equivalent ones lie "
        f"within {ranking.margin:g}{reach_phrase(tested)}"
    )


def _pair_lines(ranking: Ranking) -> Iterable[str]:
    """The pairs that are not complete: those whose verdict is at stake first, a few of the rest, and their number."""
    lone = [place for place in range(len(ranking.runs)) if not ranking.has_data(place)]
    for place in lone:
        yield f"no data: {ranking.runs[place].name} shares no exchange with a value with any other run"
    gaps = [pair for pair in ranking.pairs if pair.row.paired < pair.row.planned or pair.no_data]
    gaps = [pair for pair in gaps if pair.first not in lone and pair.second not in lone]
    gaps.sort(key=lambda pair: (not pair.no_data, not pair.overturnable))
    for pair in gaps[:MOST_GAPS]:
        first, second = (f"#{place + 1} {ranking.runs[place].name}" for place in (pair.first, pair.second))
        if pair.no_data:
            yield f"no data: {first} and {second} share no exchange with a value"
            continue
        share, possible = numbers.percent(pair.row.coverage), numbers.span(pair.row.bounds)
        at_stake = f": {caution(pair.verdict)}" if pair.overturnable else ""
        yield f"{first} minus {second}: coverage {share}, the missing pairs leave {possible} possible{at_stake}"
    if len(gaps) > MOST_GAPS:
        rest = gaps[MOST_GAPS:]
        count = sum(pair.overturnable for pair in rest)
        yield f"{numbers.times(len(rest), 'further pair')} with gaps, which put the verdict at stake in {count}"
