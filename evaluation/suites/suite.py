"""A suite: all that the runner, the journal, the summary and the reports know of what they evaluate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

from evaluation.applications.mapping import parse_conversation_mapping
from evaluation.expectations.answering import AS_IT_IS, Heard
from evaluation.expectations.check import CueSettings
from evaluation.expectations.criteria import FindSet, no_sets
from evaluation.expectations.parts import PartsQuestion
from evaluation.expectations.shared import add_shared_items, check_cues
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.material import ShowMaterial, reply_material
from evaluation.judging.question import AskParts
from evaluation.languages.packs import ENGLISH
from evaluation.messages import calls_to_json, said_to_json
from evaluation.metrics.lookup import SpokenIn, build_scorer, spoken_in
from evaluation.metrics.meaning.measures import MEASURES
from evaluation.metrics.reach import phrases_to_reach
from evaluation.metrics.rules_digest import rules_digest
from evaluation.ports import Complete, Exchanges, ScoreExchange
from evaluation.records import Exchange, Expectation, ItemAnswer, Json, Reply, Scenario, Score, Source, Turn
from evaluation.rubrics.rubric import ChecksRule, DecisionRule, QualityLevel, Rubric
from evaluation.rubrics.values import Band
from evaluation.scenarios.parser import parse_scenarios
from evaluation.suites.turns import CellPlan, play_turns
from evaluation.text.forms import SourceText

ROUNDING = 1e-9
"""A mean this far below a bound clears it: sums of decimals do not land on decimals."""
ANSWERED_BY = (
    "evaluation.expectations.answering",
    "evaluation.expectations.asking",
    "evaluation.expectations.bounded_pattern",
    "evaluation.expectations.call_checks",
    "evaluation.expectations.check",
    "evaluation.expectations.checks",
    "evaluation.expectations.denials",
    "evaluation.expectations.fact_checks",
    "evaluation.expectations.output_checks",
    "evaluation.expectations.panel",
    "evaluation.expectations.parts",
    "evaluation.expectations.quotes",
    "evaluation.expectations.reading",
    "evaluation.json_schema",
    "evaluation.messages",
    "evaluation.reference",
)
"""The code between a response and the outcome of an expectation, for `scored_by`."""
JUDGED_BY = (
    "evaluation.judging.answers",
    "evaluation.judging.checking",
    "evaluation.judging.expected",
    "evaluation.judging.forms",
    "evaluation.judging.judge",
    "evaluation.judging.merging",
    "evaluation.judging.question",
    "evaluation.judging.reading",
    "evaluation.judging.readings",
    "evaluation.judging.scale",
    "evaluation.messages",
)
"""The code between a judge's answer and its scores, for `scored_by`."""
OF_CONVERSATIONS = ("evaluation.metrics", "evaluation.vectors", "evaluation.languages", *JUDGED_BY, *ANSWERED_BY)
"""The code between the replies of a conversation and all that is said of them, for `scored_by`."""
SOURCE_PREFIXES: Mapping[Source, str] = {
    "combined": "",
    "heuristic": "rules.",
    "judge": "judge.",
    "check": "check.",
    "human": "human.",
    "measure": "measure.",
}
"""Source -> the beginning of the names of its scores in Langfuse, after that of the suite."""
UNRULED = "evaluation.judging.unruled"
"""The code that combines the scores of metrics without a rule, for `scored_by`."""


def no_settings(_cue: str) -> Mapping[str, Json]:
    """A rubric that sets no cue."""
    return {}


def no_digest(_code: str) -> str:
    """A suite without a rubric."""
    return ""


Target: TypeAlias = Literal["model", "application"]
Play: TypeAlias = Callable[[CellPlan, Complete], Exchanges]
ShowResponse: TypeAlias = Callable[[Exchange], Sequence[tuple[str, str]]]
"""The parts of a response that is no plain text, for readers: a name and a text each."""
ReadMapping: TypeAlias = Callable[[str, str], Any]
"""(text of a mapping file, its place) -> how the application is called. Raises ParseError."""
DescribeExchange: TypeAlias = Callable[[Exchange], dict[str, Json]]
"""Request and response of an exchange as an evaluation record holds them."""


def conversations(text: str, place: str, rubric: Rubric, find_set: FindSet = no_sets) -> tuple[Scenario, ...]:
    """Scenarios as `evaluation.scenarios.parser` reads them, with what the rubric expects of them."""
    scenarios = add_shared_items(parse_scenarios(text, place, rubric.categories, find_set), rubric)
    check_cues(scenarios, rubric, place)
    return scenarios


def describe_reply(exchange: Exchange) -> dict[str, Json]:
    """A reply as text, with the messages that it answers."""
    messages = (*exchange.context, Turn("user", exchange.user_input))
    response: dict[str, Json] = {"text": exchange.response, **calls_to_json(exchange.tool_calls)}
    if exchange.words is not None and isinstance(exchange.outcome, Reply):
        response["as_it_came"] = exchange.outcome.text
    return {"request": {"messages": turns_json(messages)}, "response": response}


