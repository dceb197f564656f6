"""Names of metrics, categories and verdicts as people read them. Files for machines keep the names themselves."""

WRITTEN = {"ab_test": "A/B test"}
"""Names that people write with other signs."""


def in_words(name: str) -> str:
    """A name without underscores: `overall_quality` is "overall quality"."""
    return WRITTEN.get(name) or name.replace("_", " ")
