"""A flow's checks as scores: 1 where a check passed, 0 where it failed, none where it cannot apply."""

from collections.abc import Iterable

from evaluation.chat_flow.case import FlowCase
from evaluation.chat_flow.checks.lexicon import Lexicon
from evaluation.chat_flow.checks.outcome import CheckResult, Subject, not_applicable, subject
from evaluation.chat_flow.checks.table import CHECKS
from evaluation.chat_flow.flow_run import flow_of
from evaluation.errors import ParseError
from evaluation.ports import ScoreExchange
from evaluation.records import Exchange, Score

OVERALL = "overall"
"""1 where every check that applies passed."""
METRICS = (*CHECKS, OVERALL)
"""The metrics of `build_flow_scorer`, in this order."""


def build_flow_scorer(lexicon: Lexicon) -> ScoreExchange:
    """The function that scores an exchange whose response is a FlowRun as text; its case is read from there.

    It raises ParseError for a response that is no flow, and for a case that cannot be read.
    """

    def score(exchange: Exchange) -> tuple[Score, ...]:
        run = flow_of(exchange)
        if run is None:
            raise ParseError("flow run", f"{exchange.response[:60]!r} is no record of a flow")
        outcomes = check_flow(subject(run, FlowCase.read(run.case), lexicon))
        scores = [_score(name, outcome) for name, outcome in outcomes.items()]
        return (*scores, _overall(scores))

    return score


def check_flow(flow: Subject) -> dict[str, CheckResult]:
    """Check name -> outcome, for every check in the order of CHECKS."""
    return {
        name: check.run(flow) if flow.case.includes(name) else not_applicable("the case does not ask for it")
        for name, check in CHECKS.items()
    }


def _score(name: str, outcome: CheckResult) -> Score:
    if outcome.ending == "not_applicable":
        return Score(name, "check", None, applicable=False, reason=f"not applicable: {outcome.evidence}")
    return Score(name, "check", 1.0 if outcome.ending == "passed" else 0.0, explanation=outcome.evidence)


def _overall(scores: Iterable[Score]) -> Score:
    applied = [score for score in scores if score.value is not None]
    failed = [score.metric for score in applied if score.value == 0]
    if not applied:
        return Score(OVERALL, "check", None, applicable=False, reason="not applicable: no check applies")
    found = f"{len(failed)} of {len(applied)} checks failed: {', '.join(failed)}" if failed else "all passed"
    return Score(OVERALL, "check", 0.0 if failed else 1.0, explanation=found)
