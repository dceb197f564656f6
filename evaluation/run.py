"""A run: what it measures, and all that it needs to be played, resumed, scored again and reported."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evaluation.applications.mapping import APPLICATION
from evaluation.commands import write_command
from evaluation.expectations.answering import Mode
from evaluation.expectations.canaries import ItemCheck, checks_of_items
from evaluation.given import INPUT as GIVEN
from evaluation.given import GivenReplies, given_from_text
from evaluation.judging.canaries import AskBeside, questions_of
from evaluation.judging.conversations.asking import ConversationQuestion, is_conversation
from evaluation.judging.conversations.canaries import ConversationCanaries, checks_of_conversations
from evaluation.judging.conversations.panel import AnyConversationJudge, conversation_judge_of
from evaluation.judging.judge import Judge
from evaluation.judging.panel import AnyJudge, judge_of, judges_of
from evaluation.messages import turn_from_json, turn_to_json
from evaluation.prompts import PromptVersion
from evaluation.records import Cell, Expectation, Json, Scenario, Source, Turn
from evaluation.records.fields import fields_of
from evaluation.request import FLAGS, EvaluationRequest, arguments_of, describe_variation
from evaluation.rubrics.canary import Question
from evaluation.runspec import REHEARSAL, PromptPin, RunSpec
from evaluation.scenarios.shards import Shard, parse_shard, share_of
from evaluation.scenarios.tool_results import NO_TOOLS, tools_from_json, tools_to_json
from evaluation.suites.suite import Suite
from evaluation.suites.turns import CellPlan
from evaluation.summary.weights import ScenarioWeights, weights_of


@dataclass(frozen=True, slots=True)
class Run:
    """One run. It is final when it is registered: nothing replaces it afterwards."""

    run_id: str
    group_id: str
    """Runs made in one pass share it."""
    parent_run_id: str | None
    """The run whose replies are scored again; None for a run of its own."""
    created_at: float
    """Seconds since the epoch, UTC."""
    spec: RunSpec
    suite: Suite = field(repr=False)
    prompt: PromptVersion | None
    """None where an application is evaluated, or a model without a prompt."""
    scenarios: tuple[Scenario, ...] = field(repr=False)
    """In the order of every file and table."""
    request: EvaluationRequest
    """As given: what resuming goes on with."""
    inputs: Mapping[str, str] = field(repr=False)
    """Name -> text of what else it is made of: the rubric, the judge's prompt, a mapping of fields."""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Package versions, commit and the like: shown in the manifest, never compared."""

    @property
    def of_application(self) -> bool:
        """True when an application is evaluated, and no model; nobody is asked where production answered."""
        return self.suite.target == "application" and not self.spec.of_production

    @property
    def converses_with_application(self) -> bool:
        """True where an application answered turn by turn, in a model's place."""
        return APPLICATION in self.inputs

    @property
    def is_sample(self) -> bool:
        """True for a part of an earlier run that another judge scores: no evaluation of its own."""
        return self.parent_run_id is not None and bool(self.request.only)

    @property
    def answers_are_known(self) -> bool:
        """True where nobody is asked for a response: an earlier run had them, or users of production did."""
        return self.parent_run_id is not None or self.spec.of_production

    @property
    def given(self) -> GivenReplies | None:
        """The responses of production that it scores; None for any other run."""
        text = self.inputs.get(GIVEN)
        return None if text is None else given_from_text(text, f"given replies of run {self.run_id}")

    @property
    def asked_endpoint(self) -> str | None:
        """The endpoint of models that answers in its open calls; None where an application did, or nobody is asked."""
        return None if self.answers_are_known or self.of_application else self.spec.endpoint

    @property
    def judging_endpoints(self) -> tuple[str, ...]:
        """The endpoints that its judges are asked at; none without a judge."""
        judge = self.spec.judge
        return () if judge is None else tuple(dict.fromkeys(pin.endpoint for pin in judge.judges))

    @property
    def beside_endpoints(self) -> tuple[str, ...]:
        """The endpoints at which anybody is asked beside the one that answers: judges, and a model of embeddings."""
        embedding = self.spec.embedding
        return (*self.judging_endpoints, *(() if embedding is None else (embedding.endpoint,)))

    @property
    def asked_application(self) -> str | None:
        """The application that its open calls go to; None where none is evaluated, or another run played it."""
        return self.spec.endpoint if self.of_application and self.parent_run_id is None else None

    @property
    def paid_models(self) -> frozenset[str]:
        """The models that cost something."""
        pins = () if self.spec.judge is None else self.spec.judge.judges
        judges = {pin.model for pin in pins if not pin.endpoint.startswith(REHEARSAL)}
        embedding = self.spec.embedding
        judges |= set() if embedding is None or embedding.rehearsed else {embedding.model}
        generates = not (self.answers_are_known or self.spec.embedded or self.of_application)
        return frozenset({self.spec.model, *judges} if generates else judges)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources of scores that it plans for."""
        return self.suite.sources(judged=self.judge is not None)

    @property
    def judge(self) -> AnyJudge | None:
        """None without a judge."""
        pin, rubric = self.spec.judge, self.suite.judge
        return None if pin is None or rubric is None else judge_of(pin, rubric, self.spec.seed)

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Everybody who is asked for a verdict: the judge, or the members of a panel and who decides between them."""
        return judges_of(self.judge)

    @property
    def conversation_judge(self) -> AnyConversationJudge | None:
        """The judge as it is asked about conversations as a whole; None where it is not."""
        judge, question = self.judge, ConversationQuestion.of(self.suite.judge)
        if judge is None or question is None or self.request.conversations == "none":
            return None
        return conversation_judge_of(judge.pin, question, judge.seed)

    @property
    def weights(self) -> ScenarioWeights | None:
        """What each of its scenarios stands for; None where all count alike."""
        return weights_of(self.inputs, self.run_id)

    @property
    def expectations(self) -> Mode:
        """Who answers its expectations."""
        pin = self.spec.expectations
        return "none" if pin is None else "judge" if pin.name == "judge" else "rules"

    @property
    def canaries(self) -> list[Question]:
        """The questions on exchanges of known quality that check its judge; none where it is not checked."""
        return [] if self.judge is None or not self.request.canaries else questions_of(self.suite.judge)

    @property
    def item_checks(self) -> dict[str, ItemCheck]:
        """Model -> the questions on canaries that check how it answers expectations; none where nobody answers any."""
        judge = self.judge
        if judge is None or not self.canaries or self.expectations != "judge":
            return {}
        return checks_of_items(judge.pin, judge.rubric, judge.seed)

    @property
    def conversation_checks(self) -> dict[str, ConversationCanaries]:
        """Model -> the conversations of known quality that it is asked about; none where no conversation is judged."""
        judge, question = self.judge, ConversationQuestion.of(self.suite.judge)
        if judge is None or question is None or not self.request.canaries or not self.judged_conversations:
            return {}
        return checks_of_conversations(judge.pin, question, judge.seed)

    def asked_beside(self, model: str) -> tuple[AskBeside, ...]:
        """What asks a judge beside the first half of its canaries: about items and about whole conversations."""
        items, conversations = self.item_checks.get(model), self.conversation_checks.get(model)
        return tuple(check.ask for check in (items, conversations) if check is not None)

    @property
    def scenario_ids(self) -> list[str]:
        """In the order of every file and table."""
        return [scenario.id for scenario in self.scenarios]

    @property
    def setting(self) -> str:
        """The difference to the other runs of its group, for people: "temperature 0.3"; empty where nothing varies."""
        return describe_variation(self.request)

    @property
    def planned_exchanges(self) -> int:
        """The turns of all cells."""
        return self.spec.repeats * sum(len(scenario.turns) for scenario in self.scenarios)

    @property
    def shard(self) -> Shard | None:
        """The share that it plays of its scenarios; None where it plays all of them."""
        return None if self.request.shard is None else parse_shard(self.request.shard)

    @property
    def played(self) -> tuple[Scenario, ...]:
        """The scenarios that it plays."""
        return self.scenarios if self.shard is None else share_of(self.scenarios, self.shard)

    @property
    def played_exchanges(self) -> int:
        """The turns of the cells that it plays."""
        return self.spec.repeats * sum(len(scenario.turns) for scenario in self.played)

    @property
    def judged_conversations(self) -> tuple[Scenario, ...]:
        """The scenarios whose conversation the judge is asked about as a whole; none where it is not asked."""
        return () if self.conversation_judge is None else tuple(filter(is_conversation, self.scenarios))

    def resume_command(self, *more: str) -> str:
        """The command that goes on with it; `more` are further arguments."""
        if self.parent_run_id is None and (given := self.given) is not None:
            return write_command("score-traces", "--resume", given.sample_id, *more)
        target = "sweep" if self.request.sweep else self.suite.make_target
        return write_command(target, "--resume", self.run_id, *more)

    def judged_otherwise_command(self, more: str) -> str:
        """The command that has it judged otherwise, by the arguments `more`: it pays for no response a second time."""
        if self.answers_are_known:
            return write_command("rescore", *more.split(), RUN=self.parent_run_id or self.run_id)
        flag = more.split()[0].removeprefix("--")
        name = next((name for name, other in FLAGS.items() if other == flag), flag.replace("-", "_"))
        usual = {name: getattr(EvaluationRequest(), name), "cache": "judge", "reuse_days": None}
        given = arguments_of(replace(self.request, **usual))
        if self.of_application and given[:1] == ["--suite"]:
            del given[:2]
        return write_command(self.suite.make_target, *given, *more.split(), "--cache", "all")

    def cells(self) -> Iterator[Cell]:
        """The whole plan, repeat by repeat, in the order of the scenarios."""
        for repeat in range(1, self.spec.repeats + 1):
            for scenario in self.scenarios:
                yield Cell(scenario.id, repeat)

    def parts(self) -> Iterator[CellPlan]:
        """Every cell that it plays, long conversations first: none of them is left running alone at the end."""
        longest_first = sorted(self.played, key=lambda scenario: -len(scenario.turns))
        variables = {} if self.prompt is None else self.prompt.own_values
        for repeat in range(1, self.spec.repeats + 1):
            for scenario in longest_first:
                yield CellPlan(
                    cell=Cell(scenario.id, repeat),
                    scenario=scenario,
                    prompt=self.prompt,
                    variables=variables,
                    model=self.spec.model,
                    parameters=self.spec.parameters,
                    seed=self.spec.seed,
                    asks="application" if self.of_application else "generation",
                )


