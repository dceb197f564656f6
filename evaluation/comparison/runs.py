"""A run as a comparison reads it, and its terms: two runs may differ in nothing but what is compared."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Protocol, TypeAlias

from evaluation.comparison.cues import CueFigures, CueTally
from evaluation.comparison.items import HeldItem, held_item
from evaluation.errors import UsageError
from evaluation.expectations.answering import Mode
from evaluation.expectations.waivers import Waiver
from evaluation.judging.fitness import CanaryReport
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Result, Scenario
from evaluation.runspec import RunSpec, canonical_json
from evaluation.statistics.paired import Grid
from evaluation.statistics.scenario_scores import MISSING
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, Key, Plan, table_order
from evaluation.summary.conversations import ConversationColumns
from evaluation.summary.expectations import ItemTally
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from evaluation.summary.weights import ScenarioWeights

ABSENT = "(not set)"


SHOWN = 60
"""Characters of a value in a message."""


ALWAYS_EQUAL = ("suite",)
"""Parts that nothing may force: other metrics on other scales have no difference."""


UNSEEN = ("scorer", "judge", "rubric", "expectations", "moderation", "embedding")
"""Parts of which somebody who reads the responses alone sees nothing."""


ASIDE = "expectations"
"""The part in which runs may differ: the items that both have are compared, the others are counted."""


Leaf: TypeAlias = tuple[str, str, str]
"""Dotted name, and the value in either run as JSON."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of one run, column by column, over its plan."""

    run_id: str
    name: str
    """For people: "v3", "temperature 0.7"."""
    spec: RunSpec
    scenarios: tuple[Scenario, ...]
    plan: Plan
    columns: Mapping[Key, Sequence[float]]
    """A value for each slot of the plan, with the marks of `statistics.clusters`."""
    judge_variance: Sequence[float] | None
    """For each slot: how far the judge's overall would vary on the same text; None with one sample per verdict."""
    summary: Summary
    answered_by: tuple[str, ...] = ()
    """The models that the endpoint said answered, sorted."""
    judged_by: tuple[str, ...] = ()
    """The models that it said judged, sorted."""
    judge_fit: bool | None = None
    """As of the run's decision: None where its judge was not checked."""
    judge_problem: str = ""
    """A sentence on a judge that did not pass its check."""
    answers: Sequence[int] = ()
    """For each slot: 64 bits of the answer's hash, 0 without an answer; empty where the texts are not at hand."""
    conversations: ConversationColumns | None = None
    """Of its conversations as a whole; None where none was judged."""
    items: tuple[HeldItem, ...] | None = None
    """In plan order; None where nothing is expected, nobody answers, or nothing is known of it."""
    prompt: PromptVersion | None = None
    """Its template and configuration; None where an application answered, or a model without a prompt."""
    cues: Mapping[str, CueFigures] = field(default_factory=dict)
    """Cue of the rules -> how often it was found; empty where no rules add cues up, or nothing is known of it."""

    @property
    def scenario_ids(self) -> set[str]:
        """Of the plan."""
        return {scenario.id for scenario in self.scenarios}

    def grids(self, key: Key) -> dict[str, Grid]:
        """Scenario id -> its planned values under one metric."""
        column = self.columns[key]
        return {
            scenario.id: Grid(column[span.start : span.stop], span.turns)
            for scenario, span in zip(self.scenarios, self.plan.spans, strict=True)
        }


