"""The chat flow suite: an application from input over options to selection, checks of 0 or 1, a judge from 1 to 5.

A case is played turn by turn until the application offers options; then one of them is chosen.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from evaluation.chat_flow.case import FlowCase, first_messages
from evaluation.chat_flow.cases import parse_cases
from evaluation.chat_flow.checks.table import METRICS, RULES, build_flow_scorer
from evaluation.chat_flow.doubts import ask_about_doubts, settle_doubts
from evaluation.chat_flow.flow_run import (
    BODY,
    CHOOSE_PATH,
    PATH,
    TURN_PATH,
    Fault,
    FaultKind,
    FlowCall,
    FlowRun,
    HttpAnswer,
    flow_of,
)
from evaluation.chat_flow.judged import flow_as_reply, flow_replies, flow_texts
from evaluation.chat_flow.loops import AskedBefore
from evaluation.chat_flow.mapping import parse_mapping
from evaluation.chat_flow.scripted_user import ScriptedUser
from evaluation.expectations.answering import Heard
from evaluation.expectations.parts import PartsQuestion
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading_tables import read_lexicon
from evaluation.judging.material import Material, Passage, foreign_passage, shorten, visible
from evaluation.ports import Complete, Exchanges, ScoreExchange
from evaluation.records import CallFailure, Exchange, Json, Reply, Request, Scenario, Turn, Usage
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.suite import OF_CONVERSATIONS, OpenChecks, Play, SuiteDefinition, describe_reply, turns_json
from evaluation.suites.turns import CellPlan

OPTIONS = "options"
"""The next_action that ends the conversation."""
ENDINGS = frozenset({"done", "end", "error", "none", "stop"})
"""Values of next_action after which an application waits for nothing."""
MAX_TURNS = 12
"""Calls of one conversation: an assistant that has not come to options by then never will."""


async def play_flow(lexicon: Lexicon, part: CellPlan, complete: Complete) -> Exchanges:
    """Yields one exchange, whose reply is a FlowRun as text: what goes wrong in the application is part of that.

    A failure to call at all, which is not the application's doing, is the exchange's outcome.
    """
    case = FlowCase.read(part.scenario.data)
    opening = first_messages(part.scenario)
    user = ScriptedUser(case, lexicon)
    flow = _Flow(part, case, user, complete, FlowRun(opening, case.fridge_input, case=part.scenario.data))
    await flow.play()
    outcome = flow.failure or flow.reply()
    yield Exchange(part.cell, 1, opening[:-1], opening[-1].content, outcome)


@dataclass(slots=True)
class _Flow:
    """One conversation under way."""

    part: CellPlan
    case: FlowCase
    user: ScriptedUser
    complete: Complete
    run: FlowRun
    replies: list[Reply] = field(default_factory=list)
    failure: CallFailure | None = None

    async def play(self) -> None:
        await self._converse()
        if self.case.choose and self.run.options and self.run.fault is None and self.failure is None:
            await self._choose()

    def reply(self) -> Reply:
        """The flow as the reply that is scored. Its time is what the application took, all calls together."""
        first = self.replies[0]
        fault = self.run.fault
        ended = "selected" if self.run.selected is not None else OPTIONS
        return Reply(
            text=self.run.to_text(),
            finish_reason=fault.kind if fault is not None else ended,
            model=first.model,
            parameters={},
            usage=Usage(),
            started_at=first.started_at,
            ended_at=first.started_at + sum(reply.latency_ms for reply in self.replies) / 1000,
            attempts=len(self.replies),
            cost_usd=0.0,
        )

    async def _converse(self) -> None:
        asked = AskedBefore(self.user.lexicon)
        for _ in range(MAX_TURNS):
            body = await self._call(TURN_PATH, {})
            if body is None:
                return
            question = _words(body.get("reply"))
            if question:
                self._say("assistant", question)
            if body.get("next_action") == OPTIONS or _offers_nothing(body):
                self._take_options(body)
                return
            fault = _no_way_on(body, question, asked)
            if fault is not None:
                self._fail(fault[0], TURN_PATH, fault[1])
                return
            self._say("user", self.user.answer(question, self.run.messages[:-1]))
        self._fail("too_many_turns", TURN_PATH, f"no options after {MAX_TURNS} turns")

    async def _choose(self) -> None:
        body = await self._call(CHOOSE_PATH, {"options": list(self.run.options or ())})
        if body is None:
            return
        if "selected" not in body:
            self._fail("schema", CHOOSE_PATH, "selected is missing")
        elif body["selected"] is None:
            self._fail("empty", CHOOSE_PATH, "selected is null")
        else:
            self.run = replace(self.run, selected=_meant(body["selected"], self.run.options or ()))

    async def _call(self, path: str, more: dict[str, Json]) -> dict[str, Json] | None:
        """The body of the answer; None where there is none that can be used, with the fault or failure noted."""
        messages = self.run.messages
        said = [{"role": turn.role, "content": turn.content} for turn in messages]
        sent = {"messages": said, "fridge_input": self.run.fridge_input, **more}
        outcome = await self.complete(
            Request(
                purpose="application",
                model=self.part.model,
                messages=messages,
                parameters={PATH: path, BODY: sent},
                cell=self.part.cell,
                turn=1,
                sample=len(self.replies) + 1,
            )
        )
        if isinstance(outcome, CallFailure):
            self.failure = replace(outcome, purpose="application")
            return None
        self.replies.append(outcome)
        answer = HttpAnswer.from_text(outcome.text)
        self.run = replace(
            self.run,
            calls=(*self.run.calls, _call(path, answer, outcome.latency_ms)),
            application_trace_id=self.run.application_trace_id or answer.trace_id,
        )
        if answer.fault is not None:
            self._fail(answer.fault, path, answer.message)
            return None
        if not isinstance(answer.body, dict):
            self._fail("schema", path, "the body is no JSON object")
            return None
        return answer.body

    def _take_options(self, body: dict[str, Json]) -> None:
        options = body.get(OPTIONS)
        if isinstance(options, list):
            self.run = replace(self.run, options=tuple(options))
        else:
            problem = "is missing" if options is None else "is no list"
            self._fail("schema", TURN_PATH, f"next_action is options, and options {problem}")

    def _say(self, role: str, words: str) -> None:
        self.run = replace(self.run, messages=(*self.run.messages, Turn(role, words)))

    def _fail(self, kind: FaultKind, where: str, message: str) -> None:
        self.run = replace(self.run, fault=Fault(kind, where, message))


def _call(path: str, answer: HttpAnswer, latency_ms: float) -> FlowCall:
    system = answer.trace_system if answer.trace_id else ""
    return FlowCall(path, answer.status, latency_ms, answer.trace_id, system)


def _meant(selected: Json, options: Sequence[Json]) -> Json:
    """The one option that a selected id names; else what was selected, as received."""
    if isinstance(selected, bool) or not isinstance(selected, str | int):
        return selected
    named = [option for option in options if isinstance(option, dict) and option.get("id") == selected]
    return named[0] if len(named) == 1 else selected


def _offers_nothing(body: dict[str, Json]) -> bool:
    """True where the application ends the conversation and says with an empty list that it has nothing to offer."""
    action = body.get("next_action")
    ended = isinstance(action, str) and action.strip().lower() in ENDINGS - {"error"}
    return ended and body.get(OPTIONS) == []


def _no_way_on(body: dict[str, Json], question: str, asked: AskedBefore) -> tuple[FaultKind, str] | None:
    """The reason why the conversation cannot go on after this turn; None where the application waits for an answer."""
    action = body.get("next_action")
    if not isinstance(action, str) or not action.strip():
        return "schema", "next_action is missing" if action is None else "next_action is no text"
    shown = repr(action[:60])
    if action.strip().lower() in ENDINGS:
        return "dead_end", f"next_action is {shown} before there were options"
    if body.get("reply") is None:
        return "schema", f"next_action is {shown}, and reply is missing"
    if not question:
        return "dead_end", f"next_action is {shown}, and reply says nothing that could be answered"
    if asked.repeats(question):
        return "loop", f"asked again: {question[:120]!r}"
    return None


def _words(message: Json) -> str:
    """The assistant's words, from a text or from a message with its content."""
    if isinstance(message, dict):
        message = message.get("content")
    return message.strip() if isinstance(message, str) else ""