JUDGE_PROMPT = "judge_prompt"
"""Name of the team's own prompt for the judge; a run without it judges by the rubric's own words."""


def texts_of(run: Run) -> Iterator[tuple[str, str]]:
    """(name, text) of all that the run is made of. The scenarios' text is made here: it is large, and seldom needed."""
    yield from run.inputs.items()
    if run.prompt is not None:
        yield "prompt", json.dumps(prompt_to_json(run.prompt))
    yield "scenarios", scenarios_to_text(run.scenarios)


def prompt_to_json(prompt: PromptVersion) -> Json:
    """The inverse of `prompt_from_json`."""
    return {**asdict(prompt), "messages": list(map(turn_to_json, prompt.messages))}


def judge_prompt_of(inputs: Mapping[str, str]) -> PromptVersion | None:
    """The team's own prompt among the inputs of a run; None where the judge was given the rubric's words."""
    text = inputs.get(JUDGE_PROMPT)
    return None if text is None else prompt_from_json(json.loads(text))


def prompt_from_json(value: Mapping[str, Any]) -> PromptVersion:
    """The prompt as it was pinned."""
    return PromptVersion(
        pin=PromptPin(**value["pin"]),
        kind=value["kind"],
        messages=_turns(value["messages"]),
        config=value["config"],
        variables=tuple(value["variables"]),
    )


