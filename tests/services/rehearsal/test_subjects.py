"""The subject of a writing task is a noun phrase of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rehearsal.subjects import subjects


@pytest.mark.parametrize(
    ("task", "subject", "beside"),
    [
        ("Explain photosynthesis.", "photosynthesis", "everyday practice"),
        ("What is a murder of crows?", "the murder of crows", "everyday practice"),
        ("Write a poem about a naked mole rat.", "the naked mole rat", "everyday practice"),
        ("Explain how tides move the sea.", "tides", "the sea"),
        ("Explain how public key encryption works without formulas.", "public key encryption", "everyday practice"),
        ("Describe how bees dance in the dark.", "bees", "the dark"),
        ("List five ways to save water in an office building.", "water", "the office building"),
        ("Write instructions for treating a small kitchen burn.", "the small kitchen burn", "everyday practice"),
        ("Write a piece about a recipe that nobody wrote down.", "the recipe", "everyday practice"),
        ("Argue that schools should start later in the morning.", "schools", "the morning"),
        ("Summarise the tale of Little Red Riding Hood.", "Little Red Riding Hood", "everyday practice"),
        ("What are the advantages of remote work?", "remote work", "everyday practice"),
        ("Summarise it: the roofs raised by them cost the town too much.", "the roofs", "the town"),
        ("Explain in one sentence why it rains.", "the subject", "its setting"),
        ("", "the subject", "its setting"),
    ],
)
def test_subjects(task: str, subject: str, beside: str) -> None:
    assert subjects(task) == (subject, beside)


@given(st.text(max_size=200))
def test_any_task_has_a_subject(task: str) -> None:
    assert all(subjects(f"Explain {task}"))
