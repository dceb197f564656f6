"""An approved run as one file: all that a later comparison needs of it, also where its journal is gone."""

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from evaluation.commands import write_command
from evaluation.comparison.items import HeldItem
from evaluation.comparison.runs import RunScores
from evaluation.errors import ParseError
from evaluation.records import Json, Scenario, Source
from evaluation.runspec import RunSpec
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE, SampleWeight
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, Fallback, Plan
from evaluation.summary.conversations import ConversationColumns
from evaluation.summary.counts import Counts, RunTokens
from evaluation.summary.summarise import metric_tables
from evaluation.summary.summary import Summary
from evaluation.summary.weights import ScenarioWeights

SCHEMA_VERSION = 1
OUTSIDE = "n/a"
"""Stands for a place where the metric means nothing; null is a missing value."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Approval(_Form):
    """The run that became the baseline, when it did, and on what terms."""

    run_id: str = Field(min_length=1)
    approved_at: str
    """ISO 8601, UTC."""
    evaluated_at: str
    """When the run was made; ISO 8601, UTC."""
    forced: str
    """Why it was approved against a failed gate or with a failed judge; empty where nothing had to be forced."""
    rehearsal: bool
    """True where a scripted stand-in gave the answers."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One side of every later comparison."""

    approval: Approval
    scores: RunScores

    @property
    def spec(self) -> RunSpec:
        return self.scores.spec

    @property
    def run_id(self) -> str:
        """The run that was approved; its scores may be of a run that scored it again."""
        return self.approval.run_id


class _ScenarioForm(_Form):
    id: str = Field(min_length=1)
    category: str
    situation: str
    turns: int = Field(ge=1, le=1000)
    weight: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """What it stands for; None where all scenarios count alike."""
    stratum: str = ""


class _ItemForm(_Form):
    """How one expectation of a scenario stood over the repeats."""

    scenario_id: str
    id: str = Field(min_length=1)
    turn: int = Field(ge=0)
    asked: str
    critical: bool
    holds: NonNegativeInt
    fails: NonNegativeInt


class _ConversationsForm(_Form):
    """The scores of conversations as a whole, a value for each repeat of each scenario."""

    scenarios: list[str] = Field(min_length=1)
    columns: dict[str, list[float | Literal["n/a"] | None]]


class _BaselineForm(Approval):
    schema_version: Literal[1]
    answered_by: list[str]
    judged_by: list[str] = []
    judge_fit: bool | None = None
    judge_problem: str = ""
    spec: dict[str, Json]
    digests: dict[str, str]
    source: Source
    overall: str
    counts: dict[str, NonNegativeInt]
    fallbacks: NonNegativeInt
    judge_fallback: Fallback = "exclude"
    scenarios: list[_ScenarioForm] = Field(min_length=1)
    columns: dict[Source, dict[str, list[float | Literal["n/a"] | None]]]
    judge_variance: list[float | None] | None
    items: list[_ItemForm] | None = None
    conversations: _ConversationsForm | None = None
    weights_of: str | None = None
    """What the weighted scenarios stand for; None where all count alike."""


def baseline_text(baseline: Baseline) -> str:
    """The file: JSON with one line per scenario and per column, so that a change can be reviewed."""
    scores, summary = baseline.scores, baseline.scores.summary
    variance = scores.judge_variance
    head = {
        "schema_version": SCHEMA_VERSION,
        **baseline.approval.model_dump(),
        "answered_by": list(scores.answered_by),
        "judged_by": list(scores.judged_by),
        "judge_fit": scores.judge_fit,
        "judge_problem": scores.judge_problem,
        "spec": asdict(scores.spec),
        "digests": scores.spec.digests,
        "source": summary.source,
        "overall": summary.overall,
        "counts": asdict(summary.counts),
        "fallbacks": summary.fallbacks,
        "judge_fallback": summary.judge_fallback,
        "judge_variance": None if variance is None else [_entry(value) for value in variance],
    }
    weights = summary.weights
    if weights is not None:
        head["weights_of"] = weights.of
    scenarios = [
        {
            "id": each.id,
            "category": each.category,
            "situation": each.cluster,
            "turns": len(each.turns),
            **({} if weights is None else weights.of_scenario(each.id)._asdict()),
        }
        for each in scores.scenarios
    ]
    by_source: dict[str, dict[str, list[Json]]] = {}
    for (source, metric), column in scores.columns.items():
        by_source.setdefault(source, {})[metric] = [_entry(value) for value in column]
    sources = ",\n".join(
        f"    {_json(source)}: {{\n"
        + ",\n".join(f"      {_json(metric)}: {_json(column)}" for metric, column in table.items())
        + "\n    }"
        for source, table in by_source.items()
    )
    return (
        "{\n"
        + "".join(f"  {_json(name)}: {_json(value)},\n" for name, value in head.items())
        + _items_text(scores.items)
        + _conversations_text(scores.conversations)
        + '  "scenarios": [\n'
        + ",\n".join(f"    {_json(scenario)}" for scenario in scenarios)
        + '\n  ],\n  "columns": {\n'
        + sources
        + "\n  }\n}\n"
    )