def read_run(
    results: Iterable[Result],
    columns: Columns,
    *,
    spec: RunSpec,
    run_id: str,
    name: str,
    expectations: Mode = "none",
    waivers: Sequence[Waiver] = (),
    prompt: PromptVersion | None = None,
) -> RunScores:
    """Reads a run's results once, into its columns, for its summary and for comparisons.

    `expectations` says who answers them, `waivers` take critical ones out of account.
    Raises JournalError for a result that is not in the plan or comes twice.
    """
    plan = columns.plan
    spread = array("d", [MISSING]) * plan.size
    answers = array("Q", [0]) * plan.size

    cues = CueTally(columns.suite.weights or {})

    def watch() -> Iterator[Result]:
        for result in results:
            cues.add(result)
            if result.exchange.response:
                answers[plan.slot(result.exchange)] = _fingerprint(result.exchange.response)
            if result.verdict is not None and result.verdict.parsed:
                spread[plan.slot(result.exchange)] = variance_of_median(result.verdict.samples)
            yield result

    tally = ItemTally(columns.scenarios, plan, expectations)
    summary = summarise(watch(), columns, run_id=run_id, prompt=spec.prompt, items=tally, waivers=waivers)
    return RunScores(
        run_id=run_id,
        name=name,
        spec=spec,
        scenarios=columns.scenarios,
        plan=plan,
        columns=dict(columns.in_order()),
        judge_variance=None if all(map(math.isnan, spread)) else spread,
        summary=summary,
        answered_by=tuple(summary.answered_by),
        judged_by=tuple(summary.judged_by),
        answers=answers,
        items=tuple(map(held_item, tally.standings())) if tally.asks else None,
        prompt=prompt,
        cues=cues.figures(),
    )


