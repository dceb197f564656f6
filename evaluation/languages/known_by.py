"""By what languages are recognised: words, letters and scripts of `known_by.yaml`, with the words of the packs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated

from pydantic import Field

from evaluation.languages.pack import Code
from evaluation.languages.packs import ENGLISH, english, generation, languages, pack_of
from evaluation.text.forms import Form, SourceText

Codes = Annotated[tuple[Code, ...], Field(min_length=1, strict=False)]
_FILE = "known_by.yaml"


class _KnownBy(Form):
    names: dict[Code, str]
    scripts: dict[str, Codes]
    letters: dict[str, Codes]
    words: dict[Code, Annotated[tuple[str, ...], Field(strict=False)]]


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells languages apart."""

    words: Mapping[str, tuple[str, ...]]
    """Word -> the languages in which it is frequent."""
    letters: Mapping[str, tuple[str, ...]]
    """Letter -> the languages that have it, of letters that most have not."""
    own: tuple[tuple[str, frozenset[str]], ...]
    """The languages with a pack, but for English, each with the words that no other one has."""
    scripts: Mapping[str, tuple[str, ...]]
    """Script -> the languages that are written in it, that which most texts are in first."""


@cache
def _known_by() -> _KnownBy:
    text = (files("evaluation.languages") / _FILE).read_text(encoding="utf-8")
    return SourceText(text, f"evaluation/languages/{_FILE}").read(_KnownBy, "'names:'")


@cache
def english_words() -> frozenset[str]:
    """Frequent words of English that no other language here has: known before any other list is read."""
    return frozenset(english().stop_words)


def signs() -> Signs:
    """The signs under the packs that are in use."""
    return _signs(generation())


@lru_cache(maxsize=2)
def _signs(_generation: int) -> Signs:
    known = _known_by()
    words: dict[str, list[str]] = {}
    for language in dict.fromkeys((*known.words, *languages())):
        pack = pack_of(language)
        listed = (*known.words.get(language, ()), *(pack.stop_words if pack is not None else ()))
        for word in dict.fromkeys(map(str.lower, listed)):
            words.setdefault(word, []).append(language)
    letters: dict[str, list[str]] = {}
    for each, owners in known.letters.items():
        for letter in each:
            letters.setdefault(letter, []).extend(owners)
    own = {
        language: frozenset(word for word, owners in words.items() if owners == [language]) for language in languages()
    }
    return Signs(
        {word: tuple(found) for word, found in words.items()},
        {letter: tuple(found) for letter, found in letters.items()},
        tuple((language, found) for language, found in own.items() if found and language != ENGLISH),
        known.scripts,
    )


UNKNOWN = "unknown"
"""Stands for the language of a text that is in none of those that are known by name."""


def name_of(language: str) -> str:
    """A language in English, as people write it; the code where nobody gave it a name."""
    pack = pack_of(language)
    return pack.name if pack is not None else _known_by().names.get(language, language)


def known_codes() -> tuple[str, ...]:
    """Codes of all languages that have a name or a pack."""
    return tuple(sorted({*_known_by().names, *languages()}))
