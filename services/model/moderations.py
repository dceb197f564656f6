"""A moderation reply, read leniently: which categories were flagged, with their scores, as canonical JSON."""

from evaluation.records import Json, Usage
from evaluation.runspec import canonical_json
from services.model.completion import Completion, object_of
from services.model.errors import one_line
from services.retrying import TryAgain

UNNAMED = "unnamed"
"""Stands for the category where a text is flagged without one."""
LONGEST_NAME = 60


def read_moderation(data: Json) -> Completion:
    """The text is a JSON object, flagged category -> score from 0 to 1 or null; `{}` when nothing is flagged.

    Several results, as some servers give for one long text, count as one. Raises TryAgain (malformed) for a body
    without usable results.
    """
    body = object_of(data)
    results = body.get("results")
    if not isinstance(results, list) or not results:
        raise TryAgain("malformed", "reply has no moderation results")
    flagged: dict[str, float | None] = {}
    for result in results:
        for name, score in _flagged(result).items():
            flagged[name] = max(flagged.get(name) or 0.0, score) if score is not None else flagged.get(name)
    model = body.get("model")
    return Completion(
        text=canonical_json(flagged),
        finish_reason="stop",
        model=one_line(model) if isinstance(model, str) else "",
        usage=Usage(),
    )


def _flagged(result: Json) -> dict[str, float | None]:
    categories = result.get("categories") if isinstance(result, dict) else None
    if not isinstance(categories, dict):
        raise TryAgain("malformed", "reply has a moderation result without categories")
    if not all(value is None or isinstance(value, bool) for value in categories.values()):
        raise TryAgain("malformed", "reply has a moderation category that is neither true nor false")
    scores = result.get("category_scores")
    named = {
        one_line(name, limit=LONGEST_NAME) or UNNAMED: _score(scores.get(name) if isinstance(scores, dict) else None)
        for name, value in categories.items()
        if value
    }
    return named or ({UNNAMED: None} if result.get("flagged") is True else {})


def _score(value: Json) -> float | None:
    """None for what is no number from 0 to 1, NaN among it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
