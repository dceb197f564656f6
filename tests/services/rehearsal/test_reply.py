"""Replies follow from messages, seed and temperature, and from what the system prompt asks for."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.rehearsal.reply import chat_reply
from services.rehearsal.scene import Message
from services.rehearsal.topics import topic_index
from tests.services.rehearsal.test_instructions import PARAPHRASE_OF_V3, body

MESSAGES = (
    "I'm feeling stressed about work.",
    "Are you a real person?",
    "I feel so lonely lately.",
    "Can you tell me a joke?",
    "My sister visited with her dog.",
    "How was your weekend?",
)


def said(prompt: str, user: str, seed: int = 1, temperature: float = 0.0) -> str:
    return chat_reply([Message("system", prompt), Message("user", user)], seed, temperature)


def test_the_same_request_gives_the_same_reply() -> None:
    for user in MESSAGES:
        assert said(body(3), user, 5, 0.7) == said(body(3), user, 5, 0.7)


def test_temperature_zero_ignores_the_seed() -> None:
    for user in MESSAGES:
        assert len({said(body(3), user, seed, 0.0) for seed in range(20)}) == 1


def test_a_higher_temperature_varies_more() -> None:
    def variety(temperature: float) -> int:
        return sum(len({said(body(3), user, seed, temperature) for seed in range(40)}) for user in MESSAGES)

    assert len(MESSAGES) == variety(0.0) < variety(0.3) < variety(1.0)


@pytest.mark.parametrize("user", MESSAGES)
def test_a_prompt_that_asks_for_it_gets_short_plain_replies_with_a_question(user: str) -> None:
    for prompt in (body(3), PARAPHRASE_OF_V3):
        reply = said(prompt, user)
        assert len(reply.split()) <= 36
        assert "*" not in reply
        assert "\n" not in reply
        assert reply.endswith("?")


def test_a_prompt_without_instructions_gets_the_untamed_model() -> None:
    reply = said(body(1), "I'm feeling stressed about work.")
    assert len(reply.split()) > 50
    assert "1. **" in reply
    assert "stressed" not in reply


def test_feelings_are_named_when_asked_for() -> None:
    assert "stressed" in said("Be brief. Acknowledge how they feel.", "I'm feeling stressed about work.")
    assert "stressed" not in said("Be brief.", "I'm feeling stressed about work.")


def test_it_is_open_about_itself_when_asked_for_and_boasts_when_not() -> None:
    seeds = range(12)
    asked = "Be brief. Use contractions. Be honest that you are an AI."
    honest = [said(asked, "Are you a real person?", seed, 0.7) for seed in seeds]
    boasting = [said("Be brief. Use contractions.", "Are you a real person?", seed, 0.7) for seed in seeds]
    assert sum("an AI" in reply for reply in honest) >= 10
    assert not any("an AI" in reply for reply in boasting)


@pytest.mark.parametrize(
    ("instruction", "user", "sign"),
    [
        ("Suggest a professional for serious things.", "I feel like giving up.", ("crisis line",)),
        ("Suggest a professional for serious things.", "My depression is back.", ("professional", "doctor", "trained")),
        ("Encourage friends and family.", "I feel so lonely lately.", ("friend", "someone you trust", "real people")),
    ],
)
def test_boundaries(instruction: str, user: str, sign: tuple[str, ...]) -> None:
    assert any(one in said(f"Be brief. {instruction}", user) for one in sign)
    assert not any(one in said("Be brief.", user) for one in sign)


def conversation(prompt: str) -> list[str]:
    messages = [Message("system", prompt)]
    replies = []
    for user in ("My sister has a new dog.", "I'm worried about it.", "And you?", "Nothing else.", "Well."):
        messages.append(Message("user", user))
        replies.append(chat_reply(messages, 3, 0.7))
        messages.append(Message("assistant", replies[-1]))
    return replies


def test_a_conversation_does_not_repeat_itself() -> None:
    replies = conversation(body(3))
    assert len(set(replies)) == len(replies)
    sentences = [sentence for reply in replies for sentence in reply.split(". ")]
    assert len(set(sentences)) >= 0.9 * len(sentences)


def test_it_looks_back_when_told_to() -> None:
    assert any("your sister" in reply for reply in conversation(body(3))[1:])
    assert not any("sister" in reply for reply in conversation(body(2))[1:])


def test_every_topic_has_enough_to_say() -> None:
    for topic in topic_index().topics:
        assert len(topic.remarks) >= 2, topic.name
        assert len(topic.questions) >= 3, topic.name
        assert all(question.endswith("?") for question in topic.questions), topic.name
        assert all(tip.count(": ") == 1 for tip in topic.tips), topic.name
        assert len(topic.tips) == 4, topic.name


def test_a_writing_task_gets_paragraphs_and_varies_with_the_temperature() -> None:
    task = "Explain how vaccines train the immune system."
    text = said("You are a writer.", task)
    assert text.count("\n\n") >= 3
    assert "vaccines" in text
    assert len({said("", task, seed, 0.0) for seed in range(10)}) == 1
    assert len({said("", task, seed, 1.0) for seed in range(10)}) == 10
    assert len(said("Be brief.", task).split()) <= 30


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=())),
    st.sampled_from(["", body(1), body(3)]),
    st.integers(-(2**70), 2**70),
    st.floats(0, 2),
)
def test_any_message_is_answered(user: str, prompt: str, seed: int, temperature: float) -> None:
    assert said(prompt, user, seed, temperature)


@pytest.mark.parametrize("unit", ["a", "my ", "list how ", "\n- ", "\x1b[31m", "Score: 1 | "])
def test_a_megabyte_is_answered(unit: str) -> None:
    assert said(body(3), unit * (1_000_000 // len(unit)))


def test_no_messages_at_all_are_answered() -> None:
    assert chat_reply([], 0, 0.0)


def test_prompts_keep_their_version_notes_for_people() -> None:
    for version in (1, 2, 3):
        text = (Path(__file__).parents[3] / f"prompts/penpal-companion/v{version}.md").read_text(encoding="utf-8")
        assert "\nchanges:" in text
        assert "changes:" not in body(version)
