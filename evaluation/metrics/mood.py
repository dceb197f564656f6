"""The mood that a person's own messages tell, and how it goes over a conversation: do they leave better than they came?

By rule, from words alone: whether a message tells good or bad news or a feeling, as `clashes_in_valence` reads it, or
says that the talk itself did good or harm. It means something only where the messages answer what was said to them. The
turns of a scripted user were written before any reply, so that they say the same whatever the assistant does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from evaluation.metrics.cues.tone import ClashSettings, News, news_finder
from evaluation.metrics.utterance import text_before_reply
from evaluation.records import Json

CUE = "clashes_in_valence"
"""The cue whose settings say what is good and bad news."""
ReadMood: TypeAlias = Callable[[str], int]
"""A message of the user -> -1 where it tells something bad, 1 for something good, 0 where it tells neither or both."""
WORTH: Mapping[News, int] = {"bad": -1, "": 0, "good": 1}
_NOT = r"(?<!not )(?<!n't )(?<!never )(?<!hardly )"
_DID_GOOD = re.compile(
    rf"\b{_NOT}(?:feel|feeling|i'm|i am|am) (?:(?:so|much|a (?:bit|little|lot)|already|really|actually) )*"
    r"(?:better|calmer|lighter|relieved|less (?:alone|scared|anxious|afraid))\b"
    rf"|\b(?:that|this|it|you|talking)(?:'s| is| has|'ve| have)? (?:\w+ )?{_NOT}(?:helps|helped|helping)\b"
    r"|\b(?:i|just what i) needed (?:that|this|to hear)\b|\bwhat i needed\b"
)
_DID_HARM = re.compile(
    r"\b(?:feel|feeling|i'm|i am) (?:\w+ )?worse\b|\b(?:makes|made|making) (?:it|me feel|everything) (?:\w+ )?worse\b"
    r"|\b(?:not|n't|never|hardly) (?:\w+ )?(?:help|helps|helped|helping|feel any better|feel better|feeling better)\b"
    r"|\byou(?:'re| are)? (?:just )?(?:don't get it|not listening|don't listen|don't understand)\b|\bforget it\b"
)


def mood_reader(settings_of: Callable[[str], Mapping[str, Json]]) -> ReadMood | None:
    """Reads moods by a rubric's settings of cues; None under one that does not say what good and bad news is."""
    settings = settings_of(CUE)
    if not settings:
        return None
    news_in = news_finder(ClashSettings.model_validate(dict(settings)))

    def read(message: str) -> int:
        text = text_before_reply(message, "user_input")
        good, harm = _DID_GOOD.search(text.line) is not None, _DID_HARM.search(text.line) is not None
        return good - harm if good or harm else WORTH[news_in(text)]

    return read


def mood_change(messages: Sequence[str], read: ReadMood) -> int | None:
    """The mood of the last message that tells one minus that of the first, from -2 to 2; None for fewer than two."""
    moods = [mood for mood in map(read, messages) if mood]
    return moods[-1] - moods[0] if len(moods) > 1 else None
