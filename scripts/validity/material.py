"""The files of the mutation test, and a rubric's rules as what scores their replies."""

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.scoring import RubricRules
from evaluation.metrics.utterance import Text, Utterance
from evaluation.mutations.swaps import Spoken
from evaluation.mutations.tally import ScoreSpoken
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import DEFAULT_SUITE
from evaluation.text.remembered import Remembered
from scripts.shell import note
from services.workspace import MUTATIONS, read_named

KEPT_REPLIES = 20
"""Replies whose reading is kept: more than the wordings of one edit, which take turns from message to message."""
NO_OVERALL = (
    "the rules of rubric {!r} have no overall: name a rubric of the companion suite, whose replies this table scores "
    "by rules alone"
)
"""Why a table cannot be made, for the rubric's name."""


def note_whose(suite: str) -> None:
    """Says of another suite whose replies the shipped ones are."""
    if suite != DEFAULT_SUITE:
        note("these replies are a companion's: of rules for other users they show what moves, not what is right")


def read_material(name: str) -> tuple[str, str]:
    """Text and place of a shipped file by its name."""
    file = read_named("set of edits", name, MUTATIONS)
    return file.text, file.place


def _reply(said: str) -> Text:
    return Text(said, "response")


def scorer(rules: RubricRules) -> ScoreSpoken:
    """The rules as a function of an exchange; None for a metric that does not apply to it."""

    replies = Remembered(_reply, KEPT_REPLIES)  # long ones that are made for the score stand beside every message

    def score(spoken: Spoken) -> dict[str, float | None]:
        scores = rules.scores(Utterance(spoken.user, replies[spoken.reply], spoken.context))
        return {each.metric: each.value if each.applicable else None for each in scores if each.source == "heuristic"}

    return score


def detector_of(rubric: Rubric, cue: str) -> Detect | None:
    """A cue with the settings of its first use in a rubric; None where no metric uses it."""
    for metric in rubric.metrics.values():
        for adjustment in metric.adjustments:
            for use in adjustment.uses:
                if use.when == cue:
                    return CUES[cue].prepare(rubric.settings_of(use, metric))
    return None
