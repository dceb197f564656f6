"""Longer texts: what the task asks for is heard, and a higher temperature loosens words, layout and endings."""

import pytest

from services.rehearsal.phrases import BRIEF, CLAUSES, OPENING, WANDERING, WORDS
from services.rehearsal.reply import chat_reply
from services.rehearsal.scene import Message, read_scene
from services.rehearsal.wishes import Wish, read_wish
from services.rehearsal.writing import is_writing_task

TASKS = (
    "Explain how tides move the sea.",
    "Argue that trams should be free.",
    "Compare wood with steel for bridges.",
    "Write a short story about a lost key.",
    "List the tools of a baker.",
    "Describe step by step how to plant a tree.",
)
SEEDS = range(25)


def texts(temperature: float, top_p: float = 1.0) -> list[str]:
    return [chat_reply([Message("user", task)], seed, temperature, top_p=top_p) for task in TASKS for seed in SEEDS]


def share_of_usual_words(found: list[str]) -> float:
    """Of the places where several words could stand: how often the first of them does."""
    usual = sum(text.count(f" {pool[0]} ") for text in found for pool in WORDS.values())
    rarer = sum(text.count(f" {word} ") for text in found for pool in WORDS.values() for word in pool[1:])
    return usual / (usual + rarer)


def shares(temperature: float) -> tuple[float, float, float, float]:
    """Of usual words, of texts that end in a full stop, of texts with a layout, and mean words."""
    found = texts(temperature)
    return (
        share_of_usual_words(found),
        sum(text[-1] == "." for text in found) / len(found),
        sum(text.count("\n") for text in found) / len(found),
        sum(len(text.split()) for text in found) / len(found),
    )


def test_a_higher_temperature_loosens_a_text() -> None:
    cold, mild, hot = shares(0.2), shares(0.7), shares(1.3)
    for place in range(3):
        assert cold[place] > mild[place] > hot[place]
    assert cold[3] < min(mild[3], hot[3])  # some of the hottest texts break off
    assert not any(line in text for text in texts(0.8) for line in WANDERING)
    assert any(line in text for text in texts(1.3) for line in WANDERING)


def test_at_temperature_zero_the_usual_words_stand_and_every_text_ends() -> None:
    found = texts(0.0)
    assert share_of_usual_words(found) > share_of_usual_words(texts(0.2))
    assert all(text.endswith(".") for text in found)


def test_a_lower_top_p_leaves_out_the_rarer_words() -> None:
    assert share_of_usual_words(texts(1.0, 0.3)) > share_of_usual_words(texts(1.0, 1.0))


@pytest.mark.parametrize(
    ("task", "wish"),
    [
        ("explain tides.", Wish("essay")),
        ("explain tides in about 150 words.", Wish("essay", words=150)),
        ("write in at most 60 words how to rest.", Wish("steps", words=60, at_most=True)),
        ("explain in one sentence why it rains.", Wish("short", sentences=1)),
        ("make the case for trams, in three paragraphs.", Wish("essay", paragraphs=3)),
        ("list ten questions for a cook.", Wish("list", items=10)),
        ("write a short story about rain.", Wish("story")),
        ("describe in 5000000 words the sea", Wish("essay")),
    ],
)
def test_wishes(task: str, wish: Wish) -> None:
    assert read_wish(task) == wish


@pytest.mark.parametrize("task", TASKS)
def test_a_task_gets_several_sentences(task: str) -> None:
    assert is_writing_task(read_scene([Message("user", task)]))
    assert chat_reply([Message("user", task)], 1, 0.0).count(".") >= 4


@pytest.mark.parametrize("limit", [10, 12, 16, 20, 25, 30, 45])
def test_a_limit_in_the_prompt_ends_at_a_sentence_end(limit: int) -> None:
    cut = []
    for task in (*TASKS, "What is a murder of crows?", "Write a poem about a naked mole rat."):
        for seed, temperature in ((1, 0.0), (1, 0.7), (2, 0.7), (3, 1.3), (4, 2.0)):
            messages = [Message("system", f"Answer in at most {limit} words."), Message("user", task)]
            text = chat_reply(messages, seed, temperature)
            if temperature < 1 and len(text.split()) > limit:
                cut.append(text)
            if not text.endswith((".", "?")) or not whole(text, task):
                cut.append(text)
    assert cut == []


def whole(text: str, task: str) -> bool:
    """True when every sentence is one of a pool to its end."""
    ends = {line.rstrip(".?").split()[-1] for pool in (OPENING, CLAUSES, BRIEF, WANDERING) for line in pool}
    fillings = {word for words in WORDS.values() for word in words} | set(task.rstrip(".?").split())
    last = {word.strip("{}").split()[-1] for word in ends} | {word.split()[-1] for word in fillings}
    return all(part.rstrip(".?").split()[-1] in last for part in text.split(". "))


def test_asked_for_lengths_are_met_when_cold() -> None:
    def said(task: str) -> str:
        return chat_reply([Message("user", task)], 1, 0.0)

    assert 130 <= len(said("Explain in about 150 words how tides move the sea.").split()) <= 175
    assert len(said("Explain in at most 40 words how tides move the sea.").split()) <= 40
    for few in range(2, 40):
        short = said(f"Explain in at most {few} words how tides move the sea.")
        assert len(short.split()) <= few
        assert short.endswith(".")
    assert said("Explain in one sentence why it rains.").count(".") == 1
    assert said("List seven tools of a baker.").count("\n- ") == 7
    assert said("Argue in three paragraphs that trams should be free.").count("\n\n") == 2
