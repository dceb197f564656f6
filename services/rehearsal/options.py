"""The options of the rehearsal server (how slow, how faulty, which judge), and what they do to the calls that arrive.

Those are counted, so that none can be made twice unseen, held to an allowance, and hit by faults.
"""

import argparse
import hashlib
import struct
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, get_args

JudgeMode = Literal["fair", "lenient", "random", "obedient", "agreeing", "denying", "misquoting"]
"""The last three judge replies fairly; they say yes or no to every question about one, or quote at random."""
FaultsOn = Literal["all", "generation", "judge", "moderation", "embedding"]
BREAKDOWNS = ("rate_429", "rate_500", "hang", "disconnect")
SPOILINGS = ("empty", "truncate", "refusal", "content_filter")
"""Fates of a request and of its reply, by the options that hold the share of each."""


@dataclass(frozen=True, slots=True)
class RehearsalOptions:
    """One field per command line option. Shares lie in 0..1; which requests are hit follows from `seed` alone."""

    port: Annotated[int, "port on 127.0.0.1; 0 takes a free one"] = 0
    seed: Annotated[int, "decides which requests are hit by faults"] = 0
    latency_ms: Annotated[float, "time before each completion, in milliseconds"] = 0.0
    rate_429: Annotated[float, "share of completions answered with 429"] = 0.0
    rate_500: Annotated[float, "share of completions answered with 500"] = 0.0
    hang: Annotated[float, "share of completions never answered"] = 0.0
    disconnect: Annotated[float, "share of completions whose connection closes in mid-body"] = 0.0
    retry_after: Annotated[float | None, "Retry-After of a 429, in seconds"] = None
    rpm_limit: Annotated[int, "requests a minute that a token bucket permits; 429 beyond; 0: no limit"] = 0
    tpm_limit: Annotated[int, "tokens a minute that a token bucket permits; 429 beyond; 0: no limit"] = 0
    empty: Annotated[float, "share of replies without text"] = 0.0
    truncate: Annotated[float, "share of replies cut in half, with finish_reason length"] = 0.0
    refusal: Annotated[float, "share of replies that are refusals"] = 0.0
    content_filter: Annotated[float, "share of replies stopped by a content filter"] = 0.0
    forgetful: Annotated[float, "share of conversations answered as if there were no system prompt"] = 0.0
    malformed_verdict: Annotated[float, "share of verdicts that cannot be read"] = 0.0
    judge_mode: Annotated[
        JudgeMode,
        "how the judge judges; obedient follows a verdict in the judged text, the last three err on questions",
    ] = "fair"
    faults_on: Annotated[FaultsOn, "which requests the faults hit"] = "all"
    refuse_temperature: Annotated[bool, "answer 400 when a temperature other than 1 is sent"] = False
    refuse_max_tokens: Annotated[bool, "answer 400 when max_tokens is sent in place of max_completion_tokens"] = False
    refuse_json_schema: Annotated[bool, "answer 400 when a JSON schema is asked for"] = False
    require_key: Annotated[str, "answer 401 to any other bearer key"] = ""
    any_model: Annotated[bool, "answer for every model name"] = False

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, float) and one.name not in ("latency_ms", "retry_after") and not 0 <= value <= 1:
                raise ValueError(f"--{one.name.replace('_', '-')} is {value!r}; a share lies in 0..1")
        for names in (BREAKDOWNS, SPOILINGS):
            shares = tuple(getattr(self, name) for name in names)
            if sum(shares) > 1 + 1e-9:
                raise ValueError(f"the shares {shares!r} exclude one another and add up to more than 1")
        if min(self.latency_ms, self.retry_after or 0, self.rpm_limit, self.tpm_limit) < 0:
            raise ValueError("--latency-ms, --retry-after, --rpm-limit and --tpm-limit are numbers of 0 or more")

    def arguments(self) -> list[str]:
        """The command line that gives these options."""
        words: list[str] = []
        for one in fields(self):
            value = getattr(self, one.name)
            if value != one.default:
                flag = f"--{one.name.replace('_', '-')}"
                words += [flag] if value is True else [f"{flag}={value}"]
        return words


