"""A certificate held against the files that it names: everything is read and concluded once more, offline."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from evaluation.comparison.gate import RegressionRules
from evaluation.decision.certificate import Certificate, CertifiedRun, run_figures, unequal
from evaluation.errors import UsageError
from evaluation.expectations.waivers import Waiver
from evaluation.suites import SUITES
from prompt_evaluation import __version__
from scripts.promotion.files import COMPARISON, BrokenFile, RunFiles, missing_files, read_run_files, shown
from scripts.promotion.kept import Kept, read_kept, say
from scripts.promotion.proof import NotPassed, compare_files
from scripts.shell import DONE, GATE_FAILED, USAGE
from services.run_folder import run_folder
from services.settings import Settings
from services.text_files import show_path

FINDS = "this finds accidental change; it is no proof against intent, which needs a signature"


MOST_SHOWN = 12
"""Differences on the terminal: one changed score moves two dozen figures."""


@dataclass(slots=True)
class Findings:
    """What a verification found, in the order of the files."""

    missing: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)


def verify(options: Namespace, settings: Settings) -> int:
    """Holds a certificate against its files: 0 where all is equal, 1 where one differs, 2 where one is missing."""
    kept = read_kept(Path(options.certificate))
    runs_dir = settings.runs_dir if options.runs is None else Path(options.runs)
    found = Findings()
    certificate = kept.certificate
    if certificate.id != (own := certificate.content_id()):
        found.different.append(
            f"{show_path(kept.path)}: its id is {certificate.id[:12]}, and its content gives {own[:12]}"
        )
    read = {run.role: _hold_files(run, runs_dir, found) for run in certificate.runs}
    waivers = _waivers(certificate)
    for run in certificate.runs:
        files = read[run.role]
        if files is not None:
            _hold_run(run, files, certificate, waivers, found)
    base, candidate = read.get("base"), read.get("candidate")
    if certificate.proof == "comparison" and base is not None and candidate is not None and not found.different:
        _hold_comparison(certificate, base, candidate, waivers, found)
    return _answer(kept, found, options)


def _hold_files(run: CertifiedRun, runs_dir: Path, found: Findings) -> RunFiles | None:
    """The files of a run, each held against its hash; None where they cannot be read as a run."""
    folder = run_folder(runs_dir, run.run_id)
    if lost := missing_files(folder):
        found.missing += [str(folder / name) for name in lost]
        return None
    try:
        files = read_run_files(folder, SUITES)
    except BrokenFile as error:
        found.different.append(f"{folder}/{error}")
        return None
    for name, expected in run.files.items():
        if (now := files.digests.get(name)) != expected:
            found.different.append(
                f"{folder}/{name}: its hash is {str(now)[:12]}, and the certificate says {expected[:12]}"
            )
    return files


def _hold_run(
    run: CertifiedRun, files: RunFiles, certificate: Certificate, waivers: Sequence[Waiver], found: Findings
) -> None:
    """Texts, specification and figures of a run against the certificate, made once more from its lines."""
    gate: Any = certificate.gate if certificate.proof == "decision" else None
    try:
        outcome = files.concluded(gate, waivers)
    except BrokenFile as error:
        found.different.append(f"{files.folder}/{error}")
        return
    figures = json.loads(json.dumps(run_figures(outcome.summary, outcome.decision, outcome.gate)))
    found.different += _differing(f"{files.folder}/results.jsonl", run.figures, figures)
    made = json.loads(json.dumps(files.certified(run.role, outcome).model_dump(exclude={"files", "figures", "code"})))
    kept = run.model_dump(exclude={"files", "figures", "code"})
    found.different += _differing(f"{files.folder}/manifest.json", kept, made)
    found.different += [f"{files.folder}/{fault}" for fault in files.faults(outcome)]


def _hold_comparison(
    certificate: Certificate, base: RunFiles, candidate: RunFiles, waivers: Sequence[Waiver], found: Findings
) -> None:
    """The figures of a comparison against the certificate, made once more from both runs' lines."""
    place = f"{candidate.folder}/{COMPARISON}"
    try:
        rules = RegressionRules.model_validate(certificate.terms["rules"])
        proof = compare_files(base, candidate, waivers, rules)
    except NotPassed as refused:
        found.different.append(f"{place}: the gate passed, and the results no longer pass it: {refused.reasons[0]}")
    except (BrokenFile, UsageError, KeyError, ValueError) as error:
        found.different.append(f"{place}: the comparison cannot be made once more: {error}")
    else:
        found.different += _differing(place, certificate.figures, json.loads(json.dumps(proof.figures)))


def _differing(place: str, certified: Any, made: Any) -> Iterator[str]:
    for path, expected, now in unequal(certified, made):
        yield f"{place}: {path} is {shown(now)}, and the certificate says {shown(expected)}"


def _waivers(certificate: Certificate) -> tuple[Waiver, ...]:
    """The waivers that were in force. Raises UsageError for what is none."""
    try:
        return tuple(Waiver(**{**each, "expiry": date.fromisoformat(each["expiry"])}) for each in certificate.waivers)
    except (KeyError, TypeError, ValueError):
        raise UsageError("the certificate's waivers cannot be read: name one that promote wrote") from None


def _answer(kept: Kept, found: Findings, options: Namespace) -> int:
    """Prints what was found; the exit code of it."""
    certificate = kept.certificate
    lines = [f"missing: {each}" for each in found.missing]
    lines += [f"differs: {each}" for each in found.different[:MOST_SHOWN]]
    if more := found.different[MOST_SHOWN:]:
        lines.append(f"and {len(more)} differences more: --json names them all")
    if not lines:
        files = sum(len(run.files) for run in certificate.runs)
        lines = [f"equal: {files} files, their texts, and every figure of {show_path(kept.path)}", certificate.title]
    elif certificate.tool != __version__:
        lines.append(f"the certificate is of version {certificate.tool} of this tool, and this is {__version__}")
    answer = {
        "equal": not (found.missing or found.different),
        "certificate": str(kept.path),
        "id": certificate.id,
        "missing": found.missing,
        "different": found.different,
        "finds": FINDS,
    }
    say([*lines, FINDS], answer, as_json=options.json)
    return USAGE if found.missing else GATE_FAILED if found.different else DONE
