"""A review report as a document: the newest week in full, the others as means; the pages share its sentences."""

from collections.abc import Iterator, Sequence

from evaluation.calibration.calibrate import Agreement as ToolAgreement
from evaluation.calibration.ratings import WORDS
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.reports.calibration import figure, reading
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Row,
    Table,
    document,
    table,
)
from evaluation.reports.items import describe_items
from evaluation.reports.wording import REHEARSAL, SAMPLE
from evaluation.review.weekly import GENERAL, DimensionWeek, Remark, Week, WeeklyReport
from evaluation.statistics.scenario_scores import Estimate
from evaluation.suites import SUITES
from evaluation.text import numbers

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's own bounds for alpha: reliable from the first on, tentative conclusions down to the second."""
MOST_NAMED = 8

LONGEST_REMARK = 2_500
MOST_WEEKS = 7
MOST_REMARKS = 4
"""That a terminal shows of each dimension."""


def describe_review(report: WeeklyReport, *, detail: bool = False, files: Sequence[str] = ()) -> Document:
    """`detail` gives every week a table of its own, `files` say where more can be read."""
    weeks = report.weeks[::-1] if detail else report.weeks[-1:]
    return document(
        _head(report),
        *map(_week, weeks),
        _means(report, report.weeks if detail else report.weeks[-MOST_WEEKS:]),
        _tools(report),
        describe_items(report.expectations),
        _remarks("Flagged responses", [("", report.flags)] if report.flags else []),
        _remarks("Remarks", group_remarks(report.remarks, report.dimensions)),
        _remarks("Unclear criteria", group_remarks(report.unclear, report.dimensions)),
        _remarks("Exemplary responses", [("", report.exemplary)] if report.exemplary else []),
        (Command("", file) for file in files),
    )


def _head(report: WeeklyReport) -> Iterator[Block]:
    yield Heading(answer(report), level=2, printed=False)
    yield Paragraph(headline(report), "strong")
    found = [Bullet(text, "bad" if text.startswith("REGRESSED") else "") for text in findings(report)]
    yield Bullets([*found, *(Bullet(text, "dim") for text in notes(report))])


def _week(week: Week) -> Iterator[Block]:
    yield Heading(week_title(week))
    yield table(DIMENSIONS, week.dimensions.items(), lambda each: "bad" if each[1].regressed else "")


def _means(report: WeeklyReport, weeks: Sequence[Week]) -> Iterator[Block]:
    columns = [Column(title, right=True) for title in (*(week.week[-3:] for week in weeks), "alpha")]
    rows = []
    for title in report.dimensions:
        alpha = report.agreement[title].alpha
        means = (numbers.score(week.dimensions[title].estimate.mean) for week in weeks)
        rows.append(Row([Name(title), *means, numbers.score(alpha), agreement_text(alpha)]))
    rows.append(Row(["responses", *(str(week.items) for week in weeks), "", ""], "dim"))
    yield Heading("Means by week", printed=False)
    yield Table([Column("means by week"), *columns, Column("agreement")], rows)
    if len(report.weeks) > len(weeks):
        yield Paragraph(f"{len(report.weeks) - len(weeks)} earlier weeks are in the files", "dim")


def _tools(report: WeeklyReport) -> Iterator[Block]:
    rows = [(row, tool_figures(row)) for row in tools(report)]
    if rows:
        yield Heading("People beside judge and rules", printed=False)
        columns = [
            Column("people beside the tool"),
            Column("source"),
            Column("n", right=True),
            Column("Spearman [95%]"),
        ]
        columns += [Column("MAE", right=True), Column("bias", right=True), Column("reading", detail=True)]
        yield Table(columns, [Row([Name(row.dimension), row.source, *shown]) for row, shown in rows])
        yield Paragraph(
            "bias above 0: the tool is kinder than people; checks, which run from 0 to 1, are stretched over the scale",
            "dim",
        )


def _remarks(title: str, groups: Sequence[tuple[str, Sequence[Remark]]]) -> Iterator[Block]:
    if groups:
        yield Heading(title)
    for dimension, remarks in groups:
        if dimension:
            yield Paragraph(dimension, "strong")
        items = [
            Bullet((Outside(remark.text or "(no words)", LONGEST_REMARK), f" {origin(remark)}")) for remark in remarks
        ]
        yield Bullets(items, brief=MOST_REMARKS)


def headline(report: WeeklyReport) -> str:
    """Says what was reviewed, and by whom."""
    return (
        f"Human review: suite {report.suite}, rubric {report.rubric} {', '.join(report.rubric_versions)}; "
        f"{numbers.times(report.reviews, 'review')} of {numbers.times(report.items, 'response')} by "
        f"{name_some(report.reviewers)} in {numbers.times(len(report.weeks), 'week')}"
    )


def answer(report: WeeklyReport) -> str:
    """The result of the newest week in a few words."""
    week = report.weeks[-1]
    if week.regressed:
        return f"{numbers.times(len(week.regressed), 'dimension')} lower than the week before"
    if len(report.weeks) > 1:
        return "No regression shown"
    overall = week.dimensions.get(report.dimensions[-1])
    if overall is None or overall.estimate.mean is None:
        return "No week before to compare with"
    return f"{numbers.score(overall.estimate.mean)} of {report.high:g} overall; no week before to compare with"


