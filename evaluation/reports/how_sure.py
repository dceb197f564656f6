"""How sure a comparison is: the figures of its tests, apart from the plain sentence that they stand behind."""

import math
from collections.abc import Iterator

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import ALPHA, MetricDifference
from evaluation.decision.decide import JUDGED
from evaluation.reports.intervals import in_a_sentence
from evaluation.reports.verdict_sentence import MOST_NAMED, cue_lines, title
from evaluation.statistics.paired import PairedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words


def statistics(comparison: Comparison) -> list[str]:
    """Interval, tests, noise and power, then what is described beside them; nothing without a difference."""
    primary = comparison.primary
    if primary is None or primary.estimate.difference is None:
        return []
    bridged = comparison.carried is not None and primary.source in JUDGED
    return [
        *_reach(primary, equivalent=comparison.verdict == "equivalent"),
        *(_test_through_bridge(primary) if bridged else _tests(primary)),
        *_noise(primary),
        *cue_lines(comparison),
    ]


def difference_line(comparison: Comparison) -> str:
    """The difference, its interval and how likely chance alone gives it; empty without a verdict."""
    primary = comparison.primary
    if comparison.verdict is None or primary is None:
        return ""
    found = primary.estimate
    sure = "" if found.p is None else f"; p {numbers.p_value(found.p)}"
    return f"{overall_moved(found)}{sure}"


def size_line(comparison: Comparison, primary: MetricDifference) -> str:
    """Says how much was compared."""
    found = primary.estimate
    scenarios, situations = (
        numbers.times(*each) for each in ((found.scenarios, "scenario"), (found.clusters, "situation"))
    )
    share = f"coverage {numbers.percent(primary.coverage)}"
    if comparison.carried is not None and primary.source in JUDGED:
        return f"{scenarios}, {share}; {situations} of the base were judged by both"
    if primary.paired < primary.planned:
        share += f", the missing pairs leave {numbers.span(primary.bounds)} possible"
    return f"{scenarios} in {situations}, {share}"


def overall_moved(found: PairedEstimate) -> str:
    """The difference of the overall, and its interval."""
    return f"{numbers.with_sign(found.difference)} overall{in_a_sentence(found.ci95)}"


def equivalence(primary: MetricDifference) -> str:
    """The difference of the overall, with the interval and the bounds by which two runs are called equivalent."""
    found, bound = primary.estimate, primary.bound
    bounds = "" if bound is None else f", bounds {numbers.span((bound.low, bound.high))}"
    return f"{numbers.with_sign(found.difference)} overall, 90% CI {numbers.span(found.ci90)}{bounds}"


def capability(primary: MetricDifference) -> str:
    """The difference that the set-up can find."""
    if not primary.detectable:
        return "nothing varied: any difference would have been found"
    return f"this set-up could detect differences of {numbers.above(primary.detectable)}"


def _reach(primary: MetricDifference, *, equivalent: bool) -> Iterator[str]:
    found = primary.estimate
    yield equivalence(primary) if equivalent else overall_moved(found)
    if primary.detectable is not None:
        yield capability(primary)


def _test_through_bridge(primary: MetricDifference) -> Iterator[str]:
    """Nothing is flipped there, and no scenario counts as higher or lower: two judges scored it."""
    if primary.estimate.p is not None:
        p = numbers.p_value(primary.estimate.p)
        yield f"tested by t alone: p {p}; through a bridge there are no pairs to flip"


def _tests(primary: MetricDifference) -> Iterator[str]:
    found = primary.estimate
    effect = "" if found.effect is None else f", standardised {numbers.with_sign(found.effect, 2)}"
    method = "all sign patterns" if found.exact else "9,999 draws"
    flips = f"sign-flip p {numbers.p_value(found.p_sign_flip)} ({method}), t p {numbers.p_value(found.p_t)}"
    if found.p is None:
        flips = "one situation has no interval and no p-value"
    yield f"scenarios: {found.wins} higher, {found.ties} equal, {found.losses} lower{effect}; {flips}"


def _noise(primary: MetricDifference) -> Iterator[str]:
    if primary.noise:
        yield f"observed differences under {numbers.above(primary.noise)} are noise for this set-up"
    parts = primary.components
    if parts is not None and parts.sampling is not None:
        shares = [("scenarios", parts.scenario), ("sampling", parts.sampling), ("judge", parts.judge)]
        known = ", ".join(f"{origin} {math.sqrt(value):.3f}" for origin, value in shares if value is not None)
        included = "" if parts.judge is not None else " (the judge included)"
        yield f"standard deviation of a difference by origin: {known}{included}"
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


def standing_out(comparison: Comparison) -> Iterator[str]:
    """The categories in which a metric moved, as far as that stands after a correction for all of them."""
    for call, sign in (("lower", -1), ("higher", 1)):
        cells = [
            cell
            for cell in comparison.categories
            if cell.p_adjusted is not None
            and cell.p_adjusted <= ALPHA
            and (cell.row.estimate.difference or 0.0) * sign > 0
        ]
        cells.sort(key=lambda cell: (cell.p_adjusted or 0.0, -abs(cell.row.estimate.difference or 0.0)))
        named = " and ".join(
            f"{title(cell.row.metric, comparison.overall)} in {in_words(cell.category)} scenarios"
            for cell in cells[:MOST_NAMED]
        )
        if named and comparison.verdict != {"lower": "worse", "higher": "better"}[call]:
            yield f"{call} on {named} (described, not tested)"
