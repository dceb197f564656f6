"""Decisions on drafts carried out: accepted ones into a scenario file, rejected ones remembered, and both marked.

A scenario is on disk before its draft is marked, so that after a crash the same command finds it there and marks it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.commands import write_command
from evaluation.errors import ParseError, UsageError
from evaluation.harvest.accepting import Parse, appended, category_of_file, scenario_of
from evaluation.harvest.drafts_file import ReadDraft, marked, read_drafts
from evaluation.records import Scenario
from evaluation.scenarios.parser import parse_scenarios
from evaluation.suites.loaded import LoadedSuite
from evaluation.text.forms import SourceText
from evaluation.text.numbers import times
from scripts.harvest.known import remember_rejected
from scripts.harvest.sets import Sets
from scripts.reviewing.session import now
from scripts.run.criteria import find_criteria
from scripts.shell import note
from services.run_folder import write_text
from services.text_files import read_text, show_path
from services.workspace import YAML_SUFFIXES

USUAL_NAME = "harvested.yaml"


@dataclass
class Acceptance:
    """The decisions of one file of drafts."""

    path: Path
    target: Path | None
    loaded: LoadedSuite
    read_sets: Callable[[], Sets]
    """The sets as they are now."""
    accepted: dict[str, list[str]] = field(default_factory=dict)
    """File -> ids of the scenarios that were added to it."""
    rejected: list[str] = field(default_factory=list)

    def drafts(self) -> tuple[ReadDraft, ...]:
        """The drafts as the file has them now."""
        file = read_text(self.path)
        return read_drafts(file.text, file.place)

    def parse(self, text: str, place: str) -> tuple[Scenario, ...]:
        """The scenarios of a file by its own reader."""
        return parse_scenarios(text, place, self.loaded.rubric.categories, find_criteria())

    def carry_out(self) -> None:
        """Takes over what is accepted and not taken over yet, and remembers what is rejected.

        All of it is checked before anything is written. Raises ParseError for the first draft that is no scenario.
        """
        waiting = [draft for draft in self.drafts() if draft.accept is not None and not draft.decided]
        for draft in waiting:
            if not draft.by.strip():
                said = "true" if draft.accept else "false"
                raise ParseError(draft.place, f"draft {draft.id!r}: accept is {said} and by is blank: write your name")
        at = now()
        taken = [replace(draft, decided=at) for draft in waiting if draft.accept]
        refused = [replace(draft, decided=at) for draft in waiting if not draft.accept]
        files = self._files(taken)
        for path, text, added in files:
            if text is not None:
                write_text(path, text)
            self._mark(added, into=show_path(path))
            self.accepted.setdefault(show_path(path), []).extend(draft.id for draft in added)
        if refused:
            remember_rejected(self.path.parent, refused, at)
            self._mark(refused)
            self.rejected += [draft.id for draft in refused]

    def decide(self, draft: ReadDraft, by: str, *, accept: bool) -> None:
        """Writes the decision on one draft into the file, and carries it out.

        Raises ParseError where the draft is no scenario; the file is then as it was.
        """
        text = read_text(self.path).text
        decided = marked(text, show_path(self.path), draft.id, {"accept": accept, "by": by})
        if accept:
            self._files([replace(draft, accept=True, by=by, decided=now())])
        write_text(self.path, decided)
        self.carry_out()

    def tell(self) -> None:
        """Prints what was done, and what to do next."""
        open_ = sum(draft.accept is None for draft in self.drafts())
        sets, others = self.read_sets() if self.accepted else None, list[str]()
        for place, ids in self.accepted.items():
            print(f"{times(len(ids), 'scenario')} added to {place}: {', '.join(ids)}")
            if sets is not None and sets.text_of(Path(place)) is None:
                others.append(place)
                note(f"{place} is none of the sets that are played: name it with --scenarios or EVAL_SCENARIOS")
        if self.rejected:
            print(f"{times(len(self.rejected), 'draft')} rejected: nothing like it is proposed again")
        if not self.accepted and not self.rejected:
            print("nothing was decided since the last time")
        if open_:
            print(f"{times(open_, 'draft')} left to decide in {show_path(self.path)}")
        if self.accepted:
            print(f"played by the next evaluation: {write_command('eval', *self._named_sets(others))}")

    @staticmethod
    def _named_sets(others: Sequence[str]) -> list[str]:
        """The arguments that name files which no evaluation plays by itself."""
        return [word for place in others for word in ("--scenarios", place)]

    def _mark(self, drafts: Iterable[ReadDraft], into: str = "") -> None:
        text, place = read_text(self.path).text, show_path(self.path)
        for draft in drafts:
            marks: dict[str, str | bool] = {"decided": draft.decided, **({"into": into} if into else {})}
            text = marked(text, place, draft.id, marks)
        write_text(self.path, text)

    def _files(self, drafts: Sequence[ReadDraft]) -> list[tuple[Path, str | None, list[ReadDraft]]]:
        """Each file with its new text, None where it holds all of its drafts already, and the drafts of it.

        Raises ParseError before anything is written.
        """
        if not drafts:
            return []
        if self.target is None:
            raise UsageError(
                f"--into is missing: name the scenario file that takes them, such as {_example(self.read_sets())}"
            )
        parse: Parse = self.parse
        by_file: dict[Path, list[ReadDraft]] = {}
        main = self._category_of(self.target) or scenario_of(drafts[0], parse).category
        for draft in drafts:
            category = scenario_of(draft, parse).category
            path = self.target if category == main else self.target.with_stem(f"{self.target.stem}-{category}")
            by_file.setdefault(path, []).append(draft)
        found, changed = [], []
        for path, own in by_file.items():
            text = read_text(path).text if path.exists() else ""
            place = show_path(path)
            there = {scenario.id: scenario for scenario in (parse(text, place) if text.strip() else ())}
            new = [draft for draft in own if there.get(draft.id) != scenario_of(draft, parse)]
            category = scenario_of(own[0], parse).category
            whole = appended(text, place, category, new, parse) if new else None
            found.append((path, whole, own))
            if whole is not None:
                changed.append((path, SourceText(whole, place)))
        self.read_sets().check_with(changed, self.loaded)
        return found

    def _category_of(self, path: Path) -> str:
        if path.suffix not in YAML_SUFFIXES:
            raise UsageError(f"--into {show_path(path)}: a scenario file ends with .yaml")
        if not path.exists():
            return ""
        file = read_text(path)
        return category_of_file(file.text, file.place)


def _example(sets: Sets) -> str:
    """A file beside the sets."""
    return str((Path(sets.files[0].place).parent if sets.files else Path("scenarios")) / USUAL_NAME)
