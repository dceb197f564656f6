"""A small run as tests use it: scenarios, replies, verdicts and scores, committed to a real journal."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.delivered import LangfuseReport
from evaluation.records import CallFailure, Cell, Exchange, Reply, Result, Scenario, Score, Turn, Usage, Verdict
from evaluation.rubrics.rubric import DecisionRule, QualityLevel
from evaluation.run import Run
from evaluation.runspec import JudgePin, PromptPin, RunSpec, TextPin
from services.journal import Journal
from services.langfuse.delivery import Deliverer
from services.langfuse.outbox import OpenCells
from services.langfuse.rest import Timing
from services.langfuse.score_names import Figure, ScoreKind, kinds_of_run
from services.langfuse_access import LangfuseAccess
from services.settings import Settings
from tests.langfuse_double import LangfuseDouble
from tests.services.journal.examples import SUITE, a_run

START = 1_790_000_000.25
"""2026-09-21 14:13:20 UTC and a quarter."""

SINGLE = Scenario("lonely-evening", "emotional", ("I feel lonely tonight.",), tags=("night",), note="names the feeling")
OTHER = Scenario("weather", "smalltalk", ("What's the weather like?",), audience="teenager")
TALK = Scenario("job-loss", "emotional", ("I lost my job.", "What now?", "Thank you."), note="stays with it")
SCENARIOS = (SINGLE, OTHER, TALK)

SPEC = RunSpec(
    suite="companion",
    prompt=PromptPin("penpal-companion", 3, None, "ab" * 32, "langfuse"),
    model="model-a",
    endpoint="http://127.0.0.1/v1",
    parameters={"temperature": 0.7},
    judge=JudgePin("judge-a", "http://127.0.0.1/v1", "text"),
    rubric=TextPin("companion", "2.0.1", "ef" * 32),
    scenarios=TextPin("default", "3", "01" * 32),
    repeats=2,
    seed=7,
)
FIGURES = (
    Figure("overall_quality", 0.75, "mean"),
    Figure("rules.helpfulness", 0.5, "mean"),
    Figure("coverage", 1.0, "share of planned exchanges scored"),
    Figure("failures", 0.0, "exchanges that failed"),
    Figure("fallbacks", 0.0, "verdicts that were not read"),
    Figure("decision", "ab_test", "overall 0.75 is at least 0.7"),
)


def decided(verdict: str, reasons: str = "") -> tuple[Figure, ...]:
    """The same figures with another decision."""
    return (*FIGURES[:-1], Figure("decision", verdict, reasons))


COMPANION = replace(
    SUITE,
    metrics=("helpfulness", "overall_quality"),
    levels=tuple(
        QualityLevel(name=name, at_least=at_least, meaning=name)
        for name, at_least in (("excellent", 0.9), ("good", 0.7), ("poor", 0.0))
    ),
    decision=DecisionRule(deploy=0.85, ab_test=0.7, floor=0.5),
)
"""A suite with two metrics that plays nothing: the results are given."""


def evaluated_run(run_id: str = "run-1", spec: RunSpec = SPEC, **changes: Any) -> Run:
    fields: dict[str, Any] = {"created_at": START - 60, "suite": COMPANION, "scenarios": SCENARIOS, "inputs": {}}
    return a_run(run_id, spec=spec, **{**fields, **changes})


def settings_for(double: LangfuseDouble, runs_dir: Path, **changes: Any) -> Settings:
    access = LangfuseAccess(double.base_url, double.public_key, double.secret_key)
    return replace(Settings(langfuse=access, runs_dir=runs_dir), **changes)


def reply(text: str, at: float, **changes: Any) -> Reply:
    fields: dict[str, Any] = {"attempts": 1, "cost_usd": 0.002, "cached": False, **changes}
    return Reply(text, "stop", "model-a-0613", {"temperature": 0.7}, Usage(12, 7), at, at + 1.5, **fields)


def scored(scenario: Scenario, repeat: int, turn: int, start: float = START, **changes: Any) -> Result:
    """A scored result; its values follow from the turn: rules 0.1 per turn, judge 0.9, combined their mean."""
    at = start + 10 * turn + repeat
    rules, judged = round(0.1 * turn, 3), 0.9
    context: list[Turn] = []
    for earlier in range(1, turn):
        context += [Turn("user", scenario.turns[earlier - 1]), Turn("assistant", f"Answer {earlier}.")]
    text = changes.pop("text", f"Answer {turn}.")
    outcome = reply(text, at, **changes)
    verdict = Verdict({"overall_quality": judged}, "Kind and short.", True, "SCORE: 0.9", "judge-a", cost_usd=0.001,
                      usage=Usage(40, 9), latency_ms=800.0)  # fmt: skip
    scores = (
        Score("helpfulness", "heuristic", rules, f"base {rules}"),
        Score("overall_quality", "heuristic", rules, "weighted"),
        Score("overall_quality", "judge", judged, "Kind"),
        Score("overall_quality", "combined", round((rules + judged) / 2, 4), "mean of both"),
    )
    exchange = Exchange(Cell(scenario.id, repeat), turn, tuple(context), scenario.turns[turn - 1], outcome)
    return Result(exchange, "scored", scores, verdict)


def failed(scenario: Scenario, repeat: int, turn: int = 1, start: float = START) -> Result:
    at = start + 10 * turn + repeat
    failure = CallFailure("timeout", "no answer within 60 s", 4, at, at + 60)
    return Result(Exchange(Cell(scenario.id, repeat), turn, (), scenario.turns[turn - 1], failure), "failed", (),
                  error=failure)  # fmt: skip


def results_of(run: Run, start: float = START) -> Iterator[Result]:
    """Every planned exchange, scored."""
    for repeat in range(1, run.spec.repeats + 1):
        for scenario in run.scenarios:
            for turn in range(1, len(scenario.turns) + 1):
                yield scored(scenario, repeat, turn, start)


SCORES_OF_SINGLE, SCORES_OF_TALK, SCORES_OF_RUN = 6, 24, 6
"""By default: helpfulness and three overalls, judge_parsed and quality_level; on each turn and on a talk's root."""


