"""A sample of production's responses, as a document: what it says of all, the lowest, and what was looked at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.production.judged import JudgedSummary
from evaluation.production.summary import (
    LEAST_CLUSTERS,
    LEAST_VALUES,
    Coverage,
    Group,
    MoodSummary,
    ProductionSummary,
    ScoredTurn,
    is_small,
)
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
    Tone,
    Words,
    document,
    in_detail,
    table,
)
from evaluation.reports.human_units import as_people_would
from evaluation.statistics.clusters import WeightedEstimate
from evaluation.statistics.prediction import CorrectedMean
from evaluation.summary.human_units import HumanUnits
from evaluation.text import numbers
from evaluation.text.names import in_words


def describe_production(
    summary: ProductionSummary,
    title: Words,
    *,
    links: Mapping[str, str],
    notes: Sequence[str] = (),
    folder: str = "",
    judged: JudgedSummary | None = None,
    human: HumanUnits | None = None,
    banners: Sequence[str] = (),
) -> Document:
    """`title` says which generations and rules; `links` leads from the key of a generation to its page in Langfuse.

    `human` is what people's labels say of what was judged.
    """
    overall, by = summary.overall, "" if judged is None else " as the rules score it"
    return document(
        map(Banner, banners),
        _head(title, notes, answers(summary, judged, human)),
        _as_people_would(summary, human),
        *(() if judged is None else _of_judge(summary, judged, links)),
        _means(summary) if judged is None else (),
        _mood(summary.mood),
        *(
            _groups(title, groups, f"{in_words(overall)}{by}", overall)
            for title, groups in (("version", summary.by_version), ("week", summary.by_week), ("tag", summary.by_tag))
        ),
        _worst(summary.worst, overall, links) if judged is None else in_detail(_worst(summary.worst, overall, links)),
        _coverage(summary.coverage, judged),
        [Command("files", folder)] if folder else [],
    )


def answers(
    summary: ProductionSummary, judged: JudgedSummary | None = None, human: HumanUnits | None = None
) -> Iterator[tuple[str, Tone]]:
    """The first sentences: the overall as people would rate it, by the judge, and by the rules, as far as there are."""
    coverage, found = summary.coverage, summary.means[summary.overall]
    if found.mean is None:
        yield "NOTHING SCORED: no generation of that time and those filters is a turn of a chat", "bad"
        return
    if human is not None and (said := as_people_would(summary.overall, human)):
        yield said, "warning" if human.lacking else "strong"
    if judged is not None:
        by_judge, of = judged.means[judged.source][summary.overall], judged.coverage
        said = f"{in_words(summary.overall)} {numbers.score(by_judge.mean)} {numbers.interval(by_judge.ci95)}, as "
        size = f"{numbers.count(of.judged)} judged of {numbers.count(coverage.scored)} scored"
        about_all = f"of about {numbers.count(round(coverage.turns))}{_small(by_judge)}"
        yield (
            f"{said}{responses.SAID[judged.source]} it, from {size}, {about_all}",
            "warning" if is_small(by_judge) else "strong",
        )
    said = f"{numbers.score(found.mean)} {numbers.interval(found.ci95)}, as the rules score it, from "
    sample = f"{numbers.times(coverage.scored, 'response')} of about {numbers.count(round(coverage.turns))}"
    yield f"{in_words(summary.overall)} {said}{sample}{_small(found)}", "warning" if is_small(found) else "strong"


def _head(title: Words, notes: Sequence[str], said_first: Iterable[tuple[str, Tone]]) -> Iterator[Block]:
    yield Heading(title, level=2)
    for said, tone in said_first:
        yield Paragraph(said, tone)
    for note in notes:
        yield Paragraph(("note: ", Outside(note)), "dim")


def _as_people_would(summary: ProductionSummary, human: HumanUnits | None) -> Iterator[Block]:
    """The overall of each version and tag in people's units, where labels say something of it."""
    groups = [group.name for group in (*summary.by_version, *summary.by_tag)]
    rows = [(name, human.by_tag[name]) for name in groups if human is not None and name in human.by_tag]
    if not rows:
        return
    yield Heading(f"{in_words(summary.overall)} as people would rate it")
    fields: Fields[tuple[str, CorrectedMean]] = [
        (Column("version or tag"), lambda row: Name(row[0])),
        (Column("mean", right=True), lambda row: numbers.score(row[1].corrected.mean)),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1].corrected.ci95)),
        (Column("labels", right=True), lambda row: numbers.count(row[1].labels)),
        (Column("judged", right=True), lambda row: numbers.count(row[1].responses)),
    ]
    yield table(fields, rows)


