"""The command that a night prints asks for the very same night."""

import shlex
from unittest.mock import patch

import pytest

from scripts import nightly
from scripts.night.asked import NightRequest


def asked(*words: str) -> NightRequest:
    """The night that these words ask for; none is played."""
    with patch("scripts.night.watch.watch", return_value=None) as watched:
        assert nightly.main(list(words)) == 130
    (found,) = watched.call_args.args
    assert isinstance(found, NightRequest)
    return found


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--suite", "chat_flow", "--limit", "12", "--repeats", "2"),
        ("--no-latest", "--noise-share", "0.5", "--notify-always", "--rules", "my gate.yaml"),
        ("--rubric", "it's mine.yaml", "--judge-model", "a", "--judge-model", "b", "--no-canaries"),
        ("--category", "crisis", "--tag", "smoke", "--seed", "5", "--judge-fallback", "include", "--model", "m"),
        ("--prompt", "penpal-companion@production", "--prompt", "coach's@v3"),
        ("--traces",),
        ("--traces", "--traces-days", "1.5", "--traces-environment", "live", "--traces-tag", "eu's"),
        ("--traces", "--traces-sample", "60", "--traces-requests-per-minute", "30"),
        ("--max-cost", "2", "--concurrency", "3", "--no-langfuse", "--temperature", "0.3"),
    ],
)
def test_pasted_it_asks_for_the_same_night(words: tuple[str, ...]) -> None:
    night = asked(*words)
    start, *rest = shlex.split(night.command().removeprefix("make "))
    assert start == "nightly"
    flags = shlex.split(rest[0].removeprefix("ARGS=")) if rest else []
    assert asked(*flags) == night
