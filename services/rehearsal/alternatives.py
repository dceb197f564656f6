"""Alternatives of the tokens of a verdict, as an endpoint names them: a number might have been its neighbour."""

import math
import random
import re
from typing import Any

TOKEN = re.compile(r"\d{1,3}|[^\W\d_]+|\s+|.", re.DOTALL)
WRITTEN = 0.7
"""Probability of the number that was written; its neighbours share the rest."""


def alternatives(text: str, most: int, luck: random.Random) -> dict[str, Any]:
    """The `logprobs` of a choice: every token of the text, and at most so many alternatives in the place of each."""
    return {"content": [_entry(token, most, luck) for token in TOKEN.findall(text)], "refusal": None}


def _entry(token: str, most: int, luck: random.Random) -> dict[str, Any]:
    odds = {token: 1.0}
    if token.isdigit():
        below = (1 - WRITTEN) * luck.random()
        odds = {token: WRITTEN, str(int(token) + 1): 1 - WRITTEN - below}
        odds[str(max(0, int(token) - 1))] = odds.get(str(max(0, int(token) - 1)), 0.0) + below
    ordered = sorted(odds.items(), key=lambda each: -each[1])[:most]
    return {**_said(token, odds[token]), "top_logprobs": [_said(*each) for each in ordered]}


def _said(token: str, probability: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(max(probability, 1e-12)), "bytes": list(token.encode())}
