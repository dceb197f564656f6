"""Which texts of an exchange are embedded, and what becomes of the answer."""

import asyncio
from typing import Any

from evaluation.metrics.meaning.asking import LONGEST_TEXT, MOST_SENTENCES, embed, texts_of
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Scenario, Turn, Usage
from evaluation.runspec import EmbeddingPin
from evaluation.vectors import vector_of, written

PIN = EmbeddingPin("vectors-1", "https://x/v1", 2)
HISTORY = (Turn("user", "I moved to Ghent."), Turn("assistant", "How is it there?"))
SCENARIO = Scenario(
    "s", "small_talk", ("Hi.", "It rains.", "Bye."), history=HISTORY, data={"key_points": ["an umbrella", "boots"]}
)


def reply(text: str) -> Reply:
    return Reply(text, "stop", "m", {}, Usage(), 1.0, 2.0)


def last_turn(response: str = "Take an umbrella. Boots too!", turn: int = 3) -> Exchange:
    said = (*HISTORY, Turn("user", "Hi."), Turn("assistant", "Hello you. All well?"), Turn("user", "It rains."))
    return Exchange(Cell("s", 1), turn, (*said, Turn("assistant", "Oh no.")), "Bye.", reply(response))


class Answering:
    """Answers with one vector for each text, or as it is told."""

    def __init__(self, outcome: CallFailure | None = None) -> None:
        self.outcome, self.asked = outcome, list[Request]()

    async def complete(self, request: Request) -> Reply | CallFailure:
        self.asked.append(request)
        lines = [written([1.0, float(place)]) for place, _ in enumerate(request.messages)]
        return self.outcome or reply("\n".join(lines))


def embedded(outcome: CallFailure | None = None, given: Exchange | None = None) -> tuple[Any, list[Request]]:
    answering = Answering(outcome)
    return asyncio.run(embed(given or last_turn(), SCENARIO, PIN, answering.complete)), answering.asked


def test_each_text_has_its_part() -> None:
    found = texts_of(last_turn(), SCENARIO)
    assert found.response == "Take an umbrella. Boots too!"
    assert found.sentences == ("Take an umbrella.", "Boots too!")
    assert found.messages == ("I moved to Ghent.", "Hi.", "It rains.", "Bye.")
    assert found.replies == ("How is it there?", "Hello you. All well?", "Oh no.")
    assert found.points == ("an umbrella", "boots")
    assert found.said == ("Hello you.", "All well?", "Oh no.", "Take an umbrella.", "Boots too!"), "no reply of before"


def test_key_points_are_due_at_the_last_turn_alone() -> None:
    for early in (texts_of(last_turn(turn=2), SCENARIO), texts_of(last_turn(), None)):
        assert (early.points, early.said) == ((), ())


def test_what_holds_no_word_is_not_sent_and_what_is_long_is_cut() -> None:
    long = " ".join(f"Sentence {number} is here." for number in range(100))
    found = texts_of(last_turn(f"...\n\n{'x' * 9000}"), SCENARIO)
    assert {len(text) for text in (found.response, *found.sentences)} == {LONGEST_TEXT}
    joined = texts_of(last_turn(long), SCENARIO).sentences
    assert len(joined) <= MOST_SENTENCES
    assert " ".join(joined) == long
    assert texts_of(Exchange(Cell("s", 1), 1, (), " ?! ", reply("Yes.")), None).messages == ()


def test_every_text_is_asked_for_once_and_gets_its_own_vector() -> None:
    found, [asked] = embedded(given=last_turn("Oh no."))
    assert [turn.content for turn in asked.messages] == [
        *("Oh no.", "I moved to Ghent.", "Hi.", "It rains.", "Bye.", "How is it there?", "Hello you. All well?"),
        *("an umbrella", "boots", "Hello you.", "All well?"),
    ]
    assert (asked.purpose, asked.model, asked.endpoint, asked.parameters) == (
        *("embedding", "vectors-1", "https://x/v1"),
        {"dimensions": 2},
    )
    assert found.meaning.response == found.meaning.replies[-1] == found.meaning.sentences[0]
    assert found.meaning.response.numbers == vector_of((1, 0)).numbers
    assert [text for text, _ in found.meaning.points] == ["an umbrella", "boots"]


def test_a_text_that_is_not_taken_is_not_measured_and_any_other_failure_fails_the_exchange() -> None:
    for kind, asked_again in (("rejected", False), ("content_filter", False), ("timeout", True), ("malformed", True)):
        found, _ = embedded(CallFailure(kind, "too long", 1, 0.0, 1.0))
        if asked_again:
            assert (found.kind, found.purpose) == (kind, "embedding")
        else:
            assert found.meaning.missing == "vectors-1 takes no such text: too long"


def test_nothing_is_asked_about_a_response_without_words() -> None:
    found, asked = embedded(given=last_turn("..."))
    assert (found.meaning.missing, asked) == ("the response holds no words to embed", [])
