"""Runs for comparison tests, made from plain numbers."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from evaluation.comparison.runs import RunScores, read_run
from evaluation.judging.judge import with_judgement
from evaluation.ports import Complete
from evaluation.records import CallFailure, Cell, Exchange, Reply, Result, Scenario, Score, Source, Usage, Verdict
from evaluation.runspec import JudgePin, PromptPin, RunSpec, TextPin
from evaluation.suites.suite import Suite
from evaluation.suites.turns import CellPlan
from evaluation.summary.columns import Columns, Key, Plan
from evaluation.summary.summary import Summary
from tests.evaluation.judging.verdicts import overall_judge

COMPONENTS = ("warmth", "clarity", "trust")
OVERALL: Key = ("heuristic", "overall")
FAILURE = CallFailure("timeout", "no answer", 3, 0.0, 1.0)


async def _play(part: CellPlan, complete: Complete) -> AsyncIterator[Exchange]:
    """Plays nothing: the runs of these tests are made, not played."""
    nothing: tuple[Exchange, ...] = ()
    for exchange in nothing:
        yield exchange


def _score(exchange: Exchange) -> tuple[Score, ...]:
    return ()


def example_suite(low: float = 0.0, high: float = 1.0) -> Suite:
    """Three components and their overall, with a judge on the same scale."""
    return Suite(
        name="example",
        metrics=(*COMPONENTS, "overall"),
        overall="overall",
        low=low,
        high=high,
        play=_play,
        score=_score,
        judge=overall_judge("overall", low, low, high),
        weights={"warmth": 0.5, "clarity": 0.3, "trust": 0.2},
    )


SUITE = example_suite()
JUDGE = JudgePin("judge-a", "https://example.test/v1", "text")


def spec(version: int = 1, **changes: object) -> RunSpec:
    """A run specification under prompt version `version`; `changes` replace whole parts."""
    made = RunSpec(
        suite="example",
        prompt=PromptPin("penpal", version, None, f"{version:064d}", "directory"),
        model="model-a",
        endpoint="https://example.test/v1",
        parameters={"temperature": 0.7, "max_tokens": 300},
        judge=JUDGE,
        rubric=TextPin("example", "1.0", "r" * 64),
        scenarios=TextPin("example", "10", "s" * 64),
        repeats=1,
        seed=7,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def scenario(number: int, *, situation: str = "", category: str = "talk", turns: int = 1) -> Scenario:
    return Scenario(f"s{number:03d}", category, tuple(f"turn {turn}" for turn in range(turns)), situation)


def scenarios_of(count: int, categories: Sequence[str] = ("talk",)) -> list[Scenario]:
    """Single turns, each a situation of its own, the categories in turn."""
    return [scenario(number, category=categories[number % len(categories)]) for number in range(count)]


@lru_cache(maxsize=8)
def _empty_summary(source: Source) -> Summary:
    return read_run((), Columns(SUITE, (), 1, (source,)), spec=spec(), run_id="", name="").summary


def run_of(
    columns: Mapping[Key, Sequence[float]],
    scenarios: Sequence[Scenario],
    *,
    version: int = 1,
    name: str = "",
    repeats: int = 1,
    judge_variance: Sequence[float] | None = None,
    **changes: object,
) -> RunScores:
    """A run from its columns as they stand: nothing is read, and its summary is empty."""
    sources = {source for source, _ in columns}
    source: Source = "combined" if "combined" in sources else "heuristic"
    return RunScores(
        run_id=f"run-{version}",
        name=name or f"v{version}",
        spec=spec(version, repeats=repeats, **changes),
        scenarios=tuple(scenarios),
        plan=Plan(scenarios, repeats),
        columns=columns,
        judge_variance=judge_variance,
        summary=_empty_summary(source),
        judge_fit=True,
    )


def overall_run(values: Sequence[float], *, version: int = 1, **changes: object) -> RunScores:
    """One heuristic overall per scenario, each a situation of its own."""
    return run_of({OVERALL: values}, scenarios_of(len(values)), version=version, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Answers:
    """The outcome of the exchanges of a run, one per scenario; every metric has the exchange's value."""

    values: Sequence[float]
    judged: bool = False
    failed: frozenset[int] = field(default_factory=frozenset)
    unparsed: frozenset[int] = field(default_factory=frozenset)
    samples: int = 1
    """Of the judge: its values lie +-0.1 around the exchange's."""

    def results(self) -> Iterator[Result]:
        for number, value in enumerate(self.values):
            cell = Cell(f"s{number:03d}", 1)
            if number in self.failed:
                yield Result(Exchange(cell, 1, (), "turn 0", FAILURE), "failed", (), None, FAILURE)
                continue
            reply = Reply("An answer.", "stop", "model-a", {}, Usage(10, 5), 0.0, 1.0, cost_usd=0.001)
            rules = tuple(Score(metric, "heuristic", value) for metric in SUITE.metrics)
            verdict = self._verdict(number, value) if self.judged else None
            scores = rules if verdict is None else with_judgement(rules, verdict, ("overall",))
            state = "scored" if verdict is None or verdict.parsed else "unparsed"
            yield Result(Exchange(cell, 1, (), "turn 0", reply), state, scores, verdict)  # type: ignore[arg-type]

    def _verdict(self, number: int, value: float) -> Verdict:
        if number in self.unparsed:
            return Verdict({}, "", False, "?", "judge-a", problem="no line starts with a score", fallback=0.5)
        samples = tuple(value + (0.1 if sample % 2 else -0.1) for sample in range(self.samples))
        return Verdict({"overall": value}, "because", True, "Score", "judge-a", samples=samples)


def answered_run(answers: Answers, *, version: int = 1, name: str = "", **changes: object) -> RunScores:
    """A run read from its results, as a journal gives them."""
    sources: tuple[Source, ...] = ("heuristic", "judge", "combined") if answers.judged else ("heuristic",)
    planned = spec(version, **{"judge": JUDGE if answers.judged else None, **changes})
    found = read_run(
        answers.results(),
        Columns(SUITE, scenarios_of(len(answers.values)), planned.repeats, sources),
        spec=planned,
        run_id=f"run-{version}",
        name=name or f"v{version}",
    )
    return replace(found, judge_fit=True if answers.judged else None)
