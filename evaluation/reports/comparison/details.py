"""What stands around the tables of a comparison of two runs: its grounds, its limits, and what was tested."""

import math
from collections.abc import Iterable

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import LEAST_CLUSTERS, MetricDifference
from evaluation.reports.comparison import wording
from evaluation.text import numbers


def details(comparison: Comparison) -> Iterable[str]:
    """What stands below the headline: grounds, limits, and what differs."""
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
    """What was tested in a table, at which level, and what could have been found; or that nothing was."""
    shown = list(rows)
    for row in shown:
        if row.role == "primary":
            yield f"{overall}: the primary metric, {_level(row)}"
    family = [row for row in shown if row.role == "component"]
    tested = [row for row in family if row.call is not None]
    if tested:
        count = numbers.times(len(tested), "component")
        of_all = count if len(tested) == len(family) else f"{len(tested)} of {numbers.times(len(family), 'component')}"
        yield f"{of_all}: called at 5% after Holm's correction{wording.reach_phrase(tested)}"
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
