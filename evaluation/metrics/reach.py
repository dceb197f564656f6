"""How far the rules of a metric can lift a response that does not use their phrases."""

from evaluation.rubrics.rubric import Metric

SAYS = "response_says"
"""The cue that looks for phrases of a list in the response."""
MOST_LISTS = 3
"""Lists of which a phrase is named."""


def phrases_to_reach(metric: Metric, value: float) -> tuple[str, ...]:
    """A phrase of each list without which no response can reach a value by the rules.

    Empty where the base reaches it alone, or with cues that look at something else than phrases; and for a metric that
    has no such list.
    """
    rises = [each for each in metric.adjustments if each.add > 0]
    reached = metric.base + sum(each.add for each in rises if each.when != SAYS)
    if metric.kind != "adjustments" or reached >= value:
        return ()
    lists = [metric.settings_of(each)["phrases"] for each in rises if each.when == SAYS]
    return tuple(str(phrases[0]) for phrases in lists[:MOST_LISTS] if isinstance(phrases, list | tuple) and phrases)
