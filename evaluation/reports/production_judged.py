"""What a judge says of a sample of production, as parts of its report: means, failures, and the lowest."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.production.judged import ItemFailures, JudgedSummary, JudgedTurn
from evaluation.production.summary import Group, ProductionSummary, ScoredTurn, is_small
from evaluation.records import Source
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Tone,
    Words,
    table,
)
from evaluation.statistics.clusters import WeightedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words

EXCERPT = 160
"""Columns of a message or response among the lowest."""
MOST_ITEMS = 12
"""Expectations that fail, of which the terminal names so many."""
SAID: Mapping[Source, str] = {"judge": "the judge scores", "combined": "rules and judge together score"}


def answer(summary: ProductionSummary, judged: JudgedSummary) -> tuple[str, WeightedEstimate]:
    """The sentence on the overall by the judge, and its estimate, which has no mean where nothing was judged."""
    found = judged.means[judged.source][summary.overall]
    said = f"{in_words(summary.overall)} {numbers.score(found.mean)} {numbers.interval(found.ci95)}, as "
    of = f"{numbers.count(judged.coverage.judged)} judged of {numbers.count(summary.coverage.scored)} scored"
    return f"{said}{SAID[judged.source]} it, from {of}, of about {numbers.count(round(summary.coverage.turns))}", found


def sections(summary: ProductionSummary, judged: JudgedSummary, links: Mapping[str, str]) -> Iterator[Iterator[Block]]:
    """All of it, section by section; `links` leads from the key of a generation to its page in Langfuse."""
    yield _means(summary, judged)
    for title, found, of_rules in (
        ("version", judged.by_version, summary.by_version),
        ("week", judged.by_week, summary.by_week),
        ("tag", judged.by_tag, summary.by_tag),
    ):
        sizes = {group.name: group.means[summary.overall].stands_for for group in of_rules}
        yield _groups(title, found, sizes, summary.overall, judged.source)
    yield _conversations(judged)
    yield _expectations(judged)
    yield _worst(judged, summary.overall, links)


def _means(summary: ProductionSummary, judged: JudgedSummary) -> Iterator[Block]:
    """The judge's means beside the rules'."""
    yield Heading("rules and judge")
    of_judge, together = judged.means["judge"], judged.means.get("combined", {})
    fields: Fields[str] = [
        (Column("metric"), in_words),
        (Column("rules", right=True), lambda metric: numbers.score(_mean(summary.means.get(metric)))),
        (Column("95% interval", right=True), lambda metric: _interval(summary.means.get(metric))),
        (Column("judge", right=True), lambda metric: numbers.score(of_judge[metric].mean)),
        (Column("95% interval", right=True), lambda metric: numbers.interval(of_judge[metric].ci95)),
        (Column("judged", right=True), lambda metric: numbers.count(of_judge[metric].n)),
        (Column("together", right=True, detail=True), lambda metric: numbers.score(_mean(together.get(metric)))),
        (Column("95% interval", right=True, detail=True), lambda metric: _interval(together.get(metric))),
        (Column("users", right=True, detail=True), lambda metric: numbers.count(of_judge[metric].clusters)),
    ]
    yield table(fields, of_judge, lambda metric: "strong" if metric == summary.overall else "")
    yield Paragraph(
        "weighted by how many responses each one stands for; the judge's intervals hold the chance of both draws, of "
        "the sample and of what the judge was given of it",
        "dim",
    )


def _groups(
    title: str, found: Sequence[Group], sizes: Mapping[str, float], overall: str, source: Source
) -> Iterator[Block]:
    """`sizes` are those by the whole sample, which knows better than what was judged of it."""
    rows = [(group.name, group.means[overall]) for group in found]
    if not rows:
        return
    yield Heading(f"by {title}, {in_words(overall)} as {SAID[source]} it")
    fields: Fields[tuple[str, WeightedEstimate]] = [
        (Column(title), lambda row: Name(row[0])),
        (Column("mean", right=True), lambda row: numbers.score(row[1].mean)),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1].ci95)),
        (Column("judged", right=True), lambda row: numbers.count(row[1].n)),
        (Column("of about", right=True), lambda row: numbers.count(round(sizes.get(row[0], row[1].stands_for)))),
        (Column(""), lambda row: "small sample" if is_small(row[1]) else ""),
    ]
    yield table(fields, rows)


def _conversations(judged: JudgedSummary) -> Iterator[Block]:
    """What the judge says of conversations as a whole, each up to the response that was drawn."""
    if not judged.conversations:
        return
    yield Heading("conversations as a whole, up to the response that was drawn")
    fields: Fields[tuple[str, WeightedEstimate]] = [
        (Column("metric"), lambda row: in_words(row[0])),
        (Column("judge", right=True), lambda row: numbers.score(row[1].mean)),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1].ci95)),
        (Column("judged", right=True), lambda row: numbers.count(row[1].n)),
        (Column("of about", right=True), lambda row: numbers.count(round(row[1].stands_for))),
        (Column(""), lambda row: "small sample" if is_small(row[1]) else ""),
    ]
    yield table(fields, judged.conversations.items())


def _expectations(judged: JudgedSummary) -> Iterator[Block]:
    """How many of its expectations a response meets, and which ones fail."""
    if not judged.met.n:
        return
    yield Heading("expectations")
    met = judged.met
    yield Paragraph(
        f"a response meets {numbers.percent(met.mean)} of what is expected of it, "
        f"{numbers.interval(met.ci95)}, from {numbers.times(met.n, 'response')}"
    )
    yield Bullets([_item(each) for each in judged.items], brief=MOST_ITEMS, rest="summary.json")


def _item(each: ItemFailures) -> Bullet:
    critical = "critical: " if each.item.critical else ""
    of_all = (
        "" if each.share.mean is None else f", about {numbers.percent(each.share.mean)} of all that it is expected of"
    )
    words: Words = (
        f"{critical}fails in {numbers.count(each.failed)} of {numbers.count(each.of)}{of_all}: ",
        Name(each.item.id),
        ", ",
        Outside(each.item.question, EXCERPT),
    )
    tone: Tone = "bad" if each.item.critical else ""
    return Bullet(words, tone)


def _worst(judged: JudgedSummary, overall: str, links: Mapping[str, str]) -> Iterator[Block]:
    """The lowest as the judge sees them, with its words."""
    if not judged.worst:
        return
    yield Heading(f"the lowest by {in_words(overall)}, as {SAID[judged.source]} it")
    for turn, found in judged.worst:
        yield Bullets(list(_turn(turn, found, overall, judged.source)))
        key = turn.drawn.observation.key
        yield Command("trace", links.get(key, turn.drawn.observation.trace_id))


def _turn(turn: ScoredTurn, found: JudgedTurn, overall: str, source: Source) -> Iterator[Bullet]:
    observation = turn.drawn.observation
    yield Bullet(
        (f"{numbers.score(found.scores[source][overall])} ", Name(observation.version), f", {observation.week}")
    )
    yield Bullet(("user: ", Outside(turn.message, EXCERPT)), "dim", depth=1)
    yield Bullet(("response: ", Outside(turn.response, EXCERPT)), "dim", depth=1)
    if found.words:
        yield Bullet(("judge: ", Outside(found.words)), depth=1)
    failed = [name for name, outcome in found.items.items() if outcome == "fails"]
    if failed:
        yield Bullet(("fails: ", Outside(", ".join(failed))), "bad", depth=1)


def coverage(judged: JudgedSummary) -> list[tuple[Words, int]]:
    """Rows of what was looked at."""
    found = judged.coverage
    drawn = f"given to the judge, from {numbers.times(found.strata, 'stratum').replace('stratums', 'strata')}"
    rows: list[tuple[Words, int]] = [(drawn, found.drawn), ("judged", found.judged)]
    for words, number in (
        ("verdicts that could not be read", found.unread),
        ("without an answer of the judge", found.failed),
        ("not judged yet", found.open),
    ):
        rows += [(words, number)] if number else []
    return rows


def _mean(found: WeightedEstimate | None) -> float | None:
    return None if found is None else found.mean


def _interval(found: WeightedEstimate | None) -> str:
    return numbers.interval(None if found is None else found.ci95)
