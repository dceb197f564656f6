"""Accepted drafts as scenarios of a file: appended to its text, and held against the file's own reader before."""

from collections.abc import Callable, Mapping, Sequence

from evaluation.errors import ParseError
from evaluation.harvest.drafts_file import ReadDraft
from evaluation.harvest.written import indented, write_yaml
from evaluation.records import Json, Scenario
from evaluation.text.yaml_text import lines_of, load_yaml

Parse = Callable[[str, str], tuple[Scenario, ...]]
"""(text, place) -> the scenarios of a file. Raises ParseError."""
HEAD = "# Scenarios made of what users said, each accepted by a person (docs/harvest.md).\n"
_BLANK: tuple[Json, ...] = (None, "", [], {})


def scenario_of(draft: ReadDraft, parse: Parse) -> Scenario:
    """The draft as it would be played. Raises ParseError, at the draft, for what a file could not say."""
    value = {"category": draft.category or None, "scenarios": [_item(draft)]}
    try:
        [scenario] = parse(write_yaml(value), draft.place)
    except ParseError as error:
        problem = str(error).partition(": ")[2].removeprefix("scenario 1: ") or str(error)
        raise ParseError(draft.place, f"draft {draft.id!r}: {problem}") from None
    return scenario


def appended(text: str, place: str, category: str, drafts: Sequence[ReadDraft], parse: Parse) -> str:
    """The text of a scenario file with the drafts behind what it holds; an empty text begins a file.

    Raises ParseError where that is not what its reader reads then: an id that is there, a list that does not end the
    file, or a list in brackets.
    """
    before = parse(text, place) if text.strip() else ()
    blanks = _indent(text, place) if text.strip() else 2
    head = text if text.strip() else f"{HEAD}{write_yaml({'category': category})}\nscenarios:\n"
    head = head if head.endswith("\n") else f"{head}\n"
    parts = [indented(_comment(draft) + write_yaml([_item(draft)]), blanks) for draft in drafts]
    whole = ("\n" if text.strip() else "").join([head, "\n".join(parts)])
    after = parse(whole, place)
    wanted = (*before, *(scenario_of(draft, parse) for draft in drafts))
    if after != wanted:
        raise ParseError(place, "scenarios cannot be added behind its list: move 'scenarios:' to the end of the file")
    return whole


def _item(draft: ReadDraft) -> dict[str, Json]:
    """The scenario as its file says it, without keys that say nothing."""
    return {key: value for key, value in draft.scenario.items() if value not in _BLANK}


def _comment(draft: ReadDraft) -> str:
    """Where it comes from, and who accepted it, in one line."""
    trace = draft.origin.get("trace")
    said = [f"trace {trace}" if trace else "", f"accepted by {draft.by}", f"on {draft.decided[:10]}"]
    text = ", ".join(filter(None, said))
    return f"# {''.join(sign if sign.isprintable() else ' ' for sign in text)}\n"


def _indent(text: str, place: str) -> int:
    """Blanks before the items of a file's list. Raises ParseError where they stand in brackets."""
    [line] = lines_of(text, [("scenarios", 0)])
    first = text.splitlines()[line - 1]
    if not first.lstrip().startswith("- "):
        raise ParseError(f"{place}:{line}", "its scenarios stand in brackets: put each on a '- ' line")
    return len(first) - len(first.lstrip())


def category_of_file(text: str, place: str) -> str:
    """The category that a scenario file says; empty for none."""
    value = load_yaml(text, place)
    found = value.get("category") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""
