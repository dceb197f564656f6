"""Sentence tables of language packs, and what the shipped rules find in an entry of one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from evaluation.languages.pack import Pack
from evaluation.languages.packs import pack_of
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.cues.phrases import PhraseSettings, response_says, whole_phrases
from evaluation.metrics.cues.safety import SafetySettings, inappropriate_content
from evaluation.metrics.cues.wording import FormalitySettings, PronounSettings, personal_pronouns, too_formal
from evaluation.metrics.text.prose import phrase_forms, prose_of
from evaluation.metrics.utterance import Text, Utterance

FOLDER = Path(__file__).parents[2] / "languages"
"""The tables, each named after its language."""
WHOLE_WORDS = (
    "formal_expressions",
    "casual_expressions",
    "informal_address",
    "second_person",
    "question_offers",
    "rhetorical_questions",
    "question_tags",
    "translation_requests",
)
"""Lists whose phrases rules look for from one end of a word to another."""
AS_PROSE = ("transitions", "conclusions")
"""Lists that formulas look for among the words of a text."""
Entry: TypeAlias = dict[str, Any]
Finds: TypeAlias = Callable[[Utterance], bool]


def table(language: str, part: str) -> list[Entry]:
    """The entries of `table` or `held_out`."""
    entries: list[Entry] = yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))[part]
    return entries


@dataclass(frozen=True)
class Claim:
    """One thing that an entry says, and whether the rules agree."""

    what: str
    text: str
    holds: bool


def claims(language: str, part: str) -> Iterator[Claim]:
    """Everything that the entries of a part say."""
    pack = pack_of(language)
    assert pack is not None, language
    for entry in table(language, part):
        exchange = Utterance("", entry["text"], speech=pack.speech)
        for name in entry.get("says", ()):
            yield Claim(f"says {name}", entry["text"], _finder(language, name)(exchange))
        for name in entry.get("not", ()):
            yield Claim(f"not {name}", entry["text"], not _finder(language, name)(exchange))
        counted = _counts(exchange.response)
        for name in counted.keys() & entry.keys():
            yield Claim(f"{name} {entry[name]}", entry["text"], counted[name] == entry[name])


def translated(language: str) -> Iterator[Claim]:
    """What the English pack finds in the replies of parity.yaml, and whether that of a language finds it too."""
    pack = pack_of(language)
    assert pack is not None, language
    for entry in yaml.safe_load((FOLDER / "parity.yaml").read_text("utf-8")):
        exchange = Utterance("", entry[language], speech=pack.speech)
        for name in entry["says"]:
            yield Claim(f"says {name}", entry[language], _finder(language, name)(exchange))


def _counts(text: Text) -> dict[str, int | bool]:
    return {"sentences": len(prose_of(text).lengths), "words": text.word_count, "asks": bool(text.questions)}


@cache
def _finder(language: str, name: str) -> Finds:
    """Whether the response holds a phrase of a list, as the rules that use the list look for it."""
    pack = pack_of(language)
    assert pack is not None
    phrases = pack.phrases(name)
    if name in AS_PROSE:
        forms = [form for _, form in phrase_forms(phrases)]
        return lambda exchange: any(form in prose_of(exchange.response).line for form in forms)
    if name in WHOLE_WORDS:
        listed = whole_phrases(phrases)
        return lambda exchange: bool(listed.spans(exchange.response.line, exchange.response.tokens))
    return partial(_detects, _rule(pack, name, phrases))


def _detects(detect: Detect, exchange: Utterance) -> bool:
    return bool(detect(exchange))


def _rule(pack: Pack, name: str, phrases: tuple[str, ...]) -> Detect:
    if name == "pronouns":
        return personal_pronouns(PronounSettings(words=phrases))
    if name == "formal_address":
        return too_formal(FormalitySettings(gap=1, formal=("notwithstanding",), formal_address=phrases))
    if name == "offensive_words":
        return inappropriate_content(SafetySettings(words=phrases, patterns=("notwithstanding",)))
    if name == "harmful_phrases":
        lists = pack.lists
        settings = SafetySettings(
            patterns=phrases,
            unless_before=lists.harmful_unless_before,
            unless_after=lists.harmful_unless_after,
            own_words=lists.harmful_own_words,
        )
        return inappropriate_content(settings)
    return response_says(PhraseSettings(phrases=phrases, matches=pack.matches))
