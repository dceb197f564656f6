"""Pages of as many responses as wanted, a part of them hostile and a part written from right to left."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.records import Exchange, Result, Scenario
from tests.evaluation.made_runs import reply, scored
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import run_page

ARABIC = "مرحبا بك! كيف كان يومك؟ (Ana, 7:30)"
HEBREW = "שלום, מה שלומך היום? 12 דקות."
ASKED = (HEBREW, EVIL, "How was the rain?")
ANSWERED = (ARABIC, f"Good. {EVIL}", "It stopped at noon.")


def page(count: int) -> str:
    """The texts of `ASKED` and `ANSWERED` in turns, each with its judge's words; the first is the lowest."""
    return run_page(_results(count), _plan(count))


def _plan(count: int) -> list[Scenario]:
    groups = ("upset", "small_talk")
    return [
        Scenario(f"s{place:04d}", groups[place % 2], (ASKED[place % 3],), note=ASKED[place % 3])
        for place in range(count)
    ]


def _results(count: int) -> Sequence[Result]:
    found = []
    for place, scenario in enumerate(_plan(count)):
        value = round(0.4 + 0.5 * place / count, 3)
        result = scored(scenario.id, value, judge=value)
        said = Exchange(result.exchange.cell, 1, (), scenario.turns[0], reply(ANSWERED[place % 3]))
        found.append(replace(result, exchange=said))
    return found