def _items_text(items: Sequence[HeldItem] | None) -> str:
    """The expectations, a line each, without the questions: their digests say whether they are the same."""
    if items is None:
        return ""
    lines = (_json({name: getattr(item, name) for name in _ItemForm.model_fields}) for item in items)
    return '  "items": [\n' + ",\n".join(f"    {line}" for line in lines) + "\n  ],\n"


def _conversations_text(found: ConversationColumns | None) -> str:
    """The scores of conversations as a whole, a line for each metric."""
    if found is None:
        return ""
    names = _json([scenario.id for scenario in found.scenarios])
    lines = (
        f"      {_json(metric)}: {_json([_entry(value) for value in column])}"
        for metric, column in found.columns.items()
    )
    head = f'  "conversations": {{\n    "scenarios": {names},\n    "columns": {{\n'
    return head + ",\n".join(lines) + "\n    }\n  },\n"


def parse_baseline(text: str, place: str, suite: Suite) -> Baseline:
    """Reads the file. Raises ParseError for a wrong form, and where its parts contradict each other."""
    try:
        form = _BaselineForm.model_validate(json.loads(text))
        spec = RunSpec.from_json(form.spec)
        digests = spec.digests
        counts = Counts(**form.counts)
    except ValidationError as error:
        first = error.errors()[0]
        raise ParseError(place, f"{'.'.join(map(str, first['loc']))}: {first['msg']}: {_renew()}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParseError(place, f"is no baseline ({type(error).__name__}): {_renew()}") from None
    if "scorer" not in form.spec:
        again = _renew(form.run_id)
        raise ParseError(place, f"does not say by which code it was scored: {again}")
    if digests != form.digests:
        parts = ", ".join(name for name in digests if digests[name] != form.digests.get(name)) or "its parts"
        raise ParseError(place, f"{parts}: the digest is not that of the content: {_renew()}")
    if spec.suite != suite.name or form.overall != suite.overall:
        raise ParseError(place, f"is of suite {spec.suite!r} and {form.overall!r}, not of {suite.name!r}: {_renew()}")
    scenarios = tuple(
        Scenario(each.id, each.category, ("",) * each.turns, situation=each.situation) for each in form.scenarios
    )
    if len({scenario.id for scenario in scenarios}) < len(scenarios):
        raise ParseError(place, f"a scenario stands twice: {_renew()}")
    planned = Columns(suite, scenarios, spec.repeats, (), form.judge_fallback, _weights(form))
    columns = _read_columns(form, planned, place)
    scores = RunScores(
        run_id=form.run_id,
        name="baseline" if spec.prompt is None else f"baseline {spec.prompt.version_title}",
        spec=spec,
        scenarios=scenarios,
        plan=columns.plan,
        columns=dict(columns.in_order()),
        judge_variance=None if form.judge_variance is None else [_value(value) for value in form.judge_variance],
        summary=_summary(form, spec, counts, columns),
        answered_by=tuple(form.answered_by),
        judged_by=tuple(form.judged_by),
        judge_fit=form.judge_fit,
        judge_problem=form.judge_problem,
        items=_read_items(form, spec.repeats, place),
        conversations=_read_conversations(form, columns, place),
    )
    approval = Approval.model_validate({name: getattr(form, name) for name in Approval.model_fields})
    return Baseline(approval, scores)


def _weights(form: _BaselineForm) -> ScenarioWeights | None:
    if form.weights_of is None:
        return None
    return ScenarioWeights(
        form.weights_of, {each.id: SampleWeight(each.weight or 0.0, each.stratum) for each in form.scenarios}
    )


def _read_items(form: _BaselineForm, repeats: int, place: str) -> tuple[HeldItem, ...] | None:
    """The expectations; None where the file holds none. Raises ParseError for one that fits no scenario or repeat."""
    if form.items is None:
        return None
    situations = {each.id: each.situation for each in form.scenarios}
    found = []
    for item in form.items:
        if item.scenario_id not in situations or item.holds + item.fails > repeats:
            raise ParseError(place, f"item {item.id} of {item.scenario_id!r} fits no scenario or repeat: {_renew()}")
        situation = situations[item.scenario_id]
        found.append(HeldItem(**item.model_dump(), situation=situation, repeats=repeats))
    return tuple(found)


def _read_conversations(form: _BaselineForm, columns: Columns, place: str) -> ConversationColumns | None:
    """The scores of conversations; None where the file holds none. Raises ParseError for what does not fit the plan."""
    if form.conversations is None:
        return None
    by_id, names = {scenario.id: scenario for scenario in columns.scenarios}, form.conversations.scenarios
    strange = next((name for place, name in enumerate(names) if name not in by_id or name in names[:place]), None)
    if strange is not None:
        raise ParseError(place, f"the conversation {strange!r} is of no scenario, or stands twice: {_renew()}")
    chosen = [by_id[name] for name in names]
    found = ConversationColumns.of(chosen, columns.plan.repeats, form.conversations.columns, columns.weights)
    for metric, entries in form.conversations.columns.items():
        title = f"conversations {metric}"
        found.columns[metric][:] = _read_column(title, entries, found.plan, columns.suite.scale("judge"), place)
    return found


def _read_columns(form: _BaselineForm, columns: Columns, place: str) -> Columns:
    """The columns, filled from the file. Raises ParseError for one that does not fit the plan or leaves its scale."""
    for source, table in form.columns.items():
        for metric, entries in table.items():
            scale = columns.suite.scale(source)
            values = _read_column(f"{source} {metric}", entries, columns.plan, scale, place)
            columns.column(source, metric)[:] = values
    if form.overall not in form.columns.get(form.source, {}):
        raise ParseError(place, f"there are no {form.source} {form.overall} values: {_renew()}")
    return columns


def _read_column(
    title: str, entries: Sequence[float | str | None], plan: Plan, scale: tuple[float, float], place: str
) -> "array[float]":
    """The values of one column. Raises ParseError where they are not as many as the plan, or leave the scale."""
    low, high = scale
    values = array("d", map(_value, entries))
    if len(values) != plan.size:
        raise ParseError(place, f"{title}: {len(values)} values for {plan.size} exchanges: {_renew()}")
    if any(not low - 1e-9 <= value <= high + 1e-9 for value in values if value < math.inf):
        raise ParseError(place, f"{title}: a value is outside {low:g} to {high:g}: {_renew()}")
    return values


def _summary(form: _BaselineForm, spec: RunSpec, counts: Counts, columns: Columns) -> Summary:
    """The part of a run's summary that reports and gates ask for; tokens, costs and examples are not in the file."""
    metrics, by_category = metric_tables(columns)
    return Summary(
        run_id=form.run_id,
        suite=columns.suite.name,
        prompt=spec.prompt,
        source=form.source,
        overall=form.overall,
        counts=counts,
        metrics=metrics,
        by_category=by_category,
        quality_level=columns.suite.level_of(metrics[form.source][form.overall].estimate.mean),
        tokens=RunTokens(),
        cost_usd=None,
        finish_reasons={},
        cached_replies=0,
        cached_verdicts=0,
        fallbacks=form.fallbacks,
        judge_fallback=form.judge_fallback,
        injections=0,
        failures=(),
        weakest=(),
        weights=columns.weights,
    )


def _entry(value: float) -> Json:
    if math.isnan(value):
        return None
    return OUTSIDE if math.isinf(value) else value


def _value(entry: float | str | None) -> float:
    if entry is None:
        return MISSING
    return NOT_APPLICABLE if isinstance(entry, str) else float(entry)


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _renew(run_id: str = "RUN_ID") -> str:
    return f"make it again with {write_command('approve-baseline', RUN=run_id)}"
