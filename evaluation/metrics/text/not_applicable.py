"""A metric that means nothing for a kind of text: no value, and the reason."""

from evaluation.metrics.cues.cue import Rule, RuleSettings
from evaluation.metrics.text.points import absent


class NotApplicable(RuleSettings):
    """Why."""

    reason: str


def not_applicable(constants: NotApplicable) -> Rule:
    """No value for any text."""
    explained = absent(constants.reason)
    return lambda _: explained