def _fingerprint(text: str) -> int:
    """64 bits of a text's hash: a text is not kept to be held beside others."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) or 1


def with_judge_check(scores: RunScores, checked: CanaryReport | None) -> RunScores:
    """The scores with what the check of their judge said; None where it was not checked."""
    if checked is None:
        return scores
    judged_by = tuple(sorted({*scores.judged_by, *checked.models}))
    return replace(scores, judged_by=judged_by, judge_fit=checked.fit, judge_problem=checked.explain(1))


def variance_of_median(samples: Sequence[float]) -> float:
    """Of the median of n samples of one verdict, which is what the judge's score is; MISSING below two.

    Of two, the median is their mean: their variance over 2. From three on pi/2 times the variance over n, which is the
    large-sample value for normal noise (Cramer 1946) and an approximation: 17% too high at n = 3, 32% at 4, 10% at 5.
    """
    count = len(samples)
    if count < 2:
        return MISSING
    mean = math.fsum(samples) / count
    of_mean = math.fsum([(sample - mean) ** 2 for sample in samples]) / (count - 1) / count
    return of_mean if count == 2 else math.pi / 2 * of_mean


def shared_keys(a: RunScores, b: RunScores, suite: Suite) -> list[Key]:
    """Source and metric of every column that both runs have, in the order of every table."""
    return sorted((key for key in a.columns if key in b.columns), key=table_order(suite))


def shared_weights(a: RunScores, b: RunScores) -> ScenarioWeights | None:
    """What the scenarios of both runs stand for; None where all count alike, or the two say it differently."""
    return a.summary.weights if a.summary.weights == b.summary.weights else None


class Specified(Protocol):
    """A run, planned, stored or scored."""

    @property
    def run_id(self) -> str: ...

    @property
    def spec(self) -> RunSpec: ...


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a comparison."""

    by: tuple[str, ...]
    """Parts of the run specification that are compared: "prompt", "model", "parameters.temperature", ..."""
    compared: tuple[Leaf, ...]
    """The differences in these parts."""
    others: tuple[Leaf, ...]
    """The differences in all other parts, which should be none."""
    notes: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts that differ and should not: rubric, judge, scenarios, ..."""
        return tuple(dict.fromkeys(name.split(".")[0] for name, _, _ in self.others))

    @property
    def refusal(self) -> str:
        """Why the runs may not be compared, in one line; empty when they may."""
        if not self.others:
            return ""
        shown = "; ".join(f"{name} {before} / {after}" for name, before, after in self.others)
        return f"the runs differ in more than {', '.join(self.by)}: {shown}"


def source_leaf(base: str, other: str) -> tuple[Leaf, ...]:
    """The deciding source as something that differs; empty where it does not."""
    return () if base == other else (("deciding source", canonical_json(base), canonical_json(other)),)


def terms(a: RunSpec, b: RunSpec, by: Sequence[str] = ("prompt",), aside: Sequence[str] = ()) -> Terms:
    """Sorts the differences of two runs into those that are compared and those that are not.

    `by` names parts of a RunSpec, or something within one after a dot; a bare parameter name stands for
    `parameters.<name>`. Parts in `aside` are left out of account, and the expectations unless they are compared.
    Raises UsageError for a name that no run specification knows.
    """
    before, after = a.parts(), b.parts()
    chosen = tuple(_resolve(name, (*before, *after), (*a.parameters, *b.parameters)) for name in by)
    aside = (*aside, *(() if ASIDE in chosen else (ASIDE,)))
    leaves = [
        leaf
        for part in dict.fromkeys((*before, *after))
        if part not in aside
        for leaf in _leaves(part, before.get(part, ABSENT), after.get(part, ABSENT))
    ]
    compared = tuple(leaf for leaf in leaves if _within(leaf[0], chosen))
    others = tuple(leaf for leaf in leaves if not _within(leaf[0], chosen))
    return Terms(chosen, compared, others, tuple(_notes(a, b, chosen, compared)))


def may_be_paired(a: RunSpec, b: RunSpec) -> bool:
    """True where two runs differ in the prompt alone, as far as somebody who reads their responses can tell."""
    try:
        return not terms(a, b, ("prompt",), UNSEEN).others
    except UsageError:
        return False


def agree_on_terms(
    a: Specified, b: Specified, by: Sequence[str], *, aside: Sequence[str] = (), force: bool = False, also: str = ""
) -> Terms:
    """The terms on which two runs may be compared, or must with `force`.

    Raises UsageError where they may not; `also` is a further way out, which it names first.
    """
    found = terms(a.spec, b.spec, by, aside)
    if any(name in ALWAYS_EQUAL for name in found.parts):
        raise UsageError(
            f"runs {a.run_id} and {b.run_id}: {found.refusal}: runs of different suites cannot be compared"
        )
    if found.refusal and not force:
        hint = f"{also}compare with --by {','.join(dict.fromkeys((*found.by, *found.parts)))}, or mark it with --force"
        raise UsageError(f"runs {a.run_id} and {b.run_id}: {found.refusal}: {hint}")
    return found


def _resolve(name: str, parts: Sequence[str], parameters: Sequence[str]) -> str:
    root = name.split(".")[0]
    if root in parts and root not in ALWAYS_EQUAL:
        return name
    if name in parameters:
        return f"parameters.{name}"
    known = ", ".join(part for part in dict.fromkeys((*parts, *parameters)) if part not in ALWAYS_EQUAL)
    raise UsageError(f"--by {name!r}: runs have no such part: choose from {known}")


def _within(leaf: str, chosen: Iterable[str]) -> bool:
    return any(leaf == name or leaf.startswith(name + ".") for name in chosen)


def _leaves(name: str, before: Json, after: Json) -> list[Leaf]:
    if canonical_json(before) == canonical_json(after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        keys = dict.fromkeys((*before, *after))
        return [
            leaf for key in keys for leaf in _leaves(f"{name}.{key}", before.get(key, ABSENT), after.get(key, ABSENT))
        ]
    return [(name, _show(before), _show(after))]


def _show(value: Json) -> str:
    text = value if value == ABSENT else canonical_json(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _show_items(spec: RunSpec) -> str:
    """How many items there are, who answers them, and the start of their hash."""
    pin = spec.expectations
    return "none" if pin is None else f"{pin.version} by {pin.name}, {pin.sha256[:8]}"


def _notes(a: RunSpec, b: RunSpec, by: tuple[str, ...], compared: Sequence[Leaf]) -> Iterable[str]:
    if not compared:
        cause = "noise" if a.model else "noise, or a change of the application behind its address (see --app-version)"
        yield f"the runs do not differ in {', '.join(by)}: whatever differs in the scores is {cause}"
    if a.expectations != b.expectations and ASIDE not in by:
        yield (
            f"the runs are held to other expectations ({_show_items(a)} / {_show_items(b)}): "
            "those that both have are compared"
        )
    first, second = a.prompt, b.prompt
    if first is None or second is None or first.name != second.name:
        return
    if first.sha256 != second.sha256:
        if first.version is not None and first.version == second.version:
            yield (
                f"prompt {first.name!r} version {first.version} does not hold the same text in both runs: its text or "
                f"what it includes was changed (sha256 {first.sha256[:8]} and {second.sha256[:8]})"
            )
    elif first.version != second.version:
        yield f"{first.version_title} and {second.version_title} of {first.name!r} hold the same text and configuration"
