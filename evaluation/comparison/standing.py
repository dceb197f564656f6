"""What keeps a verdict on several runs from standing, in the words of the first line."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.runs import RunScores
from evaluation.decision.decide import is_short
from evaluation.decision.first_line import Standing, describe_lack
from evaluation.summary.counts import Counts


def standing_of(runs: Sequence[RunScores], rows: Sequence[MetricDifference], *, unfit: bool, about: str) -> Standing:
    """Of runs whose pairs differ by these rows; of several rows the one that says most counts."""
    valued = [row for row in rows if row.estimate.difference is not None]
    return Standing(
        lacking=describe_lack(_counts(runs)),
        short=all(is_cut_short(row, runs) for row in valued),
        unfit=unfit,
        nothing="" if valued else f"no exchange has an overall in {'both' if len(runs) == 2 else 'two of the'} runs",
        situations=max((row.estimate.clusters for row in valued), default=0),
        about=about,
    )


def is_cut_short(row: MetricDifference, runs: Sequence[RunScores]) -> bool:
    """True where one of the runs did not come to its end, and so much is missing that nothing is decided."""
    counts = _counts(runs)
    return bool(counts.failed or counts.skipped) and is_short(row.coverage)


def _counts(runs: Sequence[RunScores]) -> Counts:
    found = Counts(0, 0, 0, 0, 0)
    for run in runs:
        each = run.summary.counts
        found = replace(
            found,
            planned=found.planned + each.planned,
            scored=found.scored + each.scored,
            failed=found.failed + each.failed,
            skipped=found.skipped + each.skipped,
        )
    return found
