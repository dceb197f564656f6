"""Nights over several prompts: what goes on, what they come to, who hears of them, and hostile names."""

from dataclasses import replace

import pytest

from evaluation.nightly.night import Night, NightState
from evaluation.nightly.round import (
    ROUND,
    PromptNight,
    Round,
    false_alarms_a_month,
    round_goes_on,
    round_worth_posting,
    worst_code,
)
from evaluation.reports.junit import junit_xml
from evaluation.reports.markdown import MOST_BYTES, to_markdown
from evaluation.reports.rounds import describe_round, round_cases, round_headline, round_message
from evaluation.reports.terminal import to_terminal
from tests.evaluation.reports.hostile import EVIL

FAILED: NightState = "failed"
PROMPTS = ("a@production", "b@production")
FOUND = Round("20261120T020000Z-all", PROMPTS, {"limit": 3}, "ended", 0, dict(zip(PROMPTS, "xy", strict=True)))


def night(state: NightState = "ok", code: int | None = 0, prompt: str = "a", headline: str = "") -> Night:
    return Night("20261120T020000Z", prompt, {}, state, exit_code=code, headline=headline)


def watched(*states: NightState, earlier: NightState = "ok") -> list[PromptNight]:
    nights = [night(state, 0, f"prompt-{number}", f"prompt-{number}: said") for number, state in enumerate(states)]
    return [PromptNight(each.prompt, each, [night(earlier)]) for each in nights]


@pytest.mark.parametrize(
    ("found", "nights", "prompts", "arguments", "hours", "goes_on"),
    [
        (replace(FOUND, state="running"), [], PROMPTS, {"limit": 3}, 1, True),
        (replace(FOUND, state="interrupted"), [night()], PROMPTS, {"limit": 3}, 12, True),
        (replace(FOUND, state="interrupted"), [night()], PROMPTS, {"limit": 3}, 12.1, False),
        (FOUND, [night(), night("incomplete", 3)], PROMPTS, {"limit": 3}, 1, True),
        (FOUND, [night(), night("alarm", 1)], PROMPTS, {"limit": 3}, 1, False),
        (replace(FOUND, state="running"), [], PROMPTS[:1], {"limit": 3}, 1, False),
        (replace(FOUND, state="running"), [], PROMPTS, {"limit": 4}, 1, False),
    ],
)
def test_what_is_left_goes_on_under_the_same_arguments(
    found: Round, nights: list[Night], prompts: tuple[str, ...], arguments: object, hours: float, goes_on: bool
) -> None:
    assert round_goes_on(found, nights, prompts, arguments, hours) is goes_on


def test_the_exit_code_is_the_first_that_asks_for_something() -> None:
    for codes, worst in (((0, 0), 0), ((0, 1), 1), ((1, 3), 3), ((3, 2, 1), 2), ((0, None), 0)):
        assert worst_code([night(code=code) for code in codes]) == worst


def test_false_alarms_add_up() -> None:
    assert false_alarms_a_month(1) == pytest.approx(0.15), "what docs/nightly.md states of one prompt"
    assert false_alarms_a_month(replace(FOUND, watches=2).tests) == pytest.approx(0.6)


def test_its_record_is_read_back() -> None:
    assert ROUND.validate_python({**FOUND.to_json(), "later": 1}) == FOUND


def test_one_that_is_not_well_or_well_again_is_heard_of() -> None:
    assert not round_worth_posting(watched("ok", "ok"))
    assert round_worth_posting(watched("ok", "failed"))
    assert round_worth_posting(watched("ok", "ok", earlier="alarm"))


def test_the_message_names_those_that_are_not_well_and_is_bounded() -> None:
    some = round_message(FOUND, watched("ok", "alarm", "failed"), "https://example.org/run/1")
    assert "ALARM" in some["text"] and "3 prompts watched: 1 in alarm, 1 failed, 1 holding" in some["text"]
    said = some["blocks"][1]["text"]["text"]
    assert "prompt-1: said" in said and "prompt-2: said" in said and "prompt-0" not in said
    assert "<https://example.org/run/1|this night>" in said and "0.3 false alarms" in said
    again = round_message(FOUND, watched("ok", earlier="alarm"))
    assert "well again: prompt-0: said" in again["blocks"][1]["text"]["text"]
    many = round_message(FOUND, watched(*(FAILED,) * 40))
    assert "and 32 more prompts" in many["blocks"][1]["text"]["text"]


def test_hostile_names_steer_neither_terminal_nor_markdown_nor_chat() -> None:
    evil = replace(night("alarm", 1, EVIL, EVIL * 50), reasons=(EVIL, EVIL * 50), version=EVIL)
    found = [PromptNight(EVIL, evil, ())]
    record = replace(FOUND, prompts=(EVIL, "b"), nights={EVIL: "x"})
    document = describe_round(record, found)
    shown, page = to_terminal(document), to_markdown(document)
    assert "\x1b" not in shown and "\u202e" not in shown
    assert len(page.encode()) <= MOST_BYTES
    for line in page.splitlines():
        bare = "".join(line.split("`")[::2])
        assert not any(sign in bare for sign in ("<script", "@everyone", "](", "javascript", "evil.example"))
    message = str(round_message(record, found))
    assert "<!channel>" not in message and "<script" not in message
    assert "<script" not in junit_xml({"nights": round_cases(found)})


def test_what_was_not_begun_is_named() -> None:
    document = describe_round(replace(FOUND, nights={}), [])
    assert "b@production was not begun" in to_terminal(document).replace("`", "")


def test_each_prompt_is_a_test_case() -> None:
    cases = round_cases(watched("ok", "alarm", "no_baseline", "unmeasured"))
    assert [(bool(case.failure), bool(case.error)) for case in cases] == [
        (False, False),
        (True, False),
        (False, True),
        (True, False),
    ]
    assert round_headline(watched("ok")) == "1 prompt watched: 1 holding"
