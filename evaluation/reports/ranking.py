"""A ranking of several runs, as a document: which is the best, every pair, and which cannot be distinguished."""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.comparison.compare import caution
from evaluation.comparison.differences import LEAST_CLUSTERS
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.prompt_steps import steps_between
from evaluation.comparison.ranking import RankedPair, Ranking
from evaluation.comparison.runs import RunScores
from evaluation.decision.critical import count_failures, name_items
from evaluation.decision.first_line import FirstLine, first_line
from evaluation.decision.gate import GateResult
from evaluation.reports.comparison import TONES, banners, end_blocks, head_blocks
from evaluation.reports.differences import REST, change_cell, describe_conversation_pairs, reach_phrase
from evaluation.reports.document import (
    Block,
    Column,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Row,
    Table,
    TableCell,
    document,
    folded,
    table,
)
from evaluation.reports.prompts import change_in_one_line, describe_change
from evaluation.reports.replies import REPLY_TERMS, REPLY_TITLES, reply_cells
from evaluation.reports.run import gate_blocks
from evaluation.summary.expectations import Critical
from evaluation.text import numbers
from evaluation.text.names import in_words

MOST_GAPS = 12
"""Pairs of a ranking with missing values that are described one by one."""


def describe_ranking(
    ranking: Ranking,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Document:
    """Runs from best to worst, every pair, and which cannot be distinguished."""
    return document(
        head_blocks(
            f"ranking of {len(ranking.runs)}",
            ranking_headline(ranking),
            banners(ranking.runs, ranking.forced),
            (*ranking_details(ranking), *(f"note: {note}" for note in notes)),
        ),
        gate_blocks(gate),
        *(folded(describe_change(step.change, step.before, step.after)) for step in steps_between(ranking.runs)),
        [_places_table(ranking), Paragraph(REPLY_TERMS)],
        folded(_pairs(ranking)),
        describe_conversation_pairs(ranking.conversations, place_names(ranking), rest=REST),
        end_blocks(ranking.runs, files, ranking_headline(ranking), ""),
    )


def ranking_headline(ranking: Ranking) -> str:
    """The first line: the best run, where there is one; else those that no other beats, or why nothing is said."""
    line = first_line(ranking.standing, FirstLine("ranked", _answer(ranking))).text
    unfit, names = ranking.unfit(), [run.name for run in ranking.runs]
    decided = any(pair.verdict is not None for pair in ranking.pairs)
    if unfit and decided and len(names) - len(unfit) > 1:
        others = ", ".join(names[place] for place in ranking.unbeaten())
        return f"{line}; of the others, not beaten: {others}"
    return line


def _answer(ranking: Ranking) -> str:
    names = [run.name for run in ranking.runs]
    best = ranking.best()
    if best is not None:
        critical = _critical(ranking.runs[best])
        if critical is not None and critical.failed:
            return f"{names[best]} is the best of {len(names)} by the means, and {count_failures(critical)} in it"
        return f"{names[best]} is the best of {len(names)}"
    unbeaten = [names[place] for place in ranking.unbeaten()]
    if not any(pair.verdict in ("better", "worse") for pair in ranking.pairs):
        return f"none of {', '.join(unbeaten)} can be distinguished from another"
    shown = f"none of {len(names)} is shown to beat all others"
    return f"{shown}; not beaten: {', '.join(unbeaten)}" if unbeaten else shown


def ranking_details(ranking: Ranking) -> list[str]:
    """The lines below the headline: groups, pairs without data or with gaps, and what else differs."""
    names = {run.run_id: run.name for run in ranking.runs}
    others = [
        f"also differs: {other.leaf[0]} {other.leaf[1]} / {other.leaf[2]} ({names[other.against]} / "
        f"{names[other.run_id]})"
        for other in ranking.others
    ]
    changed = [
        f"prompt, {step.before} to {step.after}: {change_in_one_line(step.change)}"
        for step in steps_between(ranking.runs)
        if not step.change.is_empty
    ]
    return [*_failures(ranking), *group_lines(ranking), *changed, *_pair_lines(ranking), *others, *ranking.notes]


def _failures(ranking: Ranking) -> Iterator[str]:
    """The runs in which critical expectations fail: no order of means says anything of that."""
    for run in ranking.runs:
        critical = _critical(run)
        if critical is not None and critical.failed:
            yield f"{run.name}: {count_failures(critical)}: {name_items(critical.failed)}"


def _critical(run: RunScores) -> Critical | None:
    items = run.summary.expectations
    return None if items is None else items.critical


def group_lines(ranking: Ranking) -> list[str]:
    """One sentence for each set of runs that cannot be distinguished; none where no pair has a verdict."""
    if all(pair.verdict is None for pair in ranking.pairs):
        return []
    return [
        "cannot be distinguished: " + ", ".join(ranking.runs[place].name for place in group)
        for group in ranking.groups
        if len(group) > 1
    ]


def _pair_lines(ranking: Ranking) -> Iterable[str]:
    """The pairs that are not complete: those whose verdict is at stake first, a few of the rest, and their number."""
    lone = [place for place in range(len(ranking.runs)) if not ranking.has_data(place)]
    for place in lone:
        yield f"no data: {ranking.runs[place].name} shares no exchange with a value with any other run"
    gaps = [pair for pair in ranking.pairs if pair.row.paired < pair.row.planned or pair.no_data]
    gaps = [pair for pair in gaps if pair.first not in lone and pair.second not in lone]
    gaps.sort(key=lambda pair: (not pair.no_data, not pair.overturnable))
    for pair in gaps[:MOST_GAPS]:
        first, second = (f"#{place + 1} {ranking.runs[place].name}" for place in (pair.first, pair.second))
        if pair.no_data:
            yield f"no data: {first} and {second} share no exchange with a value"
            continue
        share, possible = numbers.percent(pair.row.coverage), numbers.span(pair.row.bounds)
        at_stake = f": {caution(pair.verdict)}" if pair.overturnable else ""
        yield f"{first} minus {second}: coverage {share}, the missing pairs leave {possible} possible{at_stake}"
    if len(gaps) > MOST_GAPS:
        rest = gaps[MOST_GAPS:]
        count = sum(pair.overturnable for pair in rest)
        yield f"{numbers.times(len(rest), 'further pair')} with gaps, which put the verdict at stake in {count}"


def _places_table(ranking: Ranking) -> Table:
    """Quality beside price and latency: which of two runs alike in quality is the cheaper or the faster."""
    columns = (
        Column("place"),
        Column("run", fluid=True),
        Column(f"{ranking.source} {in_words(ranking.overall)}", fluid=True),
        Column("coverage"),
        *(Column(title, right=True) for title in REPLY_TITLES),
    )
    rows = []
    for place, run in enumerate(ranking.runs, start=1):
        found = ranking.overall_of(run)
        cells = [numbers.NONE, numbers.NONE]
        if found is not None:
            mean = f"{numbers.score(found.estimate.mean)} {numbers.interval(found.estimate.ci95)}"
            cells = [mean, numbers.percent(found.coverage)]
        rows.append(Row([f"#{place}", Name(run.name), *cells, *reply_cells(run.summary)]))
    return Table(columns, rows, rest=REST)


def place_names(ranking: Ranking) -> list[tuple[str | Outside, ...]]:
    """Place and name of each run."""
    return [(f"#{place} ", Name(run.name)) for place, run in enumerate(ranking.runs, start=1)]


def _pairs(ranking: Ranking) -> Iterator[Block]:
    runs = place_names(ranking)
    fields: Fields[RankedPair] = [
        (Column("first", fluid=True), lambda pair: runs[pair.first]),
        (Column("minus second", fluid=True), lambda pair: runs[pair.second]),
        (Column("difference [95%]"), lambda pair: change_cell(pair.row)),
        (Column("adjusted p", detail=True), lambda pair: numbers.p_value(pair.row.p_adjusted)),
        (Column("the first is"), lambda pair: TableCell(pair_verdict(pair), "at stake" if pair.overturnable else "")),
    ]
    yield Heading("Every pair: the first minus the second, corrected together by Holm", printed=False)
    yield table(fields, ranking.pairs, lambda pair: TONES.get(pair.verdict or "", ""), rest=REST)
    yield Paragraph(pair_test_line(ranking))


def pair_verdict(pair: RankedPair) -> str:
    """The verdict on the first of two, or why there is none."""
    return "no data" if pair.no_data else pair.verdict or "no verdict"


def pair_test_line(ranking: Ranking) -> str:
    """Says how the pairs were tested and what could have been found."""
    count = numbers.times(len(ranking.pairs), "pair")
    tested = [pair.row for pair in ranking.pairs if pair.row.call is not None]
    if not tested:
        return f"{count}: nothing is tested below {LEAST_CLUSTERS} situations with values in both runs"
    of_all = "" if len(tested) == len(ranking.pairs) else f", {len(tested)} of them tested"
    return (
        f"{count}{of_all}, corrected together by Holm; inconclusive ones cannot be distinguished, equivalent ones lie "
        f"within {ranking.margin:g}{reach_phrase(tested)}"
    )
