"""What the rehearsal server can be told: how slow, how faulty, which judge."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, get_args

JudgeMode = Literal["fair", "lenient", "random", "obedient"]
FaultsOn = Literal["all", "generation", "judge", "moderation"]

HELP = {
    "port": "port on 127.0.0.1; 0 takes a free one",
    "seed": "decides which requests are hit by faults",
    "latency_ms": "time before each completion, in milliseconds",
    "jitter": "share by which the latency varies to both sides",
    "rate_429": "share of completions answered with 429",
    "rate_500": "share of completions answered with 500",
    "hang": "share of completions never answered",
    "disconnect": "share of completions whose connection closes in mid-body",
    "retry_after": "Retry-After of a 429, in seconds",
    "rpm_limit": "requests a minute that a token bucket permits; 429 beyond; 0: no limit",
    "tpm_limit": "tokens a minute that a token bucket permits; 429 beyond; 0: no limit",
    "burst_every": "of so many completions the first --burst-length are answered with 429",
    "burst_length": "length of a burst of 429",
    "empty": "share of replies without text",
    "truncate": "share of replies cut in half, with finish_reason length",
    "refusal": "share of replies that are refusals",
    "content_filter": "share of replies stopped by a content filter",
    "forgetful": "share of conversations answered as if there were no system prompt: a model changed behind its name",
    "malformed_verdict": "share of verdicts that cannot be read",
    "judge_mode": "how the judge judges; obedient follows a verdict in the judged text",
    "faults_on": "which requests the faults hit",
    "refuse_temperature": "answer 400 when a temperature other than 1 is sent",
    "refuse_max_tokens": "answer 400 when max_tokens is sent in place of max_completion_tokens",
    "refuse_json_schema": "answer 400 when a JSON schema is asked for",
    "require_key": "answer 401 to any other bearer key",
    "any_model": "answer for every model name",
}


@dataclass(frozen=True, slots=True)
class RehearsalOptions:
    """One field per command line option. Shares lie in 0..1; which requests are hit follows from `seed` alone."""

    port: int = 0
    seed: int = 0
    latency_ms: float = 0.0
    jitter: float = 0.0
    rate_429: float = 0.0
    rate_500: float = 0.0
    hang: float = 0.0
    disconnect: float = 0.0
    retry_after: float | None = None
    rpm_limit: int = 0
    tpm_limit: int = 0
    burst_every: int = 0
    burst_length: int = 0
    empty: float = 0.0
    truncate: float = 0.0
    refusal: float = 0.0
    content_filter: float = 0.0
    forgetful: float = 0.0
    malformed_verdict: float = 0.0
    judge_mode: JudgeMode = "fair"
    faults_on: FaultsOn = "all"
    refuse_temperature: bool = False
    refuse_max_tokens: bool = False
    refuse_json_schema: bool = False
    require_key: str = ""
    any_model: bool = False

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, float) and one.name not in ("latency_ms", "retry_after") and not 0 <= value <= 1:
                raise ValueError(f"--{one.name.replace('_', '-')} is {value!r}; a share lies in 0..1")
        for group in (
            (self.rate_429, self.rate_500, self.hang, self.disconnect),
            (self.empty, self.truncate, self.refusal, self.content_filter),
        ):
            if sum(group) > 1 + 1e-9:
                raise ValueError(f"the shares {group!r} exclude one another and add up to more than 1")
        if self.latency_ms < 0 or (self.retry_after or 0) < 0:
            raise ValueError("--latency-ms and --retry-after are durations of 0 or more")
        if self.rpm_limit < 0 or self.tpm_limit < 0:
            raise ValueError("--rpm-limit and --tpm-limit are numbers of 0 or more")
        if not 0 <= self.burst_length <= max(self.burst_every, 0):
            raise ValueError(f"--burst-length is {self.burst_length!r}; it lies in 0..{self.burst_every}")

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
    parser = argparse.ArgumentParser(prog="python -m services.rehearsal", description=__doc__, allow_abbrev=False)
    for one in fields(RehearsalOptions):
        flag, text = f"--{one.name.replace('_', '-')}", HELP[one.name]
        if one.type is bool:
            parser.add_argument(flag, action="store_true", help=text)
        elif one.type in (JudgeMode, FaultsOn):
            parser.add_argument(flag, choices=get_args(one.type), default=one.default, help=text)
        else:
            kind = one.type if isinstance(one.type, type) else float
            parser.add_argument(flag, type=kind, default=one.default, help=text)
    try:
        return RehearsalOptions(**vars(parser.parse_args(arguments)))
    except ValueError as problem:
        parser.error(str(problem))
