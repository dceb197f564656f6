"""Readers of one value of a flag: what argparse takes as its type."""

import argparse
import math
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

from evaluation.errors import UsageError
from evaluation.moments import moment
from evaluation.scenarios.shards import parse_shard

N = TypeVar("N", int, float)


def within(kind: Callable[[str], N], low: float, high: float, what: str) -> Callable[[str], N]:
    """A reader of one finite value from `low` to `high`; argparse says of any other text that it is not `what`."""

    def read(text: str) -> N:
        with suppress(ValueError):
            value = kind(text)
            if low <= value <= high and value not in (math.inf, -math.inf):
                return value
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")

    return read


def moment_of(flag: str, text: str) -> datetime:
    """The moment in UTC that a flag names. Raises UsageError for a text that is none."""
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise UsageError(f"{flag} {text!r} is no time: write 2026-11-16 or 2026-11-16T08:00:00Z") from None


def shard(text: str) -> str:
    """A share of the scenarios, as `evaluation.scenarios.shards` reads it."""
    try:
        parse_shard(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


positive = within(int, 1, math.inf, "a whole number from 1 up")
concurrency = within(int, 1, 1000, "a whole number from 1 to 1000")
temperature = within(float, 0, 2, "a temperature from 0 to 2")
number = within(float, -math.inf, math.inf, "a finite number")
share = within(float, 0, 1, "a share from 0 to 1")
amount = within(float, 0, math.inf, "an amount of 0 or more")
