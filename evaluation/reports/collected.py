"""A collection of responses, as a document: the mean of each metric with its spread, and the means of groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from evaluation.collected.tally import MOST_GROUPS, OTHERS
from evaluation.decision.gate import StoredMean
from evaluation.production.judged import ItemFailures
from evaluation.records import Expectation, Source
from evaluation.reports import responses
from evaluation.reports.document import (
    Banner,
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
    document,
    in_detail,
    table,
)
from evaluation.reports.languages import unreviewed_in
from evaluation.statistics.clusters import WeightedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words

MEANS: TypeAdapter[dict[str, WeightedEstimate]] = TypeAdapter(dict[str, WeightedEstimate])
"""Reads what `means_json` wrote."""
STORED: TypeAdapter[dict[str, StoredMean]] = TypeAdapter(dict[str, StoredMean])
"""Reads the means of all rows, and of a group, as `Tally.summary` has them."""
BARS = "·▁▂▃▄▅▆▇█"
REASONS = 5
"""Reasons that a terminal shows."""
SHOWN = 30
"""Groups of one column that are shown, those with the most rows; the others stand in summary.json."""


def describe_collection(summary: Mapping[str, Any], metrics: Sequence[str], folder: str) -> Document:
    """`summary` is as `Tally.summary` has it, with suite and parts; `folder` is where the output lies."""
    overall = metrics[-1]
    return document(
        map(Banner, banners(summary)),
        _head(summary),
        *_of_judge(summary, overall),
        _means(summary["metrics"], metrics, summary["scale"]),
        *(_groups(column, found, overall) for column, found in summary["by"].items()),
        in_detail(_lowest(summary.get("lowest", {}).get(overall, ()), overall)),
        [Command("report", f"{folder}/report.html")],
    )


def head_of(summary: Mapping[str, Any]) -> str:
    """What was scored, and by which suite."""
    return f"{numbers.times(summary['rows'], 'response')}, suite {summary['suite']}"


def notes_of(summary: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know before the figures."""
    if errors := summary["errors"]:
        yield f"{numbers.times(errors, 'row')} could not be scored; the reason stands in place of the scores"
    for column in summary.get("unseen_columns", ()):
        yield f"no row has the column {column!r} that the command names: look at --id, --by, --time and --cluster"
    for why, files in summary.get("uncut", {}).items():
        stay = "stays" if files == 1 else "stay"
        yield f"{numbers.times(files, 'file')} with {why} {stay} one part, which one process does alone"


def others_of(found: Mapping[str, Mapping[str, Any]], overall: str) -> str:
    """What the group of all others is; empty where a column has none."""
    if OTHERS not in found:
        return ""
    others = numbers.times(found[OTHERS][overall]["n"], "response")
    return (
        f"this column has more than {MOST_GROUPS} values: {OTHERS} counts the {others} of all that come after the "
        f"first {MOST_GROUPS} by name together"
    )


