"""The packs there are: the shipped ones, read when first asked for, and a team's own beside them."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from evaluation.errors import UsageError
from evaluation.languages.pack import Pack, parse_pack
from evaluation.runspec import digest
from evaluation.text.forms import SourceText

ENGLISH = "en"
"""The language of the shipped rubrics, and of one that names none."""
OWN = "pack"
"""First word of a line that stands for a team's own pack."""
_FILE = re.compile(r"([a-z]{2,3})\.yaml")
_own: dict[str, Pack] = {}
_changes: list[int] = [0]


@cache
def shipped_languages() -> tuple[str, ...]:
    """Codes of the shipped packs, in order."""
    names = (each.name for each in files("evaluation.languages").iterdir())
    return tuple(sorted(found[1] for name in names if (found := _FILE.fullmatch(name))))


@cache
def _shipped(language: str) -> Pack:
    name = f"{language}.yaml"
    text = (files("evaluation.languages") / name).read_text(encoding="utf-8")
    pack = parse_pack(SourceText(text, f"evaluation/languages/{name}"))
    if pack.language != language:
        raise UsageError(f"evaluation/languages/{name}: language is {pack.language!r}: name the file after it")
    return pack


def languages() -> tuple[str, ...]:
    """Codes of all languages with a pack, in order."""
    return tuple(sorted({*shipped_languages(), *_own}))


def pack_of(language: str) -> Pack | None:
    """The pack of a language: a team's own before the shipped one; None without any."""
    if language in _own:
        return _own[language]
    return _shipped(language) if language in shipped_languages() else None


def english() -> Pack:
    """The pack of the shipped rubrics."""
    return _shipped(ENGLISH)


def use_own_packs(packs: Sequence[tuple[Pack, str]]) -> None:
    """Has these (pack, file) stand beside the shipped packs or in their place, and no longer those of an earlier call.

    Raises UsageError for two of one language, and for English: rubrics are written for the shipped lists.
    """
    found: dict[str, Pack] = {}
    for pack, place in packs:
        if pack.language == ENGLISH:
            raise UsageError(f"{place}: the lists of English are those of the rubrics: write a rubric of your own")
        if pack.language in found:
            raise UsageError(f"{place}: another file is of language {pack.language!r} too: keep one of the two")
        found[pack.language] = pack
    if found != _own:
        _own.clear()
        _own.update(found)
        _changes[0] += 1


def own_packs() -> tuple[str, ...]:
    """A line for each of a team's own packs that changes with what it says: for the digest of what scores."""
    return tuple(f"{OWN} {language} {digest(pack.model_dump_json())}" for language, pack in sorted(_own.items()))


def generation() -> int:
    """A number that changes whenever other packs are in use: for what is worked out of them and remembered."""
    return _changes[0]
