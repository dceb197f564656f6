"""Rows as observations v2 gives them, for the tests of what is read out of them."""

from typing import Any

from evaluation.production.observation import Observation, read_observation


def row(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A generation of production that began so many seconds after Monday 2026-11-16, 00:00 UTC."""
    minutes, seconds = divmod(number, 60)
    hours, minutes = divmod(minutes, 60)
    start = f"2026-11-{16 + hours // 24:02d}T{hours % 24:02d}:{minutes:02d}:{seconds:02d}.000Z"
    return {
        "id": f"{number:016x}",
        "traceId": f"{number:032x}",
        "startTime": start,
        "endTime": start,
        "projectId": "p",
        "parentObservationId": None,
        "type": "GENERATION",
        "name": "answer",
        "level": "DEFAULT",
        "environment": "production",
        "userId": f"user-{number % 7}",
        "sessionId": None,
        "promptName": "penpal",
        "promptVersion": 3,
        "tags": [],
        **fields,
    }


def observation(number: int = 1, **fields: Any) -> Observation:
    return read_observation(row(number, **fields))
