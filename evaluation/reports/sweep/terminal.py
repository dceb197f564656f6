"""A sweep for a terminal of 80 columns: which setting is best and how sure that is, before the tables."""

from collections.abc import Iterator, Sequence

from evaluation.reports.sweep import wording
from evaluation.sweep.effects import Effect, by_factor
from evaluation.sweep.expected import RangeCheck
from evaluation.sweep.setting import Setting
from evaluation.sweep.sweep import Sweep
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import pad, width, wrap

NAME = 23
CELL = 18
ABREAST = 3
"""Settings side by side; further ones start a new block."""
STYLES = {"best": "bold green", "leaders": "bold green", "equivalent": "bold cyan", "no_effect": "bold yellow"}


def render_sweep(sweep: Sweep, *, notes: Sequence[str] = (), files: Sequence[str] = (), color: bool = False) -> str:
    """The report as text that ends with a line break; no line is wider than 80 columns. `color` adds ANSI styles.

    `notes` are one line each (what is incomplete), `files` say where more can be read.
    """
    effects = by_factor(sweep.effects)
    return printed(
        (
            _verdict(sweep, notes),
            *(_means(sweep, sweep.settings[at : at + ABREAST]) for at in range(0, len(sweep.settings), ABREAST)),
            *(_effects(list(rows.values())) for rows in effects.values()),
            _best(sweep),
            *(_expected(sweep, title, checks) for title, checks in wording.statements(sweep).items()),
            _clustering(sweep),
            _places(sweep, files),
        ),
        color,
    )


def _paragraph(text: str, *, lead: str = "", lines: int = 6, style: str = "") -> Iterator[Line]:
    for number, part in enumerate(wrap(text, WIDTH - len(lead), lines)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)


def _verdict(sweep: Sweep, notes: Sequence[str]) -> Iterator[Line]:
    for banner in wording.sweep_banners(sweep):
        yield from _paragraph(banner.upper(), lead="!! ", style="bold magenta")
    yield from _paragraph(wording.headline(sweep), style=STYLES.get(sweep.best[sweep.overall].outcome, "bold"))
    yield from _paragraph(wording.subject(sweep))
    for text in (*wording.details(sweep), *wording.gaps(sweep)):
        yield from _paragraph(text, lead="  - ")
    for note in notes:
        yield from _paragraph(note, lead="note: ")


def _marks(sweep: Sweep) -> dict[str, str]:
    """Setting -> what stands above its column: its name, or a number where one of the names is too long."""
    names = [setting.name for setting in sweep.settings]
    if all(width(name) < CELL for name in names):
        return {name: name for name in names}
    return {name: f"#{place}" for place, name in enumerate(names, 1)}


def _row(name: str, cells: Sequence[str], style: str = "") -> Line:
    return Line(pad(name, NAME) + " " + " ".join(pad(cell, CELL) for cell in cells), style)


def _means(sweep: Sweep, settings: Sequence[Setting]) -> Iterator[Line]:
    marks = _marks(sweep)
    yield _row("mean [95% interval]", [marks[setting.name] for setting in settings], "bold")
    for metric in sweep.metrics:
        style = "bold" if metric == sweep.overall else ""
        yield _row(metric, [wording.cell(sweep, metric, setting) for setting in settings], style)
    if settings[-1] is sweep.settings[-1]:
        for name, mark in marks.items():
            if mark != name:
                yield from _paragraph(f"{mark} is {name}", lines=2)


def _effects(effects: Sequence[Effect]) -> Iterator[Line]:
    head = effects[0]
    yield Line(
        pad(wording.way(head), NAME) + " " + pad("Spearman [95%]", 21) + pad("change [95%]", 25) + "tested", "bold"
    )
    for effect in effects:
        style = {"higher": "green", "lower": "red"}.get(effect.change.call or "", "")
        cells = pad(wording.rank_correlation(effect), 20) + " " + pad(wording.change(effect), 24) + " "
        yield Line(pad(effect.metric, NAME) + " " + cells + pad(wording.TESTED[effect.change.call], 10), style)


def _best(sweep: Sweep) -> Iterator[Line]:
    yield Line("best setting by metric", "bold")
    for metric in sweep.metrics:
        best = sweep.best[metric]
        answer = f"{wording.answer(best, sweep)}: {wording.grounds(best, sweep)}"
        yield from _paragraph(answer, lead="  - ", style=STYLES.get(best.outcome, "").removeprefix("bold "))


def _expected(sweep: Sweep, title: str, checks: Sequence[RangeCheck]) -> Iterator[Line]:
    marks = _marks(sweep)
    names = wording.settings_of(checks)
    for at in range(0, len(names), ABREAST):
        shown = names[at : at + ABREAST]
        yield _row(f"expected {title}", [marks[name] for name in shown], "bold")
        for metric, row in wording.by_metric(checks).items():
            yield _row(metric, [_checked(row.get(name)) for name in shown])
    yield from _paragraph(wording.agreement(checks))


def _checked(check: RangeCheck | None) -> str:
    return "-" if check is None else f"{wording.expected_range(check)} {wording.verdict_on(check)}"


def _clustering(sweep: Sweep) -> Iterator[Line]:
    lines = wording.clustering(sweep)
    yield Line("spread of the values", "bold")
    for line in lines or ["every metric spreads over its scale"]:
        yield from _paragraph(line, lead="  - ")


def _places(sweep: Sweep, files: Sequence[str]) -> Iterator[Line]:
    for setting in sweep.settings:
        yield from _paragraph(f"{setting.name}: run {setting.run.run_id}", lines=2)
    for file in files:
        yield from _paragraph(file, lines=3)
