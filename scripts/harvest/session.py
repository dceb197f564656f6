"""A person goes through drafts at a terminal, or through a pipe; each decision is carried out before the next."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from evaluation.errors import ParseError, UsageError
from evaluation.harvest.drafts_file import ReadDraft, draft_text, read_drafts, replaced
from evaluation.harvest.walk import DraftWalk
from evaluation.text.yaml_text import load_yaml
from scripts.harvest.acceptance import Acceptance
from scripts.reviewing.session import Terminal
from scripts.shell import sigterm_interrupts
from services.record_files import reviewer_name
from services.run_folder import write_text
from services.text_files import read_text, show_path

USUAL_EDITOR = "vi"


def walk_drafts(work: Acceptance, reviewer: str) -> None:
    """What was decided in the file before is carried out first."""
    name = reviewer_name(reviewer)
    if work.target is None:
        raise UsageError("--into is missing: name the scenario file that takes what you accept")
    work.carry_out()

    def decide(draft: ReadDraft, accept: bool) -> None:
        work.decide(draft, name, accept=accept)

    with sigterm_interrupts():
        DraftWalk(work.drafts, decide, lambda draft: edit_draft(work.path, draft), Terminal()).run()


def edit_draft(path: Path, draft: ReadDraft) -> None:
    """Opens one draft in the editor and writes back what was saved, the other drafts as they are.

    Raises ParseError for what is no draft any more; the file is then as it was.
    """
    file = read_text(path)
    whole = load_yaml(file.text, file.place)
    value = next(each for each in whole["drafts"] if each["id"] == draft.id)
    edited = _edited(f"drafts:\n{draft_text(value)}", file.place)
    if edited["id"] != draft.id:
        raise ParseError(file.place, f"draft {draft.id!r} has another id now: leave it, and rename it once accepted")
    text = replaced(file.text, file.place, draft.id, edited)
    read_drafts(text, file.place)
    write_text(path, text)


def _edited(text: str, place: str) -> dict[str, object]:
    """The draft as the person saved it. The copy that the editor opens is readable by its owner alone, and removed."""
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or USUAL_EDITOR)
    with tempfile.TemporaryDirectory(prefix="draft-") as folder:
        copy = Path(folder) / "draft.yaml"
        write_text(copy, text)
        try:
            code = subprocess.run([*editor, str(copy)], check=False).returncode
        except OSError as error:
            raise ParseError(place, f"the editor {editor[0]!r} does not start ({error.strerror}): set EDITOR") from None
        if code:
            raise ParseError(place, f"the editor {editor[0]!r} ended with {code}: the draft is as it was")
        saved = read_text(copy).text
    [draft] = _one(saved, place)
    return draft


def _one(text: str, place: str) -> list[dict[str, object]]:
    value = load_yaml(text, f"{show_path(Path(place))} as edited")
    found = value.get("drafts") if isinstance(value, dict) else None
    if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], dict) or "id" not in found[0]:
        raise ParseError(place, "what was saved is no single draft: edit it again")
    return found
