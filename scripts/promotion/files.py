"""The files of a stored run, read back and concluded once more, by themselves and without a journal."""

import calendar
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evaluation.comparison.runs import RunScores
from evaluation.conclude import conclude
from evaluation.decision.certificate import (
    CERTIFIED_FILES,
    CertifiedRun,
    EvaluatedPrompt,
    Pinned,
    RunRole,
    document_digest,
    run_figures,
    unequal,
)
from evaluation.errors import EvaluationError, JournalError
from evaluation.expectations.waivers import Waiver
from evaluation.outcome import RunOutcome
from evaluation.recomputing import StoredEvidence, summary_in_lines, text_faults
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import RunSpec, TextPin
from evaluation.suites import Suites
from evaluation.summary.summary import item_figures
from evaluation.text.safe_text import clip
from scripts.run.scores import fallback_of, scores_of
from scripts.run.stored import restore_run
from services.journal import StoredRun
from services.json_text import bounded_lines, json_object
from services.run_folder import INPUTS, MANIFEST, read_json

RESULTS, SUMMARY, DECISION, COMPARISON = "results.jsonl", "summary.json", "decision.json", "comparison.json"
OF_DECISION = ("verdict", "code", "stable", "lower", "upper", "judge_fit", "quality_level", "source")
"""Fields of decision.json that are held against what the lines give."""
MOVED_BY_WAIVERS = ("critical", "critical_failures", "expectations")
"""Fields of summary.json that other waivers make other."""
GateOfRun = Literal["deploy", "ab_test"]
_NOT_OF_ITS_SHAPE = (KeyError, TypeError, ValueError, AttributeError, JournalError)
"""What a file raises that is not as the tool writes it."""


class BrokenFile(EvaluationError):
    """A file of a run does not hold what the tool writes there."""


@dataclass(frozen=True, slots=True)
class RunFiles:
    """What the files of one run hold."""

    folder: Path
    manifest: Mapping[str, Any]
    texts: Mapping[str, str]
    summary: Mapping[str, Any]
    decision: Mapping[str, Any]
    run: Run
    digests: Mapping[str, str]
    """Name of a file -> SHA-256, as a certificate names it."""

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The lines of results.jsonl. Raises BrokenFile naming the one that cannot be read."""
        with (self.folder / RESULTS).open("rb") as file:
            for number, line in enumerate(bounded_lines(file), start=1):
                try:
                    yield json_object(line)
                except ValueError as error:
                    raise BrokenFile(f"{RESULTS}: line {number} cannot be read ({error})") from None

    @property
    def evidence(self) -> StoredEvidence:
        """Of the results, and of the judge's check."""
        return StoredEvidence(self.lines, self.summary)

    def concluded(self, gate: GateOfRun | None, waivers: Sequence[Waiver]) -> RunOutcome:
        """Summary, decision and gate from the lines. Raises BrokenFile where they are not what the tool writes."""
        try:
            return conclude(
                self.run,
                self.evidence.evidence(),
                gated(self.run, gate),
                directory=str(self.folder),
                waivers=tuple(waivers),
            )
        except _NOT_OF_ITS_SHAPE as error:
            raise BrokenFile(f"{RESULTS}: is not what the run wrote ({_reason(error)})") from None

    def scores(self, waivers: Sequence[Waiver]) -> RunScores:
        """The run as a comparison reads it. Raises BrokenFile as `concluded` does."""
        found = self.evidence
        prompt = self.run.spec.prompt
        try:
            return scores_of(
                self.run,
                self.run.run_id if prompt is None else prompt.short_title,
                found.results(),
                found.conversations(),
                checks=(found.canaries, found.conversation_check),
                fallback=fallback_of(self.run.request),
                waivers=waivers,
            )
        except _NOT_OF_ITS_SHAPE as error:
            raise BrokenFile(f"{RESULTS}: is not what the run wrote ({_reason(error)})") from None

    def faults(self, outcome: RunOutcome) -> list[str]:
        """A sentence for each text that is not the one that was pinned, and for each figure of summary.json or
        decision.json that the lines of results.jsonl do not give.

        Where a waiver takes anything out of account, now or when the run was made, what it moves is left aside.
        """
        waived = any((found or {}).get("waived") for found in (self.summary.get("critical"), _critical(outcome)))
        aside = MOVED_BY_WAIVERS if waived else ()
        made = summary_in_lines(json.loads(json.dumps(outcome.to_json())))
        kept = summary_in_lines(self.summary)
        for name in aside:
            made.pop(name, None)
            kept.pop(name, None)
        decided = {name: getattr(outcome.decision, name) for name in OF_DECISION if not waived}
        decided = {name: "none" if name == "verdict" and value is None else value for name, value in decided.items()}
        stored = {name: self.decision.get(name) for name in decided}
        return [
            *text_faults(self.run, self.manifest, self.texts),
            *(_differing(SUMMARY, each) for each in unequal(kept, made)),
            *(_differing(DECISION, each) for each in unequal(stored, decided)),
        ]

    def certified(self, role: RunRole, outcome: RunOutcome) -> CertifiedRun:
        """What a certificate says of the run."""
        spec, prompt = self.run.spec, self.run.spec.prompt
        assert prompt is not None
        judge = spec.judge
        return CertifiedRun(
            role=role,
            run_id=self.run.run_id,
            prompt=EvaluatedPrompt(name=prompt.name, version=prompt.version, sha256=prompt.sha256),
            model=spec.model,
            parameters=dict(spec.parameters),
            judge="" if judge is None else judge.model,
            rubric=pinned(spec.rubric),
            scenarios=pinned(spec.scenarios),
            expectations=None if spec.expectations is None else pinned(spec.expectations),
            scorer=spec.scorer,
            code=self.manifest.get("git"),
            digests=dict(spec.digests),
            files=dict(self.digests),
            figures=run_figures(outcome.summary, outcome.decision, outcome.gate),
        )


