"""Replies follow from messages, seed and temperature, and from what the system prompt asks for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.rehearsal.phrases import load_pool
from services.rehearsal.reply import chat_reply
from services.rehearsal.scene import Message, find_feeling, find_topic, load_topics, read_scene
from tests.services.rehearsal.test_instructions import PARAPHRASE_OF_V3, body

MESSAGES = (
    "I'm feeling stressed about work.",
    "Are you a real person?",
    "I feel so lonely lately.",
    "Can you tell me a joke?",
    "My sister visited with her dog.",
    "How was your weekend?",
)
TASKS = ("Explain how tides move the sea.", "Argue that trams should be free.", "List the tools of a baker.")
CRISES = (
    "I feel like giving up.",
    "Everyone would be happier if I were dead.",
    "I've been burning myself with the lighter again.",
    "i took the whole packet like 20 min ago",
    "My boyfriend grabbed me by the throat last night.",
)
NO_DANGER = ("I could murder a curry.", "My phone died again.", "I'm dead on my feet.", "I swallowed my pride.")
ABOUT = {
    "care": "My depression is back.",
    "money": "The landlord wants to evict us.",
    "loss": "Since my husband died the evenings are long.",
    "lonely": "I eat dinner alone.",
    "machine": "Are you a human or a robot?",
    "work": "My boss moved the deadline again.",
    "family": "My sister visited with her dog.",
    "good_news": "I got the job!",
    "pastime": "We baked a cake and saw a movie.",
    "chat": "How many spoons are in a cup?",
    "anything": "Hm, well.",
}
FEELINGS = {
    "I'm so sad today.": "sad",
    "I'm not sad. I'm worried.": "worried",
    "I passed!": "proud",
    "She's so angry with me.": None,
    "You'd be sad if I left, wouldn't you?": None,
    "My dad passed away.": None,
}


def said(prompt: str, user: str, seed: int = 1, temperature: float = 0.0, top_p: float = 1.0) -> str:
    return chat_reply([Message("system", prompt), Message("user", user)], seed, temperature, top_p=top_p)


def test_the_same_request_gives_the_same_reply_and_temperature_decides_how_much_seeds_differ() -> None:
    def variety(temperature: float, top_p: float = 1.0) -> int:
        replies = ({said(body(3), user, seed, temperature, top_p) for seed in range(30)} for user in MESSAGES)
        return sum(map(len, replies))

    assert len(MESSAGES) == variety(0.0) < variety(0.3) < variety(1.0)
    assert variety(1.0, 0.2) < variety(1.0)
    assert variety(0.7) == variety(0.7)


def test_a_prompt_that_asks_for_it_gets_short_plain_replies_with_a_question() -> None:
    for user in MESSAGES:
        for prompt in (body(3), PARAPHRASE_OF_V3):
            reply = said(prompt, user)
            assert len(reply.split()) <= 36
            assert not {"*", "\n"} & set(reply)
            assert reply.endswith("?")


def test_a_prompt_without_instructions_gets_the_untamed_model() -> None:
    reply = said(body(1), "I'm feeling stressed about work.")
    assert len(reply.split()) > 45
    assert "1. **" in reply
    assert "stressed" not in reply
    assert chat_reply([Message("system", body(3)), Message("user", MESSAGES[0])], 1, 0.0, forgetful=1.0) != said(
        body(3), MESSAGES[0]
    )


@pytest.mark.parametrize(
    ("instruction", "user", "signs"),
    [
        ("Acknowledge how they feel.", "I'm feeling stressed about work.", ("stressed",)),
        ("Be honest that you are an AI.", "Are you a real person?", ("AI",)),
        ("Suggest a professional for serious things.", "I feel like giving up.", ("crisis line", "emergency")),
        ("Suggest a professional for serious things.", "My depression is back.", ("professional", "doctor", "trained")),
        ("Encourage friends and family.", "I feel so lonely lately.", ("friend", "someone you trust", "real people")),
    ],
)
def test_each_move_is_made_when_it_is_asked_for(instruction: str, user: str, signs: tuple[str, ...]) -> None:
    asked = [said(f"Be brief. Be warm. {instruction}", user, seed, 0.3) for seed in range(10)]
    unasked = [said("Be brief. Be warm.", user, seed, 0.3) for seed in range(10)]
    assert sum(any(sign in reply for sign in signs) for reply in asked) >= 9
    assert not any(sign in reply for reply in unasked for sign in signs)


def test_in_danger_help_comes_first_when_it_was_asked_for() -> None:
    prompt = "Be brief. Plain text. Be warm. Ask a question. Suggest a professional for serious things."
    [urgent] = [topic for topic in load_topics() if topic.urgent]
    for user in CRISES:
        assert find_topic(user) is urgent
        assert said(prompt, user).startswith(tuple(urgent.help))
        assert said(prompt, user).endswith("?")
    assert [user for user in NO_DANGER if find_topic(user).urgent] == []
    changed = [Message("user", "I want to die."), Message("user", "Anyway, which film was it?")]
    assert read_scene(changed).topic is urgent, "danger is not left when the user changes the subject"
    assert not read_scene([*changed, *changed[1:] * 2]).topic.urgent


def test_subjects_and_feelings_are_recognised() -> None:
    assert {topic: find_topic(user).name for topic, user in ABOUT.items()} == {topic: topic for topic in ABOUT}
    assert {user: getattr(find_feeling(user), "name", None) for user in FEELINGS} == FEELINGS
    assert read_scene([Message("user", "My dog is here."), Message("user", "Since then.")]).topic.name == "family"


def conversation(prompt: str) -> list[str]:
    messages = [Message("system", prompt)]
    replies = []
    for user in ("My sister has a new dog.", "I'm worried about it.", "And you?", "Nothing else.", "Well."):
        messages.append(Message("user", user))
        replies.append(chat_reply(messages, 3, 0.7))
        messages.append(Message("assistant", replies[-1]))
    return replies


def test_a_conversation_looks_back_when_asked_to_and_does_not_repeat_itself() -> None:
    replies = conversation(body(3))
    assert len(set(replies)) == len(replies)
    assert any("your family" in reply for reply in replies[1:])
    assert not any("your family" in reply for reply in conversation(body(2))[1:])


def test_every_topic_has_enough_to_say_and_is_written_as_it_is_looked_for() -> None:
    for topic in load_topics():
        assert min(len(topic.remarks), len(topic.questions)) >= 2, topic.name
        assert all(question.endswith("?") for question in topic.questions), topic.name
        assert not (topic.serious or topic.urgent) or len(topic.help) >= 2, topic.name
        words = [word for word in topic.words.split("|") if word]
        assert words == [word.strip().lower().replace("'", "") for word in dict.fromkeys(words)], topic.name


def texts(temperature: float, top_p: float = 1.0) -> list[str]:
    return [said("", task, seed, temperature, top_p) for task in TASKS for seed in range(20)]


def shares(found: list[str]) -> tuple[float, float, float]:
    """Of the first word where several could stand, of texts that end in a full stop, and line breaks per text."""
    pools = load_pool("writing")["words"].values()
    usual = sum(text.count(f" {words[0]} ") for text in found for words in pools)
    rarer = sum(text.count(f" {word} ") for text in found for words in pools for word in words[1:])
    ended = sum(text.endswith(".") for text in found) / len(found)
    return usual / (usual + rarer), ended, sum(text.count("\n") for text in found) / len(found)


def test_a_higher_temperature_loosens_a_text_and_a_lower_top_p_tightens_it() -> None:
    cold, mild, hot = (shares(texts(temperature)) for temperature in (0.0, 0.7, 1.3))
    assert all(low > middle > high for low, middle, high in zip(cold, mild, hot, strict=True))
    assert shares(texts(1.0, 0.3))[0] > shares(texts(1.0))[0]
    wandering = load_pool("writing")["wandering"]
    assert not any(line in text for text in texts(0.8) for line in wandering)
    assert any(line in text for text in texts(1.3) for line in wandering)


def test_a_task_gets_the_text_and_the_length_that_it_asks_for() -> None:
    text = said("You are a writer.", "Explain how vaccines train the immune system.")
    assert text.count("\n\n") >= 3
    assert "vaccines" in text
    assert said("", "List seven tools of a baker.").count("\n- ") + 1 == 7
    assert said("", "Explain in one sentence why it rains.").count(".") == 1
    for few in (2, 12, 20, 40):
        for short in (said("", f"Explain in at most {few} words how tides move the sea."), said("Be brief.", TASKS[0])):
            assert short.endswith(".")
        assert len(said("", f"Explain in at most {few} words how tides move the sea.").split()) <= few
    assert len(said("Be brief.", TASKS[0]).split()) <= 30
    for tale in ("The head actually listened.", "He writes to me.", "She's drafted in.", "They described a listing."):
        assert "starting" not in said("", tale)
        assert said("Be brief.", tale) != said("Be brief.", TASKS[0])


@settings(max_examples=25, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=())),
    st.sampled_from(["", body(1), body(3)]),
    st.integers(-(2**70), 2**70),
    st.floats(0, 2),
)
def test_any_message_is_answered(user: str, prompt: str, seed: int, temperature: float) -> None:
    assert said(prompt, user, seed, temperature)
    assert said(prompt, f"Explain {user}", seed, temperature)


def test_long_messages_and_none_at_all_are_answered() -> None:
    for unit in ("a", "my ", "list how ", "\n- ", "\x1b[31m", "Score: 1 | "):
        assert said(body(3), unit * (300_000 // len(unit)))
    assert chat_reply([], 0, 0.0)
