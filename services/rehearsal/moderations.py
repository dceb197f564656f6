"""POST /v1/moderations: a crude list of words by category, in the form of an OpenAI-compatible endpoint."""

import re
from typing import Any

from services.rehearsal import MODERATION_MODEL
from services.rehearsal.completions import Refused, read_model, read_object
from services.rehearsal.options import RehearsalOptions

WORDS = {
    "harassment": "idiot idiots loser losers moron morons pathetic worthless",
    "hate": "subhuman vermin",
    "self-harm": "suicide",
    "sexual": "naked nude porn",
    "violence": "kill murder stab strangle",
}
"""Category -> words, in lower case, that flag a text for it wherever they stand whole."""
_PATTERNS = {name: re.compile(rf"\b(?:{words.replace(' ', '|')})\b") for name, words in WORDS.items()}
FLAGGED, CLEAN = 0.9, 0.01


def moderation(body: bytes, options: RehearsalOptions, number: int) -> dict[str, Any]:
    """The body of a 200: one result per text. Raises Refused (400 or 404) as OpenAI's endpoint does."""
    value = read_object(body)
    model = read_model(value, options, (MODERATION_MODEL,))
    given = value.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise Refused(400, "Invalid type for 'input': expected a string or an array of strings.", "input")
    results = [_result(text.lower()) for text in texts]
    return {"id": f"modr-rehearsal-{number}", "model": model, "results": results}


def _result(text: str) -> dict[str, Any]:
    categories = {name: pattern.search(text) is not None for name, pattern in _PATTERNS.items()}
    return {
        "flagged": any(categories.values()),
        "categories": categories,
        "category_scores": {name: FLAGGED if found else CLEAN for name, found in categories.items()},
    }
