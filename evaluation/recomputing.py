"""A run concluded once more from what its files hold, through the code that concluded it first."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.conclude import Evidence
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.judging.fitness import CanaryReport
from evaluation.prompts import prompt_digest
from evaluation.records import Json, Result
from evaluation.result_reading import read_result
from evaluation.run import Run
from evaluation.runspec import digest
from evaluation.scenarios.selection import scenarios_digest


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """What results.jsonl and summary.json hold of a run."""

    lines: Callable[[], Iterator[Mapping[str, Any]]]
    """The lines of results.jsonl, read from the first one at each call."""
    summary: Mapping[str, Any]
    """The content of summary.json: how the judge did on exchanges of known quality stands there alone."""

    def results(self) -> Iterator[Result]:
        """Those of responses."""
        return (read_result(line) for line in self.lines() if line["scope"] == "response")

    def conversations(self) -> Iterator[Result]:
        """Those of conversations as a whole."""
        return (read_result(line) for line in self.lines() if line["scope"] == "conversation")

    @property
    def canaries(self) -> CanaryReport | None:
        """None where the judge was not checked."""
        found = self.summary["canaries"]
        return None if found is None else CanaryReport.from_json(found)

    @property
    def conversation_check(self) -> ConversationCheck | None:
        """None where the judge was asked about no conversation of known quality."""
        found = (self.summary["conversations"] or {}).get("check")
        return None if found is None else ConversationCheck.from_json(found)

    def evidence(self) -> Evidence:
        """All that a conclusion is made of, without calls and people's words, which no line holds."""
        return Evidence(
            results=self.results(),
            totals={},
            spent_usd=0.0,
            canaries=self.canaries,
            conversations=self.conversations(),
            conversation_check=self.conversation_check,
        )


NOT_IN_LINES = (
    *("decision", "usage", "cost_usd", "wall_seconds", "langfuse", "answered_by", "agreement", "human_units"),
    *("canaries", "given_up", "replies", "schema_version", "mix"),
)
"""Fields of summary.json that no line of results.jsonl gives; the verdict is held against decision.json."""


def text_faults(run: Run, manifest: Mapping[str, Any], texts: Mapping[str, str]) -> Iterable[str]:
    """A sentence for each text of a run that is no longer the one that its manifest pins.

    `texts` is what inputs.json holds. A rubric, a prompt and scenarios are also held against the specification.
    """
    for name, pinned in manifest["inputs"].items():
        if name not in texts:
            yield f"inputs.json: the text {name!r} is missing"
        elif (found := digest(texts[name])) != pinned:
            yield f"inputs.json: the text {name!r} has the hash {found[:12]}, and manifest.json says {pinned[:12]}"
    spec = run.spec
    for part, found in spec.digests.items():
        if manifest["digests"].get(part) != found:
            yield f"manifest.json: the digest of {part} does not fit its specification"
    yield from _of_spec("rubric", digest(texts["rubric"]), spec.rubric.sha256)
    yield from _of_spec("scenarios", scenarios_digest(run.scenarios), spec.scenarios.sha256)
    if run.prompt is not None and spec.prompt is not None:
        found = prompt_digest(run.prompt.kind, run.prompt.messages, run.prompt.config)
        yield from _of_spec("prompt", found, spec.prompt.sha256)


def _of_spec(part: str, found: str, pinned: str) -> Iterator[str]:
    if found != pinned:
        yield f"inputs.json: its {part} has the hash {found[:12]}, and the run was specified with {pinned[:12]}"


def summary_in_lines(summary: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of summary.json that the lines of results.jsonl give once more."""
    return {name: value for name, value in summary.items() if name not in NOT_IN_LINES}
