"""The table of docs/checks.md: how often the checks are right about the probes, by group and by language."""

from collections.abc import Sequence
from functools import cache

from scipy.stats import beta

from evaluation.food.reading_tables import shipped_lexicon
from tests.food_probes.probes import HALVES, Counts, Probe, count, read_probes
from tests.pages import ROOT

PAGE = ROOT / "docs" / "checks.md"
BEGIN, END = "<!-- probes -->", "<!-- end of probes -->"


def upper_bound(wrong: int, of: int) -> float:
    """The upper end of the exact two-sided 95% interval of a share (Clopper and Pearson 1934)."""
    return 1.0 if wrong >= of else float(beta.ppf(0.975, wrong + 1, of - wrong))


@cache
def table_text() -> str:
    """Both halves: all probes, then group by group."""
    halves = {half: read_probes(half) for half in HALVES}
    lines = [
        "| Probes | half | number | false alarms | clear, but wrong (at most) | not known |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for half, probes in halves.items():
        lines.append(_row("all", half, probes))
    for name, key in (("group", _group), ("kind", _language)):
        for value in sorted({key(probe) for probe in halves[HALVES[0]]}):
            for half, probes in halves.items():
                lines.append(_row(f"{name} {value}", half, [each for each in probes if key(each) == value]))
    return "\n".join(lines)


def _group(probe: Probe) -> str:
    return probe.group


def _language(probe: Probe) -> str:
    return probe.language


def _row(name: str, half: str, probes: Sequence[Probe]) -> str:
    found: Counts = count(probes, shipped_lexicon())
    alarms = f"{found.false_alarms} of {found.clear_probes}"
    wrong = f"{found.wrong_clear} of {found.called_clear} ({upper_bound(found.wrong_clear, found.called_clear):.1%})"
    return f"| {name} | {half} | {found.probes} | {alarms} | {wrong} | {found.open} of {found.known} |"


def write_table() -> None:
    """Write the table between its marks in the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table_text()}\n{END}{after}", encoding="utf-8")
