"""A language pack: the words and phrases by which rules read one language, as its YAML file says them."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from evaluation.languages.script import SCRIPTS
from evaluation.languages.speech import Speech
from evaluation.text.forms import Form, SourceText, did_you_mean

LONGEST = 300_000
"""Characters of a pack."""
CODE = r"^[a-z]{2,3}$"
"""A language as ISO 639-1 writes it, or ISO 639-2 where that has no code of two letters."""


def _known_script(name: str) -> str:
    if name not in SCRIPTS:
        raise ValueError(f"is no script that is known here{did_you_mean(name, SCRIPTS)}")
    return name


def _said(phrase: str) -> str:
    if not any(map(str.isalnum, phrase)):
        raise ValueError("holds no letter or digit")
    return phrase


Code: TypeAlias = Annotated[str, Field(pattern=CODE)]
Line: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
Mark: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=1)]
Marks: TypeAlias = Annotated[tuple[Mark, ...], Field(min_length=1, strict=False)]
Phrase: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(_said)]
Phrases: TypeAlias = Annotated[tuple[Phrase, ...], Field(min_length=1, strict=False)]
MaybePhrases: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]


class Words(Form):
    """What a word is."""

    by: Literal["spaces", "characters"] = "spaces"
    characters_per_word: Annotated[float, Field(ge=1, le=10)] | None = None
    """How many characters take as long to say as an English word."""

    @model_validator(mode="after")
    def _says_how_long(self) -> Self:
        if (self.by == "characters") != (self.characters_per_word is not None):
            raise ValueError("characters_per_word stands beside by: characters, and there alone")
        return self


class Reading(Form):
    """Usual lengths in running prose, around which readability is measured."""

    sentence_words: float = Field(gt=0, le=100)
    word_characters: float = Field(gt=0, le=30)
    source: Line


class HelpLine(Form):
    """Where somebody in danger finds help in one country."""

    name: Line
    number: Line
    source: Line


class Lists(Form):
    """The phrases, each list in the role that docs/languages.md gives for it."""

    transitions: Phrases
    conclusions: Phrases
    pronouns: Phrases
    second_person: Phrases
    formal_expressions: Phrases
    casual_expressions: Phrases
    informal_address: MaybePhrases
    formal_address: MaybePhrases
    question_offers: Phrases
    rhetorical_questions: Phrases
    question_tags: MaybePhrases
    helpfulness_emotions: Phrases
    emotions: Phrases
    empathy_words: Phrases
    empathy_phrases: Phrases
    validation_phrases: Phrases
    toxic_phrases: Phrases
    continuity_phrases: Phrases
    personal_phrases: Phrases
    consistency_phrases: Phrases
    boundary_phrases: Phrases
    transparency_phrases: Phrases
    dependency_phrases: Phrases
    overpromise_phrases: Phrases
    offensive_words: Phrases
    harmful_phrases: Phrases
    harmful_unless_before: Phrases
    harmful_unless_after: MaybePhrases
    harmful_own_words: MaybePhrases
    translation_requests: Phrases


class Pack(Form):
    """One language."""

    language: Code
    name: Line
    """The language in English: German."""
    scripts: Annotated[tuple[Annotated[str, AfterValidator(_known_script)], ...], Field(min_length=1, strict=False)]
    """Scripts whose letters write it."""
    reviewed_by: tuple[Line, ...] = Field(strict=False)
    """Native speakers who reviewed it; while there is none, every report that used it says so."""
    review_wanted: Line
    """Who should review it."""
    words: Words
    matches: Literal["word_start", "whole_word", "anywhere"] = "word_start"
    """Where a phrase of most lists counts; lists of single words count as whole words in any case."""
    sentence_ends: Marks
    """Marks in which a finished text may end."""
    open_marks: Marks
    """Marks that leave a text open at its end."""
    question_ends: MaybePhrases = ()
    """Ends of a sentence that ask without a question mark, the mark behind them included."""
    contractions: Literal["casual", "standard"] = "standard"
    """casual: a contraction such as "I'm" is a sign of spoken style."""
    reading: Reading | None = None
    """None where no usual lengths are known: readability is not applicable then."""
    stop_words: MaybePhrases
    """Frequent words that tell the language from others."""
    lists: Lists
    help_lines: dict[Annotated[str, Field(pattern=r"^[A-Z]{2}$")], HelpLine] = Field(default_factory=dict)
    """Country as ISO 3166-1 writes it -> its help line."""

    @model_validator(mode="after")
    def _can_be_counted(self) -> Self:
        both = sorted(set(self.sentence_ends) & set(self.open_marks))
        if both:
            raise ValueError(f"{both[0]!r} is both in sentence_ends and in open_marks")
        if self.words.by == "characters" and self.matches != "anywhere":
            raise ValueError("matches is anywhere where no blank parts words")
        if self.words.by == "spaces" and not self.stop_words:
            raise ValueError("stop_words is empty: without any a text is not known to be in this language")
        return self

    @property
    def speech(self) -> Speech:
        """How its texts are counted."""
        return Speech(self.language, self.words.characters_per_word, self.question_ends)

    @property
    def is_reviewed(self) -> bool:
        """Whether a native speaker looked at it."""
        return bool(self.reviewed_by)

    def phrases(self, name: str) -> tuple[str, ...]:
        """A list that a rubric may name as {pack: NAME}. Raises KeyError for a name that is none."""
        if name not in LIST_NAMES:
            raise KeyError(name)
        found: tuple[str, ...] = getattr(self if name in MARKS else self.lists, name)
        return found


MARKS = ("sentence_ends", "open_marks")
"""Lists of marks, which stand beside the lists of phrases."""
LIST_NAMES = (*MARKS, *Lists.model_fields)
"""What a rubric may name as {pack: NAME}."""


def parse_pack(source: SourceText) -> Pack:
    """Reads a pack. Raises ParseError, naming file and line, for whatever is missing, unknown or of a wrong type."""
    if len(source.text) > LONGEST:
        raise source.error((), f"holds {len(source.text):,} characters; a pack has at most {LONGEST:,}")
    return source.read(Pack, "'language:', 'name:', 'scripts:'")
