"""Memory: does a reply use what the user said in earlier turns?"""

from typing import Annotated, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.content_words import content_of, findings_at, names_in, place_of, stems_when_needed
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, RuleSettings
from evaluation.metrics.utterance import Utterance
from evaluation.text.word_frequency import word_ranks

Strength: TypeAlias = Annotated[float, Field(gt=0, le=1)]


class RecallSettings(RuleSettings):
    """What counts as a fact, and how much each kind of word counts."""

    everyday: Phrases = ()
    """Words that say nothing of what was remembered."""
    exact: Phrases = ()
    """Words that are facts wherever they stand: numbers, weekdays, months."""
    rare_from: int = Field(default=3000, ge=1)
    """Rank in the list of frequencies beyond which a word is rare."""
    fact: Strength = 0.9
    rare: Strength = 0.6
    common: Strength = 0.35


def recalls(settings: RecallSettings) -> Detect:
    """The names, numbers and content words of earlier turns of the user that come back in the reply.

    What the current message says too is not remembered but heard. The strengths of several words add up to one.
    """
    everyday, exact = stems_when_needed(settings.everyday), stems_when_needed(settings.exact)

    def detect(utterance: Utterance) -> Findings:
        turns = [text for role, text in utterance.earlier if role == "user"]
        if not turns:
            return ()
        response = utterance.response
        said = content_of(response)
        fresh = said.keys() - content_of(utterance.user_input).keys() - everyday()
        known = fresh & frozenset[str]().union(*(content_of(text).keys() for text in turns))
        if not known:
            return ()
        names = {text.folded[start:end] for text in turns for start, end in names_in(text)}
        ranks, facts = word_ranks(), exact()

        def strength(stem: str) -> float:
            word = said[stem]
            if stem in facts or word in names or word.isdigit():
                return settings.fact
            return settings.common if ranks.get(word, settings.rare_from + 1) <= settings.rare_from else settings.rare

        total = min(1.0, sum(map(strength, known)))
        return findings_at("recalls", response, (place_of(response, said[stem]) for stem in known), total)

    return detect


MEMORY_CUES = (Cue("recalls", "the response uses what the user said in earlier turns", RecallSettings, recalls),)
