"""The prompts that a branch changes, each compared with what was in production before."""

import tempfile
from dataclasses import replace
from pathlib import Path

from evaluation.reports.document import NAME
from evaluation.reports.markdown import bound_text, code
from evaluation.request import EvaluationRequest
from scripts.compare.compare import compare_runs
from scripts.compare.sides import ComparisonRequest
from scripts.run.output import JointAnswer, print_outcome
from scripts.shell import DONE
from services.prompt_versions import DirectoryPrompts, version_number
from services.provenance import changed_files, export_folder
from services.run_folder import write_text
from services.settings import Settings, read_settings

PRODUCTION = "production"


def compare_changes(base: str, request: EvaluationRequest, *, gate: str) -> int:
    """Compares and writes runs/change.md. Returns the exit code: the first of 2, 130, 3, 1 that any comparison gives.

    Raises UsageError for an unknown commit and for a prompt that had nothing in production.
    """
    settings = read_settings()
    changed = changed_prompts(settings, base)
    parts, codes = [], []
    with tempfile.TemporaryDirectory() as folder:
        before = export_folder(Path.cwd(), base, settings.prompts_dir, Path(folder)) if changed else Path(folder)
        for path in changed:
            name = code(path.relative_to(settings.prompts_dir.resolve()).as_posix(), NAME)
            production = _production(before, path, settings)
            if production is None:
                parts.append(f"# {name}\n\nA new prompt: nothing was in production before it.\n")
                continue
            asked = ComparisonRequest(
                references=(production, str(path)),
                run=replace(request, langfuse=False),
                by=("prompt",),
                gate=None if gate == "none" else gate,
            )
            outcome = compare_runs(asked)
            print_outcome(outcome, as_json=False, verbose=True)
            codes.append(outcome.exit_code)
            if not isinstance(outcome, JointAnswer):
                parts.append(f"# {name}\n\nThe evaluation ended early.\n")
                break
            written = next(file for file in outcome.files if file.endswith("comparison.md"))
            parts.append(f"# {name}\n\n{Path(written).read_text(encoding='utf-8')}")
    text = bound_text(parts or ["No prompt changes: nothing was compared."])
    write_text(settings.runs_dir / "change.md", text)
    if not changed:
        print("no prompt changes: nothing was compared")
    return next((code for code in (2, 130, 3, 1) if code in codes), DONE)


def changed_prompts(settings: Settings, base: str) -> list[Path]:
    """The prompt files that were added or edited, apart from labels and notes."""
    return [path for path in changed_files(Path.cwd(), base, settings.prompts_dir) if version_number(path)]


def _production(before: Path, path: Path, settings: Settings) -> str | None:
    """The file that was in production before the change, or the newest without that label; None for a new prompt."""
    name = path.parent.relative_to(settings.prompts_dir.resolve()).as_posix()
    prompts = DirectoryPrompts(before)
    versions, labels = prompts.versions(name), prompts.labels(name)
    return str(versions[labels.get(PRODUCTION, labels["latest"])]) if versions else None