def gated(run: Run, gate: GateOfRun | None) -> EvaluationRequest:
    """The terms on which a run proves something: its own where they are stricter, else the usual ones."""
    return replace(run.request, gate=gate, max_failure_rate=None, max_fallback_rate=None)


def _critical(outcome: RunOutcome) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = item_figures(outcome.summary.expectations)["critical"]
    return found


def _differing(name: str, found: tuple[str, Any, Any]) -> str:
    path, kept, made = found
    return f"{name}: {path} is {shown(kept)}, and {RESULTS} gives {shown(made)}"


def shown(value: Any) -> str:
    """A figure or text of a file, for people."""
    return clip(value if isinstance(value, str) else json.dumps(value), 60)


def pinned(pin: TextPin) -> Pinned:
    """A pin as a certificate has it."""
    return Pinned(name=pin.name, version=pin.version, sha256=pin.sha256)


def missing_files(folder: Path) -> list[str]:
    """The files that a certificate needs and the folder lacks."""
    return [name for name in CERTIFIED_FILES if not (folder / name).is_file()]


def read_run_files(folder: Path, suites: Suites) -> RunFiles:
    """Reads a run from its folder. Raises BrokenFile for a file that does not hold what the tool writes."""
    documents = {name: _read(folder, name) for name in CERTIFIED_FILES if name != RESULTS}
    digests = {name: document_digest(name, document) for name, document in documents.items()}
    manifest = documents[MANIFEST]
    try:
        texts = dict(documents[INPUTS]["inputs"])
        stored = StoredRun(
            run_id=manifest["run_id"],
            group_id=manifest["group_id"],
            parent_run_id=manifest["parent_run_id"],
            created_at=calendar.timegm(time.strptime(manifest["created_at"], "%Y-%m-%dT%H:%M:%SZ")),
            spec=RunSpec.from_json(manifest["spec"]),
            arguments=manifest["arguments"],
            inputs=texts,
        )
        run = restore_run(stored, suites)
    except (EvaluationError, *_NOT_OF_ITS_SHAPE) as error:
        raise BrokenFile(f"{MANIFEST}, {INPUTS}: are not what the run wrote ({_reason(error)})") from None
    with (folder / RESULTS).open("rb") as file:
        digests[RESULTS] = hashlib.file_digest(file, "sha256").hexdigest()
    return RunFiles(
        folder=folder,
        manifest=manifest,
        texts=texts,
        summary=documents[SUMMARY],
        decision=documents[DECISION],
        run=run,
        digests={name: digests[name] for name in CERTIFIED_FILES},
    )


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        return read_json(folder / name)
    except (OSError, ValueError) as error:
        raise BrokenFile(f"{name}: cannot be read ({_reason(error)})") from None


def _reason(error: BaseException) -> str:
    named = f"no {error}" if isinstance(error, KeyError) else str(error)
    return " ".join(named.split())[:200] or type(error).__name__