def _lexicon(rubric: Rubric) -> Lexicon:
    return read_lexicon(rubric.words, f"rubric {rubric.name!r}: words")


def _build_play(rubric: Rubric) -> Play:
    return partial(play_flow, _lexicon(rubric))


def _build_scorer(rubric: Rubric) -> ScoreExchange:
    return build_flow_scorer(_lexicon(rubric))


def _build_open_checks(rubric: Rubric) -> OpenChecks:
    return OpenChecks(partial(ask_about_doubts, _lexicon(rubric)), settle_doubts)


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
            Passage("messages", "The conversation:", shorten(visible(texts.messages)), words),
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
        "calls": [call.to_json() for call in flow.calls],
        "fault": None if flow.fault is None else asdict(flow.fault),
        "case": dict(flow.case),
    }
    if flow.application_trace_id:
        described["application_trace_id"] = flow.application_trace_id
    return described


SUITE = SuiteDefinition(
    name="chat_flow",
    rubric_file="chat_flow",
    scenarios=("chat_flow",),
    parse=parse_cases,
    build_play=_build_play,
    build_scorer=_build_scorer,
    build_open_checks=_build_open_checks,
    scored_by=("evaluation.chat_flow", "evaluation.food", *OF_CONVERSATIONS),
    target="application",
    read_mapping=parse_mapping,
    make_target="eval-chat",
    rules="check",
    checks=METRICS,
    check_rules=RULES,
    show=show_flow,
    material=flow_material,
    ask_parts=partial(PartsQuestion, as_reply=flow_as_reply),
    heard=Heard(flow_as_reply, flow_replies),
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
