"""A calibration as GitHub-flavoured Markdown, with every figure and its interval; at most 60 KB."""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.calibration.calibrate import Agreement, Calibration
from evaluation.reports.calibration import wording
from evaluation.reports.document import NAME
from evaluation.reports.markdown import CUT, MOST_BYTES, code, prose
from evaluation.statistics.agreement_intervals import Figure
from evaluation.text import numbers

MOST_DIMENSIONS = 30
COLUMNS = (
    "metric", "n", "conversations", "Spearman", "Pearson", "MAE", "bias", "weighted kappa", "alpha", "differ", "reading"
)  # fmt: skip


def calibration_markdown(found: Calibration, *, plots: Sequence[tuple[str, str]] = ()) -> str:
    """The whole document, ending with a line break. `plots` are (title, file name) beside it."""
    dimensions = list(found.scales)[:MOST_DIMENSIONS]
    lines = [
        *_head(found),
        *(line for dimension in dimensions for line in _table(found, dimension)),
        *(line for dimension in dimensions for line in _pairs(found, dimension)),
        *_decisions(found),
        *_correlations(found),
        *_plots(plots),
    ]
    text = "\n".join(lines) + "\n"
    if len(text.encode()) < MOST_BYTES:
        return text
    kept = text.encode()[: MOST_BYTES - len(CUT.encode()) - 1].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1] + CUT


def _head(found: Calibration) -> Iterator[str]:
    yield "## Agreement with people"
    yield ""
    yield f"{prose(wording.headline(found), 800)}."
    yield ""
    for text in wording.notes(found):
        yield f"- {prose(text)}"
    yield (
        f"- Intervals: 95%, percentiles of {numbers.count(found.resamples)} resamples of whole conversations, "
        f"seed {found.seed}."
    )
    yield ""


def _table(found: Calibration, dimension: str) -> Iterator[str]:
    rows = [item for item in found.agreements if item.dimension == dimension]
    if not rows:
        return
    yield f"### {code(dimension, NAME)}"
    yield ""
    yield _cells(COLUMNS)
    yield _cells("---" for _ in COLUMNS)
    for item in rows:
        yield _cells(_row(item))
    yield ""


def _row(item: Agreement) -> Iterator[str]:
    yield code(wording.name_of(item.source, item.metric), NAME)
    yield numbers.count(item.n)
    yield numbers.count(item.clusters)
    for figure in (item.spearman, item.pearson, item.mae, item.bias, item.kappa):
        yield wording.figure(figure)
    yield wording.figure(Figure(item.alpha, item.alpha_ci95))
    yield numbers.percent(None if item.decisions is None else item.decisions.differ)
    yield wording.reading(item)


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _pairs(found: Calibration, dimension: str) -> Iterator[str]:
    rows = [item for item in found.pairs if item.dimension == dimension]
    if not rows:
        return
    yield f"### Pairs: {code(dimension, NAME)}"
    yield ""
    yield _cells(("metric", "pairs", "undecided people", "ties of the metric", "accuracy", "reading"))
    yield _cells("---" for _ in range(6))
    for item in rows:
        name, reading = wording.name_of(item.source, item.metric), wording.reading_pair(item)
        counts = [numbers.count(value) for value in (item.pairs, item.undecided, item.tool_ties)]
        yield _cells((code(name, NAME), *counts, wording.figure(item.accuracy), reading))
    yield ""


def _decisions(found: Calibration) -> Iterator[str]:
    told = [*wording.overall_decisions(found), *wording.remarks(found)]
    if told:
        yield "### What stands out"
        yield ""
        for text in told:
            yield f"- {prose(text)}"
        yield ""


def _correlations(found: Calibration) -> Iterator[str]:
    defined = [item for item in found.correlations if item.spearman is not None]
    if not defined:
        return
    yield "### The metrics among themselves (Spearman)"
    yield ""
    if len(defined) < len(found.correlations):
        yield f"Left out, because one of the two does not vary: {len(found.correlations) - len(defined)} pairs."
        yield ""
    yield _cells(("metric", "metric", "n", "Spearman"))
    yield _cells("---" for _ in range(4))
    for item in sorted(defined, key=lambda item: -abs(item.spearman or 0.0)):
        names = (code(wording.name_of(*key), NAME) for key in (item.first, item.second))
        yield _cells((*names, numbers.count(item.n), wording.signed(item.spearman)))
    yield ""


def _plots(plots: Sequence[tuple[str, str]]) -> Iterator[str]:
    for title, name in plots:
        yield f"![{prose(title)}]({name})"
        yield ""