def _head(summary: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(head_of(summary), level=2)
    yield from (Paragraph(note, "warning") for note in notes_of(summary))
    yield Bullets(
        [Bullet((f"{numbers.count(each['count'])}: ", Outside(each["reason"]))) for each in summary.get("reasons", ())],
        brief=REASONS,
        rest="summary.json",
    )


def _lowest(rows: Sequence[Mapping[str, Any]], overall: str) -> Iterator[Block]:
    if not rows:
        return
    yield Heading(f"Lowest {in_words(overall)}")
    fields: Fields[Mapping[str, Any]] = [
        (Column("id"), lambda row: Name(row["id"])),
        (Column("score", right=True), lambda row: numbers.score(row["value"])),
        (Column("part", right=True), lambda row: numbers.count(row["part"])),
    ]
    yield table(fields, rows)


def _means(found: Mapping[str, Any], metrics: Sequence[str], scale: Sequence[float]) -> Iterator[Block]:
    classes: Fields[tuple[str, responses.Counted]] = [
        (Column(f"{scale[0]:g} to {scale[1]:g}"), lambda row: bars(found[row[0]]["histogram"])),
    ]
    names: Fields[tuple[str, responses.Counted]] = [(Column("metric"), lambda row: in_words(row[0]))]
    means = STORED.validate_python(found)
    yield table(
        [*names, *responses.figures("mean", "n"), *classes], [(each, means[each]) for each in metrics if each in means]
    )
    yield Paragraph("95% intervals; the columns on the right count values in twenty classes of the scale", "dim")


def _groups(column: str, found: Mapping[str, Mapping[str, Any]], overall: str) -> Iterator[Block]:
    means = STORED.validate_python({name: metrics[overall] for name, metrics in found.items()})
    rows = sorted(means.items(), key=lambda row: row[0] if column == "week" else -row[1].n)
    yield Heading(("by ", Name(column), f", {in_words(overall)}"))
    names: Fields[tuple[str, responses.Counted]] = [(Column(column), lambda row: Name(row[0]))]
    yield table([*names, *responses.figures("mean", "n")], rows[:SHOWN])
    if len(rows) > SHOWN:
        yield Paragraph(f"{len(rows) - SHOWN} more in summary.json", "dim")
    if others := others_of(found, overall):
        yield Paragraph(others, "warning")


def bars(classes: Sequence[int]) -> str:
    """One block for each class, as high as its share of the largest."""
    most = max(classes, default=0)
    if not most:
        return ""
    return "".join(BARS[0 if not each else max(1, round(each / most * (len(BARS) - 1)))] for each in classes)


# --- what a judge says of it: the entry `judge` of the summary -------------------------------------------------------


def banners(summary: Mapping[str, Any]) -> list[str]:
    """What must stand above everything else."""
    said = unreviewed_in(summary.get("languages", ()))
    return [*(summary.get("judge") or {}).get("banners", ()), *([said] if said else [])]


def _of_judge(summary: Mapping[str, Any], overall: str) -> Iterator[Iterator[Block]]:
    """All that the judge says; nothing of a summary without an entry `judge`."""
    judged = summary.get("judge")
    if judged is None:
        return
    yield _answer(summary, judged, overall)
    yield _means_beside(STORED.validate_python(summary["metrics"]), judged, overall)
    for column, found in judged["by"].items():
        yield _groups_of_judge(column, found, summary["by"].get(column, {}), overall, judged["source"])
    yield responses.conversations(MEANS.validate_python(judged["conversations"]), "up to the response")
    met = MEANS.validate_python({"met": judged["expectations"]["met"]})["met"]
    yield responses.expectations(met, [_failing(each) for each in judged["expectations"]["failing"]])
    yield _worst(judged, overall)


def sentences_of_judge(summary: Mapping[str, Any], overall: str) -> Iterator[str]:
    """What a page says of it, where the summary has an entry `judge`: the answer, how, and what is missing."""
    judged = summary.get("judge")
    if judged is None:
        return
    yield f"The judge {judged['model']}: {_said(summary, judged, overall)}; {_how(judged)}"
    yield from _missing(judged)


def _answer(summary: Mapping[str, Any], judged: Mapping[str, Any], overall: str) -> Iterator[Block]:
    small = judged["metrics"][judged["source"]][overall]["small_sample"]
    yield Heading(("the judge ", Outside(str(judged["model"]))))
    yield Paragraph(_said(summary, judged, overall), "warning" if small else "strong")
    yield Paragraph(_how(judged), "dim")
    yield from (Paragraph(each, "warning") for each in _missing(judged))


def _said(summary: Mapping[str, Any], judged: Mapping[str, Any], overall: str) -> str:
    found, coverage = judged["metrics"][judged["source"]][overall], judged["coverage"]
    said = f"{numbers.score(found['mean'])} {numbers.interval(found['ci95'])}, as {responses.SAID[judged['source']]} it"
    of = f"{numbers.count(coverage['judged'])} judged of {numbers.count(summary['rows'] - summary['errors'])}"
    small = f": a small sample ({numbers.times(found['n'], 'response')})" if found["small_sample"] else ""
    return f"{in_words(overall)} {said}, from {of}{small}"


def _missing(judged: Mapping[str, Any]) -> Iterator[str]:
    coverage = judged["coverage"]
    no_say = ("rows of strata of which none is judged, for which no mean here speaks", judged["rows_of_no_say"])
    unanswered = responses.open_verdicts(coverage["unread"], coverage["failed"], coverage["open"], "rows ")
    yield from (f"{words}: {numbers.count(number)}" for words, number in (*unanswered, no_say) if number)


def _how(judged: Mapping[str, Any]) -> str:
    coverage = judged["coverage"]
    if not judged["sampled"]:
        return "all responses were given to the judge, so that each stands for itself"
    return (
        f"a sample: {numbers.count(coverage['drawn'])} of {numbers.count(coverage['candidates'])} were drawn from "
        f"{responses.strata(coverage['strata'])}, low rule scores more often, seed {judged['seed']}; means are "
        "weighted by how many responses each one stands for, and intervals hold the chance of the draw"
    )


def _means_beside(of_rules: Mapping[str, StoredMean], judged: Mapping[str, Any], overall: str) -> Iterator[Block]:
    """The judge's means beside the rules'."""
    of_judge, together = (MEANS.validate_python(judged["metrics"].get(each, {})) for each in ("judge", "combined"))
    fields: Fields[str] = [
        (Column("metric"), in_words),
        (Column("rules", right=True), lambda metric: responses.score_of(of_rules.get(metric))),
        (Column("judge", right=True), lambda metric: numbers.score(of_judge[metric].mean)),
        (Column("95% interval", right=True), lambda metric: numbers.interval(of_judge[metric].ci95)),
        (Column("together", right=True), lambda metric: responses.score_of(together.get(metric))),
        (Column("judged", right=True), lambda metric: numbers.count(of_judge[metric].n)),
        (Column("95% interval", right=True, detail=True), lambda metric: responses.ends_of(together.get(metric))),
    ]
    yield table(fields, of_judge, lambda metric: "strong" if metric == overall else "")


def _groups_of_judge(
    column: str, found: Mapping[str, Any], of_rules: Mapping[str, Any], overall: str, source: Source
) -> Iterator[Block]:
    yield Heading(("by ", Name(column), f", {responses.as_scored(overall, source)}"))
    names: Fields[responses.Named] = [(Column(column), lambda row: Name(row[0]))]
    sizes = responses.about("of", {name: of_rules[name][overall]["n"] for name in of_rules})
    means = MEANS.validate_python({name: metrics[overall] for name, metrics in found.items()})
    yield table([*names, *responses.figures("mean", "judged"), *sizes, *responses.SMALL], means.items())


def _failing(each: Mapping[str, Any]) -> ItemFailures:
    item = Expectation(each["id"], each["kind"], each["question"], critical=each["critical"])
    share = MEANS.validate_python({"share": each["share"]})["share"]
    return ItemFailures(item, each["failed"], each["of"], share, ())


def _worst(judged: Mapping[str, Any], overall: str) -> Iterator[Block]:
    if judged["worst"]:
        yield Heading(f"the lowest by {in_words(overall)}, as {responses.SAID[judged['source']]} it")
    for row in judged["worst"]:
        lead = Bullet((f"{numbers.score(row['score'])} ", Outside(row["id"])))
        words = Bullet(("judge: ", Outside(row["reasoning"], responses.EXCERPT)), "dim", depth=1)
        yield Bullets([lead, *([words] if row["reasoning"] else []), *responses.failed_items(row["failed"])])
