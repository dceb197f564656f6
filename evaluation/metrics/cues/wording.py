"""Wording: does the response ask, take up the user's words, speak as someone to someone, and in the user's tone?

A question is a clause with a word in it, closed by a question mark. A mark inside a web address closes nothing.

A text's formality is the number of different formal expressions in it minus the number of different casual ones; any
contraction counts as one casual expression. The response is too formal when its formality is above zero and exceeds
the user's by the gap: a casual user hears one formal expression, a neutral one two, a formal one more.
Where a rubric gives `endings`, learned words with one count as well, in a text without any apostrophe.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from pydantic import Field

from evaluation.languages.script import is_unspaced, telling_pairs
from evaluation.metrics.cues.cue import FORM, Cue, Detect, Findings, Needs, NoSettings, Phrase, RuleSettings
from evaluation.metrics.cues.phrases import WholePhrases, whole_phrases
from evaluation.metrics.utterance import Text, Utterance, bare_word, fold_phrase, tokens_of
from evaluation.records import Finding
from evaluation.text.remembered import Remembered


def asks_question(_settings: NoSettings) -> Detect:
    """The first question of the response."""

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        if not text.questions:
            return ()
        start, end = text.questions[0]
        return (Finding("asks_question", "response", start, end, text.original[start:end]),)

    return detect


_RUNS = re.compile(r" {2,}")
_CONTRACTION = re.compile(r"[^\W_](?:n't|'(?:m|re|ve|ll|d))(?![^\W_])")


class FormalitySettings(RuleSettings):
    """The two lists, matched as whole words, and how far the response may be above the user."""

    formal: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    casual: tuple[Phrase, ...] = Field(default=(), strict=False)
    gap: int = Field(ge=1)
    endings: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Endings of learned words. In a response without a contraction or a casual word they are a sign of letters."""
    spoken: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Words with such an ending that everybody says."""
    learned: int = Field(default=3, ge=1)
    """Learned words that count as one formal expression."""
    formal_address: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Forms of polite address, which together count as one formal expression."""
    informal_address: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Forms of familiar address, which together count as one casual expression."""
    contractions: Literal["casual", "standard"] = "casual"
    """casual: any contraction counts as one casual expression, as in English."""


def too_formal(settings: FormalitySettings) -> Detect:
    """The formal expressions of a response that is too formal beside the user's message, in their order."""
    formal = whole_phrases(settings.formal)
    ease_of = _ease(settings)
    polite = _Polite(settings.formal_address) if settings.formal_address else None
    learned = _learned(settings)

    def detect(utterance: Utterance) -> Findings:
        response, user = utterance.response, utterance.user_input
        spans = formal.spans(response.line, response.tokens)
        if polite is not None and (address := polite.span(response)):
            spans = sorted((*spans, address))
        words = learned(response) if "'" not in response.line else []
        if not spans and len(words) < settings.learned:
            return ()
        ease = ease_of(response)
        signs = 0 if ease else len(words) // settings.learned
        if not spans and not signs:
            return ()
        formality = len(spans) + signs - ease
        users = len(formal.spans(user.line, user.tokens)) - ease_of(user)
        users += polite is not None and polite.span(user) is not None
        users += len(learned(user)) // settings.learned
        if signs:
            spans = sorted((*spans, *words))
        if formality < 1 or formality - users < settings.gap:
            return ()
        return tuple(response.finding("too_formal", *span) for span in spans)

    return detect


def _learned(settings: FormalitySettings) -> Callable[[Text], list[tuple[int, int]]]:
    """Finds the different words of a text with a learned ending."""
    endings = tuple(map(fold_phrase, settings.endings))
    spoken = frozenset(map(fold_phrase, settings.spoken))

    def is_learned(token: str) -> bool:
        return token.endswith(endings) and token.removesuffix("s") not in spoken

    learned = Remembered(is_learned)

    def find(text: Text) -> list[tuple[int, int]]:
        words = filter(learned.__getitem__, text.tokens) if endings else ()
        return [(start, start + len(word)) for word in words for start in text.places_of(word)[:1]]

    return find


