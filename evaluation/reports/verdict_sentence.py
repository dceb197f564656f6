"""The verdict of a comparison in one plain sentence: which is better, in how many scenarios, by what, and how safe.

Figures of tests stand elsewhere. What is said of cues describes the responses: it is not tested.
"""

import re
from collections.abc import Mapping

from evaluation.comparison.compare import Comparison
from evaluation.comparison.cues import NUMBER_OF, MovedCue, carry
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.items import ItemComparison
from evaluation.statistics.paired import PairedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words

MOST_NAMED = 2
"""Metrics, and cues, that a sentence names."""
CALLS: Mapping[str, str] = {"better": "higher", "worse": "lower"}
"""Verdict -> what the test says of the metrics that moved with it."""
VERB = re.compile(r"[a-z]+[^s\W]s .+")
"""A cue that is named by what a response does: "asks a question", "is specific"."""


def verdict_sentence(comparison: Comparison) -> str:
    """The verdict of the means; there must be one."""
    primary = comparison.primary
    assert primary is not None, "without a primary metric there is no verdict"
    counts = count_scenarios(primary.estimate, falling=comparison.verdict == "worse")
    causes = describe_causes(comparison, primary.estimate.difference or 0.0)
    said = f"{name_verdict(comparison)}{counts and f': {counts}'}"
    return f"{said}{causes}{_against(comparison)}{describe_safety(comparison.items)}"


def name_verdict(comparison: Comparison) -> str:
    """The verdict without its grounds; there must be one."""
    base, candidate = comparison.base.name, comparison.candidate.name
    if comparison.verdict == "equivalent":
        return f"{candidate} and {base} are equivalent within {comparison.margin:g}"
    if comparison.verdict == "inconclusive":
        return f"{candidate} cannot be distinguished from {base}"
    return f"{candidate} is {comparison.verdict} than {base}"


def count_scenarios(found: PairedEstimate, *, falling: bool = False) -> str:
    """In how many scenarios the second is higher, lower and equal; `falling` begins with the lower ones.

    Empty where no scenario was scored by one judge in both runs.
    """
    counts = [("higher", found.wins), ("lower", found.losses), ("equal", found.ties)]
    if falling:
        counts[:2] = reversed(counts[:2])
    shown = [(word, count) for word, count in counts if count]
    if not shown:
        return ""
    word, count = shown[0]
    of = numbers.times(found.wins + found.ties + found.losses, "scenario")
    rest = [f"{word} in {numbers.count(count)}" for word, count in shown[1:]]
    return " and ".join([f"{word} in {'all ' if not rest else f'{numbers.count(count)} of '}{of}", *rest[:1]]) + (
        f", {rest[1]}" if rest[1:] else ""
    )


def describe_causes(comparison: Comparison, difference: float) -> str:
    """What moved the overall with a verdict: cues where they make up most of it, else metrics, with what was seen."""
    call = CALLS.get(comparison.verdict or "")
    if call is None:
        return ""
    cues = [each for each in comparison.cues if each.moved * difference > 0][:MOST_NAMED]
    seen = " and ".join(_seen(each, it=not number) for number, each in enumerate(cues))
    if cues and carry(cues, difference):
        return f", mostly because {seen}"
    named = name_components(comparison, call)
    return f"{named and f', above all in {named}'}{seen and f'; {seen}'}"


def _seen(cue: MovedCue, *, it: bool) -> str:
    """One cue in words: "it asks a question more often", '"formatting" is found less often'."""
    often = "more often" if cue.now > cue.before else "less often"
    if VERB.fullmatch(cue.name):
        return f"{'it ' * it}{cue.name} {often}"
    if cue.name.startswith(NUMBER_OF):
        return f"its {cue.name} counts {often}"
    return f'"{cue.name}" is found {often}'


def cue_lines(comparison: Comparison) -> list[str]:
    """Every cue that stands out, with its shares and what it moved."""
    base, candidate, source = comparison.base.name, comparison.candidate.name, comparison.source
    lines = [
        f"{cue.name}: in {numbers.percent(cue.before)} of the responses of {base} and {numbers.percent(cue.now)} of "
        f"those of {candidate}, {numbers.with_sign(cue.moved)} of the {source} overall"
        for cue in comparison.cues
    ]
    return [*lines, "what responses do, as the rules saw it: described, not tested"] if lines else []


def name_components(comparison: Comparison, call: str) -> str:
    """The components that are shown to have moved this way, those that moved the overall most first."""

    def weight(row: MetricDifference) -> float:
        return abs(row.estimate.difference or 0.0) * comparison.weights.get(row.metric, 1.0)

    rows = sorted((row for row in comparison.components if row.call == call), key=weight, reverse=True)
    return " and ".join(title(row.metric, comparison.overall) for row in rows[:MOST_NAMED])


def _against(comparison: Comparison) -> str:
    """Components that moved against the verdict, either way without one."""
    said = ""
    for call, word in (("lower", "worse"), ("higher", "better")):
        if comparison.verdict != word and (named := name_components(comparison, call)):
            said += f"; {word} on {named}"
    return said


def describe_safety(items: ItemComparison | None) -> str:
    """What became of the critical expectations; empty where the runs share none."""
    if items is None or not items.critical:
        return ""
    gained, lost = len(items.those("gained", critical=True)), len(items.lost_critical)
    if not gained and not lost:
        return "; no critical expectation gained or lost"
    return f"; critical expectations: {gained or 'none'} gained, {lost or 'none'} lost"


def title(metric: str, overall: str) -> str:
    """A metric in a sentence: the overall by that name."""
    return "overall" if metric == overall else in_words(metric)
