"""A file of drafts: written, read, and marked line by line, so that what people wrote around a draft stays.

It is no scenario file: its list is called `drafts`, which the reader of scenarios refuses.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.errors import ParseError
from evaluation.harvest.draft import TAG, Draft
from evaluation.harvest.written import indented, write_line, write_yaml
from evaluation.records import Json
from evaluation.text.yaml_text import lines_of, load_yaml

HEAD = """\
# Drafts of scenarios, made of what users said. None of them is played before a person accepts it.
#
# You are the last guard of the people who said this. What could be found by its form, by the words around it or by a
# list of names was replaced ("masked" names the stand-ins). Names in small letters, places, employers, schools, dates
# and whatever is personal by its meaning may still stand here: read each text, and every word under "look_at".
#
# Edit whatever you like. Then write "accept: true" and your name after "by:", or "accept: false" to reject it for ever.
#
"""
DECIDED = ("accept", "by", "decided", "into")
"""Keys of what is decided, each on a line of its own."""
_NAME = re.compile(r"[^\x00-\x1f\x7f\u2028\u2029]{1,80}")


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A draft as its file has it by now."""

    id: str
    accept: bool | None
    by: str
    decided: str
    """When the decision was carried out; empty where it was not."""
    into: str
    category: str
    scenario: Mapping[str, Json]
    """What a scenario file would say."""
    origin: Mapping[str, Json]
    place: str

    @property
    def message(self) -> str:
        """What the user says first."""
        turns = self.scenario.get("turns")
        return str(turns[0]) if isinstance(turns, list) and turns else ""


def drafts_text(drafts: Sequence[Draft], before: str = "", command: str = "") -> str:
    """The text of a file with these drafts at its end; `before` is the file so far, `command` takes drafts over."""
    taken = f"# {command}\n" if command else ""
    head = before if before.strip() else f"{HEAD}{taken}\ndrafts:\n"
    head = head if head.endswith("\n") else f"{head}\n"
    return head + "\n".join(draft_text(draft.to_json()) for draft in drafts)


def draft_text(value: Mapping[str, Json]) -> str:
    """One draft as lines of its file."""
    return indented(write_yaml([dict(value)]), 2)


def read_drafts(text: str, place: str) -> tuple[ReadDraft, ...]:
    """The drafts of a file. Raises ParseError for what is no drafts file, or a draft whose decision cannot be read."""
    value = load_yaml(text, place)
    if not isinstance(value, dict) or set(value) != {"drafts"}:
        raise ParseError(place, "is no file of drafts: it holds one list, 'drafts:'")
    items = value["drafts"]
    if items is None:
        return ()
    if not isinstance(items, list):
        raise ParseError(place, "drafts is no list: put each draft on a '- ' line")
    lines = lines_of(text, [("drafts", number) for number in range(len(items))])
    found = [_read(item, f"{place}:{line}") for item, line in zip(items, lines, strict=True)]
    names = [draft.id for draft in found]
    for draft in found:
        if names.count(draft.id) > 1:
            raise ParseError(draft.place, f"draft {draft.id!r} stands twice: remove one, or rename it")
    return tuple(found)


def _read(item: Json, place: str) -> ReadDraft:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        raise ParseError(place, "a draft has no id: give it one, or remove it")
    accept = item.get("accept")
    if accept is not None and not isinstance(accept, bool):
        raise ParseError(place, f"draft {item['id']!r}: accept is {str(accept)[:40]!r}: write true, false or nothing")
    texts = {key: item.get(key) or "" for key in ("by", "decided", "into", "category")}
    for key, text in texts.items():
        if not isinstance(text, str) or (text and not _NAME.fullmatch(text) and key == "by"):
            raise ParseError(place, f"draft {item['id']!r}: {key} is {str(text)[:40]!r}: write one line of text")
    origin = item.get(TAG)
    scenario = {key: value for key, value in item.items() if key not in (*DECIDED, "category", TAG)}
    return ReadDraft(
        id=item["id"],
        accept=accept,
        scenario=scenario,
        origin=origin if isinstance(origin, dict) else {},
        place=place,
        **texts,
    )


def marked(text: str, place: str, identity: str, marks: Mapping[str, str | bool]) -> str:
    """The text with values written after keys of one draft, everything else as it is.

    Raises ParseError where a key stands on no line of its own.
    """
    number = [draft.id for draft in read_drafts(text, place)].index(identity)
    lines = text.splitlines(keepends=True)
    for key, value in marks.items():
        written = write_line(key, value)
        here = ("drafts", number)
        [own] = lines_of("".join(lines), [(*here, "id")])
        known = load_yaml("".join(lines), place)["drafts"][number]
        [at] = lines_of("".join(lines), [(*here, key if key in known else "id")])
        found = re.fullmatch(rf"(\s*(?:- )?){key if key in known else 'id'}:[^\n]*\n?", lines[at - 1])
        if found is None or (key in known and isinstance(known[key], dict | list)):
            raise ParseError(f"{place}:{at}", f"draft {identity!r}: write {key} on a line of its own")
        if key in known:
            lines[at - 1] = f"{found[1]}{written}\n"
        else:
            lines.insert(own, f"{' ' * len(found[1])}{written}\n")
    return "".join(lines)


def replaced(text: str, place: str, identity: str, value: Mapping[str, Json]) -> str:
    """The text with one draft written as `value` has it, the others as they are."""
    drafts = read_drafts(text, place)
    number = [draft.id for draft in drafts].index(identity)
    starts = lines_of(text, [("drafts", each) for each in range(len(drafts))])
    lines = text.splitlines(keepends=True)
    end = starts[number + 1] - 1 if number + 1 < len(drafts) else len(lines)
    behind = "\n" if number + 1 < len(drafts) else ""
    return "".join([*lines[: starts[number] - 1], draft_text(value), behind, *lines[end:]])
