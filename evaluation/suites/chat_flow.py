"""The chat flow suite: an application from input over options to selection, checks of 0 or 1, a judge from 1 to 5."""

from collections.abc import Sequence
from dataclasses import asdict

from evaluation.chat_flow.cases import parse_cases
from evaluation.chat_flow.checks.lexicon import read_lexicon
from evaluation.chat_flow.checks.table import METRICS, build_flow_scorer
from evaluation.chat_flow.flow_run import FlowRun, flow_of
from evaluation.chat_flow.judged import flow_texts
from evaluation.judging.material import Material, Passage, foreign_passage, shortened, visible
from evaluation.ports import ScoreExchange
from evaluation.records import Exchange, Json, Scenario, Turn
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.flows import play_flow
from evaluation.suites.suite import JUDGED_BY, SuiteDefinition, describe_reply, turns_json


def _build_scorer(rubric: Rubric) -> ScoreExchange:
    return build_flow_scorer(read_lexicon(rubric.words, f"rubric {rubric.name!r}: words"))


def show_flow(exchange: Exchange) -> Sequence[tuple[str, str]]:
    """A flow for readers, part by part; what is no flow as its text."""
    run = flow_of(exchange)
    if run is None:
        return (("response", exchange.response),)
    texts = flow_texts(run)._asdict()
    calls = "; ".join(f"{call.path} {call.status or 'no answer'} {call.latency_ms:.0f} ms" for call in run.calls)
    parts = {**texts, "calls": calls, "application_trace_id": run.application_trace_id}
    return tuple((name, text) for name, text in parts.items() if text)


def flow_material(exchange: Exchange, scenario: Scenario | None = None) -> Material:
    """A flow as a judge is shown it; plain words, such as a question to try the judge with, as a conversation alone."""
    said = (*exchange.context, Turn("user", exchange.user_input), Turn("assistant", exchange.response))
    flow = flow_of(exchange) or FlowRun(said)
    texts = flow_texts(flow)
    # Without the roles that the rendering sets before each turn: in the words of a turn they are suspicious.
    words = "\n".join(turn.content for turn in flow.messages)
    return Material(
        (
            Passage("messages", "The conversation:", shortened(visible(texts.messages)), words),
            foreign_passage("fridge_input", "Ingredients sent beside it (fridge_input):", texts.fridge_input),
            foreign_passage("options", "Options that the assistant offered:", texts.options),
            foreign_passage("selected", "Recipe that was selected:", texts.selected),
            foreign_passage("errors", "Errors of the application:", texts.errors),
            Passage("note", "What a good run does here:", scenario.note if scenario is not None else ""),
        )
    )


def describe_flow(exchange: Exchange) -> dict[str, Json]:
    """The parts of a flow as an evaluation record holds them; what is no flow as a reply."""
    flow = flow_of(exchange)
    if flow is None:
        return describe_reply(exchange)
    described: dict[str, Json] = {
        "request": {"messages": turns_json(flow.messages), "fridge_input": flow.fridge_input},
        "response": {"options": None if flow.options is None else list(flow.options), "selected": flow.selected},
        "calls": [asdict(call) for call in flow.calls],
        "fault": None if flow.fault is None else asdict(flow.fault),
        "case": dict(flow.case),
    }
    if flow.application_trace_id:
        described["application_trace_id"] = flow.application_trace_id
    return described


SUITE = SuiteDefinition(
    name="chat_flow",
    rubric_file="chat_flow",
    canaries="chat_flow_canaries",
    scenarios=("chat_flow",),
    parse=parse_cases,
    play=play_flow,
    build_scorer=_build_scorer,
    scored_by=("evaluation.chat_flow", "evaluation.metrics.explained", *JUDGED_BY),
    target="application",
    make_target="eval-chat",
    rules="check",
    checks=METRICS,
    show=show_flow,
    material=flow_material,
    describe=describe_flow,
    score_prefixes={
        "judge": "flow.",
        "check": "flow.check.",
        "heuristic": "flow.rules.",
        "combined": "flow.combined.",
        "human": "flow.human.",
    },
    own_prefix="flow.",
)
