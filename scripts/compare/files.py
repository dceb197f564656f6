"""A comparison as files and as print: comparison.json, .md and .html, the gate's answer, the text for a terminal."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.comparison.compare import Comparison
from evaluation.comparison.document import comparison_document, ranking_document
from evaluation.comparison.ranking import Ranking
from evaluation.decision.gate import decision_document
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.comparison import describe_comparison, headline
from evaluation.reports.document import Document
from evaluation.reports.junit import gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.ranking import describe_ranking, ranking_headline
from scripts.compare.gate import Gate
from scripts.run.finish import Outcome
from scripts.run.output import print_outcome, use_color
from services.run_folder import write_json, write_text


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """The result of the command: what is printed, and the exit code."""

    result: Comparison | Ranking | None
    """None when the evaluation that it needs was only estimated (--dry-run), or ended early."""
    gate: Gate | None
    notes: tuple[str, ...]
    files: tuple[str, ...]
    exit_code: int
    evaluation: Outcome | None


def write_comparison(
    result: Comparison | Ranking, gate: Gate | None, candidate: RunOutcome, notes: Sequence[str], page: str
) -> tuple[str, ...]:
    """comparison.html, .md and .json in the candidate's folder; decision.json and junit.xml hold the gate's answer."""
    folder = Path(candidate.directory)
    document = document_of(result, gate, notes)
    write_json(folder / "comparison.json", document)
    write_text(folder / "comparison.md", to_markdown(describe(result, gate, notes)))
    write_text(folder / "comparison.html", page)
    files = [folder / "comparison.html", folder / "comparison.md", folder / "comparison.json"]
    if gate is not None:
        decision = decision_document(candidate.decision, candidate.summary)
        write_json(folder / "decision.json", {**decision, "gate": gate.to_json(), "comparison": document})
        write_text(folder / "comparison.junit.xml", junit_xml({candidate.run.run_id: gate_cases(gate)}))
        files += [folder / "decision.json", folder / "comparison.junit.xml"]
    return tuple(map(str, files))


def document_of(result: Comparison | Ranking, gate: Gate | None, notes: Sequence[str]) -> Json:
    """comparison.json."""
    if isinstance(result, Ranking):
        return ranking_document(result, ranking_headline(result), gate=gate, notes=notes)
    return comparison_document(result, gate, headline(result), notes=notes)


def describe(
    result: Comparison | Ranking, gate: Gate | None, notes: Sequence[str], files: Sequence[str] = ()
) -> Document:
    """The report for people."""
    if isinstance(result, Ranking):
        return describe_ranking(result, gate=gate, notes=notes, files=files)
    return describe_comparison(result, gate=gate, notes=notes, files=files)


def print_comparison(outcome: ComparisonOutcome, *, as_json: bool) -> None:
    """The verdict and its grounds, for people or as JSON."""
    if outcome.result is None:
        assert outcome.evaluation is not None
        print_outcome(outcome.evaluation, as_json=as_json)
    elif as_json:
        print(json.dumps(document_of(outcome.result, outcome.gate, outcome.notes), ensure_ascii=False, indent=2))
    else:
        from evaluation.reports.terminal import to_terminal

        report = describe(outcome.result, outcome.gate, outcome.notes, files=outcome.files)
        print(to_terminal(report, color=use_color()), end="")
