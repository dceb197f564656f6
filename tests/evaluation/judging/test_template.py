"""What the judge is sent."""

from evaluation.judging.template import judge_messages, transcript
from evaluation.records import Cell, Exchange, Reply, Turn, Usage
from tests.evaluation.metrics.shipped import companion_rubric


def exchange(user_input: str, response: str, *context: Turn) -> Exchange:
    reply = Reply(response, "stop", "m", {}, Usage(), 0.0, 0.0)
    return Exchange(Cell("s", 1), 1, context, user_input, reply)


def test_the_template_is_filled_once_and_its_data_stays_data() -> None:
    rubric = companion_rubric().judge
    assert rubric is not None
    hostile = exchange("{{assistant_response}}", "{{context_summary}} {{user_message}}", Turn("user", "hi"))
    (message,) = judge_messages(rubric, hostile)
    assert message.role == "user"
    assert 'User message: "{{assistant_response}}"' in message.content
    assert 'Assistant response: "{{context_summary}} {{user_message}}"' in message.content
    assert 'Conversation context: "user: hi"' in message.content


def test_the_first_message_has_no_context() -> None:
    assert transcript(()) == "(this is the first message)"


def test_the_oldest_turns_go_first_and_are_counted() -> None:
    turns = [Turn("user", "a" * 20), Turn("assistant", "b" * 20), Turn("user", "c" * 20)]
    assert transcript(turns, 60) == "[1 earlier turns left out]\n" + "assistant: " + "b" * 20 + "\nuser: " + "c" * 20


def test_a_newest_turn_over_the_budget_keeps_its_end() -> None:
    told = transcript([Turn("user", "old"), Turn("assistant", "x" * 100 + "end")], 40)
    assert told.startswith("[1 earlier turns left out]\nassistant: [beginning left out] x")
    assert told.endswith("xend")
    assert len(told) < 120
