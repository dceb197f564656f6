"""What a message is about, and whose feeling it speaks of."""

import pytest

from services.rehearsal.feelings import feeling_in
from services.rehearsal.reply import chat_reply
from services.rehearsal.scene import Message, read_scene, thing_in
from services.rehearsal.topics import Topic, topic_index
from tests.services.rehearsal.said_to_it import FEELINGS, NO_DANGER, SAID

POINTS = "Be brief. Plain text. Use contractions. Ask a question. Suggest a professional for serious things."


def topics_of(*users: str) -> str:
    return read_scene([Message("user", user) for user in users]).topic.name


@pytest.mark.parametrize(("topic", "user"), [(topic, user) for topic, users in SAID.items() for user in users])
def test_a_subject_is_recognised(topic: str, user: str) -> None:
    assert topic_index().best(user).name == topic


@pytest.mark.parametrize("user", NO_DANGER)
def test_what_only_sounds_like_danger_is_not_urgent(user: str) -> None:
    assert not topic_index().best(user).urgent


@pytest.mark.parametrize(("user", "name"), FEELINGS)
def test_a_feeling_is_named_when_it_is_the_users(user: str, name: str | None) -> None:
    feeling = feeling_in(user)
    assert (feeling.name if feeling else None) == name


def test_danger_comes_before_any_other_subject() -> None:
    assert topics_of("My dog, my cat, my horse and my rabbit are fine, my job too. I want to die.") == "crisis"


def test_danger_is_not_left_when_the_user_changes_the_subject() -> None:
    assert topics_of("I want to die.", "Anyway, which film was it?") == "crisis"
    assert topics_of("I want to die.", *["Tell me a joke."] * 3) == "joke"


def test_a_message_in_which_nothing_is_recognised_goes_on_with_the_subject() -> None:
    assert topics_of("My dog is ill.", "Since Tuesday.") == "pets"
    assert topics_of("Hello!", "Since Tuesday.") == "anything"


@pytest.mark.parametrize("urgent", [topic for topic in topic_index().topics if topic.urgent], ids=lambda one: one.name)
def test_in_danger_help_comes_first_when_it_was_asked_for(urgent: Topic) -> None:
    for user in SAID[urgent.name]:
        asked = [Message("system", POINTS), Message("user", user)]
        assert chat_reply(asked, 1, 0.0).startswith(urgent.help)
        assert chat_reply(asked, 1, 0.0).endswith("?")
        unasked = [Message("system", "Be brief."), Message("user", user)]
        assert not any(line in chat_reply(unasked, 1, 0.0) for line in urgent.help)


@pytest.mark.parametrize(
    ("message", "thing"),
    [
        ("I sold my old bike.", "your old bike"),
        ("And what about my Thursdays?", "your Thursdays"),
        ("MY SISTER IS HERE", "your sister"),
        ("My Polish neighbour's accent.", ""),
        ("It's on my mind.", ""),
        ("I do it my own way.", ""),
    ],
)
def test_a_thing_is_taken_up_when_it_is_a_whole_noun(message: str, thing: str) -> None:
    assert thing_in(message) == thing


@pytest.mark.parametrize(
    "sentence", ["The head actually listened.", "He writes to me.", "She's drafted in.", "They described a listing."]
)
def test_a_tale_is_no_writing_task(sentence: str) -> None:
    assert "act together" not in chat_reply([Message("user", sentence)], 1, 0.0)
    assert "depends on the starting conditions" not in chat_reply([Message("user", sentence)], 1, 0.0)


def test_every_label_and_word_is_in_the_form_that_is_looked_for() -> None:
    for topic in topic_index().topics:
        assert topic.label, topic.name
        assert [word for word in topic.words if word != word.lower() or word != word.strip()] == [], topic.name
        assert len(set(topic.words)) == len(topic.words), topic.name
        assert not topic.urgent or len(topic.help) >= 2, topic.name