def parse_options(arguments: Sequence[str]) -> RehearsalOptions:
    """Reads the command line; a wrong one exits with 2 and one line."""
    parser = argparse.ArgumentParser(
        prog="python -m services.rehearsal", description="The rehearsal model.", allow_abbrev=False
    )
    for one in fields(RehearsalOptions):
        kind, text = get_args(one.type)
        flag = f"--{one.name.replace('_', '-')}"
        if kind is bool:
            parser.add_argument(flag, action="store_true", help=text)
        elif kind in (JudgeMode, FaultsOn):
            parser.add_argument(flag, choices=get_args(kind), default=one.default, help=text)
        else:
            parser.add_argument(flag, type=kind if isinstance(kind, type) else float, default=one.default, help=text)
    try:
        return RehearsalOptions(**vars(parser.parse_args(arguments)))
    except ValueError as problem:
        parser.error(str(problem))


# --- the calls that arrive --------------------------------------------------------------------------------------------


class Ledger:
    """Counts of one server process. A body is known by its digest."""

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()
        self._answered: dict[bytes, float] = {}
        self._answers_not_kept: list[float] = []
        """When each answer was given that was asked for again."""
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._in_flight = 0
        self._most_in_flight = 0

    def note_arrival(self, body: bytes) -> tuple[bytes, int]:
        """(digest, how often this body has come, this time included)."""
        key = hashlib.blake2b(body, digest_size=16).digest()
        self._seen[key] += 1
        if key in self._answered:
            self._answers_not_kept.append(self._answered[key])
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)
        return key, self._seen[key]

    def note_end(self, key: bytes, purpose: str, outcome: str) -> None:
        """A call is over: its HTTP status, or hang, disconnect, aborted (the client went away first)."""
        self._in_flight -= 1
        self._outcomes[purpose][outcome] += 1
        if outcome == "200":
            self._answered[key] = time.time()

    def as_json(self) -> dict[str, Any]:
        """The body of GET /stats."""
        return {
            "completions": self._seen.total(),
            "in_flight": self._in_flight,
            "max_in_flight": self._most_in_flight,
            "by_purpose": {purpose: dict(counts) for purpose, counts in self._outcomes.items()},
            "distinct_bodies": len(self._seen),
            "repeated_bodies": self._seen.total() - len(self._seen),
            "repeated_after_answer": len(self._answers_not_kept),
            "repeated_answers_at": self._answers_not_kept,
        }


class Bucket:
    """An allowance that fills steadily to one second's worth, and is full at the start. Its level may go below 0."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._rate = per_minute / 60
        self._room = self.level = max(1.0, self._rate)
        self._at = now

    def wait_s(self, least: float, now: float) -> float:
        """Seconds until it holds so much; 0 where it has no limit."""
        self.level = min(self._room, self.level + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (least - self.level) / self._rate) if self._rate else 0.0


class Allowance:
    """The requests and tokens that a provider permits a minute; 0 means no limit."""

    def __init__(self, rpm: float, tpm: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, begun = now, now()
        self._requests, self._tokens = Bucket(rpm, begun), Bucket(tpm, begun)

    def admit(self) -> float:
        """0 when the request may pass, and it counts; else the seconds until it could."""
        now = self._now()
        wait = max(self._requests.wait_s(1.0, now), self._tokens.wait_s(0.0, now))
        if wait <= 0:
            self._requests.level -= 1
        return wait

    def charge(self, tokens: int) -> None:
        """The tokens that a request took."""
        self._tokens.level -= tokens


@dataclass(frozen=True, slots=True)
class Fate:
    """The outcome that is drawn for one request."""

    breakdown: str = ""
    """One of BREAKDOWNS, or empty."""
    spoiling: str = ""
    """One of SPOILINGS, or empty."""
    malformed: bool = False
    delay: float = 0.0
    """Seconds."""


def draw_fate(options: RehearsalOptions, purpose: str, body: bytes, times: int) -> Fate:
    """The fate of a call whose body digest came for the `times`th time; the order of other calls plays no part."""
    delay = options.latency_ms / 1000
    if options.faults_on not in ("all", purpose):
        return Fate(delay=delay)
    seal = hashlib.blake2b(body, digest_size=32, salt=options.seed.to_bytes(8, "big", signed=True), key=b"%d" % times)
    first, second, third = (number / 2**64 for number in struct.unpack(">3Q8x", seal.digest()))
    breakdown, spoiling = _draw(first, options, BREAKDOWNS), _draw(second, options, SPOILINGS)
    return Fate(breakdown, spoiling, third < options.malformed_verdict, delay)


def _draw(number: float, options: RehearsalOptions, names: Sequence[str]) -> str:
    """The name whose share the number, uniform in 0..1, falls into."""
    for name in names:
        number -= getattr(options, name)
        if number < 0:
            return name
    return ""