def scenarios_to_text(scenarios: Sequence[Scenario]) -> str:
    """The inverse of `scenarios_from_text`: JSON, scenario by scenario: made at once it takes many times the text."""
    return f"[{', '.join(json.dumps(_scenario_to_json(scenario)) for scenario in scenarios)}]"


def scenarios_from_text(text: str) -> tuple[Scenario, ...]:
    """The scenarios as they were played."""
    return tuple(map(_scenario, json.loads(text)))


def _scenario_to_json(scenario: Scenario) -> dict[str, Json]:
    whole = fields_of(scenario)
    del whole["tools"]
    tools = {"tools": tools_to_json(scenario.tools)} if scenario.tools else {}
    expect = list(map(fields_of, scenario.expect))
    return {**whole, "history": list(map(turn_to_json, scenario.history)), "expect": expect, **tools}


def _scenario(value: Mapping[str, Any]) -> Scenario:
    fields = {
        **value,
        "turns": tuple(value["turns"]),
        "tags": tuple(value["tags"]),
        "history": _turns(value["history"]),
        "expect": tuple(Expectation(**item) for item in value.get("expect", ())),
        "tools": tools_from_json(value["tools"]) if "tools" in value else NO_TOOLS,
    }
    return Scenario(**fields)


def _turns(values: Sequence[Mapping[str, Json]]) -> tuple[Turn, ...]:
    return tuple(map(turn_from_json, values))
