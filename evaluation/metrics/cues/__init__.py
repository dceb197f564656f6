"""The cues by name. A new one is a function in one of the families and a line in its tuple."""

from collections.abc import Mapping
from types import MappingProxyType

from evaluation.metrics.cues.bounds import BOUNDS_CUES
from evaluation.metrics.cues.confusion import CONFUSION_CUES
from evaluation.metrics.cues.content import CONTENT_CUES
from evaluation.metrics.cues.cue import Cue
from evaluation.metrics.cues.danger import DANGER_CUES
from evaluation.metrics.cues.feeds_danger import FEEDS_CUES
from evaluation.metrics.cues.feelings import FEELING_CUES
from evaluation.metrics.cues.filler import FILLER_CUES
from evaluation.metrics.cues.flow import FLOW_CUES
from evaluation.metrics.cues.meets_danger import MEETS_CUES
from evaluation.metrics.cues.memory import MEMORY_CUES
from evaluation.metrics.cues.phrases import PHRASE_CUES
from evaluation.metrics.cues.questions import QUESTION_CUES
from evaluation.metrics.cues.repetition import REPETITION_CUES
from evaluation.metrics.cues.safety import SAFETY_CUES
from evaluation.metrics.cues.shape import SHAPE_CUES
from evaluation.metrics.cues.sound import SOUND_CUES
from evaluation.metrics.cues.tone import TONE_CUES
from evaluation.metrics.cues.wish_reply import WISH_CUES
from evaluation.metrics.cues.wording import WORDING_CUES

CUES: dict[str, Cue] = {
    cue.name: cue
    for cue in (
        *PHRASE_CUES,
        *SHAPE_CUES,
        *WORDING_CUES,
        *SAFETY_CUES,
        *CONTENT_CUES,
        *FEELING_CUES,
        *TONE_CUES,
        *REPETITION_CUES,
        *QUESTION_CUES,
        *SOUND_CUES,
        *WISH_CUES,
        *BOUNDS_CUES,
        *MEMORY_CUES,
        *CONFUSION_CUES,
        *FLOW_CUES,
        *FILLER_CUES,
        *DANGER_CUES,
        *MEETS_CUES,
        *FEEDS_CUES,
    )
}
"""All that rubrics and expectations may name: the shipped ones, and a team's own beside them."""
SHIPPED: Mapping[str, Cue] = MappingProxyType(dict(CUES))
