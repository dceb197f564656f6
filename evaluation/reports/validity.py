"""How far a rubric's rules agree with people, as a document: beside another rubric, and beside the length alone."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.calibration.spread import Spread
from evaluation.calibration.validity import PairValidity, Validity
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Document,
    Fields,
    Heading,
    Name,
    Paragraph,
    Words,
    document,
    table,
)
from evaluation.reports.intervals import figure_text
from evaluation.statistics.agreement import RankFigures
from evaluation.statistics.clusters import average
from evaluation.statistics.resamples import Figure
from evaluation.text import numbers
from evaluation.text.names import in_words


def describe_validity(
    rubric: str,
    base: str,
    found: Sequence[Validity],
    pairs: Sequence[PairValidity],
    spreads: Mapping[str, Sequence[Spread]],
) -> Document:
    """`rubric` and `base` by name and version; `spreads` by set, in the rubric that is looked at.

    A base that is the rubric itself is not shown beside it.
    """
    other = base if base != rubric else ""
    return document(
        _head(rubric, other),
        _ranks(found, other),
        _beside(found, other),
        _pairs(pairs, other),
        *(_spread(name, each) for name, each in spreads.items()),
    )


def describe_agreement(title: str, base: str, found: Sequence[Validity]) -> Document:
    """The rank correlations alone, beside another rubric."""
    return document(_head(title, base), _ranks(found, base), _beside(found, base))


def _head(rubric: str, base: str) -> Iterator[Block]:
    beside = (", beside ", Name(base)) if base else ()
    yield Heading((Name(rubric), " and what people said", *beside), level=2)
    yield Paragraph(
        "rank correlation (Spearman) with people's ratings; 95% intervals by resampling whole conversations; no model "
        "took part, and no judge was run"
    )


def _ranks(found: Sequence[Validity], base: str) -> Iterator[Block]:
    fields: Fields[Validity] = [
        (Column("data and dimension"), lambda row: Name(f"{row.data} {row.dimension}")),
        (Column("metric"), lambda row: in_words(row.metric)),
        (Column("n", right=True), lambda row: str(row.n) if row.n else ""),
        (Column("rubric"), lambda row: figure_text(row.ranks.tool)),
        *([(Column(Name(base)), lambda row: figure_text(row.ranks.base))] if base else []),
        (Column("length"), lambda row: figure_text(row.ranks.length)),
    ]
    if found:
        yield table(fields, [*found, *_mean(found)])


def _mean(found: Sequence[Validity]) -> Iterator[Validity]:
    """The mean over the pairs that were chosen beforehand, as a row; a metric that never moved orders nothing: 0."""
    rows = [row.ranks for row in found if row.chosen]
    if len(rows) > 1:
        tool, base, length, held = (
            average([figure.value or 0.0 for figure in column])
            for column in zip(*((row.tool, row.base, row.length, row.given_length) for row in rows), strict=True)
        )
        ranks = RankFigures(*map(Figure, (tool, base, length, tool - base, tool - length, held)))
        yield Validity("mean of", f"{len(rows)} chosen pairs", "", 0, 0, ranks, None, 0, None, chosen=False)


def _beside(found: Sequence[Validity], base: str) -> Iterator[Block]:
    known = any(row.people is not None for row in found)
    fields: Fields[Validity] = [
        (Column("data and dimension"), lambda row: Name(f"{row.data} {row.dimension}")),
        *([(Column((Name(base), " +")), lambda row: figure_text(row.ranks.above_base))] if base else []),
        (Column("length +"), lambda row: figure_text(row.ranks.above_length)),
        (Column("length held"), lambda row: figure_text(row.ranks.given_length)),
        (Column("within bots"), _within),
        *([(Column("people", right=True), lambda row: numbers.score(row.people))] if known else []),
    ]
    if found:
        yield Heading("How much more than what stands beside it, and with the length held constant")
        yield table(fields, [*found, *_mean(found)])
        if any(row.people is None for row in found):
            yield Paragraph(
                "people with people (one person against the mean of the others): not known where a file has means "
                "alone, or one person for each response"
            )


def _within(row: Validity) -> str:
    return f"{numbers.score(row.within_bots)} ({numbers.times(row.bots, 'bot')})" if row.bots else "-"


def _pairs(pairs: Sequence[PairValidity], base: str) -> Iterator[Block]:
    fields: Fields[PairValidity] = [
        (Column("which of two is better"), lambda row: Name(row.data)),
        (Column("metric"), lambda row: in_words(row.metric)),
        (Column("pairs", right=True), lambda row: str(row.rubric.pairs)),
        (Column("rubric"), lambda row: figure_text(row.rubric.accuracy)),
        *([(Column(Name(base)), lambda row: figure_text(row.base.accuracy))] if base else []),
        (Column("length"), lambda row: figure_text(row.length.accuracy)),
    ]
    if pairs:
        yield table(fields, pairs)


def _spread(name: str, spreads: Sequence[Spread]) -> Iterator[Block]:
    fields: Fields[Spread] = [
        (Column(Name(name)), lambda row: in_words(row.metric)),
        (Column("exchanges", right=True), lambda row: str(row.n)),
        (Column("mean", right=True), lambda row: numbers.score(row.mean)),
        (Column("standard deviation", right=True), lambda row: numbers.score(row.stdev)),
        (Column("a cue fired", right=True), lambda row: numbers.percent(row.fired)),
    ]
    yield table(fields, spreads)
    yield Bullets([Bullet(why) for each in spreads if (why := _why_none(each))])


def _why_none(spread: Spread) -> Words:
    """Why no cue was found in some of the exchanges; empty where one was in all of them."""
    parts = []
    if spread.without:
        parts.append(f"{numbers.percent(spread.without)} have no earlier turns and are left out")
    if not spread.cues:
        parts.append("it has no cue")
    elif spread.fired < 1:
        parts.append(f"no cue in {numbers.percent(1 - spread.fired)}: {_found(spread.cues)}")
    return f"{in_words(spread.metric)}: {'; '.join(parts)}" if parts else ""


def _found(cues: Mapping[str, float]) -> str:
    """Each cue with the share of the exchanges that have it."""
    seen = [f"{cue} in {numbers.percent(share)}" for cue, share in cues.items() if share]
    never = [cue for cue, share in cues.items() if not share]
    return ", ".join([*seen, *([f"never {', '.join(never)}"] if never else [])])
