"""Relevance: do the response and the user's message share a word?"""

from evaluation.metrics.cues.cue import Cue, Detect, Findings, NoSettings
from evaluation.metrics.utterance import Utterance, bare_word


def shares_word(_settings: NoSettings) -> Detect:
    """The first word of the response that the user used too, function words included.

    Words are split at white space and compared in lower case without surrounding punctuation.
    """

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        users = utterance.user_input.words
        # The line is the parts with one blank between them, so their places follow from their lengths.
        start = 1 if response.line.startswith(" ") else 0
        for part in response.parts:
            word = part if part in users else bare_word(part)
            if word in users:
                start += part.index(word)
                return (response.found("shares_word", start, start + len(word)),)
            start += len(part) + 1
        return ()

    return detect


RELEVANCE_CUES = (Cue("shares_word", "the response shares a word with the user's message", NoSettings, shares_word),)
