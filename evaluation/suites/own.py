"""A suite without code: what its YAML file says, as a suite that is played and scored as the companion's is."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from evaluation.errors import UsageError
from evaluation.records import Json, Source
from evaluation.rubrics.extension import Layer, join
from evaluation.suites.suite import OF_CONVERSATIONS, SOURCE_PREFIXES, Suite, SuiteDefinition
from evaluation.text.forms import Form, SourceText
from evaluation.text.yaml_parts import as_whole, part_at
from evaluation.text.yaml_text import ValuePath

MAX_NAME = 35
"""Characters of a score's name in Langfuse."""
NAME = r"^[a-z][a-z0-9_-]{0,15}$"
OF_RUNS = frozenset({"judge_parsed", "quality_level", "decision", "coverage", "failures", "fallbacks"})
"""Names that a suite's figures about whole runs bear in Langfuse."""
INPUT = "suite"
"""Name of its text among the inputs of a run."""
SCENARIOS = "scenarios"
_OF_SETS = frozenset({"category", SCENARIOS})
"""Keys that a set has and a scenario has not."""
Plays: TypeAlias = Literal["prompt", "model", "application"]


def _path_or(kind: type, what: str) -> BeforeValidator:
    """A check that a value is a path or the part itself."""

    def check(value: Any) -> Any:
        if not isinstance(value, str | kind) or not value:
            raise ValueError(f"give the path of a file, or {what}")
        return value

    return BeforeValidator(check)


def _not_empty(sets: tuple[Any, ...]) -> tuple[Any, ...]:
    if not sets:
        raise ValueError("is empty: name a file, or write scenarios")
    return sets


_Set: TypeAlias = Annotated[Any, _path_or(dict, "a scenario or a set of them")]


class SuiteForm(Form):
    """The file of a suite. A part is a path, relative to the file, or stands in the file as it would in one of its
    own."""

    plays: Plays = "prompt"
    """prompt: a model under a prompt; model: a model, and a prompt above it only where one is named; application: an
    application over HTTP."""
    rubric: Annotated[Any, _path_or(dict, "the rubric itself: a mapping with 'name:' and 'metrics:'")] = "rubric.yaml"
    scenarios: Annotated[tuple[_Set, ...], AfterValidator(_not_empty)] = Field((SCENARIOS,), strict=False)
    """Files, folders and sets, each as a scenario file holds it, or else scenarios alone."""
    canaries: Annotated[Any, _path_or(list, "a list of canaries")] = None
    """A file with `canaries:`, or the list; None where they stand beside the file, in the rubric, or nowhere."""
    tagged: dict[str, str] = Field(default_factory=dict)
    """Tag -> a set that is played beside the others where the tag is asked for."""

    def paths(self) -> dict[ValuePath, str]:
        """Where each path stands in the file -> the path."""
        found: dict[ValuePath, Any] = {("rubric",): self.rubric, ("canaries",): self.canaries}
        found |= {(SCENARIOS, number): each for number, each in enumerate(self.scenarios)}
        found |= {("tagged", tag): each for tag, each in self.tagged.items()}
        return {path: each for path, each in found.items() if isinstance(each, str)}


def read_form(source: SourceText) -> SuiteForm:
    """What the file of a suite says. Raises ParseError."""
    return source.read(SuiteForm, "'rubric:' and 'scenarios:'", may_be_empty=True)


def inline_rubric(source: SourceText) -> SourceText:
    """The rubric that stands in the file of a suite, in its own lines there."""
    return SourceText(part_at(source.text, ("rubric",)), source.place)


def inline_sets(source: SourceText, form: SuiteForm) -> tuple[str | SourceText, ...]:
    """Its sets of scenarios in their order: a path as it is written, and a text for what stands in the file.

    Raises ParseError for scenarios among paths and sets.
    """
    alone = [isinstance(each, dict) and each.keys().isdisjoint(_OF_SETS) for each in form.scenarios]
    if all(alone):
        return (SourceText(part_at(source.text, (SCENARIOS,), with_key=True), source.place),)
    if any(alone):
        problem = "is a scenario among files and sets: put it under 'scenarios:' of a set, with its 'category:'"
        raise source.error((SCENARIOS, alone.index(True)), problem)
    return tuple(
        each if isinstance(each, str) else SourceText(part_at(source.text, (SCENARIOS, number)), source.place)
        for number, each in enumerate(form.scenarios)
    )


