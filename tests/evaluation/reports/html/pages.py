"""Pages made by hand, for the tests of what they say and of how they behave."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.ranking import Ranking, rank
from evaluation.prompts import PromptVersion
from evaluation.records import Cell, Exchange, Result, Scenario, Score, Source, Turn
from evaluation.reports.html.comparison import comparison_report
from evaluation.reports.html.exchanges import Position
from evaluation.reports.html.gathering import Side, gather
from evaluation.reports.html.page import Assets
from evaluation.reports.html.run import PastRun, RunReport, run_report
from evaluation.runspec import PromptPin
from evaluation.suites.suite import Suite
from services.workspace import read_page_assets
from tests.evaluation.comparison.examples import SUITE, overall_run
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, reply, scored, suite, summary_of
from tests.evaluation.reports.hostile import EVIL, hostile_plan, hostile_prompt, hostile_results, hostile_run

POLE = re.compile(
    r'<line class="ci" x1="(.*?)" x2="[^"]*" y1="([\d.]+%)" y2="([\d.]+%)"/><circle class="dot" cx="[^"]*" cy="(.*?)"'
)
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def assets() -> Assets:
    return Assets(*read_page_assets())


def chosen(results: Sequence[Result]) -> Callable[[Collection[Position] | None], list[Result]]:
    """As a run's results are read: all, or those wanted."""

    def place(result: Result) -> Position:
        return (result.exchange.cell.scenario_id, result.exchange.cell.repeat, result.exchange.turn)

    return lambda wanted: [result for result in results if wanted is None or place(result) in wanted]


def side(results: Sequence[Result], plan: Sequence[Scenario], by: Suite, sources: Sequence[Source] = JUDGED) -> Side:
    summary = summary_of(results, plan, sources=sources, by=by)
    return Side("penpal v3", "r1", summary, plan, 1, chosen(results))


def run_page(
    results: Sequence[Result],
    plan: Sequence[Scenario],
    *,
    by: Suite | None = None,
    shown: Side | None = None,
    past: Sequence[PastRun] = (),
    spec: Mapping[str, Any] | None = None,
    prompt: PromptVersion | None = None,
    **changes: Any,
) -> str:
    """`spec` replaces fields of the run's specification, `changes` those of its outcome."""
    rules = by or suite()
    shown = shown or side(results, plan, rules)
    outcome = made_outcome(shown.summary, plan, rules, {"model": "model-a", **(spec or {})}, **changes)
    outcome = replace(outcome, run=replace(outcome.run, prompt=prompt))
    report = RunReport(outcome, shown, "2026-11-20 14:02 UTC", {"packages": {"openai": "3.52.0"}}, past)
    return run_report(report, gather([report.side], rules, seed=1), assets())


def poles(page: str) -> list[tuple[str, ...]]:
    """The means that are drawn upright, with their intervals: place, upper end, lower end, mean."""
    return POLE.findall(page)


def data_of(page: str) -> dict[str, Any]:
    found = DATA.search(page)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def hostile_page() -> str:
    outcome = hostile_run()
    shown = Side(EVIL, EVIL, outcome.summary, hostile_plan(), 1, chosen(hostile_results()), trace_page="javascript:x/")
    shown = replace(shown, trace_ids={Cell(result.exchange.cell.scenario_id, 1): "t1" for result in hostile_results()})
    report = RunReport(outcome, shown, EVIL, {EVIL: [EVIL, {EVIL: EVIL}]})
    return run_report(report, gather([shown], suite(), seed=1), assets())


# --- a run whose rows are known ---------------------------------------------------------------------------------------

WORDS = "Good   evening.\nHow was  it?"
NAMES = tuple(f"s{number:02d}" for number in range(24))


def known_plan() -> list[Scenario]:
    """s00 to s23: every third is upset, even ones are spoken by a nurse, s05 has a tag of its own."""
    return [
        Scenario(
            name,
            "upset" if number % 3 == 0 else "small_talk",
            (f"message {number}",),
            audience="a nurse" if number % 2 == 0 else "",
            tags=("rare",) if number == 5 else ("common",),
            note=f"note {number}",
        )
        for number, name in enumerate(NAMES)
    ]


