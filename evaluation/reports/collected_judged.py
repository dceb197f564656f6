"""What a judge says of a collection of responses, as parts of its report: means, groups, failures, and the lowest."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.records import Source
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    table,
)
from evaluation.reports.languages import unreviewed_in
from evaluation.reports.production_judged import MOST_ITEMS, SAID
from evaluation.text import numbers
from evaluation.text.names import in_words

Means = Mapping[str, Any]
"""Metric -> its estimate, as in summary.json."""


def banners(summary: Mapping[str, Any]) -> list[str]:
    """What must stand above everything else."""
    said = unreviewed_in(summary.get("languages", ()))
    return [*(summary.get("judge") or {}).get("banners", ()), *([said] if said else [])]


def sections(summary: Mapping[str, Any], overall: str) -> Iterator[Iterator[Block]]:
    """All of it, of a summary with an entry `judge`; nothing of one without."""
    judged = summary.get("judge")
    if judged is None:
        return
    yield _answer(summary, judged, overall)
    yield _means(summary["metrics"], judged, overall)
    for column, found in judged["by"].items():
        yield _groups(column, found, summary["by"].get(column, {}), overall, judged["source"])
    yield _conversations(judged["conversations"])
    yield _expectations(judged["expectations"])
    yield _worst(judged, overall)


def sentences(summary: Mapping[str, Any], overall: str) -> Iterator[str]:
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
    said = f"{numbers.score(found['mean'])} {numbers.interval(found['ci95'])}, as {SAID[judged['source']]} it"
    of = f"{numbers.count(coverage['judged'])} judged of {numbers.count(summary['rows'] - summary['errors'])}"
    small = f": a small sample ({numbers.times(found['n'], 'response')})" if found["small_sample"] else ""
    return f"{in_words(overall)} {said}, from {of}{small}"


def _missing(judged: Mapping[str, Any]) -> Iterator[str]:
    coverage = judged["coverage"]
    for words, number in (
        ("verdicts that could not be read", coverage["unread"]),
        ("rows without an answer of the judge", coverage["failed"]),
        ("rows not judged yet", coverage["open"]),
        ("rows of strata of which none is judged, for which no mean here speaks", judged["rows_of_no_say"]),
    ):
        if number:
            yield f"{words}: {numbers.count(number)}"


def _how(judged: Mapping[str, Any]) -> str:
    coverage = judged["coverage"]
    if not judged["sampled"]:
        return "all responses were given to the judge, so that each stands for itself"
    strata = numbers.times(coverage["strata"], "stratum").replace("stratums", "strata")
    return (
        f"a sample: {numbers.count(coverage['drawn'])} of {numbers.count(coverage['candidates'])} were drawn from "
        f"{strata}, low rule scores more often, seed {judged['seed']}; means are weighted by how many responses each "
        "one stands for, and intervals hold the chance of the draw"
    )


def _means(of_rules: Means, judged: Mapping[str, Any], overall: str) -> Iterator[Block]:
    of_judge, together = judged["metrics"]["judge"], judged["metrics"].get("combined", {})
    fields: Fields[str] = [
        (Column("metric"), in_words),
        (Column("rules", right=True), lambda metric: numbers.score(_of(of_rules, metric, "mean"))),
        (Column("judge", right=True), lambda metric: numbers.score(of_judge[metric]["mean"])),
        (Column("95% interval", right=True), lambda metric: numbers.interval(of_judge[metric]["ci95"])),
        (Column("together", right=True), lambda metric: numbers.score(_of(together, metric, "mean"))),
        (Column("judged", right=True), lambda metric: numbers.count(of_judge[metric]["n"])),
        (
            Column("95% interval", right=True, detail=True),
            lambda metric: numbers.interval(_of(together, metric, "ci95")),
        ),
    ]
    yield table(fields, of_judge, lambda metric: "strong" if metric == overall else "")


def _of(means: Means, metric: str, figure: str) -> Any:
    return means[metric][figure] if metric in means else None


def _groups(
    column: str, found: Mapping[str, Means], of_rules: Mapping[str, Means], overall: str, source: Source
) -> Iterator[Block]:
    yield Heading(("by ", Name(column), f", {in_words(overall)} as {SAID[source]} it"))
    fields: Fields[tuple[str, Mapping[str, Any]]] = [
        (Column(column), lambda row: Name(row[0])),
        (Column("mean", right=True), lambda row: numbers.score(row[1]["mean"])),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1]["ci95"])),
        (Column("judged", right=True), lambda row: numbers.count(row[1]["n"])),
        (Column("of", right=True), lambda row: numbers.count(_size(row, of_rules, overall))),
        (Column(""), lambda row: "small sample" if row[1]["small_sample"] else ""),
    ]
    yield table(fields, [(name, means[overall]) for name, means in found.items()])


def _size(row: tuple[str, Mapping[str, Any]], of_rules: Mapping[str, Means], overall: str) -> int:
    """How many rows there are: of a value that is counted with others about as many as its rows stand for."""
    name, found = row
    return int(of_rules[name][overall]["n"]) if name in of_rules else round(found["stands_for"])


def _conversations(found: Means) -> Iterator[Block]:
    if not found:
        return
    yield Heading("conversations as a whole, up to the response")
    fields: Fields[tuple[str, Mapping[str, Any]]] = [
        (Column("metric"), lambda row: in_words(row[0])),
        (Column("judge", right=True), lambda row: numbers.score(row[1]["mean"])),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1]["ci95"])),
        (Column("judged", right=True), lambda row: numbers.count(row[1]["n"])),
        (Column(""), lambda row: "small sample" if row[1]["small_sample"] else ""),
    ]
    yield table(fields, found.items())


def _expectations(found: Mapping[str, Any]) -> Iterator[Block]:
    met = found["met"]
    if not met["n"]:
        return
    yield Heading("expectations")
    yield Paragraph(
        f"a response meets {numbers.percent(met['mean'])} of what is expected of it, "
        f"{numbers.interval(met['ci95'])}, from {numbers.times(met['n'], 'response')}"
    )
    yield Bullets([_item(each) for each in found["failing"]], brief=MOST_ITEMS, rest="summary.json")


def _item(each: Mapping[str, Any]) -> Bullet:
    share = each["share"]["mean"]
    of_all = "" if share is None else f", about {numbers.percent(share)} of all that it is expected of"
    lead = f"{'critical: ' if each['critical'] else ''}fails in {numbers.count(each['failed'])} of "
    words = (f"{lead}{numbers.count(each['of'])}{of_all}: ", Name(each["id"]), ", ", Outside(each["question"], 160))
    return Bullet(words, "bad" if each["critical"] else "")


def _worst(judged: Mapping[str, Any], overall: str) -> Iterator[Block]:
    rows: Sequence[Mapping[str, Any]] = judged["worst"]
    if not rows:
        return
    yield Heading(f"the lowest by {in_words(overall)}, as {SAID[judged['source']]} it")
    for row in rows:
        lines = [Bullet((f"{numbers.score(row['score'])} ", Outside(row["id"])))]
        lines += [Bullet(("judge: ", Outside(row["reasoning"], 160)), "dim", depth=1)] if row["reasoning"] else []
        lines += [Bullet(("fails: ", Outside(", ".join(row["failed"]))), "bad", depth=1)] if row["failed"] else []
        yield Bullets(lines)
