"""Through drafts one by one at a terminal: shown, then accepted, rejected, edited or skipped. It is handed how."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import EvaluationError
from evaluation.harvest.drafts_file import ReadDraft
from evaluation.records import Json
from evaluation.review.walk import EndOfAnswers, Talk
from evaluation.text.page import Line
from evaluation.text.safe_text import clip, wrap

KEYS = (
    ("a", "accept: it goes into the scenario file at once"),
    ("r", "reject: neither it nor its like is proposed again"),
    ("e", "edit it first"),
    ("s", "skip: it stays open"),
    ("v", "view it again"),
    ("q", "stop; what was decided is kept"),
)
PROMPT = "accept, reject, edit, skip, view, quit [a/r/e/s/v/q] "
MOST_LINES = 40
"""Of one paragraph."""
LEAD = 12
"""Columns before a text."""


@dataclass
class DraftWalk:
    """One session."""

    drafts: Callable[[], Sequence[ReadDraft]]
    """The drafts as their file has them now."""
    decide: Callable[[ReadDraft, bool], None]
    """Carries out a decision; raises EvaluationError where the draft is no scenario."""
    edit: Callable[[ReadDraft], None]
    """Returns when the person has edited it; raises EvaluationError for what is no draft any more."""
    talk: Talk
    skipped: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Until each is decided or skipped, or the person stops."""
        done = 0
        while (draft := self._next()) is not None:
            left = sum(each.accept is None for each in self.drafts())
            self.talk.show(draft_lines(draft, self.talk.columns, f"{done + 1} of {done + left}"), paged=True)
            try:
                if not self._decide(draft):
                    return
            except EndOfAnswers:
                return
            done += 1

    def _next(self) -> ReadDraft | None:
        open_ = (each for each in self.drafts() if each.accept is None and each.id not in self.skipped)
        return next(open_, None)

    def _decide(self, draft: ReadDraft) -> bool:
        """Asks until it is decided or skipped; False to stop."""
        while True:
            word = self.talk.ask(PROMPT).strip().lower()
            try:
                if word in ("a", "r"):
                    self.decide(draft, word == "a")
                    return True
                if word == "e":
                    self.edit(draft)
                    draft = next((each for each in self.drafts() if each.id == draft.id), draft)
                    word = "v"
            except EvaluationError as error:
                self.talk.show(_paragraph("", str(error), self.talk.columns, "yellow"))
                continue
            if word == "s":
                self.skipped.add(draft.id)
                return True
            if word == "q":
                return False
            if word == "v":
                self.talk.show(draft_lines(draft, self.talk.columns, draft.id), paged=True)
            else:
                self.talk.show([Line(f"  {key}  {meaning}") for key, meaning in KEYS])


def draft_lines(draft: ReadDraft, columns: int, place: str) -> list[Line]:
    """Everything of a draft that a person decides by, each text made safe for a terminal."""
    scenario, origin = draft.scenario, draft.origin
    head = clip(f"{place} · {draft.id} · {draft.category or 'no category'}", columns - 4)
    found = [Line(f"{'─' * 3} {head}", "blue")]
    found += _each("why", origin.get("why"), columns)
    for said in _mappings(scenario.get("history")):
        found += _paragraph(str(said.get("role", "")), str(said.get("content", "")), columns, "dim")
    found += _each("user", scenario.get("turns"), columns, "bold")
    found += _each("answered", origin.get("response"), columns, "cyan")
    found += _each("ideal", origin.get("ideal"), columns, "cyan")
    for key in ("situation", "audience", "note"):
        found += _each(key, scenario.get(key), columns)
    for item in _mappings(scenario.get("expect")):
        found += _paragraph("expect", _item_text(item), columns)
    masked = origin.get("masked")
    found += _each("masked", ", ".join(masked) if isinstance(masked, dict) else None, columns, "yellow")
    look = origin.get("look_at")
    found += _each("look at", ", ".join(map(str, look)) if isinstance(look, list) else None, columns, "yellow")
    found += _each("warning", origin.get("warnings"), columns, "red")
    return [*found, *_each("from", origin.get("url") or origin.get("source"), columns, "dim"), Line("")]


def _item_text(item: Mapping[str, Json]) -> str:
    said = item.get("ask") or item.get("never") or f"check {item.get('check')}"
    kind = "must not: " if "never" in item else ""
    return f"{kind}{said}{' (critical)' if item.get('critical') is True else ''}"


def _mappings(value: Json) -> Iterator[Mapping[str, Json]]:
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def _each(name: str, value: Json, columns: int, style: str = "") -> list[Line]:
    """A text, or each of a list of them, behind its name; nothing where there is none."""
    texts: Iterable[Json] = value if isinstance(value, list) else [value] if value else []
    return [line for text in texts for line in _paragraph(name, str(text), columns, style)]


def _paragraph(name: str, text: str, columns: int, style: str = "") -> list[Line]:
    lead = f"{clip(name, LEAD - 2) if name else '':{LEAD}}"
    parts = [part for line in text.splitlines()[:MOST_LINES] for part in wrap(line, columns - LEAD, MOST_LINES)]
    return [Line((" " * LEAD if number else lead) + part, style) for number, part in enumerate(parts or [""])]