def _ease(settings: FormalitySettings) -> Callable[[Text], int]:
    """Counts the casual expressions of a text."""
    casual, familiar = whole_phrases(settings.casual), whole_phrases(settings.informal_address)
    if settings.contractions == "casual" and not settings.informal_address:
        return partial(_casualness, casual=casual)

    def ease(text: Text) -> int:
        count = len(casual.spans(text.line, text.tokens)) + familiar.occur(text.line, text.tokens)
        return count + (settings.contractions == "casual" and _is_contracted(text))

    return ease


def _casualness(text: Text, casual: WholePhrases) -> int:
    return len(casual.spans(text.line, text.tokens)) + _is_contracted(text)


def _is_contracted(text: Text) -> bool:
    return "'" in text.line and _CONTRACTION.search(text.line) is not None


class _Polite:
    """Finds polite address as it is written, within a sentence: at its start every word has a capital."""

    def __init__(self, address: Sequence[str]) -> None:
        forms = "|".join(sorted(map(re.escape, address), key=len, reverse=True))
        self._unspaced = is_unspaced(forms)
        self._tokens = frozenset(token for each in address for token in tokens_of(fold_phrase(each)))
        self._forms = re.compile(forms if self._unspaced else rf"(?<=[^\W_][ ,;]|[,;] )(?:{forms})(?![^\W_])")

    def span(self, text: Text) -> tuple[int, int] | None:
        """The place in `line` of the first; None without any."""
        if not self._unspaced and text.tokens.isdisjoint(self._tokens):
            return None
        found = self._forms.search(text.original)
        if found is None:
            return None
        start = len(_RUNS.sub(" ", text.folded[: found.start()]))
        return start, start + len(found[0])


class PronounSettings(RuleSettings):
    """The pronouns, each one word; their contractions (I'm, you'll) are included."""

    words: tuple[Phrase, ...] = Field(min_length=1, strict=False)


def personal_pronouns(settings: PronounSettings) -> Detect:
    """The first pronoun that stands as a word of its own: not a letter of "A.I." or "i.e.", not the country US."""
    words = frozenset(map(fold_phrase, settings.words))
    unspaced = whole_phrases(word for word in words if is_unspaced(word))
    alternatives = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W_])(?<!\w\.)(?:{alternatives})(?![^\W_]|\.\w)")
    first_tokens = frozenset(token for word in words for token in tokens_of(word)[:1])

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        if unspaced.unspaced:
            return tuple(
                text.finding("personal_pronouns", *span) for span in unspaced.spans(text.line, text.tokens)[:1]
            )
        if text.tokens.isdisjoint(first_tokens):
            return ()
        for match in pattern.finditer(text.line):
            found = text.finding("personal_pronouns", *match.span())
            if found.quote != "US":
                return (found,)
        return ()

    return detect


def shares_word(_settings: NoSettings) -> Detect:
    """The first word of the response that the user used too, function words included.

    Words are split at white space and compared in lower case without surrounding punctuation.
    """

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        if not response.speech.separates_words:
            line = response.line
            shared = [line.find(pair) for pair in telling_pairs(utterance.user_input.line) if pair in line]
            return (response.finding("shares_word", min(shared), min(shared) + 2),) if shared else ()
        users = utterance.user_input.words
        # The line is the parts with one blank between them, so their places follow from their lengths.
        start = 1 if response.line.startswith(" ") else 0
        for part in response.parts:
            word = part if part in users else bare_word(part)
            if word in users:
                start += part.index(word)
                return (response.finding("shares_word", start, start + len(word)),)
            start += len(part) + 1
        return ()

    return detect


WORDING_CUES = (
    Cue("asks_question", "the response asks a question", NoSettings, asks_question, FORM),
    Cue(
        "personal_pronouns",
        "the response uses a personal pronoun",
        PronounSettings,
        personal_pronouns,
        Needs(lists=("words",)),
    ),
    Cue(
        "too_formal",
        "the response is too formal beside the user's message",
        FormalitySettings,
        too_formal,
        Needs(lists=("formal", "casual", "endings", "spoken", "formal_address", "informal_address")),
    ),
    Cue(
        "shares_word",
        "the response shares a word with the user's message",
        NoSettings,
        shares_word,
        Needs(words="counted"),
    ),
)
