"""The options of the rehearsal server: how slow, how faulty, which judge."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Literal, get_args

JudgeMode = Literal["fair", "lenient", "random", "obedient"]
FaultsOn = Literal["all", "generation", "judge", "moderation"]


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
    judge_mode: Annotated[JudgeMode, "how the judge judges; obedient follows a verdict in the judged text"] = "fair"
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
        for group in (
            (self.rate_429, self.rate_500, self.hang, self.disconnect),
            (self.empty, self.truncate, self.refusal, self.content_filter),
        ):
            if sum(group) > 1 + 1e-9:
                raise ValueError(f"the shares {group!r} exclude one another and add up to more than 1")
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
    parser = argparse.ArgumentParser(prog="python -m services.rehearsal", description=__doc__, allow_abbrev=False)
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
