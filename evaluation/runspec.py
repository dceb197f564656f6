"""A run as specified: one prompt, one model, one judge, one rubric, one scenario set, with one digest per part."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from evaluation.records import Json

REHEARSAL, SAMPLE = "rehearsal@", "recipe-assistant@"
"""Beginnings of the identities of what is embedded."""
PRODUCTION = "production@"
"""Beginning of the identity of production, whose responses users had already; the host that keeps its traces behind."""
ADDED_TO_JUDGE = ("form", "members", "escalate", "apart")
"""Fields of a judge's pin without which specifications were stored before: at their defaults no digest holds them."""


def canonical_json(value: Json) -> str:
    """JSON with sorted keys and no white space: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Json) -> str:
    """SHA-256 in hex of a text, or of the canonical JSON of anything else."""
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class PromptPin:
    """The prompt text that was evaluated: by name, by number, and by what it resolved to."""

    name: str
    version: int | None
    label: str | None
    """The label it was asked for by, when it was."""
    sha256: str
    """Of the resolved text and configuration."""
    source: str
    """langfuse, directory, or file; production, where its text is not known and the hash is that of the sample."""

    @property
    def version_title(self) -> str:
        """The version for people: "v3", or the start of the hash where a file has no number."""
        return self.sha256[:8] if self.version is None else f"v{self.version}"

    @property
    def title(self) -> str:
        """The prompt for people: "penpal-companion v3", or "mine 1a2b3c4d" for a file."""
        return f"{self.name} {self.version_title}"

    @property
    def short_title(self) -> str:
        """The prompt where a number says enough: "v3"; the whole title of a file, whose hash alone says little."""
        return self.title if self.version is None else self.version_title

    @property
    def slug(self) -> str:
        """The prompt in the name of a run or file: "penpal-companion-v3"."""
        return f"{self.name}-{self.version_title}"


@dataclass(frozen=True, slots=True)
class JudgePin:
    """The judge of a run, and its settings."""

    model: str
    endpoint: str
    format: str
    """schema, json or text: found out before the run begins, the same for all of its verdicts."""
    samples: int = 1
    parameters: Mapping[str, Json] = field(default_factory=dict)
    prompt: PromptPin | None = None
    """Set when the judge's template came from Langfuse and not from the rubric."""
    form: str = "reasoned"
    """The form of its question, by its name in `evaluation.judging.forms`."""
    members: "tuple[JudgePin, ...]" = ()
    """Of a panel: the judges whose mean counts. Its own model, endpoint and format then name all of theirs."""
    escalate: "JudgePin | None" = None
    """Of a panel: who decides where its members lie too far apart; None where people are to look."""
    apart: float | None = None
    """Of a panel: the share of the scale beyond which its members lie too far apart."""

    @property
    def judges(self) -> "tuple[JudgePin, ...]":
        """Everybody who is asked for a verdict: the judge itself, or the members and who decides between them."""
        return (*(self.members or (self,)), *(() if self.escalate is None else (self.escalate,)))

    @property
    def size(self) -> int:
        """How many judges make up one verdict: the members of a panel, or one."""
        return len(self.members) or 1

    @property
    def voices(self) -> "tuple[JudgePin, ...]":
        """Those who are asked everything: the judge itself, or the members of a panel, without who decides."""
        return self.members or (self,)

    def part(self) -> dict[str, Json]:
        """All that decides what it measures; a field that came later stands there where it is not as usual."""
        part: dict[str, Json] = asdict(self)
        if self.prompt is not None:
            # A moved label does not change what was measured.
            part["prompt"].pop("label")
        part["members"] = tuple(member.part() for member in self.members)
        part["escalate"] = None if self.escalate is None else self.escalate.part()
        usual = {each.name: each.default for each in fields(self) if each.name in ADDED_TO_JUDGE}
        return {name: value for name, value in part.items() if name not in usual or value != usual[name]}


@dataclass(frozen=True, slots=True)
class EmbeddingPin:
    """The model of embeddings of a run."""

    model: str
    endpoint: str
    dimensions: int | None = None
    """Numbers of a vector, where they were asked for; None leaves them to the model."""
    weighed: bool = False
    """True where a metric of the rubric is made of its vectors, so that scores depend on it."""

    @property
    def rehearsed(self) -> bool:
        """True for the stand-in, which knows words and no meaning."""
        return self.endpoint.startswith(REHEARSAL)

    @property
    def title(self) -> str:
        """The model for people, with what it is where it is no model of a language."""
        return f"{self.model}, a stand-in that compares words and no meaning" if self.rehearsed else self.model


