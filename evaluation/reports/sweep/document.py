"""A sweep as a document: which setting is best and how sure that is, before the tables."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.reports.document import (
    Banner,
    Block,
    Bullets,
    Column,
    Command,
    Document,
    Heading,
    Item,
    Paragraph,
    Row,
    Table,
    Tone,
    bullets,
    document,
    name,
)
from evaluation.reports.sweep import wording
from evaluation.sweep.best import Best
from evaluation.sweep.effects import Effect, by_factor
from evaluation.sweep.expected import RangeCheck
from evaluation.sweep.sweep import Sweep
from evaluation.text import numbers

LONGEST_HEADER = 18
"""Columns of a setting's name above its figures."""
TONES: Mapping[str, Tone] = {"best": "good", "leaders": "good", "equivalent": "even", "no_effect": "warning"}
REST = "sweep.json"


def describe_sweep(sweep: Sweep, *, notes: Sequence[str] = (), files: Sequence[str] = ()) -> Document:
    """`notes` are one line each (what is incomplete), `files` say where more can be read."""
    return document(
        _head(sweep, notes),
        _means(sweep),
        *(_effects(list(rows.values())) for rows in by_factor(sweep.effects).values()),
        _best(sweep),
        *(_expected(sweep, title, checks) for title, checks in wording.statements(sweep).items()),
        _spread(sweep),
        _places(sweep, files),
    )


def _head(sweep: Sweep, notes: Sequence[str]) -> Iterator[Block]:
    yield from map(Banner, wording.sweep_banners(sweep))
    yield Heading("Sweep", level=2, printed=False)
    yield Paragraph(wording.headline(sweep), TONES.get(sweep.best[sweep.overall].outcome, "strong"))
    yield Paragraph(wording.subject(sweep))
    yield from bullets((*wording.details(sweep), *wording.gaps(sweep), *(f"note: {note}" for note in notes)))


def _marks(sweep: Sweep) -> dict[str, str]:
    """Setting -> what stands above its column: its name, or a number where one of the names is too long."""
    names = [setting.name for setting in sweep.settings]
    if all(len(each) < LONGEST_HEADER for each in names):
        return {each: each for each in names}
    return {each: f"#{place}" for place, each in enumerate(names, 1)}


def _means(sweep: Sweep) -> Iterator[Block]:
    marks = _marks(sweep)
    yield Heading("Means with 95% intervals", printed=False)
    yield Table(
        [Column("mean [95% interval]"), *(Column(name(marks[setting.name])) for setting in sweep.settings)],
        [
            Row(
                [name(metric), *(wording.cell(sweep, metric, setting) for setting in sweep.settings)],
                "strong" if metric == sweep.overall else "",
            )
            for metric in sweep.metrics
        ],
        rest=REST,
    )
    yield from bullets((f"{mark} is ", name(each)) for each, mark in marks.items() if mark != each)
    yield Paragraph(wording.METHOD, "dim")


def _effects(effects: Sequence[Effect]) -> Iterator[Block]:
    way = wording.way(effects[0])
    yield Heading(f"Changes from {way}", printed=False)
    columns = [Column(title) for title in (way, "Spearman [95%]", "change [95%]", "tested")]
    yield Table([*columns, Column("adjusted p", detail=True)], [_effect(effect) for effect in effects], rest=REST)


def _effect(effect: Effect) -> Row:
    figures = (wording.rank_correlation(effect), wording.change(effect), wording.TESTED[effect.change.call])
    tones: dict[str | None, Tone] = {"higher": "good", "lower": "bad"}
    return Row(
        [name(effect.metric), *figures, numbers.p_value(effect.change.p_adjusted)], tones.get(effect.change.call, "")
    )


def _best(sweep: Sweep) -> Iterator[Block]:
    yield Heading("Best setting by metric")
    yield Bullets([_answer(sweep.best[metric], sweep) for metric in sweep.metrics])


def _answer(best: Best, sweep: Sweep) -> Item:
    return Item(f"{wording.answer(best, sweep)}: {wording.grounds(best, sweep)}", TONES.get(best.outcome, ""))


def _expected(sweep: Sweep, title: str, checks: Sequence[RangeCheck]) -> Iterator[Block]:
    marks, names = _marks(sweep), wording.settings_of(checks)
    yield Heading(f"Expected {title}", printed=False)
    yield Table(
        [Column(f"expected {title}"), *(Column(name(marks[each])) for each in names)],
        [
            Row([name(metric), *(_checked(row.get(each)) for each in names)])
            for metric, row in wording.by_metric(checks).items()
        ],
        rest=REST,
    )
    yield Paragraph(wording.agreement(checks))
    yield from bullets(wording.remarks(sweep, title))


def _checked(check: RangeCheck | None) -> str:
    return numbers.NONE if check is None else f"{wording.expected_range(check)} {wording.verdict_on(check)}"


def _spread(sweep: Sweep) -> Iterator[Block]:
    yield Heading("Spread of the values")
    yield from bullets(wording.clustering(sweep) or ["every metric spreads over its scale"])


def _places(sweep: Sweep, files: Sequence[str]) -> Iterator[Block]:
    yield from bullets((name(setting.name), ": run ", name(setting.run.run_id)) for setting in sweep.settings)
    yield from (Command("", file) for file in files)