def turns_json(turns: Sequence[Turn]) -> list[Json]:
    """Messages as a list of {role, content}, with the calls of tools of those that have any."""
    return list(map(said_to_json, turns))


class ParseScenarios(Protocol):
    """Reads one file of scenarios."""

    def __call__(self, text: str, place: str, rubric: Rubric, find_set: FindSet = no_sets, /) -> tuple[Scenario, ...]:
        """The scenarios of a text, its place named in errors, under the suite's rubric. Raises ParseError."""


@dataclass(frozen=True, slots=True)
class OpenChecks:
    """How a judge is asked about what a check cannot tell."""

    ask: Callable[[Exchange, Sequence[Score]], tuple[Expectation, ...]]
    """The questions about an exchange with these scores; they go with those about its expectations."""
    settle: Callable[[Sequence[Score], Sequence[ItemAnswer]], tuple[Score, ...]]
    """The scores with what was answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDefinition:
    """A suite as it is under any rubric: its files, how it plays and scores, and what others call and show of it."""

    name: str
    kept: str = ""
    """Of a suite without code: the text by which a run restores it."""
    source: SourceText | None = None
    """Its rubric where it was read already; None where it is a file of that name."""
    rubric_file: str = ""
    """Name of its rubric unless another is named."""
    scenarios: tuple[str | SourceText, ...] = ()
    """Names of its scenario files, and texts that stand for one; empty means the shipped files."""
    tagged: Mapping[str, str] = field(default_factory=dict)
    """Tag -> name of a set beside those, which is played where the tag is asked for and no set is named."""
    parse: ParseScenarios = conversations
    """Reads one of these files."""
    play: Play = play_turns
    build_play: Callable[[Rubric], Play] | None = None
    """Makes `play` where playing needs what the rubric knows. Raises ParseError for a rubric that lacks it."""
    build_scorer: Callable[[Rubric], ScoreExchange] = build_scorer
    """Raises ParseError for a rubric that it cannot score by."""
    build_open_checks: Callable[[Rubric], OpenChecks] | None = None
    """None where every check can tell."""
    scored_by: tuple[str, ...] = ()
    """Modules and packages whose code turns responses and verdicts into scores: a run pins their sources."""
    target: Target = "model"
    """The thing evaluated: a model under a prompt, or an application that is reached over HTTP."""
    read_mapping: ReadMapping = parse_conversation_mapping
    """Reads the mapping file of an application; of an empty text what an application is that needs none."""
    make_target: str = "eval"
    """The target of `make` that evaluates, and goes on with, one of its runs."""
    rules: Source = "heuristic"
    """The source that needs no model: heuristics, combined with a judge's scores, or checks, which are not."""
    checks: tuple[str, ...] = ()
    """Names of the checks in the order of every table, the overall last: 1 where a check passed, 0 where it failed."""
    check_rules: Mapping[str, str] = field(default_factory=dict)
    """Check -> the sentence that says when it passes."""
    needs_prompt: bool = True
    """False where a model can be evaluated on its own: without a prompt named, none is sent."""
    needs_user_input: bool = True
    """False where the response alone can be scored, so that the user's message may be missing."""
    show: ShowResponse | None = None
    """Shows a response in a report; None shows its text."""
    material: ShowMaterial = reply_material
    """Shows an exchange to the judge."""
    ask_parts: AskParts = PartsQuestion
    """Asks the judge about items that yes or no answers."""
    heard: Heard = AS_IT_IS
    """What of an exchange the assistant said, for expectations."""
    describe: DescribeExchange = describe_reply
    """Describes an exchange for an evaluation record."""
    score_prefixes: Mapping[Source, str] = field(default_factory=dict)
    """Source -> what its scores' names begin with in Langfuse; for the others the names of suite and source."""
    own_prefix: str | None = None
    """The beginning of the names of the suite's other figures there; None for the suite's name."""

    def at_application(self) -> "SuiteDefinition":
        """The suite as it is played on an application that is reached over HTTP, in the place of a model."""
        return replace(self, target="application", needs_prompt=False)

    def of(self, rubric: Rubric) -> "Suite":
        """The suite under a rubric: the shipped one or a team's own."""
        own = {each.name: getattr(self, each.name) for each in fields(SuiteDefinition)}
        if self.build_play is not None:
            own["play"] = self.build_play(rubric)
        unruled = _unruled(rubric) if self.rules == "heuristic" else ()
        return Suite(
            **{**own, "scored_by": (*self.scored_by, UNRULED) if unruled else self.scored_by},
            unruled=unruled,
            metrics=tuple(rubric.metrics),
            language=rubric.language,
            overall=rubric.overall,
            bands=rubric.metrics[rubric.overall].bands,
            low=rubric.low,
            high=rubric.high,
            score=self.build_scorer(rubric),
            open_checks=None if self.build_open_checks is None else self.build_open_checks(rubric),
            judge=JudgeRubric.of(rubric, self.material, self.ask_parts),
            decision=rubric.decision,
            checks_rule=rubric.checks,
            levels=rubric.levels,
            context_metrics=frozenset(name for name, metric in rubric.metrics.items() if metric.needs_context),
            weights=rubric.weights,
            measures=tuple(rubric.measures),
            by_vectors=tuple(name for name, metric in rubric.metrics.items() if metric.formula in MEASURES),
            floor_phrases=_floor_phrases(rubric),
            audiences=tuple(rubric.audiences),
            cue_settings=rubric.guide_settings_of,
            digest_rules=partial(rules_digest, rubric),
        )

    def prefix_of(self, source: Source) -> str:
        """The beginning of the names of a source's scores in Langfuse, where one name means one scale."""
        return self.score_prefixes.get(source, f"{self.name}.{source}.")


