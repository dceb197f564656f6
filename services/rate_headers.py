"""Waits that rate-limit response headers ask for, in seconds."""

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

_LONGEST_HEADER = 64
_DURATION = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d+)?)s)?(?:(\d{1,9}(?:\.\d+)?)ms)?")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait before the next try, >= 0: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date.

    `now` is the time in seconds since the epoch, against which a date is read. None when neither header can be read.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    return _until(value, now) if seconds is None else seconds


def exhausted_for(headers: Mapping[str, str]) -> float | None:
    """Seconds until requests are possible again, when the endpoint says that none remain; None when some do.

    Reads `x-ratelimit-remaining-requests` and `x-ratelimit-reset-requests` ("1s", "6m0s", "120ms" or seconds).
    A missing or unreadable reset counts as 1 second.
    """
    if headers.get("x-ratelimit-remaining-requests") != "0":
        return None
    reset = duration(headers.get("x-ratelimit-reset-requests"))
    return 1.0 if reset is None else reset


def duration(value: str | None) -> float | None:
    """Seconds in "1h2m3.5s", "120ms" or "17"; None for anything else."""
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    match = _DURATION.fullmatch(value.strip()[:_LONGEST_HEADER])
    if match is None or not any(match.groups()):
        return None
    hours, minutes, whole, milliseconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + whole + milliseconds / 1000


def _number(value: str | None) -> float | None:
    if value is None or len(value) > _LONGEST_HEADER:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(value: str | None, now: float) -> float | None:
    if value is None or len(value) > _LONGEST_HEADER:
        return None
    try:
        moment = parsedate_to_datetime(value)
        # "-0000" leaves the zone out; HTTP dates are always UTC.
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, OverflowError):
        return None
