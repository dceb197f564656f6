"""No long text keeps a rule, a check or a reader busy for longer than its length explains.

Each is given a processor time that linear work needs a small part of, and that quadratic work exceeds by far. What
other processes do to the machine has no part in it.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaluation.errors import EvaluationError
from evaluation.judging.checking import signs_of_injection
from evaluation.metrics.cues import CUES
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Turn
from evaluation.text.safe_text import printable, wrap
from evaluation.text.yaml_text import load_yaml
from scripts.run.load import load_rubric
from services.prompt_versions import parse_prompt
from tests.evaluation.chat_flow.made import flow, outcomes, recipe
from tests.evaluation.metrics.shipped import v3_rules
from tests.pages import text_of

LENGTH = 250_000
SECONDS = 5
"""Work that grows with the square takes a minute over so much text, and linear work half a second."""
UNITS = (
    *("a", " ", "\n", "a ", "a.", "1", "1/", "1 ", "-", "- a\n", "1. a\n", "#", "*a", "(", '"', "e\u0301", "\u200b"),
    *("you ", "min ", "no ", "without ", "free-", "gluten", "for 2 ", "Dr.", "?!", "a-", "'s", "\r\n", "| a ", "`"),
    *("\x00", "你", "\U0001f468\u200d", "&a ", "!t ", "*a: "),
)


def of(unit: str, length: int = LENGTH) -> str:
    return (unit * (length // len(unit) + 1))[:length]


@contextmanager
def within(seconds: int) -> Iterator[None]:
    def late(_number: int, _frame: object) -> None:
        raise AssertionError(f"still busy after {seconds} s: not linear")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_every_cue_is_one_of_a_rubric_that_is_tried() -> None:
    """tests/evaluation/metrics/test_explanations.py gives each metric of the first a quarter of a megabyte."""
    rubrics = text_of("evaluation/rubrics/companion.yaml") + text_of("evaluation/rubrics/companion-v3.yaml")
    assert [name for name in CUES if f"when: {name}" not in rubrics and f"{name}:" not in rubrics] == []


@pytest.mark.parametrize("unit", UNITS)
def test_the_cues_of_companion_v3_are_linear(unit: str) -> None:
    """A tenth of the length: a cue takes some hundred steps for each character, and quadratic work still a minute."""
    text = of(unit, LENGTH // 10)
    turns = (Turn("user", text), Turn("assistant", text))
    with within(SECONDS):
        assert v3_rules().scores(Utterance(text, text, turns))


@pytest.mark.parametrize("unit", UNITS)
def test_text_formulas_are_linear(unit: str) -> None:
    rules = rubric_rules(load_rubric("text_quality"))
    with within(SECONDS):
        rules.scores(Utterance("List three steps in 50 words.", of(unit)))
        rules.scores(Utterance(of(unit, LENGTH // 5), "A plain answer. It has two sentences."))


@pytest.mark.parametrize("unit", UNITS)
def test_checks_of_flows_are_linear(unit: str) -> None:
    """Every text of a flow at once, a fiftieth of the length each: half a second, and quadratic work a minute."""
    long = of(unit, LENGTH // 50)
    hostile = recipe(long, ingredients=[long, "rice"], steps=[long], time_minutes=20)
    with within(SECONDS):
        outcomes(flow(messages=(Turn("user", long),), options=(hostile,), selected=hostile))
        said = tuple(Turn(role, long[: LENGTH // 200]) for role in ("user", "assistant", "user", "assistant"))
        outcomes(flow(messages=said, options=(recipe(), hostile), selected=hostile))


@pytest.mark.parametrize("unit", UNITS)
def test_readers_and_writers_are_linear(unit: str) -> None:
    text = of(unit)
    with within(SECONDS):
        printable(text)
        wrap(text, 80, 4)
        signs_of_injection(text)
        for read in (lambda: load_yaml(text, "x.yaml"), lambda: parse_prompt(f"---\n{text}\n---\nHi", "x.md", ".md")):
            try:
                read()
            except EvaluationError as error:
                assert len(str(error)) < 1_000
