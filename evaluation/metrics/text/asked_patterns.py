"""The words of a language as patterns: what a size is, what must stand before it, and what names a form or a reader.

All are bounded: each looks at a few words before and behind one that it must find.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from evaluation.metrics.text.prompt_text import Sentence, sentences_of_prompt
from evaluation.metrics.text.wording_form import Unit, Wordings, shipped_wordings

BEFORE = 120
"""Characters before a size in which its licence is looked for."""
KEPT_PROMPTS = 32
"""Prompts whose sentences are kept, in each language apart."""
_WORD = r"[\w'-]{1,40} "
_START = r"(?:\A|[,:(–—-] ?|… ?)"


def alternatives(words: Iterable[str]) -> str:
    """Any of the words, the longest first: a pattern that begins and ends with a word's bounds."""
    ordered = sorted(dict.fromkeys(words), key=len, reverse=True)
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)" if ordered else "(?!)"


def led(words: Iterable[str]) -> str:
    """Any of the words with the blank behind it; one that ends in an apostrophe or a tilde needs none."""
    ordered = sorted(dict.fromkeys(words), key=len, reverse=True)
    ends = [re.escape(word) + ("" if word[-1] == "'" else " ?" if word == "~" else " ") for word in ordered]
    return rf"(?<!\w)(?:{'|'.join(ends)})" if ends else "(?!)"


def linking_words(said: Wordings) -> str:
    """Words behind which something else is spoken of than the text that is asked for."""
    return led((*said.genre_of[:1], *said.behind_things, *said.behind_form[1:], *said.relatives, "the", "el", "le"))


class Mentions:
    """What is looked for first: how prompts are cut in a language, and whether one asks for anything in it."""

    def __init__(self, said: Wordings) -> None:
        sized = (name for names in said.units.values() for name in names)
        forms = (*said.bullets, *said.numbered, *said.table, *said.json_names, *said.lists, *said.prose, *said.verses)
        named = (name for names in (*said.readers.values(), *said.reader_phrases.values()) for name in names)
        asking = (*said.list_asks, *said.give_asks, *said.things, *said.ages, *said.languages)
        self.any = re.compile(alternatives((*sized, *forms, *named, *asking)))
        """Words without one of which nothing can be asked for: most prompts have none of three languages."""
        self.below = re.compile(alternatives(said.below))
        self.abbreviations = re.compile(rf"({alternatives(said.abbreviations)})\.(?= ?\d)", re.IGNORECASE)


