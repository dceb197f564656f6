"""Personal pronouns: does the response speak as someone to someone?"""

import re

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrase, Settings
from evaluation.metrics.utterance import Utterance, fold_phrase, tokens_of


class PronounSettings(Settings):
    """The pronouns, each one word; their contractions (I'm, you'll) are included."""

    words: tuple[Phrase, ...] = Field(min_length=1, strict=False)


def personal_pronouns(settings: PronounSettings) -> Detect:
    """The first pronoun that stands as a word of its own: not a letter of "A.I." or "i.e.", not the country US."""
    words = frozenset(map(fold_phrase, settings.words))
    alternatives = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W_])(?<!\w\.)(?:{alternatives})(?![^\W_]|\.\w)")
    first_tokens = frozenset(token for word in words for token in tokens_of(word)[:1])

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        if text.tokens.isdisjoint(first_tokens):
            return ()
        for match in pattern.finditer(text.line):
            found = text.found("personal_pronouns", *match.span())
            if found.quote != "US":
                return (found,)
        return ()

    return detect


PRONOUN_CUES = (Cue("personal_pronouns", "the response uses a personal pronoun", PronounSettings, personal_pronouns),)
