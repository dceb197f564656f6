"""The journal's results of one cell as one trace, the same for the same results."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from evaluation.identity import experiment_id, observation_id, session_id, trace_id
from evaluation.messages import turn_to_json
from evaluation.records import AnswerCalls, CallFailure, Cell, Exchange, Json, Reply, Result, Scenario, Turn, Verdict
from evaluation.request import describe_variation
from evaluation.run import Run
from evaluation.runspec import PromptPin, canonical_json
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.spans import Observation

ROOT = "root"
MAX_TAG = 200
"""Longer values of what a whole trace shares are dropped on their way."""


@dataclass(frozen=True, slots=True)
class CellRef:
    """A reference to one trace of a cell: a later attempt replaces what was shown as failed."""

    cell: Cell
    attempt: int = 1
    failed: bool = False
    """Shown as an error: no experiment's item, not linked to the prompt, not scored; so it takes nobody's place."""
    verdict: int = 1
    """Above 1 the judge was asked again, as its verdict could not be read: the trace gets that verdict as well."""
    turn: int = 0
    """The turn that was judged again; 0 for the conversation as a whole, and while nothing was."""

    def to_json(self) -> Json:
        return {
            "scenario_id": self.cell.scenario_id,
            "repeat": self.cell.repeat,
            "attempt": self.attempt,
            "failed": self.failed,
            **({"verdict": self.verdict, "turn": self.turn} if self.verdict > 1 else {}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "CellRef":
        cell = Cell(value["scenario_id"], value["repeat"])
        return cls(cell, value["attempt"], value["failed"], value.get("verdict", 1), value.get("turn", 0))

    def trace_id(self, run_id: str) -> str:
        return trace_id(run_id, self.cell.scenario_id, self.cell.repeat, self.attempt)


@dataclass(frozen=True)
class TraceProjection:
    """One run as traces. `dataset_id` is the server's id of the suite's dataset."""

    run: Run
    environment: str
    fit: Outgoing
    dataset_id: str

    def trace(self, ref: CellRef, results: Sequence[Result]) -> list[Observation]:
        """The observations of one cell, the root first. `results` are the cell's, at least one of them of a response.

        Of what was judged again, a turn or the conversation, the new verdict alone: the rest is there.
        """
        scenario = self._scenarios[ref.cell.scenario_id]
        trace = ref.trace_id(self.run.run_id)
        root = observation_id(trace, ROOT)
        shared = self._shared_attributes(ref, scenario, root)
        if ref.verdict > 1:
            judged = [each for each in results if each.exchange.turn == ref.turn and each.verdict is not None]
            return [self._judge(each, trace, root, shared, number=ref.verdict) for each in judged]
        of_root = shared | self._expected(ref, scenario)
        responses = [result for result in results if result.scope == "response"]
        judges = [self._judge(result, trace, root, shared) for result in results if result.verdict is not None]
        judges += [
            self._answers(result, calls, trace, root, shared)
            for result in results
            if (calls := result.answer_calls) is not None
        ]
        if len(scenario.turns) == 1:
            return [self._generation(ref, responses[0], trace, root, None, of_root), *judges]
        turns = [
            self._generation(ref, r, trace, turn_observation(trace, len(scenario.turns), r.exchange.turn), root, shared)
            for r in responses
        ]
        spans = [*turns, *judges]
        return [self._conversation(scenario, responses, trace, root, spans, of_root), *spans]

    @cached_property
    def _scenarios(self) -> dict[str, Scenario]:
        return {scenario.id: scenario for scenario in self.run.scenarios}

    @cached_property
    def name(self) -> str:
        """The name of all experiments of the run, before the repeat: suite / prompt and version, setting / time."""
        spec = self.run.spec
        stamp = time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.run.created_at))
        evaluated = spec.answerer if spec.prompt is None else spec.prompt.title
        what = ", ".join(part for part in (evaluated, describe_variation(self.run.request)) if part)
        return self.fit(f"{self.run.suite.name} / {what} / {stamp}")

    @cached_property
    def _metadata(self) -> str:
        spec = asdict(self.run.spec)
        return as_json({"run_id": self.run.run_id, "group_id": self.run.group_id, **spec}, self.fit)

    @cached_property
    def _description(self) -> str:
        spec = self.run.spec
        judge = f"judged by {spec.judge.model}" if spec.judge else "without a judge"
        return self.fit(f"run {self.run.run_id}: {spec.answerer}, {judge}, rubric {spec.rubric.version}")

    def _shared_attributes(self, ref: CellRef, scenario: Scenario, root: str) -> dict[str, Any]:
        """The attributes that every observation of the trace bears."""
        prompt = self.run.spec.prompt
        tags = [self.run.suite.name, scenario.category, *scenario.tags, "" if prompt is None else prompt.title]
        shared: dict[str, Any] = {
            "langfuse.environment": self.environment,
            "langfuse.trace.name": self.fit(item_id(self.run.suite.name, scenario.id)),
            "langfuse.trace.tags": [*(self.fit(tag)[:MAX_TAG] for tag in tags if tag), self.run.run_id],
        }
        if not ref.failed:
            shared |= self._item(ref, scenario, root)
        session = session_id(self.run.run_id, scenario, ref.cell.repeat)
        if session is not None:
            shared["session.id"] = session
        return shared

    def _item(self, ref: CellRef, scenario: Scenario, root: str) -> dict[str, Any]:
        """The attributes that make the trace an item of its experiment."""
        return {
            "langfuse.experiment.id": experiment_id(self.run.run_id, ref.cell.repeat),
            "langfuse.experiment.name": f"{self.name} / r{ref.cell.repeat}",
            "langfuse.experiment.description": self._description,
            "langfuse.experiment.metadata": self._metadata,
            "langfuse.experiment.dataset.id": self.dataset_id,
            "langfuse.experiment.item.id": item_id(self.run.suite.name, scenario.id),
            "langfuse.experiment.item.metadata": as_json(item_metadata(scenario), self.fit),
            "langfuse.experiment.item.root_observation_id": root,
        }

    def _expected(self, ref: CellRef, scenario: Scenario) -> dict[str, Any]:
        """The note, which says what a good response does, as the item's "Expected Output"; nothing without one."""
        if ref.failed or not scenario.note:
            return {}
        return {"langfuse.experiment.item.expected_output": self.fit(scenario.note)}

    def _generation(
        self, ref: CellRef, result: Result, trace: str, own: str, parent: str | None, shared: dict[str, Any]
    ) -> Observation:
        exchange, outcome = result.exchange, result.exchange.outcome
        *before, _ = exchange.said
        asked = list(map(turn_to_json, before))
        metadata: dict[str, Json] = {
            "turn": exchange.turn,
            "repeat": ref.cell.repeat,
            "state": result.state,
            "audience": self._scenarios[ref.cell.scenario_id].audience or None,
            "attempts": outcome.attempts,
            **({"resumed": ref.attempt} if ref.attempt > 1 else {}),
        }
        error = self._error(result)
        attributes: dict[str, Any] = dict(shared)
        if isinstance(outcome, Reply):
            metadata |= {"finish_reason": outcome.finish_reason, "cached": outcome.cached or None}
            attributes |= self._model(outcome.model, outcome.parameters)
            attributes |= self._usage_attributes(outcome)
        else:
            attributes |= self._model(self.run.spec.answerer, self.run.spec.parameters)
        if not ref.failed:
            attributes |= prompt_link(self.run.spec.prompt)
        answer = _answer(exchange) if isinstance(outcome, Reply) else None
        attributes |= describe("generation", asked, answer, metadata, self.fit)
        return Observation(
            trace,
            own,
            parent,
            f"turn {exchange.turn}",
            nanoseconds(outcome.started_at),
            nanoseconds(outcome.ended_at),
            attributes | _level(error),
            error,
        )

    def _judge(self, result: Result, trace: str, root: str, shared: Mapping[str, Any], number: int = 1) -> Observation:
        """The judge's call, from the end of what it judged on. Never linked: its scores are the prompt's, not its.

        Above 1 the `number` says that it was asked again, as earlier answers could not be read.
        """
        verdict, exchange = result.verdict, result.exchange
        assert verdict is not None
        asked: Json = {"user_message": exchange.user_input, "assistant_response": exchange.response}
        if result.scope == "conversation":
            asked = list(map(turn_to_json, exchange.said))
        metadata = {"turn": exchange.turn or None, "parsed": verdict.parsed, "cached": verdict.cached or None}
        attributes = {**shared, **self._model(verdict.model, {}), **self._usage_attributes(verdict)}
        attributes |= describe("generation", asked, verdict.raw, metadata, self.fit)
        start = nanoseconds(exchange.outcome.ended_at)
        end = start + nanoseconds(verdict.latency_ms / 1000)
        problem = self.fit(f"verdict not read: {verdict.problem}") if not verdict.parsed else ""
        again = f"-{number}" if number > 1 else ""
        own = observation_id(trace, f"judge-{exchange.turn}{again}")
        judged = "conversation" if result.scope == "conversation" else f"turn {exchange.turn}"
        name = f"judge {judged}{', asked again' * bool(again)}"
        return Observation(trace, own, root, name, start, end, attributes | _level(problem, "WARNING"))

    def _answers(
        self, result: Result, calls: AnswerCalls, trace: str, root: str, shared: Mapping[str, Any]
    ) -> Observation:
        """The judge's calls about expectations as one, from the end of what they are about."""
        exchange = result.exchange
        asked = {"user_message": exchange.user_input, "assistant_response": exchange.response}
        answered = {answer.id: answer.outcome for answer in result.expectations if answer.answers}
        metadata = {"turn": exchange.turn, "calls": calls.calls, "cached": calls.cached or None}
        attributes = {**shared, **self._model(calls.model, {}), **self._usage_attributes(calls)}
        attributes |= describe("generation", asked, answered, metadata, self.fit)
        start = nanoseconds(exchange.outcome.ended_at)
        end = start + nanoseconds(calls.latency_ms / 1000)
        own = observation_id(trace, f"expectations-{exchange.turn}")
        return Observation(trace, own, root, f"expectations turn {exchange.turn}", start, end, attributes)

    def _conversation(
        self,
        scenario: Scenario,
        results: Sequence[Result],
        trace: str,
        root: str,
        spans: Sequence[Observation],
        shared: dict[str, Any],
    ) -> Observation:
        said = [
            {"role": role, "content": text}
            for result in results
            for role, text in (("user", result.exchange.user_input), ("assistant", result.exchange.response))
        ]
        metadata: dict[str, Json] = {"turns": len(scenario.turns), "answered": len(results)}
        error = next((error for result in results if (error := self._error(result))), "")
        if not error and len(results) < len(scenario.turns):
            error = f"{len(scenario.turns) - len(results)} of {len(scenario.turns)} turns were not played"
        return Observation(
            trace,
            root,
            None,
            self.fit(item_id(self.run.suite.name, scenario.id)),
            min(span.start_ns for span in spans),
            max(span.end_ns for span in spans),
            shared | describe("span", list(scenario.turns), said, metadata, self.fit) | _level(error),
            error,
        )

    def _error(self, result: Result) -> str:
        error = result.error or (result.exchange.outcome if isinstance(result.exchange.outcome, CallFailure) else None)
        return self.fit(f"{error.kind}: {error.message}") if error is not None else ""

    def _model(self, model: str, parameters: Mapping[str, Json]) -> dict[str, Any]:
        attributes = {"langfuse.observation.model.name": self.fit(model)}
        if parameters:
            attributes["langfuse.observation.model.parameters"] = as_json(dict(parameters), self.fit)
        return attributes

    def _usage_attributes(self, call: Reply | Verdict | AnswerCalls) -> dict[str, Any]:
        """Tokens and cost. A cached reply cost this run nothing; an unknown price is left to the server's table.

        Langfuse adds the kinds of tokens up, so input from the provider's cache stands apart from the rest of it, under
        the name that its SDK gives it.
        """
        asked, from_cache = call.usage.input_tokens, call.usage.cached_input_tokens or None
        tokens = {
            "input": asked if asked is None or from_cache is None else asked - from_cache,
            "input_cached_tokens": from_cache,
            "output": call.usage.output_tokens,
        }
        usage = {name: count for name, count in tokens.items() if count is not None}
        cost = 0.0 if call.cached else call.cost_usd
        return {
            **({"langfuse.observation.usage_details": as_json(usage, self.fit)} if usage else {}),
            **({} if cost is None else {"langfuse.observation.cost_details": as_json({"total": cost}, self.fit)}),
        }


