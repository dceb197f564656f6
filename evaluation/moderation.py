"""One moderation: the response goes out alone, the categories for which it was flagged come back."""

import json
from dataclasses import replace

from evaluation.ports import Complete
from evaluation.records import CallFailure, Exchange, Request, Turn


async def flagged_categories(exchange: Exchange, model: str, complete: Complete) -> tuple[str, ...] | CallFailure:
    """The categories, sorted; empty when the response is clean. A failure names `moderation` as its purpose.

    The reply to a request of this purpose is a JSON object, flagged category -> score from 0 to 1 or null.
    """
    request = Request(
        purpose="moderation",
        model=model,
        messages=(Turn("assistant", exchange.response),),
        parameters={},
        cell=exchange.cell,
        turn=exchange.turn,
    )
    outcome = await complete(request)
    if isinstance(outcome, CallFailure):
        return replace(outcome, purpose="moderation")
    try:
        flagged = json.loads(outcome.text)
    except (ValueError, RecursionError):
        flagged = None
    if not isinstance(flagged, dict):
        problem = "the moderation reply is not an object of flagged categories"
        return CallFailure(
            "malformed", problem, outcome.attempts, outcome.started_at, outcome.ended_at, purpose="moderation"
        )
    return tuple(sorted(flagged))
