"""A run in which every text from outside is hostile."""

from dataclasses import replace
from datetime import date

from evaluation.expectations.waivers import Waiver
from evaluation.outcome import RunOutcome
from evaluation.prompts import PromptVersion
from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    Expectation,
    ItemAnswer,
    Reply,
    Result,
    Scenario,
    Score,
    State,
    ToolCall,
    Turn,
    Usage,
    Verdict,
)
from evaluation.runspec import REHEARSAL, JudgePin, PromptPin
from evaluation.summary.columns import Columns
from evaluation.summary.expectations import ItemTally
from evaluation.summary.summarise import summarise
from tests.evaluation.made_runs import METRICS, made_outcome, suite

EVIL = (
    "\x1b[2J\x1b]0;owned\x07\u202e</td><script>alert(1)</script> @everyone #1 [click](javascript:alert(1)) "
    "![x](http://evil.example/p.png) `code` | cell | https://evil.example www.evil.example [red]markup[/red]\n"
    "# heading\r\n- [x] list\n\n```\nfence\u2028\u0000\ud800漢字漢字\U0001f468\u200d\U0001f469"
    + "\u0301" * 50
    + "-" * 500
)


IDS = [f"{number}{EVIL}" for number in range(12)]
ITEM = Expectation(EVIL, "never", EVIL, critical=True)
WAIVER = Waiver(IDS[9], EVIL, EVIL, EVIL, date(2027, 1, 31))


def hostile_plan() -> list[Scenario]:
    return [
        Scenario(
            name, f"{place}{EVIL}", (EVIL,), situation=name, audience=EVIL, tags=(EVIL,), note=EVIL, expect=(ITEM,)
        )
        for place, name in enumerate(IDS)
    ]


def hostile_results() -> list[Result]:
    """Ten answered exchanges, every other verdict unread, and a failed one; the twelfth was never played."""
    results = [_answered(name, place) for place, name in enumerate(IDS[:10])]
    error = CallFailure(EVIL, EVIL, 1, 0.0, 1.0)
    return [*results, Result(Exchange(Cell(IDS[10], 1), 1, (), EVIL, error), "failed", (), error=error)]


def hostile_run() -> RunOutcome:
    plan = hostile_plan()
    by = suite()
    columns = Columns(by, plan, 1, ("heuristic", "judge", "combined"))
    summary = summarise(
        hostile_results(),
        columns,
        run_id=EVIL,
        prompt=PromptPin(EVIL, None, None, "", "file"),
        items=ItemTally(plan, columns.plan, "judge"),
        waivers=(WAIVER,),
    )
    pin = PromptPin(EVIL, None, None, EVIL, EVIL)
    judge = JudgePin(EVIL, EVIL, "text")
    outcome = made_outcome(
        replace(summary, wall_seconds=1.0),
        plan,
        by,
        {"prompt": pin, "model": EVIL, "endpoint": f"{REHEARSAL}1", "judge": judge},
        directory=EVIL,
        files=(EVIL, EVIL),
        notes=(EVIL,) * 100,
        links={EVIL: EVIL, "trace": "javascript:alert(1)"},
        next_command=EVIL,
    )
    return replace(outcome, run=replace(outcome.run, prompt=hostile_prompt()))


def hostile_prompt(words: str = "") -> PromptVersion:
    """One whose messages, roles and config are hostile; `words` stand before each text."""
    pin = PromptPin(EVIL, None, None, "", EVIL)
    return PromptVersion(pin, "chat", (Turn("system", words + EVIL), Turn(EVIL, EVIL)), {EVIL: words + EVIL}, ())


def _answered(name: str, place: int) -> Result:
    calls = (ToolCall(EVIL, EVIL, EVIL, EVIL), ToolCall(EVIL, EVIL, EVIL)) if place in (1, 2) else ()
    reply = Reply(EVIL, EVIL, EVIL, {}, Usage(None, None), 0.0, 1.0, tool_calls=calls)
    context = (Turn("user", EVIL), Turn("assistant", EVIL, calls)) if calls else ()
    words = {3: "", 4: EVIL}.get(place)
    parsed = place % 2 == 0
    verdict = Verdict(
        {}, EVIL, parsed, EVIL, EVIL, problem="" if parsed else EVIL, fallback=0.5, injection_suspected=True
    )
    scores = [Score(metric, "heuristic", 0.5 + place / 100, EVIL) for metric in (*METRICS, EVIL)]
    if parsed:
        scores += [Score(METRICS[-1], source, 0.6, EVIL) for source in ("judge", "combined")]
    state: State = "scored" if parsed else "unparsed"
    exchange = Exchange(Cell(name, 1), 1, context, EVIL, reply, words=words)
    return Result(exchange, state, tuple(scores), verdict, None, (_held(place),))


def _held(place: int) -> ItemAnswer:
    """A quote that stands in the response, or a reason."""
    if place % 3 == 2:
        return ItemAnswer(EVIL, "not_shown", "judge", reason=EVIL)
    return ItemAnswer(EVIL, "fails", "judge", EVIL, EVIL, 1, ("fails", "fails"))