@dataclass(frozen=True, slots=True)
class TextPin:
    """A rubric or a scenario set: its name, its version or size, and the hash of its content."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that decides what a run measures. Two runs with equal digests measure the same."""

    suite: str
    prompt: PromptPin | None
    """None where no prompt is under test (an application behind HTTP)."""
    model: str
    """Empty where an application answers."""
    endpoint: str
    """Identity of the endpoint or application that answers: base URL without user info, or, where it is embedded,
    `rehearsal@version` or `recipe-assistant@version`, its defects behind; of responses of production
    `production@host`."""
    parameters: Mapping[str, Json]
    judge: JudgePin | None
    rubric: TextPin
    scenarios: TextPin
    repeats: int
    seed: int
    prompt_parameters: tuple[str, ...] = ()
    """Names of the parameters that the prompt's own config gave: they belong to the prompt, whose hash covers them."""
    moderation: str | None = None
    """Model that moderates the responses, at the same endpoint; None when none does."""
    expectations: TextPin | None = None
    """The items that are answered: who answers them as the name, their number, and their hash; None without any."""
    scorer: str = ""
    """SHA-256 of the code that scores: the sources that the suite names. Empty for a run that did not pin them."""
    embedding: EmbeddingPin | None = None
    """None where no model of embeddings is asked."""

    @property
    def answerer(self) -> str:
        """The one that answers, for people: the model, or the application."""
        return self.model or self.endpoint

    @property
    def embedded(self) -> bool:
        """True where what answers is a stand-in that comes with this tool."""
        return self.endpoint.startswith((REHEARSAL, SAMPLE))

    @property
    def of_production(self) -> bool:
        """True where nobody was asked for the responses: users had them already."""
        return self.endpoint.startswith(PRODUCTION)

    @property
    def rehearsed(self) -> bool:
        """True where the rehearsal model has a part in it, as the one that answers or as the judge."""
        return (
            self.endpoint.startswith(REHEARSAL)
            or (self.judge is not None and any(judge.endpoint.startswith(REHEARSAL) for judge in self.judge.judges))
            or (self.embedding is not None and self.embedding.weighed and self.embedding.rehearsed)
        )

    def parts(self) -> dict[str, Json]:
        """Part name -> its JSON value, in the order in which differences are listed."""
        parts: dict[str, Json] = asdict(self)
        if parts["prompt"] is not None:
            # A moved label does not change what was measured.
            parts["prompt"].pop("label")
        if self.judge is not None:
            parts["judge"] = self.judge.part()
        # Nor does the path under which the scenarios were found.
        parts["scenarios"].pop("name")
        if self.embedding is None or not self.embedding.weighed:
            # Measures are for information: no score that is compared depends on them.
            del parts["embedding"]
        own = parts.pop("prompt_parameters")
        parts["parameters"] = {name: value for name, value in self.parameters.items() if name not in own}
        return parts

    @property
    def digests(self) -> dict[str, str]:
        """Part name -> SHA-256."""
        return {name: digest(value) for name, value in self.parts().items()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "RunSpec":
        """The inverse of `dataclasses.asdict`."""
        judge, expectations, embedding = value["judge"], value.get("expectations"), value.get("embedding")
        return cls(
            **{
                **value,
                "prompt": _prompt_pin(value["prompt"]),
                "judge": judge and _judge_pin(judge),
                "rubric": TextPin(**value["rubric"]),
                "scenarios": TextPin(**value["scenarios"]),
                "expectations": expectations and TextPin(**expectations),
                "embedding": embedding and EmbeddingPin(**embedding),
                "prompt_parameters": tuple(value.get("prompt_parameters", ())),
            }
        )


def _judge_pin(value: Mapping[str, Any]) -> JudgePin:
    nested = {
        "prompt": _prompt_pin(value["prompt"]),
        "members": tuple(map(_judge_pin, value.get("members", ()))),
        "escalate": _judge_pin(value["escalate"]) if value.get("escalate") else None,
    }
    return JudgePin(**{**value, **nested})


def _prompt_pin(value: Mapping[str, Any] | None) -> PromptPin | None:
    return None if value is None else PromptPin(**value)


def differences(a: RunSpec, b: RunSpec) -> tuple[str, ...]:
    """Names of the parts in which two runs differ: the only test of whether they may be compared."""
    ours, theirs = a.digests, b.digests
    return tuple(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))


def call_seed(seed: int, cell_scenario: str, repeat: int, turn: int, sample: int = 1) -> int:
    """A seed of its own for each call: 31 bits, stable across runs and processes."""
    named = [seed, cell_scenario, repeat, turn]
    return int(digest(named if sample == 1 else [*named, sample])[:8], 16) & 0x7FFFFFFF
