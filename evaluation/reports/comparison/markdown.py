"""A comparison as GitHub-flavoured Markdown, for pull requests and job summaries; at most 60 KB."""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import Ranking
from evaluation.decision.gate import GateResult
from evaluation.reports.comparison import wording
from evaluation.reports.comparison.details import details
from evaluation.reports.document import NAME
from evaluation.reports.markdown import bounded, code, prose
from evaluation.statistics.paired import ScenarioPair
from evaluation.text import numbers

MOST_ROWS = 60


def comparison_markdown(
    comparison: Comparison,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The whole document; texts from outside stand in code spans. Ends with a line break."""
    return bounded(
        (
            *_head(
                comparison.verdict or "no verdict",
                wording.headline(comparison),
                wording.banners(comparison.rehearsal, comparison.forced),
                (*details(comparison), *notes),
            ),
            *_gate(gate),
            *_metrics(comparison),
            *worst_lines(comparison.worst),
            *_categories(comparison),
            f"Base {code(comparison.base.name, NAME)}: run {code(comparison.base.run_id)}; "
            f"candidate {code(comparison.candidate.name, NAME)}: run {code(comparison.candidate.run_id)}.",
        )
    )


def ranking_markdown(
    ranking: Ranking, *, gate: RegressionResult | GateResult | None = None, notes: Sequence[str] = ()
) -> str:
    """The ranking with its pairwise matrix; as `comparison_markdown`."""
    banners = wording.banners(ranking.rehearsal, ranking.forced)
    besides = (*wording.ranking_details(ranking), *notes)
    return bounded(
        (
            *_head(f"ranking of {len(ranking.runs)}", wording.ranking_headline(ranking), banners, besides),
            *_gate(gate),
            *_ranked(ranking),
            *_matrix(ranking),
        )
    )


def worst_lines(worst: Sequence[ScenarioPair]) -> Iterator[str]:
    """The scenarios that fell most, as a table; nothing without any."""
    if not worst:
        return
    yield "### Worst regressions"
    yield ""
    yield "| scenario | category | before | now | difference |"
    yield "| --- | --- | --- | --- | --- |"
    for pair in worst:
        means = f"{numbers.score(pair.a)} | {numbers.score(pair.b)} | {numbers.signed(pair.difference)}"
        yield f"| {code(pair.place.scenario_id, NAME)} | {code(pair.place.category, NAME)} | {means} |"
    yield ""


def _head(title: str, headline: str, banners: Sequence[str], details: Iterable[str]) -> Iterator[str]:
    yield f"## {title.capitalize()}"
    yield ""
    for banner in banners:
        yield f"> **{prose(banner)}**"
        yield ""
    yield f"{prose(headline, 800)}."
    yield ""
    for text in details:
        yield f"- {prose(text)}"
    yield ""


def _gate(gate: RegressionResult | GateResult | None) -> Iterator[str]:
    if gate is None:
        return
    first, *reasons = wording.gate_lines(gate)
    yield f"### {prose(first)}"
    yield ""
    for reason in reasons:
        yield f"- {prose(reason)}"
    yield ""


def _headers(comparison: Comparison) -> tuple[str, str]:
    """The names of the runs; their parts, where cut names would not tell them apart."""
    base, candidate = code(comparison.base.name, NAME), code(comparison.candidate.name, NAME)
    return ("base", "candidate") if base == candidate else (base, candidate)


def _metrics(comparison: Comparison) -> Iterator[str]:
    base, candidate = _headers(comparison)
    for source in wording.ordered_sources(comparison):
        rows = comparison.metrics[source]
        yield f"### {prose(source)}: candidate minus base"
        yield ""
        yield f"| metric | {base} | {candidate} | difference [95% interval] | p | coverage | test |"
        yield "| --- | --- | --- | --- | --- | --- | --- |"
        for metric, row in list(rows.items())[:MOST_ROWS]:
            shown = code(metric, NAME)
            yield _row(f"**{shown}**" if row.role == "primary" else shown, row, _test(row))
        yield ""


def _row(name: str, row: MetricDifference, test: str) -> str:
    found = row.estimate
    means = f"{numbers.score(found.mean_a)} | {numbers.score(found.mean_b)}"
    return f"| {name} | {means} | {_change(row)} | {numbers.p_value(found.p)} | {_share(row)} | {test} |"


def _change(row: MetricDifference) -> str:
    found = row.estimate
    if found.ci95 is None:
        return numbers.signed(found.difference)
    return f"{numbers.signed(found.difference)} [{numbers.signed(found.ci95[0])}, {numbers.signed(found.ci95[1])}]"


def _share(row: MetricDifference) -> str:
    share = numbers.percent(row.coverage)
    return share if row.paired >= row.planned else f"{share} (possible: {numbers.span(row.bounds)})"


def _test(row: MetricDifference) -> str:
    if row.role == "descriptive":
        return wording.ROLES[row.role]
    call = row.call or "too few situations"
    adjusted = "" if row.p_adjusted is None else f", adjusted p {numbers.p_value(row.p_adjusted)}"
    return f"{call} ({wording.ROLES[row.role]}{adjusted})"


def _categories(comparison: Comparison) -> Iterator[str]:
    if not comparison.categories:
        return
    base, candidate = _headers(comparison)
    yield "### By category (descriptive, not tested)"
    yield ""
    yield f"| category | {base} | {candidate} | overall difference [95% interval] | p | coverage | scenarios |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    cells = [cell for cell in comparison.categories if cell.row.metric == comparison.overall]
    for cell in cells[:MOST_ROWS]:
        yield _row(code(cell.category, NAME), cell.row, str(cell.row.estimate.scenarios))
    yield ""


def _ranked(ranking: Ranking) -> Iterator[str]:
    yield f"| place | run | {prose(ranking.source)} {code(ranking.overall, NAME)} [95% interval] | coverage |"
    yield "| --- | --- | --- | --- |"
    for place, run in enumerate(ranking.runs, start=1):
        found = ranking.overall_of(run)
        if found is None:
            yield f"| `#{place}` | {code(run.name, NAME)} | - | - |"
            continue
        cell = f"{numbers.score(found.estimate.mean)} {numbers.interval(found.estimate.ci95)}"
        yield f"| `#{place}` | {code(run.name, NAME)} | {cell} | {numbers.percent(found.coverage)} |"
    yield ""


def _matrix(ranking: Ranking) -> Iterator[str]:
    yield "### Every pair: the first minus the second, corrected together by Holm"
    yield ""
    yield "| first | second | difference [95% interval] | adjusted p | coverage | verdict on the first |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for pair in ranking.pairs:
        names = " | ".join(
            f"`#{place + 1}` {code(ranking.runs[place].name, NAME)}" for place in (pair.first, pair.second)
        )
        verdict = wording.pair_verdict(pair) + (", at stake with the missing pairs" if pair.overturnable else "")
        figures = f"{_change(pair.row)} | {numbers.p_value(pair.row.p_adjusted)} | {_share(pair.row)}"
        yield f"| {names} | {figures} | {verdict} |"
    yield ""
