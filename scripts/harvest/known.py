"""What is not to be proposed again: scenarios there are, drafts there are, and what was rejected.

A rejected draft is remembered by a sketch of its words and not by the words, so that its text may be deleted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import ParseError
from evaluation.harvest.candidate import Candidate
from evaluation.harvest.drafts_file import ReadDraft, read_drafts
from evaluation.harvest.likeness import Known, sketch_of
from evaluation.records import Scenario
from evaluation.runspec import digest
from services.record_files import AppendedFile, BrokenLine, read_records
from services.settings import Settings
from services.text_files import read_text
from services.workspace import YAML_SUFFIXES

FOLDER = "drafts"
REJECTED = "rejected.jsonl"
A_SCENARIO, A_DRAFT, A_REJECTED = "a scenario", "a draft", "a rejected draft"


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """All of it."""

    likeness: Known
    keys: frozenset[str]
    """Ends of ids of drafts, each of which follows from where the message comes from."""

    def drafted(self, candidate: Candidate) -> str:
        """What became of the very message before; empty where nothing did."""
        return A_DRAFT if digest(candidate.key)[:8] in self.keys else ""


def drafts_folder(settings: Settings) -> Path:
    """The folder of drafts, beside those of runs and prompts."""
    return settings.workspace.output / FOLDER


def known_texts(scenarios: Sequence[Scenario], folder: Path) -> KnownTexts:
    """Scenarios by what their users say; of a folder drafts by their messages, rejected ones by their sketches."""
    known, keys = Known(), set[str]()
    for scenario in scenarios:
        for turn in scenario.turns:
            known.add(sketch_of(turn), A_SCENARIO)
    for draft in _drafts(folder):
        known.add(sketch_of(draft.message), A_REJECTED if draft.accept is False else A_DRAFT)
        keys.add(draft.id.rpartition("-")[2])
    for identity, sketch in _rejected(folder / REJECTED):
        known.add(frozenset(sketch), A_REJECTED)
        keys.add(identity.rpartition("-")[2])
    return KnownTexts(known, frozenset(keys))


def _drafts(folder: Path) -> Iterator[ReadDraft]:
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if path.suffix in YAML_SUFFIXES:
            file = read_text(path)
            yield from read_drafts(file.text, file.place)


def _rejected(path: Path) -> Iterator[tuple[str, list[int]]]:
    for record in read_records(path, checked=False) if path.is_file() else ():
        if isinstance(record, BrokenLine):
            continue
        identity, sketch = record.get("id"), record.get("sketch")
        if not isinstance(identity, str) or not isinstance(sketch, list):
            raise ParseError(str(path), "holds a line without id and sketch: restore it, or delete the line")
        yield identity, [each for each in sketch if isinstance(each, int)]


def remember_rejected(folder: Path, drafts: Iterable[ReadDraft], at: str) -> None:
    """Appends what is not there yet; on disk when it returns."""
    there = {identity for identity, _ in _rejected(folder / REJECTED)}
    with AppendedFile(folder / REJECTED) as file:
        for draft in drafts:
            if draft.id not in there:
                sketch = sorted(sketch_of(draft.message))
                file.write({"id": draft.id, "by": draft.by, "at": at, "sketch": sketch})
        file.sync()
