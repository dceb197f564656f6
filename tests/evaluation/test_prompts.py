"""How a template is filled, and what is said of what would be left over."""

import pytest

from evaluation.errors import UsageError
from evaluation.plan import check_prompt
from evaluation.prompts import PromptVersion, variables_in
from evaluation.records import Json, Turn
from evaluation.runspec import PromptPin

EXAMPLES = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "{{name}}."}]
SAID = (Turn("user", "Hi {{name}}"),)
SYSTEM = Turn("system", "You are {{name}}.")


def prompt(*messages: Turn, **variables: Json) -> PromptVersion:
    pin = PromptPin(name="bot", version=1, label=None, sha256="0" * 64, source="file")
    return PromptVersion(pin, "chat", messages, {"variables": variables}, variables_in(messages))


def test_a_placeholder_takes_messages_from_the_config_and_they_are_filled() -> None:
    given = prompt(
        SYSTEM, Turn("placeholder", "examples"), Turn("placeholder", "history"), Turn("user", "Be brief."),
        name="Ada", examples=EXAMPLES,
    )  # fmt: skip
    check_prompt(given, ())
    assert given.fill(given.own_values, SAID) == (
        *(Turn("system", "You are Ada."), Turn("user", "Who?"), Turn("assistant", "Ada.")),
        *(*SAID, Turn("user", "Be brief.")),
    )


def test_all_that_would_be_left_over_is_named_at_once() -> None:
    given = prompt(
        Turn("system", "{{tone}} {{#if x}}"), Turn("placeholder", "shots"), Turn("placeholder", "examples"),
        examples=[{"role": "user", "content": "{{mood}}"}],
    )  # fmt: skip
    with pytest.raises(UsageError) as caught:
        check_prompt(given, ())
    said = str(caught.value)
    assert all(part in said for part in ("'{{#if x}}'", "{{mood}}, {{tone}}, which are", "the placeholder 'shots',"))


@pytest.mark.parametrize(
    "value",
    ["text", [{"role": "user"}], [{"role": "tool", "content": "a"}], [{"role": "user", "content": "a", "b": 1}]],
)
def test_a_placeholder_is_refused_messages_of_another_form(value: Json) -> None:
    with pytest.raises(UsageError, match="the placeholder 'examples'"):
        check_prompt(prompt(SYSTEM, Turn("placeholder", "examples"), name="Ada", examples=value), ())


def test_messages_in_the_place_of_the_conversation_are_refused() -> None:
    with pytest.raises(UsageError, match="holds messages for history, where the conversation stands"):
        check_prompt(prompt(SYSTEM, Turn("placeholder", "history"), name="Ada", history=EXAMPLES), ())
