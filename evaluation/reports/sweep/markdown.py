"""A sweep as GitHub-flavoured Markdown, for pull requests and notes; at most 60 KB."""

from collections.abc import Iterator, Sequence

from evaluation.reports.document import NAME
from evaluation.reports.markdown import bounded, code, prose
from evaluation.reports.sweep import wording
from evaluation.sweep.effects import Effect, by_factor
from evaluation.sweep.expected import RangeCheck
from evaluation.sweep.sweep import Sweep
from evaluation.text import numbers


def sweep_markdown(sweep: Sweep, notes: Sequence[str] = ()) -> str:
    """sweep.md."""
    sections = [
        _head(sweep, notes),
        _means(sweep),
        *(_effects(list(rows.values())) for rows in by_factor(sweep.effects).values()),
        _best(sweep),
        *(_expected(sweep, title, checks) for title, checks in wording.statements(sweep).items()),
        _spread(sweep),
        _runs(sweep),
    ]
    return bounded(line for section in sections for line in (*section, ""))


def _head(sweep: Sweep, notes: Sequence[str]) -> Iterator[str]:
    yield "## Sweep"
    yield ""
    for banner in wording.sweep_banners(sweep):
        yield f"> **{prose(banner)}**"
        yield ""
    yield f"**{prose(wording.headline(sweep), 800)}.**"
    yield ""
    yield f"{prose(wording.subject(sweep))}."
    yield ""
    for line in (*wording.details(sweep), *wording.gaps(sweep), *(f"note: {note}" for note in notes)):
        yield f"- {prose(line)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for first, *cells in rows:
        yield "| " + " | ".join([code(first, NAME), *map(prose, cells)]) + " |"


def _means(sweep: Sweep) -> Iterator[str]:
    yield "### Means with 95% intervals"
    yield ""
    head = ["metric", *(code(setting.name, NAME) for setting in sweep.settings)]
    rows = [[metric, *(wording.cell(sweep, metric, setting) for setting in sweep.settings)] for metric in sweep.metrics]
    yield from _table(head, rows)
    yield ""
    yield f"{wording.METHOD[0].upper()}{wording.METHOD[1:]}."


def _effects(effects: Sequence[Effect]) -> Iterator[str]:
    yield f"### What changes from {prose(wording.way(effects[0]))}"
    yield ""
    rows = [
        (
            effect.metric,
            wording.rank_correlation(effect),
            wording.change(effect),
            numbers.p_value(effect.change.p_adjusted),
            wording.TESTED[effect.change.call],
        )
        for effect in effects
    ]
    yield from _table(("metric", "Spearman [95%]", "change [95%]", "adjusted p", "tested"), rows)


def _best(sweep: Sweep) -> Iterator[str]:
    yield "### Best setting by metric"
    yield ""
    rows = [
        (metric, wording.answer(sweep.best[metric], sweep), wording.grounds(sweep.best[metric], sweep))
        for metric in sweep.metrics
    ]
    yield from _table(("metric", "answer", "grounds"), rows)


def _expected(sweep: Sweep, title: str, checks: Sequence[RangeCheck]) -> Iterator[str]:
    yield f"### Expected {prose(title)}"
    yield ""
    names = wording.settings_of(checks)
    rows = [[metric, *(_checked(row.get(name)) for name in names)] for metric, row in wording.by_metric(checks).items()]
    yield from _table(["metric", *(code(name, NAME) for name in names)], rows)
    yield ""
    yield f"{prose(wording.agreement(checks))}. Given is the expected range, then where the mean lies."
    yield ""
    for line in wording.remarks(sweep, title):
        yield f"- {prose(line)}"


def _checked(check: RangeCheck | None) -> str:
    if check is None:
        return "-"
    return f"{wording.expected_range(check)}: {check.mean:.2f} {wording.verdict_on(check)}"


def _spread(sweep: Sweep) -> Iterator[str]:
    yield "### Spread of the values"
    yield ""
    for line in wording.clustering(sweep) or ["every metric spreads over its scale"]:
        yield f"- {prose(line)}"


def _runs(sweep: Sweep) -> Iterator[str]:
    yield "### Runs"
    yield ""
    for setting in sweep.settings:
        yield f"- {code(setting.name, NAME)}: run {code(setting.run.run_id)}"
