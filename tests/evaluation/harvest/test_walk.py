"""A person's way through drafts: what is shown, and what each key does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.errors import ParseError
from evaluation.harvest.drafts_file import ReadDraft
from evaluation.harvest.walk import DraftWalk, draft_lines
from evaluation.review.walk import EndOfAnswers
from evaluation.text.page import Line


def draft(name: str, accept: bool | None = None) -> ReadDraft:
    scenario = {"turns": [f"{name} said \x1b[31mthis"], "expect": [{"id": "a", "never": "Does it?", "critical": True}]}
    origin = {"why": ["worst"], "masked": {"Robin": 2}, "look_at": ["Berlin"], "response": "No.\nOr yes."}
    return ReadDraft(name, accept, "", "", "", "talk", scenario, origin, "d.yaml:1")


@dataclass
class Person:
    answers: list[str]
    shown: list[str] = field(default_factory=list)
    columns: int = 80

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:  # noqa: ARG002
        self.shown += [line.text for line in lines]

    def ask(self, prompt: str, given: str = "") -> str:  # noqa: ARG002
        if not self.answers:
            raise EndOfAnswers
        return self.answers.pop(0)


@dataclass
class File:
    drafts: dict[str, bool | None]
    edited: list[str] = field(default_factory=list)
    refuse: bool = False

    def read(self) -> list[ReadDraft]:
        return [draft(name, accept) for name, accept in self.drafts.items()]

    def decide(self, given: ReadDraft, accept: bool) -> None:
        if self.refuse:
            self.refuse = False
            raise ParseError("d.yaml", "is no scenario")
        self.drafts[given.id] = accept

    def edit(self, given: ReadDraft) -> None:
        self.edited.append(given.id)


def walked(file: File, *answers: str) -> Person:
    person = Person(list(answers))
    DraftWalk(file.read, file.decide, file.edit, person).run()
    return person


def test_each_key_does_what_it_says() -> None:
    file = File(dict.fromkeys(("one", "two", "three", "four"), None))
    walked(file, "a", "r", "s", "e", "v", "?", "a")
    assert file.drafts == {"one": True, "two": False, "three": None, "four": True}
    assert file.edited == ["four"]


def test_it_stops_when_asked_or_when_nobody_answers() -> None:
    for answers in (("a", "q"), ("a",)):
        file = File(dict.fromkeys(("one", "two"), None))
        walked(file, *answers)
        assert file.drafts == {"one": True, "two": None}


def test_a_draft_that_is_no_scenario_is_asked_about_again() -> None:
    file = File({"one": None}, refuse=True)
    person = walked(file, "a", "a")
    assert file.drafts == {"one": True} and any("is no scenario" in text for text in person.shown)


def test_decided_ones_are_not_shown() -> None:
    assert walked(File({"one": True, "two": False})).shown == []


def test_all_that_a_person_decides_by_is_shown_and_nothing_steers_the_terminal() -> None:
    shown = "\n".join(line.text for line in draft_lines(draft("one"), 60, "1 of 2"))
    for part in ("1 of 2", "worst", "No.", "Or yes.", "must not: Does it? (critical)", "Robin", "Berlin", "\\x1b[31m"):
        assert part in shown
    assert "\x1b" not in shown