def findings(report: WeeklyReport) -> Iterator[str]:
    """The findings of the newest week, a sentence each."""
    week, before = report.weeks[-1], report.weeks[-2].week if len(report.weeks) > 1 else ""
    for dimension, fallen in week.regressed.items():
        note = "; small sample, look at the responses" if fallen.small else ""
        yield f"REGRESSED: {dimension} {change_text(fallen)} against {before}{note}"
    if before and not week.regressed:
        yield f"{week.week}: no dimension is lower than in {before} by more than chance explains"
    low = [each for each, found in report.agreement.items() if found.alpha is not None and found.alpha < TENTATIVE]
    if low:
        yield (
            f"reviewers agree too little (alpha below {TENTATIVE}) on {name_some(low)}: talk over the shared responses "
            "and make the criteria clearer before resting a decision on these means"
        )
    if report.unclear:
        yield f"the criteria were unclear in {numbers.times(len(report.unclear), 'place')}: see the list"


def notes(report: WeeklyReport) -> Iterator[str]:
    """Notes that a reader needs before the figures."""
    basis = "their responses were given" if report.week_of == "response" else "they were made"
    yield f"reviews are counted in the ISO week (UTC) in which {basis}"
    if report.rehearsal:
        yield f"{stand_in(report)} ({numbers.times(report.rehearsal, 'review')} of its responses)"
    if len(report.rubric_versions) > 1:
        yield f"several versions of the rubric ({', '.join(report.rubric_versions)}): weeks may not compare"
    if report.unknown:
        yield f"left out, as the rubric does not have them (--rubric names another): {name_some(report.unknown)}"
    if not any(found.shared for found in report.agreement.values()):
        yield "no response was reviewed by two people: how far reviewers agree is not known (--team with --overlap)"
    if report.kept or report.flagged:
        yield f"judged as a whole: {report.kept} kept, {report.flagged} flagged"
    if report.not_blind:
        yield f"not blind, and drawn towards what the judge said: {numbers.times(report.not_blind, 'review')}"
    compared = sum(found.change is not None for found in report.weeks[-1].dimensions.values())
    if compared > 1:
        yield f"each change stands alone: of {compared} that are none, about {compared / 40:.1f} would look like a fall"
    small = [
        week.week
        for week in report.weeks
        if any(0 < d.estimate.clusters < FEW_CLUSTERS for d in week.dimensions.values())
    ]
    if small:
        yield f"small samples (below {FEW_CLUSTERS} situations, intervals are rough): {name_some(small)}"


def stand_in(report: WeeklyReport) -> str:
    """Names the stand-in that answered, where it was no real prompt or application."""
    of_application = report.suite in SUITES and SUITES[report.suite].target == "application"
    return SAMPLE if of_application else REHEARSAL


def name_some(names: Sequence[str]) -> str:
    """Some names; of many the number of the rest."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def week_title(week: Week) -> str:
    """Says what a week rests on."""
    return (
        f"{week.week}: {numbers.times(week.items, 'response')}, {numbers.times(week.reviews, 'review')} by "
        f"{name_some(week.reviewers)}"
    )


def mean_text(found: Estimate) -> str:
    """4.20 [3.90, 4.50]."""
    return f"{numbers.score(found.mean)} {_ends(found.ci95)}".rstrip()


def change_text(found: DimensionWeek) -> str:
    """-0.40 [-0.70, -0.10]; "-" without a week before."""
    if found.change is None:
        return numbers.NONE
    return f"{numbers.with_sign(found.change.value, 2)} {_ends(found.change.ci95)}".rstrip()


def agreement_text(alpha: float | None) -> str:
    """An alpha in words."""
    if alpha is None:
        return "not known"
    return "reliable" if alpha >= RELIABLE else "tentative" if alpha >= TENTATIVE else "too low"


def tools(report: WeeklyReport) -> list[ToolAgreement]:
    """The rows of people beside judge and rules; the length of a response is no tool."""
    return [row for row in report.calibration.agreements if row.source != WORDS[0]]


def tool_figures(row: ToolAgreement) -> tuple[str, str, str, str, str]:
    """n, rank correlation with its interval, mean absolute error, bias, and what they say."""
    return (
        str(row.n),
        figure(row.spearman),
        numbers.score(row.mae.value),
        numbers.with_sign(row.bias.value, 2),
        reading(row),
    )


def group_remarks(remarks: Sequence[Remark], dimensions: Sequence[str]) -> list[tuple[str, list[Remark]]]:
    """Remarks by dimension in the rubric's order, newest first, the general ones last; empty groups left out."""
    order = [*dimensions, GENERAL]
    groups = {name: [remark for remark in remarks if remark.dimension == name] for name in order}
    return [(name or "in general", found[::-1]) for name, found in groups.items() if found]


def origin(remark: Remark) -> str:
    """Says what was reviewed, how, by whom and when, in brackets."""
    score = "" if remark.score is None else f", {remark.score:g}"
    return f"({remark.scenario_id}{score}, {remark.reviewer}, {remark.week})"


def _ends(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else numbers.interval(ends)


DIMENSIONS: Fields[tuple[str, DimensionWeek]] = [
    (Column("dimension"), lambda each: Name(each[0])),
    (Column("mean [95%]"), lambda each: mean_text(each[1].estimate)),
    (Column("change [95%]"), lambda each: change_text(each[1])),
    (Column("n", right=True), lambda each: str(each[1].estimate.n)),
    (Column("shared", right=True, detail=True), lambda each: str(each[1].agreement.shared)),
    (Column("alpha", right=True), lambda each: numbers.score(each[1].agreement.alpha)),
]
