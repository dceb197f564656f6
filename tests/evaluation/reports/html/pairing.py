"""A comparison in which both versions answered in other words, some at length and late in a conversation."""

from dataclasses import replace

from evaluation.comparison.compare import compare
from evaluation.records import Cell, Exchange, Result, Turn
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.made_runs import reply
from tests.evaluation.reports.html.pages import compared, known_plan, shifted

LONG = "I keep thinking of the garden and of the rain. " * 60
SAID = (
    ("Take a warm coat, it will rain today.", "Take a warm scarf, it will rain!"),
    ("Good morning to you.", "Nobody knows where Lisbon lies"),
    (LONG, "I keep thinking of the sea and of the rain."),
)
"""What v2 and v3 answered in s11, s12 and s13."""


def page() -> str:
    """s11 follows three earlier turns, of which v2 answered the first at length; s13 has a long answer."""
    result = compare(overall_run([0.5] * 20, version=2), overall_run([0.6, 0.62] * 10, version=3), suite=SUITE)
    return compared(result, played=[(_answered(side), known_plan()) for side in (0, 1)])


def _answered(side: int) -> list[Result]:
    found = shifted(side)
    for number, texts in enumerate(SAID, start=11):
        name = f"s{number}"
        earlier = (*_talk(1, LONG if side == 0 else "Rain."), *_talk(2, "Yes."), *_talk(3, "No."))
        exchange = Exchange(Cell(name, 1), 1, earlier if number == 11 else (), f"message {number}", reply(texts[side]))
        found[number] = replace(found[number], exchange=exchange)
    return found


def _talk(number: int, answer: str) -> tuple[Turn, Turn]:
    return Turn("user", f"earlier {number}"), Turn("assistant", answer)
