"""A suite without code: what its YAML file says, as a suite that is played and scored as the companion's is."""

import json
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluation.errors import UsageError
from evaluation.records import Source
from evaluation.rubrics.extension import Layer, join
from evaluation.suites.suite import ANSWERED_BY, JUDGED_BY, Suite, SuiteDefinition
from evaluation.text.forms import Form, SourceText
from evaluation.text.yaml_text import ValuePath

MAX_NAME = 35
"""Characters of a score's name in Langfuse."""
NAME = r"^[a-z][a-z0-9_-]{0,15}$"
OF_RUNS = frozenset({"judge_parsed", "quality_level", "decision", "coverage", "failures", "fallbacks"})
"""Names that a suite's figures about whole runs bear in Langfuse."""
SOURCES: Mapping[Source, str] = {
    "combined": "",
    "heuristic": "rules.",
    "judge": "judge.",
    "check": "check.",
    "human": "human.",
}
INPUT = "suite"
"""Name of its text among the inputs of a run."""
Plays: TypeAlias = Literal["prompt", "model"]
Names: TypeAlias = Annotated[tuple[str, ...], Field(strict=False, min_length=1)]


class SuiteForm(Form):
    """The file of a suite; every path is relative to it."""

    plays: Plays = "prompt"
    """prompt: a model under a prompt; model: a model, and a prompt above it only where one is named."""
    rubric: str = "rubric.yaml"
    scenarios: Names = ("scenarios",)
    canaries: str = ""
    """File with `canaries:`; empty where they stand in the rubric, or nowhere."""
    tagged: dict[str, str] = Field(default_factory=dict)
    """Tag -> a set that is played beside the others where the tag is asked for."""


def read_form(source: SourceText) -> SuiteForm:
    """What the file of a suite says. Raises ParseError."""
    return source.read(SuiteForm, "'rubric:' and 'scenarios:'", may_be_empty=True)


def own_prefixes(name: str) -> dict[Source, str]:
    """Source -> the beginning of its scores' names in Langfuse, which no other suite has."""
    return {source: f"{name}.{rest}" for source, rest in SOURCES.items()}


def own_suite(
    name: str, plays: Plays, scenarios: tuple[str, ...] = (), tagged: Mapping[str, str] | None = None
) -> SuiteDefinition:
    """The suite without its rubric, which is read apart."""
    return SuiteDefinition(
        name=name,
        scenarios=scenarios,
        tagged=dict(tagged or {}),
        scored_by=("evaluation.metrics", *JUDGED_BY, *ANSWERED_BY),
        needs_prompt=plays == "prompt",
        score_prefixes=own_prefixes(name),
        own_prefix=f"{name}.",
        kept=json.dumps({"name": name, "plays": plays}),
    )


def suite_of_run(name: str, inputs: Mapping[str, str]) -> SuiteDefinition | None:
    """The suite that a run keeps among its inputs; None for a run of a shipped one."""
    if INPUT not in inputs:
        return None
    said = json.loads(inputs[INPUT])
    return own_suite(name.removesuffix(" calibration"), said["plays"])


def check_score_names(suite: Suite) -> None:
    """Raises UsageError for a metric of an own suite whose scores would have no name of their own in Langfuse."""
    for metric in suite.metrics:
        longest = max(len(f"{prefix}{metric}") for prefix in suite.score_prefixes.values())
        if longest > MAX_NAME:
            raise UsageError(
                f"suite {suite.name!r}: the scores of {metric!r} would have names of {longest} characters in Langfuse, "
                f"which end at {MAX_NAME}: shorten the metric or the suite by {longest - MAX_NAME}"
            )
        if metric in OF_RUNS:
            raise UsageError(f"suite {suite.name!r}: {metric!r} is the name of a figure of runs: rename the metric")


class _Canaries(SourceText):
    """A file of canaries as a layer of a rubric: its errors name its own lines."""

    def at(self, path: ValuePath) -> str:
        return super().at(path[1:] if path[:1] == ("judge",) else path)


def with_canaries(rubric: SourceText, canaries: SourceText | None) -> SourceText:
    """The rubric with the canaries of another file in the place of its own. Raises ParseError for such a file."""
    if canaries is None:
        return rubric
    value = canaries.value()
    if not isinstance(value, dict) or list(value) != ["canaries"]:
        raise canaries.error((), "holds other than 'canaries:' with a list of them: write that alone")
    own = _Canaries(canaries.text, canaries.place)
    return join((Layer(own, {"judge": value}), Layer(rubric, rubric.value())))
