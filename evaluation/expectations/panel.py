"""What several judges say of one expectation: the majority of those that show something, and who they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.expectations.reading import ItemReading
from evaluation.records import Outcome


def merge_readings(said: Mapping[str, ItemReading]) -> ItemReading:
    """What the readings of a panel come to, by model: that of the majority, with who is of it and who is not.

    A member that shows nothing (no readable answer, "cannot tell", a yes without its quote) has no voice. A tie shows
    nothing. Of one judge alone it is that judge's own reading.
    """
    if len(said) == 1:
        return next(iter(said.values()))
    outcomes: dict[str, Outcome] = {model: reading.outcome for model, reading in said.items()}
    holds, fails = (_of(outcomes, outcome) for outcome in ("holds", "fails"))
    if len(holds) == len(fails):
        return ItemReading("not_shown", reason=_why_not_shown(said, holds, fails), members=outcomes)
    outcome: Outcome = "holds" if len(holds) > len(fails) else "fails"
    ours, others = (holds, fails) if outcome == "holds" else (fails, holds)
    best = next(reading for reading in said.values() if reading.outcome == outcome)
    return replace(best, reason=f"{_voices(ours, others)}{best.reason and f'; {best.reason}'}", members=outcomes)


def _of(outcomes: Mapping[str, Outcome], wanted: str) -> list[str]:
    return [model for model, outcome in outcomes.items() if outcome == wanted]


def _voices(ours: Sequence[str], others: Sequence[str]) -> str:
    return f"by {_listed(ours)}{f' against {_listed(others)}' if others else ''}"


def _why_not_shown(said: Mapping[str, ItemReading], holds: Sequence[str], fails: Sequence[str]) -> str:
    if holds:
        return f"{_listed(holds)}: holds, {_listed(fails)}: fails"
    return "; ".join(f"{model}: {reading.reason}" for model, reading in said.items())


def _listed(models: Sequence[str]) -> str:
    return " and ".join(models) if len(models) < 3 else f"{', '.join(models[:-1])} and {models[-1]}"
