"""The strip of repeats: each scenario a line, each repeat a dot on it, the widest first."""

from collections import Counter
from dataclasses import dataclass

from evaluation.reports.html.figures import Axis, axis_within
from evaluation.reports.html.gathering import Reading
from evaluation.statistics.clusters import Scale
from evaluation.summary.repeats import Repeats, ScenarioRepeats, compare_repeats
from evaluation.text import numbers

SHOWN = 12
"""Lines that are open; the others are folded."""


@dataclass(frozen=True, slots=True)
class RepeatStrip:
    """The repeats of a run."""

    found: Repeats
    axis: Axis

    @property
    def sentence(self) -> str:
        """How far the repeats of all scenarios lie apart."""
        count, alike = self.found.counted, self.found.alike
        if alike == count:
            return f"In all {numbers.times(count, 'scenario')} the repeats have the same overall"
        if count == 1:
            return f"The repeats of its one scenario lie {numbers.score(self.found.median)} apart"
        same = f"in {numbers.count(alike)} they are alike" if alike else "in none of them are they alike"
        return (
            f"In half of {numbers.times(count, 'scenario')} the repeats lie at most "
            f"{numbers.score(self.found.median)} apart; {same}"
        )

    @property
    def open(self) -> tuple[ScenarioRepeats, ...]:
        """The widest."""
        return self.found.scenarios[:SHOWN]

    @property
    def folded(self) -> tuple[ScenarioRepeats, ...]:
        """The others that the page holds."""
        return self.found.scenarios[SHOWN:]

    @property
    def left_out(self) -> int:
        """Scenarios whose repeats differ, and that the page does not draw."""
        return self.found.counted - self.found.alike - len(self.found.scenarios)


def repeat_strip(reading: Reading, scale: Scale) -> RepeatStrip | None:
    """None for a run without repeats, or without values in two of them."""
    found = compare_repeats(reading.columns)
    if found is None:
        return None
    return RepeatStrip(found, axis_within([value for each in found.scenarios for value in each.known], scale))


def dots_of(each: ScenarioRepeats) -> list[tuple[float, int]]:
    """The values to two decimals, lowest first, with the number of repeats that have each."""
    return sorted(Counter(round(value, 2) for value in each.known).items())


def said_of(each: ScenarioRepeats) -> str:
    """The dots of a line in words: "0.40 once, 0.90 twice"."""
    times = {1: "once", 2: "twice"}
    said = ", ".join(f"{numbers.score(value)} {times.get(count, f'{count} times')}" for value, count in dots_of(each))
    missing = len(each.values) - len(each.known)
    return said + (f", {missing} of {len(each.values)} repeats without a value" if missing else "")