def _small(found: WeightedEstimate) -> str:
    """Says that a sample is small, and why; empty where it is not."""
    if not is_small(found):
        return ""
    return f": a small sample ({numbers.times(found.n, 'response')} of {numbers.times(found.clusters, 'user')})"


def _means(summary: ProductionSummary) -> Iterator[Block]:
    yield Heading("rules")
    fields: Fields[responses.Named] = [
        (Column("metric"), lambda row: in_words(row[0])),
        *responses.figures("mean", "n"),
        (Column("users", right=True), lambda row: numbers.count(row[1].clusters)),
        (Column("effective n", right=True, detail=True), lambda row: numbers.count(round(row[1].effective_n))),
    ]
    yield table(fields, summary.means.items(), lambda row: "strong" if row[0] == summary.overall else "")
    yield Paragraph(
        "weighted by how many responses each one stands for; 95% intervals of the mean that such users meet, clustered "
        "by user, else session, else trace",
        "dim",
    )


def _mood(found: MoodSummary | None) -> Iterator[Block]:
    """How users' moods go; nothing where none is known."""
    if found is None:
        return
    yield Heading("do users leave better than they came, by their own words")
    rows = (("better", found.better), ("as they came", found.even), ("worse", found.worse))
    fields: Fields[tuple[str, WeightedEstimate]] = [
        (Column("last mood beside the first"), lambda row: row[0]),
        (Column("share", right=True), lambda row: numbers.percent(row[1].mean)),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1].ci95)),
    ]
    yield table(fields, rows)
    change, of = found.change, numbers.times(found.change.n, "conversation")
    low, high = f"{numbers.score(change.mean)} {numbers.interval(change.ci95)}", "on a scale from -2 to 2"
    yield Paragraph(
        f"change {low} {high}, of {of} whose user tells two moods in words that the rules know{_small(change)}; a user "
        "who leaves without a word is in none of them",
        "dim",
    )


def _groups(title: str, groups: Sequence[Group], by: str, overall: str) -> Iterator[Block]:
    rows = [(group.name, group.means[overall]) for group in groups]
    yield from _group_table(title, rows, by, "n", responses.about("of about", {}))
    if any(is_small(found) for _, found in rows):
        yield Paragraph(f"a small sample has fewer than {LEAST_VALUES} responses or {LEAST_CLUSTERS} users", "dim")


def _group_table(
    title: str, rows: Sequence[responses.Named], by: str, counted: str, sizes: Fields[responses.Named]
) -> Iterator[Block]:
    if rows:
        yield Heading(f"by {title}, {by}")
        names: Fields[responses.Named] = [(Column(title), lambda row: Name(row[0]))]
        yield table([*names, *responses.figures("mean", counted), *sizes, *responses.SMALL], rows)


def _worst(worst: Sequence[ScoredTurn], overall: str, links: Mapping[str, str]) -> Iterator[Block]:
    if worst:
        yield Heading(f"the lowest by {in_words(overall)} as the rules score it")
    for turn in worst:
        yield Bullets(_said(turn, turn.scores[overall]))
        yield _trace(turn, links)


def _said(turn: ScoredTurn, value: float | None) -> list[Bullet]:
    """What user and assistant said, under the score."""
    observation = turn.drawn.observation
    return [
        Bullet((f"{numbers.score(value)} ", Name(observation.version), f", {observation.week}")),
        Bullet(("user: ", Outside(turn.message, responses.EXCERPT)), "dim", depth=1),
        Bullet(("response: ", Outside(turn.response, responses.EXCERPT)), "dim", depth=1),
    ]


def _trace(turn: ScoredTurn, links: Mapping[str, str]) -> Command:
    return Command("trace", links.get(turn.drawn.observation.key, turn.drawn.observation.trace_id))