def _unruled(rubric: Rubric) -> tuple[str, ...]:
    """The metrics that no rule scores; the overall is one of them as soon as there is another."""
    judged = [name for name, metric in rubric.metrics.items() if metric.kind == "judged"]
    return (*judged, rubric.overall) if judged else ()


def _floor_phrases(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    if rubric.decision is None:
        return {}
    floor = rubric.decision.floor
    found = {name: phrases_to_reach(metric, floor - ROUNDING) for name, metric in rubric.metrics.items()}
    return {name: phrases for name, phrases in found.items() if phrases}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(SuiteDefinition):
    """A way to play a scenario, to score what comes back under one rubric, and to decide on it."""

    metrics: tuple[str, ...]
    """In the order of every table; the overall is among them."""
    language: str = ENGLISH
    """Of the rubric's phrases, and of an exchange that says nothing of its own."""
    overall: str
    low: float
    high: float
    score: ScoreExchange
    bands: tuple[Band, ...] = ()
    """Of the overall: the grades of a person who rates a response as a whole."""
    open_checks: OpenChecks | None = None
    unruled: tuple[str, ...] = ()
    """Metrics that a judge scores and no rule does, the overall among them where there is any."""
    judge: JudgeRubric | None = None
    decision: DecisionRule | None = None
    checks_rule: ChecksRule | None = None
    """Which of the checks are critical; None where none is."""
    levels: tuple[QualityLevel, ...] = ()
    context_metrics: frozenset[str] = frozenset()
    """Metrics that mean nothing on an exchange without earlier conversation."""
    weights: Mapping[str, float] | None = None
    """Metric -> share in the overall, where the overall is a weighted sum."""
    measures: tuple[str, ...] = ()
    """Figures on scales of their own, for information: scores of source `measure`, in no overall and no comparison."""

    by_vectors: tuple[str, ...] = ()
    """Metrics that a rubric makes of measures of meaning: without a model of embeddings they have no value."""
    audiences: tuple[str, ...] = ()
    """Groups of users by the tag of their scenarios."""
    cue_settings: CueSettings = no_settings
    """The rubric's settings of a cue, for expectations that name it."""
    digest_rules: Callable[[str], str] = no_digest
    """Digest of the code that applies the rules -> that of the rules as a whole."""
    floor_phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metric -> phrases without which its rules cannot reach the floor of the decision; those alone that need any."""

    def spoken_in(self, exchange: Exchange) -> SpokenIn | None:
        """The languages of an exchange; None where rules do not read what is said."""
        return spoken_in(exchange, self.language) if self.rules == "heuristic" else None

    def sources(self, *, judged: bool) -> tuple[Source, ...]:
        """The sources that a run plans for, with a judge or without."""
        if not judged:
            return (self.rules,)
        return (self.rules, "judge", "combined") if self.rules == "heuristic" else (self.rules, "judge")

    def metrics_of(self, source: Source) -> tuple[str, ...]:
        """The metrics that a source may score, in the order of every table."""
        if source == "heuristic":
            return tuple(metric for metric in self.metrics if metric not in self.unruled)
        return self.checks if source == "check" else self.metrics

    def level_of(self, overall: float | None) -> str | None:
        """The name of the level that an overall reaches; None without an overall or without levels."""
        if overall is None:
            return None
        return next((level.name for level in self.levels if overall >= level.at_least - ROUNDING), None)

    def scale(self, source: Source) -> tuple[float, float]:
        """Lowest and highest value of a source's scores."""
        if source == "check":
            return (0.0, 1.0)
        if source == "judge" and self.judge is not None:
            return (self.judge.low, self.judge.high)
        return (self.low, self.high)
