"""Small runs made by hand, for the tests of what is worked out and reported from results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.decision.decide import decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.judge import hold_judge
from evaluation.outcome import RunOutcome
from evaluation.ports import Complete, Exchanges
from evaluation.records import CallFailure, Cell, Exchange, Reply, Result, Scenario, Score, Source, Turn, Usage, Verdict
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import DecisionRule, QualityLevel
from evaluation.run import Run
from evaluation.runspec import JudgePin, PromptPin, RunSpec, TextPin
from evaluation.suites.suite import Suite
from evaluation.suites.turns import CellPlan
from evaluation.summary.columns import Columns
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from evaluation.summary.weights import ScenarioWeights
from tests.evaluation.judging.verdicts import overall_judge

OVERALL = "overall_quality"
METRICS = ("helpfulness", "personalization", "trust", OVERALL)
LEVELS = tuple(
    QualityLevel(name=name, at_least=at_least, meaning=name)
    for name, at_least in (("excellent", 0.9), ("good", 0.7), ("adequate", 0.5), ("poor", 0.3), ("unacceptable", 0.0))
)
JUDGED: tuple[Source, ...] = ("heuristic", "judge", "combined")
RULE = DecisionRule(deploy=0.7, ab_test=0.6, floor=0.5)
RULES: tuple[Source, ...] = ("heuristic",)


def _play(part: CellPlan, complete: Complete) -> Exchanges:
    raise AssertionError("nothing is played here")


def _score(exchange: Exchange) -> tuple[Score, ...]:
    raise AssertionError("nothing is scored here")


def suite(*, decision: DecisionRule | None = RULE) -> Suite:
    return Suite(
        name="companion",
        metrics=METRICS,
        overall=OVERALL,
        low=0.0,
        high=1.0,
        play=_play,
        score=_score,
        judge=overall_judge(OVERALL, 0.5, 0.0, 1.0),
        decision=decision,
        levels=LEVELS,
        context_metrics=frozenset({"personalization"}),
    )


def run(*scenarios: Scenario, by: Suite | None = None, **spec: Any) -> Run:
    """A run `r1` of model `m`, without prompt and judge; `spec` gives other fields of its specification."""
    rules = by or suite()
    text = TextPin("companion", "1", "cd" * 32)
    made = RunSpec(rules.name, None, "m", "http://127.0.0.1/v1", {}, None, text, text, repeats=1, seed=1)
    return Run("r1", "g1", None, 0.0, replace(made, **spec), rules, None, scenarios, EvaluationRequest(), {})


def made_outcome(
    summary: Summary,
    plan: Sequence[Scenario],
    by: Suite | None = None,
    spec: Mapping[str, Any] | None = None,
    **changes: Any,
) -> RunOutcome:
    """The outcome of a run with these figures; `spec` replaces fields of its specification."""
    pin = PromptPin("penpal", 3, None, "ab" * 32, "directory")
    judge = JudgePin("j", "http://127.0.0.1/v1", "text")
    made = run(*plan, by=by, **{"prompt": pin, "judge": judge, **(spec or {})})
    counts = summary.counts
    decision = hold_judge(decide(summary, made.suite, ended=not counts.failed and not counts.skipped), True)
    fields = {"decision": with_first_line(decision, summary), "directory": "runs/r1", **changes}
    return RunOutcome(made, summary, **fields)


def scenario(name: str, *, turns: int = 1, situation: str = "", category: str = "small_talk") -> Scenario:
    return Scenario(name, category, tuple(f"turn {number}" for number in range(1, turns + 1)), situation=situation)


def reply(
    text: str = "Hello.", *, finish_reason: str = "stop", cost_usd: float | None = 0.25, cached: bool = False
) -> Reply:
    return Reply(text, finish_reason, "m", {}, Usage(10, 5), 1.0, 1.5, cost_usd=cost_usd, cached=cached)


def exchange(name: str, repeat: int = 1, turn: int = 1, outcome: Reply | CallFailure | None = None) -> Exchange:
    context = (Turn("user", "before"), Turn("assistant", "indeed")) if turn > 1 else ()
    return Exchange(Cell(name, repeat), turn, context, f"turn {turn}", outcome or reply())


def failure(kind: str = "timeout", message: str = "no answer in 60 s") -> CallFailure:
    return CallFailure(kind, message, 3, 1.0, 61.0)


def failed(name: str, repeat: int = 1, turn: int = 1, error: CallFailure | None = None) -> Result:
    error = error or failure()
    return Result(exchange(name, repeat, turn, error), "failed", (), error=error)


def scored(
    name: str, values: Mapping[str, float] | float, repeat: int = 1, turn: int = 1, *, judge: float | None = None
) -> Result:
    """Heuristic values per metric, or one for all; with `judge`, its overall and the combined one."""
    given = values if isinstance(values, Mapping) else dict.fromkeys(METRICS, values)
    scores = [Score(metric, "heuristic", value, f"base {value:g}") for metric, value in given.items()]
    verdict = None
    if judge is not None:
        verdict = Verdict({OVERALL: judge}, "Kind.", True, "raw", "j", usage=Usage(20, 8), cost_usd=0.5)
        scores.append(Score(OVERALL, "judge", judge))
        scores.append(Score(OVERALL, "combined", (given[OVERALL] + judge) / 2))
    return Result(exchange(name, repeat, turn), "scored", tuple(scores), verdict)


def unparsed(name: str, value: float, repeat: int = 1, turn: int = 1) -> Result:
    verdict = Verdict({}, "", False, "who knows", "j", problem="no score", fallback=0.5, cost_usd=0.5)
    scores = (
        *(Score(metric, "heuristic", value, f"base {value:g}") for metric in METRICS),
        Score(OVERALL, "judge", None, reason="verdict not read"),
        Score(OVERALL, "combined", None, reason="verdict not read"),
    )
    return Result(exchange(name, repeat, turn), "unparsed", scores, verdict)


def summary_of(
    results: Sequence[Result],
    scenarios: Sequence[Scenario] | None = None,
    *,
    repeats: int = 1,
    sources: Sequence[Source] = RULES,
    by: Suite | None = None,
    weights: ScenarioWeights | None = None,
) -> Summary:
    """The summary of a run; without scenarios, of one single-turn scenario for each id in the results."""
    if scenarios is None:
        scenarios = [scenario(name) for name in dict.fromkeys(result.exchange.cell.scenario_id for result in results)]
    columns = Columns(by or suite(), scenarios, repeats, sources, weights=weights)
    return summarise(results, columns, run_id="r1", prompt=None)