def _coverage(coverage: Coverage, judged: JudgedSummary | None) -> Iterator[Block]:
    yield Heading("what was looked at")
    counts: list[tuple[Words, int]] = [
        ("generations seen", coverage.seen),
        *((("left out: ", reason), number) for reason, number in coverage.left_out.items()),
        ("to draw from", coverage.frame),
        (f"drawn, from {responses.strata(coverage.strata)}", coverage.sampled),
        *((("skipped: ", reason), number) for reason, number in coverage.skipped.items()),
        ("turns of a chat, scored", coverage.scored),
        *(() if judged is None else _judged_counts(judged)),
    ]
    fields: Fields[tuple[Words, int]] = [
        (Column("", fluid=True), lambda row: row[0]),
        (Column("generations", right=True), lambda row: numbers.count(row[1])),
    ]
    yield table(fields, counts)


def _of_judge(summary: ProductionSummary, judged: JudgedSummary, links: Mapping[str, str]) -> Iterator[Iterator[Block]]:
    """What the judge says, section by section; `links` leads from the key of a generation to its page in Langfuse."""
    overall = summary.overall
    yield _means_beside(summary, judged)
    for title, found, of_rules in (
        ("version", judged.by_version, summary.by_version),
        ("week", judged.by_week, summary.by_week),
        ("tag", judged.by_tag, summary.by_tag),
    ):
        # The whole sample knows how many there are better than what was judged of it.
        sizes = {group.name: group.means[overall].stands_for for group in of_rules}
        rows = [(group.name, group.means[overall]) for group in found]
        yield _group_table(
            title, rows, responses.as_scored(overall, judged.source), "judged", responses.about("of about", sizes)
        )
    yield responses.conversations(
        judged.conversations, "up to the response that was drawn", responses.about("of about", {})
    )
    yield responses.expectations(judged.met, judged.items)
    yield _worst_by_judge(judged, overall, links)


def _means_beside(summary: ProductionSummary, judged: JudgedSummary) -> Iterator[Block]:
    """The judge's means beside the rules'."""
    yield Heading("rules and judge")
    of_judge, together = judged.means["judge"], judged.means.get("combined", {})
    fields: Fields[str] = [
        (Column("metric"), in_words),
        (Column("rules", right=True), lambda metric: responses.score_of(summary.means.get(metric))),
        (Column("95% interval", right=True), lambda metric: responses.ends_of(summary.means.get(metric))),
        (Column("judge", right=True), lambda metric: numbers.score(of_judge[metric].mean)),
        (Column("95% interval", right=True), lambda metric: numbers.interval(of_judge[metric].ci95)),
        (Column("judged", right=True), lambda metric: numbers.count(of_judge[metric].n)),
        (Column("together", right=True, detail=True), lambda metric: responses.score_of(together.get(metric))),
        (Column("95% interval", right=True, detail=True), lambda metric: responses.ends_of(together.get(metric))),
        (Column("users", right=True, detail=True), lambda metric: numbers.count(of_judge[metric].clusters)),
    ]
    yield table(fields, of_judge, lambda metric: "strong" if metric == summary.overall else "")
    yield Paragraph(
        "weighted by how many responses each one stands for; the judge's intervals hold the chance of both draws, of "
        "the sample and of what the judge was given of it",
        "dim",
    )


def _worst_by_judge(judged: JudgedSummary, overall: str, links: Mapping[str, str]) -> Iterator[Block]:
    """The lowest as the judge sees them, with its words."""
    if judged.worst:
        yield Heading(f"the lowest by {in_words(overall)}, as {responses.SAID[judged.source]} it")
    for turn, found in judged.worst:
        words = [Bullet(("judge: ", Outside(found.words)), depth=1)] if found.words else []
        failed = responses.failed_items([name for name, outcome in found.items.items() if outcome == "fails"])
        yield Bullets([*_said(turn, found.scores[judged.source][overall]), *words, *failed])
        yield _trace(turn, links)


def _judged_counts(judged: JudgedSummary) -> list[tuple[Words, int]]:
    """Rows of what was looked at."""
    found = judged.coverage
    drawn: tuple[Words, int] = (f"given to the judge, from {responses.strata(found.strata)}", found.drawn)
    return [drawn, ("judged", found.judged), *responses.open_verdicts(found.unread, found.failed, found.open)]