def known_results() -> list[Result]:
    """Overall of the rules 0.50, 0.52, ... in the order of the names; the judge agrees but on s07; s02 failed."""
    found = [
        scored(name, round(0.5 + number / 50, 2), judge=round(0.5 + number / 50, 2))
        for number, name in enumerate(NAMES)
    ]
    found[7] = scored("s07", 0.64, judge=0.24)
    found[2] = failed("s02")
    verdict = found[9].verdict
    assert verdict is not None
    found[9] = replace(found[9], verdict=replace(verdict, injection_suspected=True, reasoning="Asks for a zebra."))
    context = (Turn("user", "earlier words"), Turn("assistant", WORDS))
    rainy = Exchange(Cell("s11", 1), 1, context, "message 11", reply("Rain or shine."))
    explained = Score("helpfulness", "heuristic", 0.9, '0.6 base, +0.2 18 words ("a, +0.9 b"), +0.1 question')
    others = tuple(score for score in found[11].scores if score.metric != "helpfulness")
    found[11] = Result(rainy, "scored", (explained, *others), found[11].verdict)
    return found


def known_page() -> str:
    return run_page(known_results(), known_plan(), prompt=known_prompt(3), spec={"parameters": {"max_tokens": 160}})


# --- comparisons ------------------------------------------------------------------------------------------------------


def compared(
    result: Comparison | Ranking,
    names: Mapping[str, str] | None = None,
    played: Sequence[tuple[Sequence[Result], Sequence[Scenario]]] = (),
) -> str:
    """The page of a comparison over the known plan, or over what was `played` by each side.

    The values of its rows are made up for the page alone.
    """
    runs = (result.base, result.candidate) if isinstance(result, Comparison) else result.runs
    sides = []
    for number, run in enumerate(runs):
        results, plan = played[number] if played else (shifted(number), known_plan())
        shown = side(results, plan, suite())
        sides.append(replace(shown, name=(names or {}).get(run.name, run.name), run_id=run.run_id))
    outcome = made_outcome(sides[-1].summary, sides[-1].scenarios, suite(), {"seed": 1})
    candidate = replace(outcome, run=replace(outcome.run, run_id=sides[-1].run_id))
    return comparison_report(result, sides, candidate, assets(), notes=("one note",))


def shifted(number: int) -> list[Result]:
    """The known run; in the second side s04 lost 0.30 and s06 gained 0.20."""
    found = known_results()
    if number:
        found[4] = scored("s04", 0.28, judge=0.28)
        found[6] = scored("s06", 0.82, judge=0.82)
    return found


RULES = tuple(f"- Rule {number}: keep to what the user said." for number in range(1, 13))


def known_prompt(version: int) -> PromptVersion:
    """v3 is shorter than v2 in one sentence, asks one thing more, and is given fewer tokens."""
    asked = (
        ("Write two short sentences.", "Ask one question back.") if version == 3 else ("Write four short sentences.",)
    )
    text = "\n".join(["You are {{name}}, a friend.", *RULES, *asked, *RULES])
    messages = (Turn("system", text), Turn("user", "Hello."), Turn("assistant", "Hi!\nHow are you?"))
    config = {"max_tokens": 160 if version == 3 else 200, "temperature": 0.7, "variables": {"name": "Pen"}}
    pin = PromptPin("penpal", version, None, f"{version:064d}", "directory")
    return PromptVersion(pin, "chat", messages, config, ("name",))


def comparison_page() -> str:
    base = replace(overall_run([0.5] * 20, version=2), prompt=known_prompt(2))
    candidate = replace(overall_run([0.6, 0.62] * 10, version=3), prompt=known_prompt(3))
    return compared(compare(base, candidate, suite=SUITE))


def hostile_comparison_page() -> str:
    base = replace(overall_run([0.5] * 20, version=2, name=f"2{EVIL}"), prompt=hostile_prompt("Be kind."))
    candidate = replace(overall_run([0.6, 0.62] * 10, version=3, name=f"3{EVIL}"), prompt=hostile_prompt("Be brief."))
    result = compare(base, candidate, suite=SUITE)
    return compared(result, played=[(hostile_results(), hostile_plan())] * 2)


def ranking_page() -> str:
    runs = [
        overall_run([value, value + 0.02] * 10, version=version) for version, value in ((1, 0.4), (2, 0.5), (3, 0.6))
    ]
    return compared(rank(runs, suite=SUITE))