def own_prefixes(name: str) -> dict[Source, str]:
    """Source -> the beginning of its scores' names in Langfuse, which no other suite has."""
    return {source: f"{name}.{rest}" for source, rest in SOURCE_PREFIXES.items()}


def own_suite(
    name: str, plays: Plays, scenarios: tuple[str | SourceText, ...] = (), tagged: Mapping[str, str] | None = None
) -> SuiteDefinition:
    """The suite without its rubric, which is read apart."""
    return SuiteDefinition(
        name=name,
        scenarios=scenarios,
        tagged=dict(tagged or {}),
        scored_by=OF_CONVERSATIONS,
        needs_prompt=plays == "prompt",
        target="application" if plays == "application" else "model",
        score_prefixes=own_prefixes(name),
        own_prefix=f"{name}.",
        kept=json.dumps({"name": name, "plays": plays}),
    )


@dataclass(frozen=True, slots=True)
class SuiteTexts:
    """A suite without code as it was read."""

    file: SourceText
    rubric: SourceText
    """With those that it extends."""
    rubric_file: str
    """The file that holds it."""
    canaries: SourceText | None
    """A file of their own; None without one."""


def suite_from_texts(name: str, form: SuiteForm, texts: SuiteTexts, beside: Callable[[str], str]) -> SuiteDefinition:
    """The suite of that name; `beside` makes paths of those that its file names. Raises ParseError."""
    rubric, canaries, inline = texts.rubric, texts.canaries, None
    if not isinstance(form.rubric, str):
        rubric = replace(rubric, text=as_whole(rubric.text))
    if isinstance(form.canaries, list):
        canaries, inline = texts.file, form.canaries
    rubric = with_canaries(rubric, canaries, inline)
    sets = tuple(beside(each) if isinstance(each, str) else each for each in inline_sets(texts.file, form))
    tagged = {tag: beside(each) for tag, each in form.tagged.items()}
    return replace(own_suite(name, form.plays, sets, tagged), source=rubric, rubric_file=texts.rubric_file)


def suite_of_run(name: str, inputs: Mapping[str, str]) -> SuiteDefinition | None:
    """The suite that a run keeps among its inputs; None for a run of a shipped one."""
    if INPUT not in inputs:
        return None
    said = json.loads(inputs[INPUT])
    return own_suite(name.removesuffix(" calibration"), said["plays"])


def check_score_names(suite: Suite) -> None:
    """Raises UsageError for a metric of an own suite whose scores would have no name of their own in Langfuse."""
    for metric in suite.metrics:
        prefixes = [prefix for source, prefix in suite.score_prefixes.items() if source != "measure"]
        longest = max(len(f"{prefix}{metric}") for prefix in prefixes)
        if longest > MAX_NAME:
            raise UsageError(
                f"suite {suite.name!r}: the scores of {metric!r} would have names of {longest} characters in Langfuse, "
                f"which end at {MAX_NAME}: shorten the metric or the suite by {longest - MAX_NAME}"
            )
        if metric in OF_RUNS:
            raise UsageError(f"suite {suite.name!r}: {metric!r} is the name of a figure of runs: rename the metric")


class _Canaries(SourceText):
    """Canaries of another file, or of a suite's, as a layer of a rubric: their errors name their own lines."""

    def at(self, path: ValuePath) -> str:
        return super().at(path[1:] if path[:1] == ("judge",) else path)


def with_canaries(rubric: SourceText, canaries: SourceText | None, inline: list[Json] | None = None) -> SourceText:
    """The rubric with the canaries of another file in the place of its own, or with those that stand in the suite's.

    Raises ParseError for such a file.
    """
    if canaries is None:
        return rubric
    value = canaries.value() if inline is None else {"canaries": inline}
    if not isinstance(value, dict) or list(value) != ["canaries"]:
        raise canaries.error((), "holds other than 'canaries:' with a list of them: write that alone")
    own = _Canaries(canaries.text, canaries.place)
    return join((Layer(own, {"judge": value}), Layer(rubric, rubric.value())))
