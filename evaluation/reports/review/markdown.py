"""A review report as GitHub-flavoured Markdown, with every remark."""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.reports.document import NAME
from evaluation.reports.markdown import CUT, MOST_BYTES, code, prose
from evaluation.reports.review import wording
from evaluation.review.weekly import Remark, Week, WeeklyReport
from evaluation.text import numbers

WEEK_COLUMNS = ("dimension", "mean [95%]", "change [95%]", "n", "shared", "alpha")
TOOL_COLUMNS = ("dimension", "source", "n", "Spearman [95%]", "MAE", "bias", "reading")


def review_markdown(report: WeeklyReport) -> str:
    """The whole document, ending with a line break; at most 60 KB."""
    lines = [
        *_head(report),
        *_means(report),
        *(line for week in reversed(report.weeks) for line in _week(week)),
        *_tools(report),
        *_remarks("Remarks", wording.grouped(report.remarks, report.dimensions)),
        *_remarks("Unclear criteria", wording.grouped(report.unclear, report.dimensions)),
        *_remarks("Exemplary responses", [("", report.exemplary)] if report.exemplary else []),
    ]
    text = "\n".join(lines) + "\n"
    if len(text.encode()) < MOST_BYTES:
        return text
    kept = text.encode()[: MOST_BYTES - len(CUT.encode()) - 1].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1] + CUT


def _head(report: WeeklyReport) -> Iterator[str]:
    yield f"## {prose(wording.answer(report))}"
    yield ""
    yield f"{prose(wording.headline(report), 800)}."
    yield ""
    yield from (f"- {prose(text, 800)}" for text in (*wording.findings(report), *wording.notes(report)))
    yield ""


def _means(report: WeeklyReport) -> Iterator[str]:
    yield "### Means by week"
    yield ""
    yield _cells(("dimension", *(week.week for week in report.weeks), "alpha", "agreement"))
    yield _cells(["---"] * (len(report.weeks) + 3))
    for name in report.dimensions:
        means = (numbers.score(week.dimensions[name].estimate.mean) for week in report.weeks)
        alpha = report.agreement[name].alpha
        yield _cells((code(name, NAME), *means, numbers.score(alpha), wording.agreement_text(alpha)))
    yield ""


def _week(week: Week) -> Iterator[str]:
    yield f"### {prose(wording.week_title(week), 300)}"
    yield ""
    yield _cells(WEEK_COLUMNS)
    yield _cells("---" for _ in WEEK_COLUMNS)
    for name, found in week.dimensions.items():
        change = wording.change_text(found)
        alpha = numbers.score(found.agreement.alpha)
        shown = f"**{change}**" if found.regressed else change
        mean, count = wording.mean_text(found), str(found.estimate.n)
        yield _cells((code(name, NAME), mean, shown, count, str(found.agreement.shared), alpha))
    yield ""


def _tools(report: WeeklyReport) -> Iterator[str]:
    rows = wording.tools(report)
    if not rows:
        return
    yield "### People beside judge and rules"
    yield ""
    yield _cells(TOOL_COLUMNS)
    yield _cells("---" for _ in TOOL_COLUMNS)
    for row in rows:
        yield _cells((code(row.dimension, NAME), row.source, *wording.tool_figures(row)))
    yield ""
    yield "Bias above 0: the tool is kinder than people. Checks, which run from 0 to 1, are stretched over the scale."
    yield ""


def _remarks(title: str, groups: Sequence[tuple[str, Sequence[Remark]]]) -> Iterator[str]:
    if not groups:
        return
    yield f"### {title}"
    yield ""
    for name, remarks in groups:
        if name:
            yield f"**{prose(name)}**"
            yield ""
        yield from (f"- {prose(wording.remark_text(remark), 2500)}" for remark in remarks)
        yield ""


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