class VirtualTime:
    """A clock that jumps when it is slept on; waits cost nothing."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def timing(self) -> Timing:
        return Timing(self.clock, self.sleep)


@contextmanager
def journaled(path: Path, run: Run, results: Iterable[Result] | None = None) -> Iterator[Journal]:
    """A journal that holds the run, its results, and the deliveries of its complete cells."""
    with Journal.open(path / "evals.db") as journal:
        journal.create_run(run)
        record(journal, run, results_of(run) if results is None else results)
        yield journal


def record(journal: Journal, run: Run, results: Iterable[Result]) -> None:
    """Commits results with their deliveries, as the workflow does."""
    cells = OpenCells(run, journal)

    async def commit() -> None:
        for result in results:
            await journal.record_result(run.run_id, result, cells.deliveries_for(result))

    asyncio.run(commit())


def deliver(
    journal: Journal,
    run: Run,
    settings: Settings,
    *,
    figures: Sequence[Figure] = FIGURES,
    ended: bool = True,
    deadline_s: float = 600.0,
    time: VirtualTime | None = None,
) -> LangfuseReport:
    """The end of a run on virtual time: everything is sent, read back and reported."""
    timing = (time or VirtualTime()).timing()

    async def run_it() -> LangfuseReport:
        cells = OpenCells(run, journal)
        cells.enqueue_rest(failed=ended, figures=figures)
        async with Deliverer(settings, journal, {run.run_id: run}, kinds_of(run), timing).connect() as delivery:
            return await delivery.finish(run.run_id, deadline_s, lambda _: None)

    return asyncio.run(run_it())


def kinds_of(run: Run) -> list[ScoreKind]:
    """Every score that the run may send."""
    return list(kinds_of_run(run))


ROOT = Path(__file__).resolve().parents[3]
DELIVERING = """
import sys
from pathlib import Path
from services.journal import Journal
from services.settings import LangfuseAccess, Settings
from tests.services.langfuse.stories import deliver, evaluated_run
base, public, secret, folder = sys.argv[1:]
settings = Settings(langfuse=LangfuseAccess(base, public, secret), runs_dir=Path(folder))
with Journal.open(Path(folder) / "evals.db") as journal:
    deliver(journal, evaluated_run(), settings)
"""
"""Delivers the run in a process of its own; its arguments: base URL, both keys, and the journal's folder."""
