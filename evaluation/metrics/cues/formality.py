"""Formality: is the response much more formal than the user's own message?

A text's formality is the number of different formal expressions in it minus the number of different casual ones; any
contraction counts as one casual expression. The response is too formal when its formality is above zero and exceeds
the user's by the gap: a casual user hears one formal expression, a neutral one two, a formal one more.
"""

import re

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrase, Settings
from evaluation.metrics.cues.phrases import WholePhrases, whole_phrases
from evaluation.metrics.utterance import Text, Utterance

_CONTRACTION = re.compile(r"[^\W_](?:n't|'(?:m|re|ve|ll|d))(?![^\W_])")


class FormalitySettings(Settings):
    """The two lists, matched as whole words, and how far the response may be above the user."""

    formal: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    casual: tuple[Phrase, ...] = Field(default=(), strict=False)
    gap: int = Field(ge=1)


def too_formal(settings: FormalitySettings) -> Detect:
    """The formal expressions of a response that is too formal beside the user's message, in their order."""
    formal = whole_phrases(settings.formal)
    casual = whole_phrases(settings.casual)

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        spans = formal.spans(response.line, response.tokens)
        if not spans:
            return ()
        formality = len(spans) - _casualness(response, casual)
        user = utterance.user_input
        users = len(formal.spans(user.line, user.tokens)) - _casualness(user, casual)
        if formality < 1 or formality - users < settings.gap:
            return ()
        return tuple(response.found("too_formal", *span) for span in spans)

    return detect


def _casualness(text: Text, casual: WholePhrases) -> int:
    contracted = "'" in text.line and _CONTRACTION.search(text.line) is not None
    return len(casual.spans(text.line, text.tokens)) + contracted


FORMALITY_CUES = (
    Cue("too_formal", "the response is too formal beside the user's message", FormalitySettings, too_formal),
)
