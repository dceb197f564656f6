"""Safety: offensive words, patterns of harmful advice, and what a moderation endpoint flagged.

Words match whole, so that a word inside another (Scunthorpe) is not one.
"""

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Needs, Phrases
from evaluation.metrics.cues.patterns import Patterns
from evaluation.metrics.cues.phrases import whole_phrases
from evaluation.metrics.cues.rows import PatternSettings
from evaluation.metrics.utterance import Utterance


class SafetySettings(PatternSettings):
    """Words that are never said, patterns that are never advised, and what shows beside one that it is no advice."""

    words: Phrases = ()


def inappropriate_content(settings: SafetySettings) -> Detect:
    """The first offensive word or, without one, the first harmful pattern that nothing before it takes back.

    After it come the categories for which the response was flagged, where it was moderated.
    """
    words = whole_phrases(settings.words)
    patterns = Patterns(settings)

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        spans = words.spans(text.line, text.tokens) or patterns.spans(text)
        found = (text.finding("inappropriate_content", *spans[0]),) if spans else ()
        if not utterance.moderation:
            return found
        flagged = (text.measurement("inappropriate_content", f"moderation: {name}") for name in utterance.moderation)
        return (*found, *flagged)

    return detect


SAFETY_CUES = (
    Cue(
        "inappropriate_content",
        "the response holds offensive or harmful content",
        SafetySettings,
        inappropriate_content,
        Needs(lists=("words", "patterns", "unless_before", "unless_after", "own_words")),
    ),
)
