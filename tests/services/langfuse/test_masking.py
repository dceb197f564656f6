"""Texts that leave the machine: masked when asked for, never a key, and never too long to be stored."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.errors import UsageError
from services.langfuse.masking import outgoing
from services.langfuse_access import LangfuseAccess
from services.setting_sources import Sources
from services.settings import Settings, settings_of
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import (
    SINGLE,
    SPEC,
    decided,
    deliver,
    evaluated_run,
    failed,
    journaled,
    scored,
    settings_for,
)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to ann.lee+x@mail.example.org now", "write to [email] now"),
        ("call +49 (170) 123-4567 or not", "call [phone] or not"),
        ("call 555-0199-22", "call [phone]"),
        ("room 101, at 7:30", "room 101, at 7:30"),
        ("a@b", "a@b"),
        ("id AB123456 here", "id [masked] here"),
    ],
)
def test_masks(text: str, masked: str) -> None:
    fit = outgoing(Settings(mask=("email", "phone"), mask_pattern=r"\b[A-Z]{2}[0-9]{6}\b"))
    assert fit(text) == masked


def test_nothing_is_masked_unless_asked_for() -> None:
    assert outgoing(Settings())("ann@example.org +49 170 1234567") == "ann@example.org +49 170 1234567"


def test_keys_never_leave() -> None:
    access = LangfuseAccess("http://x", "pk-1", "sk-lf-secret")
    fit = outgoing(Settings(openai_api_key="sk-open", langfuse=access))
    assert fit("keys sk-open and sk-lf-secret") == "keys [key] and [key]"


@pytest.mark.parametrize("unit", ["a", "1", "a.", "a@", "1-", "+", "(", "a@b.", "@"])
def test_long_text_takes_linear_time(unit: str) -> None:
    """A pattern that backtracks would need hours for this; a machine under load still ends within seconds."""
    fit = outgoing(Settings(mask=("email", "phone")))
    started = time.process_time()
    fit(unit * (1_000_000 // len(unit)))
    assert time.process_time() - started < 60


def test_masks_reach_spans_scores_and_items(double: LangfuseDouble, tmp_path: Path) -> None:
    scenario = replace(SINGLE, turns=("I am ann@example.org",), note="knows ann@example.org")
    result = scored(scenario, 1, 1, text="Hello ann@example.org")
    assert result.verdict is not None
    verdict = replace(result.verdict, reasoning="greets ann@example.org", raw="ann@example.org")
    scores = tuple(score._replace(explanation="for ann@example.org") for score in result.scores)
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(scenario,))
    with journaled(tmp_path, run, [replace(result, verdict=verdict, scores=scores)]) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path, mask=("email",)))
    assert report.complete
    stored = repr([double.spans(), double.scores(), double.store.items])
    assert "ann@example.org" not in stored
    assert stored.count("[email]") > 8


def test_masks_reach_every_field_that_people_write(double: LangfuseDouble, tmp_path: Path) -> None:
    """Names, tags, metadata, errors, the judge's problem, the decision's reasons, the rubric."""
    address = "ann@example.org"
    scenario = replace(SINGLE, category=f"of {address}", audience=f"for {address}", tags=(address,), situation=address)
    other = replace(SINGLE, id="other")
    spec = replace(SPEC, repeats=1, model=f"model of {address}", parameters={"user": address})
    run = evaluated_run(spec=replace(spec, rubric=replace(SPEC.rubric, name=address)), scenarios=(scenario, other))
    result, broken = scored(scenario, 1, 1), failed(other, 1)
    assert result.verdict is not None
    assert broken.error is not None
    verdict = replace(result.verdict, parsed=False, problem=f"no JSON in {address}", model=address)
    error = replace(broken.error, message=f"no answer for {address}")
    exchange = replace(broken.exchange, outcome=error)
    results = [replace(result, verdict=verdict), replace(broken, error=error, exchange=exchange)]
    figures = decided("ab_test", f"because of {address}")
    with journaled(tmp_path, run, results) as journal:
        report = deliver(journal, run, settings_for(double, tmp_path, mask=("email",)), figures=figures)
    assert report.complete
    stored = repr([double.spans(), double.scores(), double.store.items, double.store.datasets, double.store.configs])
    assert "no answer for [email]" in stored
    assert "because of [email]" in stored
    assert address not in stored


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"LANGFUSE_MASK": "emails"}, "LANGFUSE_MASK is 'emails': choose from email, phone"),
        ({"LANGFUSE_MASK_PATTERN": "("}, "LANGFUSE_MASK_PATTERN is no regular expression"),
        ({"LANGFUSE_MASK_PATTERN": "a*"}, "LANGFUSE_MASK_PATTERN matches the empty text"),
    ],
)
def test_a_mask_that_cannot_work_is_refused(values: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings_of(Sources(values))
    assert str(caught.value).startswith(message)


def test_mask_settings_are_read() -> None:
    settings = settings_of(Sources({"LANGFUSE_MASK": "email, phone", "LANGFUSE_MASK_PATTERN": "x+"}))
    assert (settings.mask, settings.mask_pattern) == (("email", "phone"), "x+")
