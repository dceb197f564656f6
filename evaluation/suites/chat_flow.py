"""The chat flow suite: an application from input over options to selection, checks of 0 or 1, a judge from 1 to 5."""

from collections.abc import Sequence

from evaluation.chat_flow.checks.lexicon import read_lexicon
from evaluation.chat_flow.checks.scoring import METRICS, build_scorer
from evaluation.chat_flow.flow_run import FlowRun
from evaluation.chat_flow.judged import flow_texts
from evaluation.errors import ParseError
from evaluation.records import Exchange
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.flows import play_flow
from evaluation.suites.suite import JUDGED_BY, Suite


def chat_flow(rubric: Rubric) -> Suite:
    """The suite under a rubric, whose word lists its checks read. Raises ParseError for lists that cannot be read."""
    return Suite(
        name="chat_flow",
        metrics=tuple(rubric.metrics),
        overall=rubric.overall,
        low=rubric.low,
        high=rubric.high,
        play=play_flow,
        score=build_scorer(read_lexicon(rubric.words, f"rubric {rubric.name!r}: words")),
        judge=rubric.judge,
        decision=rubric.decision,
        levels=rubric.levels,
        weights={name: metric.weight for name, metric in rubric.metrics.items() if metric.weight is not None},
        show=shown_flow,
        target="application",
        rules="check",
        checks=METRICS,
        scored_by=("evaluation.chat_flow", *JUDGED_BY),
    )


def shown_flow(exchange: Exchange) -> Sequence[tuple[str, str]]:
    """A flow for readers, part by part; what is no flow as its text."""
    try:
        run = FlowRun.from_text(exchange.response)
    except ParseError:
        return (("response", exchange.response),)
    texts = flow_texts(run)._asdict()
    calls = "; ".join(f"{call.path} {call.status or 'no answer'} {call.latency_ms:.0f} ms" for call in run.calls)
    parts = {**texts, "calls": calls, "application_trace_id": run.application_trace_id}
    return tuple((name, text) for name, text in parts.items() if text)