class Patterns:
    """Of one language, compiled once."""

    def __init__(self, wordings: Wordings) -> None:
        self.wordings = wordings
        said = wordings
        name = alternatives(said.numbers)
        joined = f"(?:{led(said.numbers_joined_by)})?"
        self.number = (
            rf"(?:\d{{1,3}}(?:[.,]\d{{3}})+(?!\d)|(?<![\d.,])\d{{1,6}}(?!\d)|{name}(?:[ -]{joined}{name}){{0,3}})"
        )
        self.bound = f"(?P<bound>{led((*said.at_most, *said.at_least))})?(?P<exact>{led(said.about)})?"
        split = "|".join(re.escape(each) if not each.isalpha() else f" {re.escape(each)} " for each in said.range)
        self.amount = (
            rf"(?P<between>{led(said.between)})?{self.bound}"
            rf"(?P<low>{self.number}|{alternatives(said.vague)})(?P<plus>\+)?"
            rf"(?: ?(?:{split}) ?(?P<high>{self.number}))?"
        )
        adjective = f"(?: {alternatives(said.adjectives)}){{0,2}}"
        bounds = alternatives((*said.most_behind, *said.least_behind))
        inner, behind = f"(?: (?P<inner>{bounds}))?", f"(?: (?P<behind>{bounds}))?"
        goes_on = {"words": f"(?! {alternatives(said.goes_on)})"}
        self.sizes: dict[Unit, re.Pattern[str]] = {
            unit: re.compile(
                rf"{self.amount}{inner}{adjective}[ -]{alternatives(names)}{behind}{goes_on.get(unit, '')}"
            )
            for unit, names in said.units.items()
        }
        self.unit_names: dict[Unit, re.Pattern[str]] = {
            unit: re.compile(alternatives(names)) for unit, names in said.units.items()
        }
        articled = rf"{led(said.frames_of_articles)}(?:{led(said.about)})?{alternatives(said.articles)}"
        self.one_of: dict[Unit, re.Pattern[str]] = {
            unit: re.compile(rf"{articled}{adjective} {alternatives(names)}(?! or )")
            for unit, names in said.units.items()
            if said.articles and unit in ("sentences", "paragraphs")
        }
        self._compile_licences()
        self._compile_sentences()
        self._compile_items()
        self._compile_forms()

    def _compile_licences(self) -> None:
        """What stands before a size: each is tried on the end of the text before it."""
        said = self.wordings
        me = f"(?:{led(said.me)})?"
        adjective = f"(?:{led(said.adjectives)}){{0,2}}"
        article = led(said.genre_articles)
        opened = rf"(?:{_START}|{led(said.openers)})"
        self.opened = opened
        self.frame = re.compile(rf"{led((*said.frames, *said.frames_of_articles))}\Z")
        self.form_frame = re.compile(rf"{led((*said.form_frames, *said.genre_of))}\Z")
        self.ask = re.compile(rf"{opened}{led(said.asks)}{me}\Z")
        self.article = re.compile(rf"(?:{opened}{led(said.asks)}{me}|{led(said.wants)}){article}{adjective}\Z")
        free = r"(?:[\w'-]{1,20},? ){0,2}?"
        self.free_article = re.compile(rf"(?:{opened}{led(said.asks)}{me}|{led(said.wants)}){article}{free}\Z")
        genre = rf"{article}(?:{_WORD}){{0,2}}?{led(said.genres)}"
        self.genre = re.compile(rf"{genre}{led(said.genre_of)}\Z")
        self.keep = re.compile(rf"{opened}{led(said.keeps_to)}(?:{_WORD}){{0,5}}?\Z")
        self.keep_to = re.compile(rf"{opened}{led(said.keeps_to)}(?:{_WORD}){{0,5}}?{led(said.to)}\Z")
        self.cut_to = re.compile(rf"{opened}{led(said.cuts_to)}(?:{_WORD}){{0,8}}?{led(said.to)}\Z")
        answer = alternatives((*said.answers, *said.genres))
        contains = led(said.contains)
        self.must = re.compile(rf"{answer} (?:{_WORD}){{0,8}}?{led(said.musts)}(?:{_WORD}){{0,3}}?\Z")
        self.contains = re.compile(rf"{answer} (?:{_WORD}){{0,3}}?{contains}\Z|\A(?:{led(said.openers)})?{contains}\Z")
        self.described = re.compile(rf"(?:{led(said.relatives)}{contains}|{led(said.short_forms)})\Z")
        self.joined = re.compile(rf"(?:,|{led(said.range)}) ?(?:{contains})?\Z")
        asking = (*said.asks, *said.verse_asks, *said.explains, *said.list_asks, *said.language_asks, *said.musts)
        self.begins_request = re.compile(rf"\A(?:{led(said.openers)})?{alternatives(asking)}")
        clause = led((*said.asks, *said.verse_asks, *said.language_asks, *said.explains))
        self.weak_frame = re.compile(
            rf"(?:{opened}{clause}|{led(said.wants)})(?:(?!{linking_words(said)}){_WORD}){{0,6}}?{led(said.weak_frames)}\Z"
        )
        unit = alternatives(name for names in said.units.values() for name in names)
        self.at_the_end = re.compile(rf"\A.*{answer}.*(?<!\w)(?!{unit})[\w']{{1,40}},? {led(said.weak_frames)}\Z")
        self.doubts = re.compile(alternatives(said.doubts))
        self.apiece = re.compile(rf"{alternatives(said.apiece)} ?\Z")
        self.licences = (self.cut_to, self.ask, self.article, self.genre, self.must, self.contains, self.weak_frame)
        self.asks_text = re.compile(rf"\A(?:{led(said.openers)})?{alternatives(said.asks)}")
        self.label = re.compile(rf"{_START}(?P<label>{alternatives(said.labels)}): \Z")
        self.segment_before = re.compile(rf"{_START}(?:{led(said.genre_of)})?\Z")
        self.segment_behind = re.compile(rf"(?: (?:{alternatives(said.ends_of_size)}))?(?:\Z| ?[,:)–—-])")

    def _compile_sentences(self) -> None:
        said = self.wordings
        self.narrates = re.compile(rf"\A…? ?{alternatives(said.narrators)}")
        self.wishes = re.compile(alternatives(said.wishes))
        self.no_request = re.compile(rf"\A…? ?{alternatives(said.no_requests)}")
        self.questions = re.compile(rf"\A{alternatives(said.questions)}")
        self.opener = re.compile(rf"\A{alternatives(said.openers)}")
        self.asks_or_explains = re.compile(alternatives((*said.asks, *said.explains, *said.list_asks)))

    def _compile_items(self) -> None:
        said = self.wordings
        ranked = f"(?:{led(said.item_ranks)}){{0,2}}"
        some = rf"(?:{led(said.me)})?{ranked}{self.amount}"
        other = alternatives((*(name for names in said.units.values() for name in names), *said.behind_things))
        thing = rf"(?: (?!{other})[\w'-]{{1,40}}){{0,2}}? {alternatives(said.things)}"
        persons = alternatives((*said.me, *said.narrators))
        self.items = (
            re.compile(rf"{self.opened}{led(said.list_asks)}{some} (?P<next>[\w'%-]{{1,40}})"),
            re.compile(rf"{self.opened}{led(said.give_asks)}{some}{thing}"),
            re.compile(rf"\A{led(said.what_are)}{ranked}{self.amount}{thing}"),
            re.compile(rf"\A{self.amount}{thing} {alternatives(said.behind_things)}(?! {persons})"),
        )
        one = alternatives(said.genre_articles)
        units = [name for names in said.units.values() for name in names]
        self.no_items = frozenset((*said.no_things, *units))
        self.lists_things = re.compile(
            rf"{self.opened}{led(said.list_asks)}(?:{led(said.me)})?{ranked}(?!{self.number}|{one})\w"
        )

    def _compile_forms(self) -> None:
        said = self.wordings
        end = rf"(?=\Z| ?[,:;.)–—-]| (?:{alternatives(said.behind_form)}))"
        article = f"(?:{led(said.form_articles)})?"

        def form(names: Iterable[str]) -> re.Pattern[str]:
            name = f"{alternatives(names)}{end}"
            framed = rf"{led(said.form_frames)}{article}(?:{_WORD}){{0,2}}?{name}"
            asked = rf"{self.opened}{led(said.form_asks)}(?:(?!{led(said.relatives)}){_WORD}){{0,4}}?{name}"
            return re.compile(f"{framed}|{asked}")

        without = rf"{led(said.without)}(?:{_WORD}){{0,1}}?{alternatives(said.lists)}"
        self.forms: tuple[tuple[str, re.Pattern[str]], ...] = (
            ("prose", re.compile(f"{without}|{alternatives(said.prose)}")),
            ("json", form(said.json_names)),
            ("table", form(said.table)),
            ("numbered", form(said.numbered)),
            ("bullets", form(said.bullets)),
        )
        between = rf"(?:(?!{linking_words(said)}){_WORD}){{0,3}}?"
        self.verse = re.compile(
            rf"(?:{self.opened}{led(said.verse_asks)}(?:{led(said.me)})?|{led(said.wants)})"
            rf"(?:{led(said.verse_articles)}){between}(?P<verse>{alternatives(said.verses)})"
        )
        explained = rf"{self.opened}(?:{led(said.explains)})"
        self.explained = re.compile(explained)
        self.age = re.compile(rf"{led(said.to_readers)}(?P<age>{self.number})[ -]{alternatives(said.ages)}")
        behind = rf"(?=\Z| ?[,:;.)–—-]| {alternatives((*said.behind_form, *said.behind_language, 'in', 'who'))})"
        self.readers = {
            reader: re.compile(rf"{led(said.to_readers)}{alternatives(names)}{behind}")
            for reader, names in said.readers.items()
        }
        self.reader_phrases = {
            reader: re.compile(alternatives(phrases)) for reader, phrases in said.reader_phrases.items()
        }
        then = rf"(?=\Z| ?[,:;.)–—-]| {alternatives(said.behind_language)})"
        self.language_asked = re.compile(rf"{self.opened}{led(said.language_asks)}")
        self.language_licence = re.compile(alternatives(said.language_licences))
        qualified = f"(?:{led(said.language_qualifiers)})?"
        named = f"(?: {alternatives(said.language_named)})?"
        language = f"(?P<language>{alternatives(said.languages)})"
        self.language = re.compile(rf"{led(said.language_in)}{qualified}{language}{named}{then}")


@cache
def mentions_of(language: str) -> Mentions:
    """Of a shipped language."""
    return Mentions(shipped_wordings(language))


@lru_cache(maxsize=KEPT_PROMPTS)
def sentences_in(language: str, prompt: str) -> tuple[Sentence, ...]:
    """The sentences of a prompt, cut as in a language; kept for those who read the same prompt for something else."""
    mentions = mentions_of(language)
    return tuple(sentences_of_prompt(prompt, mentions.abbreviations, mentions.below))


@cache
def patterns_of(language: str) -> Patterns:
    """Of a shipped language."""
    return Patterns(shipped_wordings(language))
