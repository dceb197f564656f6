"""What a rubric's rules are, as one hash: what it says of them, and the code that applies them."""

from evaluation.rubrics.rubric import Rubric
from evaluation.runspec import digest

OF_RULES = frozenset(
    {"kind", "weight", "base", "lists", "adjustments", "formula", "constants", "needs_context", "without_context"}
)
"""Fields of a metric that its value by rule depends on."""


def rules_digest(rubric: Rubric, code: str) -> str:
    """SHA-256 of the scale, the metrics' arithmetic, the settings of cues, a digest of the code, and the profile."""
    metrics = {name: metric.model_dump(mode="json", include=set(OF_RULES)) for name, metric in rubric.metrics.items()}
    cues = {name: [guide.settings, list(guide.with_settings_of)] for name, guide in rubric.cues.items()}
    profile = [] if rubric.profile is None else [rubric.profile]
    return digest([rubric.scale.model_dump(mode="json"), metrics, cues, code, *profile])
