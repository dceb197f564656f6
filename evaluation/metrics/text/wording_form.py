"""The words of a language with which a prompt asks for something, as their YAML file says them."""

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluation.text.forms import Form, SourceText

LANGUAGES = ("en", "de", "es", "fr")
"""The shipped files: a further one is a file beside these and its name here."""
Words: TypeAlias = Annotated[tuple[str, ...], Field(strict=False)]
Reader: TypeAlias = Literal["child", "layperson", "expert"]
Unit: TypeAlias = Literal["words", "sentences", "paragraphs", "lines", "bullets"]
Bound: TypeAlias = Literal["about", "at_most", "at_least"]


class Wordings(Form):
    """One file. The lists are in lower case with straight apostrophes; a phrase may have several words."""

    numbers: dict[str, int]
    numbers_joined_by: Words = ()
    """Words within a number: two hundred and fifty."""
    articles: Words = ()
    """Numbers only where nothing else can be meant: in a sentence."""
    vague: dict[str, Annotated[tuple[int, int], Field(strict=False)]] = Field(default_factory=dict)
    """Numbers that are none, and the range that they stand for."""
    units: dict[Unit, Words]
    adjectives: Words
    """May stand between the number and its unit, or between an article and a kind of text."""
    between: Words
    range: Words
    at_most: Words
    at_least: Words
    about: Words
    most_behind: Words
    least_behind: Words
    frames: Words
    """Before a size: in, within, using."""
    weak_frames: Words
    """Before a size, in the same clause as a verb that asks: write a post with."""
    frames_of_articles: Words = ()
    genres: Words
    """Kinds of text that have a size: an essay of 300 words."""
    genre_of: Words
    genre_articles: Words = ("a", "an", "one")
    asks: Words
    """Verbs that ask for a text, in the form in which one asks."""
    me: Words
    contains: Words
    """Verbs before a size that a text shall have."""
    relatives: Words
    """Before such a verb, where the text is described: a poem that has."""
    short_forms: Words
    """Such a verb together with its subject: it's."""
    answers: Words
    """Names of what is asked for, beside the genres: your response should contain."""
    doubts: Words
    """Words before a size that make it a question: whether."""
    apiece: Words
    """Words before a frame that make it a size of a part: each in one sentence."""
    goes_on: Words
    """Words behind a size that make it something else: two words in all capitals."""
    openers: Words
    """What may stand before such a verb."""
    wants: Words
    """Beginnings of a wish: I need."""
    keeps_to: Words
    """keep it to: at most."""
    cuts_to: Words
    """shorten it to: about."""
    to: Words
    labels: dict[str, Bound]
    """Before a colon and a size."""
    ends_of_size: Words
    musts: Words
    """your answer should be under 50 words."""
    narrators: Words
    """First words of a sentence that tells something, and asks for nothing unless it holds a wish."""
    wishes: Words
    no_requests: Words
    """Beginnings of sentences that ask for no text of a size."""
    questions: Words
    """First words of questions: in these a size counts only behind a comma or at the beginning."""
    below: Words
    abbreviations: Words
    list_asks: Words
    """Verbs that ask for several things, whatever they are."""
    give_asks: Words
    """Verbs that do so before one of `things` alone."""
    item_ranks: Words
    things: Words
    what_are: Words
    behind_things: Words
    """What follows a thing in a headline: five ways to."""
    no_things: Words
    """What is counted and is no item: minutes, euros."""
    bullets: Words
    numbered: Words
    table: Words
    lists: Words
    without: Words
    prose: Words
    form_frames: Words
    form_asks: Words
    form_articles: Words = ("a", "an", "the")
    json_names: Words = Field(("json",), alias="json")
    behind_form: Words
    verse_asks: Words
    verses: dict[str, int | None]
    """A kind of poem -> its lines, where it has so many."""
    verse_articles: Words
    explains: Words
    to_readers: Words
    ages: Words
    readers: dict[Reader, Words]
    reader_phrases: dict[Reader, Words]
    language_asks: Words
    language_in: Words
    language_qualifiers: Words = ()
    """May stand before the name: in only the."""
    language_named: Words = ()
    """May stand behind it: the German language."""
    language_licences: Words
    """Phrases anywhere in a sentence that make it speak of the language of the answer."""
    languages: dict[str, str]
    """The name of a language -> its code (ISO 639-1)."""
    behind_language: Words


@cache
def shipped_wordings(language: str) -> Wordings:
    """The words of a language. Raises ParseError for a file that is wrong."""
    name = f"{language}.yaml"
    text = (files("evaluation.metrics.text.wordings") / name).read_text(encoding="utf-8")
    return SourceText(text, f"evaluation/metrics/text/wordings/{name}").read(Wordings, "'numbers:'")
