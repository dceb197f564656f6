"""A certificate: what was proved of a prompt before a label moved to it, and how it is held against the files later.

Its id is the hash of its content. It finds accidental change: whoever can write the files can write a certificate that
fits them, so proof against intent needs a signature.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.decision.decide import Decision
from evaluation.decision.gate import GateResult
from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.runspec import canonical_json, digest
from evaluation.summary.summary import Summary, item_figures

SCHEMA_VERSION = 1
FINDS = (
    "This certificate finds accidental change of what it names. It does not find forgery: whoever can write these "
    "files can write a certificate that fits them. Against intent, sign it, or the commit that holds it."
)
SHORT = 12
"""Digits of a hash that stand for it in names and sentences."""
CLOSE = 1e-9
"""Relative difference up to which two figures are the same: another machine may round the last digit otherwise."""
CHANGING: Mapping[str, tuple[str, ...]] = {
    "summary.json": ("langfuse", "wall_seconds", "agreement", "human_units"),
    "decision.json": ("gate",),
}
"""Fields of a file that commands write once more: what Langfuse confirmed, labels of people, the gate of a later
comparison. They are no part of its hash."""
COUNTED = ("failed", "sometimes", "not_shown", "of", "waived")
"""Figures of critical expectations."""
CERTIFIED_FILES = ("manifest.json", "inputs.json", "results.jsonl", "summary.json", "decision.json")

RunRole = Literal["candidate", "base"]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Pinned(_Form):
    """A text by name, version and hash."""

    name: str
    version: str
    sha256: str


class EvaluatedPrompt(_Form):
    """A prompt as a run evaluated it: of the same hash, wherever it was kept."""

    name: str = Field(min_length=1)
    version: int | None
    """None for a file without a number."""
    sha256: str


class PromotedPrompt(EvaluatedPrompt):
    """A version in Langfuse, with the hash of what it resolved to."""

    version: int = Field(ge=1)


class CertifiedRun(_Form):
    """One run that the proof rests on."""

    role: RunRole
    run_id: str = Field(min_length=1)
    prompt: EvaluatedPrompt
    model: str
    parameters: dict[str, Any]
    judge: str
    """Name of its model; empty without a judge."""
    rubric: Pinned
    scenarios: Pinned
    expectations: Pinned | None
    scorer: str
    """SHA-256 of the code that scored."""
    code: dict[str, Any] | None
    """{commit, dirty} of the work tree that evaluated; None outside one."""
    digests: dict[str, str]
    """Part of the run's specification -> SHA-256."""
    files: dict[str, str]
    """Name of a file -> SHA-256, without the fields in `CHANGING`."""
    figures: dict[str, Any]


class Certificate(_Form):
    """The proof that a label moved on."""

    schema_version: Literal[1] = 1
    kind: Literal["certificate"] = "certificate"
    id: str = ""
    issued_at: str
    """ISO 8601, UTC; no part of the id, so that the same proof has the same certificate."""
    finds: str = FINDS
    host: str
    """Address of the Langfuse server, without user info."""
    project: str
    """Id of its project."""
    label: str = Field(min_length=1)
    moved_from: int | None
    """Version that the label was on; None where it was on none."""
    prompt: PromotedPrompt
    proof: Literal["decision", "comparison"]
    gate: Literal["deploy", "ab_test", "no_regression"]
    verdict: str
    said: str
    """The first line of the run or of the comparison."""
    tool: str
    """Version of this tool."""
    terms: dict[str, Any]
    """What the gate was held with: its limits, and of a comparison its margins."""
    waivers: list[dict[str, Any]]
    """Critical expectations that a person took out of account."""
    runs: list[CertifiedRun] = Field(min_length=1)
    """The candidate first."""
    figures: dict[str, Any]
    """Of a comparison; of a decision they are the candidate's."""

    def content_id(self) -> str:
        """SHA-256 of all that it says, but for the id itself and the moment."""
        return digest(canonical_json(self.model_dump(exclude={"id", "issued_at"})))

    def with_id(self) -> "Certificate":
        """The same under the id that its content gives."""
        return self.model_copy(update={"id": self.content_id()})

    @property
    def title(self) -> str:
        """The move for people: "production: penpal-companion version 2 -> 3"."""
        before = "no version" if self.moved_from is None else f"version {self.moved_from}"
        return f"{self.label}: {self.prompt.name} {before} -> {self.prompt.version}"

    def run(self, role: RunRole) -> CertifiedRun | None:
        """The run in that role."""
        return next((each for each in self.runs if each.role == role), None)


def parse_certificate(text: str, place: str) -> Certificate:
    """Reads a certificate. Raises ParseError, which names the field, for what is none."""
    try:
        return Certificate.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise ParseError(place, f"is no certificate ({field}: {first['msg']}): name one that promote wrote") from None


def document_digest(name: str, content: Mapping[str, Json]) -> str:
    """SHA-256 of a JSON object in a file of that name, without the fields that commands write once more."""
    changing = CHANGING.get(name, ())
    return digest(canonical_json({key: value for key, value in content.items() if key not in changing}))


def run_figures(summary: Summary, decision: Decision, gate: GateResult | None) -> dict[str, Json]:
    """All that a verdict rests on: counts, means with their intervals, critical expectations, verdict and gate."""
    critical = item_figures(summary.expectations)["critical"]
    return {
        "counts": {name: getattr(summary.counts, name) for name in summary.counts.__dataclass_fields__},
        "source": summary.source,
        "overall": summary.overall,
        "means": {
            source: {
                name: {key: value for key, value in found.to_json().items() if key in ("mean", "ci95", "n", "coverage")}
                for name, found in metrics.items()
            }
            for source, metrics in summary.metrics.items()
        },
        "quality_level": summary.quality_level,
        # Without the items themselves, whose evidence quotes responses.
        "critical": None if critical is None else {name: critical[name] for name in COUNTED},
        "judge_fit": decision.judge_fit,
        "verdict": decision.verdict or "none",
        "code": decision.code,
        "stable": decision.stable,
        "lower": decision.lower,
        "upper": decision.upper,
        "gate": None if gate is None else {"gate": gate.gate, "passed": gate.passed},
    }


def unequal(certified: Json, found: Json, path: str = "") -> Iterator[tuple[str, Json, Json]]:
    """(path, certified, found) of each value that differs, in the order of the names; numbers up to `CLOSE`."""
    if isinstance(certified, Mapping) and isinstance(found, Mapping):
        for name in sorted({*certified, *found}, key=str):
            below = f"{path}.{name}" if path else str(name)
            yield from unequal(certified.get(name, ABSENT), found.get(name, ABSENT), below)
    elif _is_list(certified) and _is_list(found) and len(certified) == len(found):
        for place, (one, other) in enumerate(zip(certified, found, strict=True)):
            yield from unequal(one, other, f"{path}[{place}]")
    elif not _same(certified, found):
        yield path, certified, found


ABSENT = "(nothing)"
"""Stands for a value that one side lacks."""


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _same(one: Json, other: Json) -> bool:
    truths = [isinstance(each, bool) for each in (one, other)]
    if any(truths):
        return all(truths) and one == other
    if all(isinstance(each, int | float) for each in (one, other)):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(one == other)
