"""Checks of words, looked at by themselves."""

from collections.abc import Mapping

from evaluation.expectations.check import Checked, TextCheck
from evaluation.expectations.checks import prepare_check
from evaluation.metrics.utterance import Utterance


def look(name: str, settings: Mapping[str, object], response: str, user: str = "Hello.") -> Checked:
    """What a check finds in a response."""
    check = prepare_check(name, settings)
    assert isinstance(check, TextCheck)
    return check.look(Utterance(user, response), lambda _: {})
