"""Relevance: do the response and the user's message share a word?"""

import re

from evaluation.metrics.cues.cue import Cue, Detect, Findings, NoSettings
from evaluation.metrics.utterance import Utterance, bare_word

_BETWEEN_SPACES = re.compile(r"\S+")


def shares_word(_settings: NoSettings) -> Detect:
    """The first word of the response that the user used too, function words included.

    Words are split at white space and compared in lower case without surrounding punctuation.
    """

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        shared = utterance.user_input.words & response.words
        if not shared:
            return ()
        for match in _BETWEEN_SPACES.finditer(response.line):
            word = bare_word(match.group())
            if word in shared:
                start = match.start() + match.group().index(word)
                return (response.found("shares_word", start, start + len(word)),)
        raise AssertionError("a shared word stands in the response")

    return detect


RELEVANCE_CUES = (Cue("shares_word", "the response shares a word with the user's message", NoSettings, shares_word),)
