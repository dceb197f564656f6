"""Chooses a profile from a prompt: the kind of text that it asks for in so many words, or that nothing shows."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from evaluation.metrics.profiles import PROFILES, UNKNOWN
from evaluation.metrics.profiles.profile import AskedBy, shipped_profile
from evaluation.metrics.text.asked import INF, Asked, asks, read_request
from evaluation.metrics.text.asked_patterns import Patterns, alternatives, led, mentions_of, patterns_of, sentences_in
from evaluation.metrics.text.prompt_text import Sentence
from evaluation.metrics.text.wording_form import LANGUAGES, shipped_wordings


@dataclass(frozen=True, slots=True)
class Choice:
    """A profile, and what of the prompt spoke for it."""

    profile: str
    seen: str = ""
    """The sentence; empty where nothing did."""


@lru_cache(maxsize=256)
def choose_profile(prompt: str) -> Choice:
    """The profile that a prompt asks for; `unknown` where it shows none. Linear in the length of the prompt."""
    asked = read_request(prompt)
    sentences = [
        (patterns_of(language), language, sentence)
        for language in LANGUAGES
        for sentence in sentences_in(language, prompt)
        if _mentions(language).search(sentence.text)
    ]
    for name in in_order():
        said = shipped_profile(name).asked_by
        for patterns, language, sentence in sentences:
            if _named(name, language, sentence, patterns) or (said.list_verbs and _lists(sentence, patterns)):
                return Choice(name, sentence.written)
        if _is_of_size(said, asked):
            return Choice(name, _sentence_of_size(said, prompt))
    return Choice(UNKNOWN)


@cache
def in_order() -> tuple[str, ...]:
    """The profiles in the order in which they are tried on a prompt."""
    return tuple(sorted(PROFILES, key=lambda name: shipped_profile(name).asked_by.order))


def _is_of_size(said: AskedBy, asked: Asked) -> bool:
    """True where the form, the items or the size that a prompt asks for is that of the kind."""
    if asked.form is not None and asked.form in said.forms:
        return True
    if said.items and asked.items is not None:
        return True
    sizes = {"words": asked.words, "sentences": asked.sentences}
    return any((sizes.get(unit) or (0, INF))[1] <= most for unit, most in said.at_most.items())


def _sentence_of_size(said: AskedBy, prompt: str) -> str:
    """The first sentence that asks for the size by itself; the whole prompt where several do together."""
    in_usual = sentences_in(LANGUAGES[0], prompt)
    if len(in_usual) == 1:
        return in_usual[0].written
    for language in LANGUAGES:
        for sentence in sentences_in(language, prompt):
            if mentions_of(language).any.search(sentence.text) and _is_of_size(said, read_request(sentence.written)):
                return sentence.written
    return " ".join(prompt.split())


def _lists(sentence: Sentence, patterns: Patterns) -> bool:
    return asks(sentence, patterns) and patterns.lists_things.search(sentence.text) is not None


def _named(name: str, language: str, sentence: Sentence, patterns: Patterns) -> bool:
    named, begins, anywhere = _kind_patterns(name, language)
    said = shipped_profile(name).asked_by
    text = sentence.text
    if begins.search(text) and (said.longest_words is None or len(text.split()) <= said.longest_words):
        return True
    return asks(sentence, patterns) and bool(named.search(text) or anywhere.search(text))


@cache
def _mentions(language: str) -> re.Pattern[str]:
    """Words without one of which a sentence asks for no kind by name."""
    said = [shipped_profile(name).asked_by for name in PROFILES]
    tables = [table for each in said for table in (each.kinds, each.beginnings, each.anywhere)]
    words = [word for table in tables for word in table.get(language, ())]
    return re.compile(alternatives((*words, *shipped_wordings(language).list_asks)))


@cache
def _kind_patterns(name: str, language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What names the kind, begins a sentence that asks for it, and asks for it anywhere."""
    said, patterns = shipped_profile(name).asked_by, patterns_of(language)
    words = patterns.wordings
    verbs = led((*words.asks, *words.verse_asks, *said.verbs.get(language, ())))
    verb = rf"(?:{patterns.opened}{verbs}(?:{led(words.me)})?|{led(words.wants)})"
    linking = led((*words.genre_of, *words.behind_things, *words.behind_form, "the", "der", "die", "das", "my", "your"))
    between = rf"(?:(?!{linking})[\w'.,-]{{1,40}} ){{0,4}}?"
    named = rf"{verb}{between}{alternatives(said.kinds.get(language, ()))}"
    not_before = said.beginnings_not_before.get(language, ())
    unless = rf"(?! {alternatives(not_before)})" if not_before else ""
    opener = f"(?:{led(words.openers)})?"
    begins = rf"\A{opener}{alternatives(said.beginnings.get(language, ()))}{unless}"
    return re.compile(named), re.compile(begins), re.compile(alternatives(said.anywhere.get(language, ())))
