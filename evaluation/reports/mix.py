"""A run or a comparison under its users' mix, beside the set: the means, the verdict, and what they rest on."""

from collections.abc import Iterator

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.mix import MixDifferences
from evaluation.decision.decide import Decision
from evaluation.decision.mix import MixFigures, MixOutcome
from evaluation.mix.weighing import MixWeights
from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Heading,
    Name,
    Only,
    Paragraph,
    Part,
    Row,
    Table,
    Words,
)
from evaluation.reports.intervals import difference_text, mean_text
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

TITLE, OF_MIX = "The mix of your users", "the mix"
OF_SET = "the set"
STANDS = "the verdict is that on the set, and every gate holds the set: a mix changes with every week of production"


def describe_mix(outcome: MixOutcome | None, summary: Summary, decision: Decision) -> Iterator[Part]:
    """The run under the mix; nothing without one."""
    if outcome is None:
        return
    found = outcome.found
    yield Heading(TITLE)
    if isinstance(found, str):
        yield Paragraph(refused(outcome.place, found), "warning")
        return
    yield Paragraph(verdict_line(found, summary, decision), "strong")
    rows = [
        Row([in_words(metric), *cells], "strong" if metric == summary.overall else "")
        for metric, *cells in means(found, summary)
    ]
    yield Table([Column("mean [95% interval]"), Column(OF_SET), Column(OF_MIX)], rows, rest="summary.json")
    yield Only(Bullets([Bullet(line) for line in notes(outcome.place, found.weights, found.possible)]), short=False)
    yield Only(Bullets([Bullet(line) for line in brief_notes(found)]), short=True)


def refused(place: str, reason: str) -> Words:
    return ("by ", Name(place), f" nothing is said: {reason}")


def verdict_line(found: MixFigures, summary: Summary, decision: Decision) -> str:
    """The verdicts on set and mix beside one another."""
    return f"the set: {_short(decision, summary)}; the mix of your users: {_short(found.decision, found.summary)}"


def _short(decision: Decision, summary: Summary) -> str:
    overall = summary.deciding()
    mean = "" if overall is None or overall.estimate.mean is None else f", {mean_text(overall.estimate)}"
    return f"{decision.headline}{mean}"


def means(found: MixFigures, summary: Summary) -> Iterator[tuple[str, str, str]]:
    """(metric, mean of the set, mean of the mix) of the deciding source; of the rules where that has no value."""
    names = dict.fromkeys(metric for table in summary.metrics.values() for metric in table)
    for metric in names:
        for source in (summary.source, "heuristic"):
            before = summary.metrics.get(source, {}).get(metric)
            now = found.summary.metrics.get(source, {}).get(metric)
            if before is not None and now is not None and before.estimate.n and now.estimate.n:
                title = metric if source == summary.source else f"{metric} ({source})"
                yield title, mean_text(before.estimate), mean_text(now.estimate)
                break


def notes(place: str, weights: MixWeights, possible: tuple[float, float] | None) -> Iterator[Words]:
    """What the weights follow, what they rest on, and what they leave out."""
    level = "category and situation" if weights.by == "situation" else "category alone"
    yield (f"weighted by how often users say what each scenario says, by {level}, of ", Name(place))
    yield _origin(weights)
    name, share = weights.heaviest
    yield (
        f"{numbers.times(weights.situations, 'situation')} count like {weights.effective:.1f} of equal weight; ",
        "the heaviest, ",
        Name(name),
        f", carries {numbers.percent(share)}",
    )
    if weights.reached < 0.995:
        have = numbers.percent(weights.reached)
        yield f"the scenarios have the categories of {have} of the mix: the rest is left out"
    if weights.mix.uncovered_share > 0:
        yield _uncovered(weights, possible)
    yield STANDS


def brief_notes(found: MixFigures) -> Iterator[Words]:
    """What must not be missed."""
    if found.weights.mix.uncovered_share > 0:
        yield _uncovered(found.weights, found.possible)


def _uncovered(weights: MixWeights, possible: tuple[float, float] | None) -> str:
    said = f"{numbers.percent(weights.mix.uncovered_share)} of what users say is like no scenario"
    return said if possible is None else f"{said}: over everything the overall may lie in {numbers.interval(possible)}"


def _origin(weights: MixWeights) -> Words:
    mix = weights.mix
    if mix.independent is None:
        return "the mix does not say what its shares were counted from: they are taken as exact"
    of_users = "" if mix.users is None else f" of {numbers.times(mix.users, 'user')}"
    responses = "a sample" if mix.responses is None else numbers.times(mix.responses, "response")
    when = f", {mix.origin.since[:10]} to {mix.origin.until[:10]}" if mix.origin.since and mix.origin.until else ""
    worth = f"worth {numbers.count(round(mix.independent))} independent ones: that is in the intervals"
    return (f"its shares are from {responses}{of_users}{when}, ", worth)


def describe_mix_differences(comparison: Comparison) -> Iterator[Part]:
    """The comparison under the mix; nothing without one."""
    if comparison.mix is None:
        return
    found = comparison.mix.found
    yield Heading(TITLE)
    if isinstance(found, str):
        yield Paragraph(refused(comparison.mix.place, found), "warning")
        return
    yield Paragraph(comparison_line(found, comparison), "strong")
    rows = [Row([in_words(metric), *cells]) for metric, *cells in differences(found, comparison)]
    yield Table([Column("difference [95% interval]"), Column(OF_SET), Column(OF_MIX)], rows, rest="comparison.json")
    yield Only(Bullets([Bullet(line) for line in notes(comparison.mix.place, found.weights, None)]), short=False)


def comparison_line(found: MixDifferences, comparison: Comparison) -> str:
    """The two verdicts beside one another."""
    of_set, of_mix = (in_words(each or "no verdict") for each in (comparison.verdict, found.verdict))
    return f"the set: {of_set}; the mix of your users: {of_mix}"


def differences(found: MixDifferences, comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """(metric, difference on the set, difference under the mix) of everything that is tested."""
    for source, rows in found.metrics.items():
        for metric, row in rows.items():
            before = comparison.metrics[source][metric]
            title = metric if source == comparison.source else f"{metric} ({source})"
            yield title, _difference(before), _difference(row)


def _difference(row: MetricDifference) -> str:
    return difference_text(row.estimate.difference, row.estimate.ci95)
