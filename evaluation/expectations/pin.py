"""The pin of a run's expectations: who answers them, how many there are, and what they ask."""

from collections.abc import Sequence

from evaluation.expectations.answering import Mode, is_planned
from evaluation.records import Scenario
from evaluation.records.fields import fields_of
from evaluation.runspec import TextPin, canonical_json, digest


def expectations_pin(scenarios: Sequence[Scenario], mode: Mode) -> TextPin | None:
    """None where nothing is expected, or nobody answers. The order of the scenarios does not change the pin."""
    planned = [
        (scenario.id, [fields_of(item) for item in scenario.expect if is_planned(item, mode)]) for scenario in scenarios
    ]
    count = sum(len(items) for _, items in planned)
    if not count:
        return None
    parts = (canonical_json([name, items]) for name, items in sorted(planned, key=lambda each: each[0]) if items)
    return TextPin(mode, str(count), digest("".join(parts)))
