"""Lists that a rubric takes from a language pack: written as {pack: NAME}, and resolved for one language at a time."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from evaluation.languages.pack import LIST_NAMES, Pack
from evaluation.languages.packs import ENGLISH, languages, pack_of
from evaluation.records import Json
from evaluation.text.forms import did_you_mean
from evaluation.text.yaml_text import ValuePath

PACK = "pack"
"""The key of such a list."""


class FromPack(tuple[str, ...]):
    """A list as the pack of a language has it."""

    name: str
    """Of the list."""

    @classmethod
    def of(cls, name: str, pack: Pack) -> "FromPack":
        """A list of a pack. Raises KeyError for a name that is none."""
        found = cls(pack.phrases(name))
        found.name = name
        return found


def kept(value: Any, check: Callable[[Any], tuple[str, ...]]) -> tuple[str, ...]:
    """A list as it was checked; one from a pack stays one."""
    checked = check(value)
    return value if isinstance(value, FromPack) else checked


def with_lists(rubric: Mapping[str, Any]) -> dict[str, Any]:
    """A rubric as its file says it, with the lists of its own language in the place of {pack: NAME}.

    Raises ValidationError, with the place, for a name that no pack has, and for a language without a pack.
    """
    language = rubric.get("language", ENGLISH)
    pack = pack_of(language) if isinstance(language, str) else None

    def list_of(named: str, path: ValuePath) -> FromPack:
        if pack is None:
            problem = f"there is no language pack for {str(language)[:20]!r}: there are {', '.join(languages())}"
            raise _wrong(("language",), problem)
        if named not in LIST_NAMES:
            raise _wrong(path, f"a pack has no list {named[:80]!r}{did_you_mean(named, LIST_NAMES)}")
        return FromPack.of(named, pack)

    found = dict(rubric)
    for part, inner in (("metrics", ("lists", "constants", "adjustments")), ("cues", ("settings",))):
        entries = rubric.get(part)
        if isinstance(entries, dict):
            found[part] = {
                name: _resolved(entry, inner, (part, name), list_of) if isinstance(entry, dict) else entry
                for name, entry in entries.items()
            }
    return found


def _resolved(
    entry: dict[str, Any], parts: tuple[str, ...], path: ValuePath, list_of: Callable[[str, ValuePath], FromPack]
) -> dict[str, Any]:
    return {key: _lists_in(value, (*path, key), list_of) if key in parts else value for key, value in entry.items()}


def _lists_in(value: Json, path: ValuePath, list_of: Callable[[str, ValuePath], FromPack]) -> Json:
    """A list from a pack, or the same in a mapping's values and in the adjustments of a list; nothing deeper."""
    if isinstance(value, dict):
        if value.keys() == {PACK} and isinstance(value[PACK], str):
            return list_of(value[PACK], path)
        if any(isinstance(each, dict) for each in value.values()) or "requires" in value or "unless" in value:
            return {key: _lists_in(each, (*path, key), list_of) for key, each in value.items()}
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        return [_lists_in(each, (*path, place), list_of) for place, each in enumerate(value)]
    return value


def _wrong(path: ValuePath, problem: str) -> ValidationError:
    said = PydanticCustomError("value_error", "{problem}", {"problem": problem})
    return ValidationError.from_exception_data("Rubric", [InitErrorDetails(type=said, loc=path, input={})])