def turn_observation(trace: str, turns: int, turn: int) -> str:
    """The generation of one of a scenario's turns, which for a single turn is the root itself."""
    return observation_id(trace, ROOT if turns == 1 else f"turn-{turn}")


def item_id(suite: str, scenario_id: str) -> str:
    """Of the dataset item: ids belong to one dataset of the project for ever, hence the suite in front."""
    return f"{suite}/{scenario_id}"


def _answer(exchange: Exchange) -> Json:
    """The reply as it came: its text, or, where it called tools, the message with the calls and their results."""
    text = exchange.outcome.text if isinstance(exchange.outcome, Reply) else ""
    if not exchange.tool_calls:
        return text
    results = {call.id: call.result for call in exchange.tool_calls}
    return {**turn_to_json(Turn("assistant", text, exchange.tool_calls)), "tool_results": results}


def item_metadata(scenario: Scenario) -> dict[str, Json]:
    """The metadata that people filter and read items by."""
    values: dict[str, Json] = {
        "category": scenario.category,
        "situation": scenario.cluster,
        "audience": scenario.audience,
        "tags": list(scenario.tags),
        "note": scenario.note,
    }
    return {name: value for name, value in values.items() if value}


def prompt_link(prompt: PromptPin | None) -> dict[str, Any]:
    """The attributes that link a generation to a prompt version of the project; none for prompts kept elsewhere."""
    if prompt is None or prompt.source != "langfuse" or prompt.version is None:
        return {}
    return {
        "langfuse.observation.prompt.name": prompt.name,
        "langfuse.observation.prompt.version": prompt.version,
    }


def _level(message: str, level: str = "ERROR") -> dict[str, Any]:
    """The attributes that mark an observation; none without a message."""
    if not message:
        return {}
    return {"langfuse.observation.level": level, "langfuse.observation.status_message": message}


def as_json(value: Json, fit: Outgoing) -> str:
    """Canonical JSON with every text in it made fit to be sent."""
    return canonical_json(fit_json(value, fit))


def describe(kind: str, asked: Json, answered: Json, metadata: Mapping[str, Json], fit: Outgoing) -> dict[str, Any]:
    """Type, input, output and metadata of an observation; None leaves a field out."""
    prefix = "langfuse.observation."
    attributes: dict[str, Any] = {f"{prefix}type": kind}
    for name, value in (("input", asked), ("output", answered)):
        if value is not None:
            attributes[prefix + name] = fit(value) if isinstance(value, str) else as_json(value, fit)
    for key, value in metadata.items():
        if value is not None:
            attributes[f"{prefix}metadata.{key}"] = as_json(value, fit)
    return attributes


def nanoseconds(seconds: float) -> int:
    """Of a time since the epoch, exact to the microsecond; never negative, as the wire has no sign."""
    return max(0, round(seconds * 1_000_000)) * 1000
