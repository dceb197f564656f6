"""The check for near-copies finds what a lazy author would write."""

import pytest

from tests.evaluation.scenarios.near_copies import contained, near_copies, shared, words

FAILED = "I failed my driving test and now I feel stupid."


def test_shares_worked_out_by_hand() -> None:
    cases: list[tuple[str, str, float, float]] = [
        ("", "", 0.0, 0.0),
        ("", "a", 0.0, 0.0),
        ("a b", "c d", 0.0, 0.0),
        ("a b c", "B, c; D!", 0.5, 2 / 3),
        ("I'm here", "i’m HERE.", 1.0, 1.0),
        ("a b", "a b c d", 0.5, 1.0),
    ]
    for one, other, share, containment in cases:
        assert shared(words(one), words(other)) == shared(words(other), words(one)) == pytest.approx(share), (
            one,
            other,
            share,
            containment,
        )
        assert (
            contained(words(one), words(other)) == contained(words(other), words(one)) == pytest.approx(containment)
        ), (one, other, share, containment)


def test_a_swapped_word_or_order_is_found_and_another_story_is_not() -> None:
    cases: list[tuple[str, bool]] = [
        ("I failed my maths test and now I feel stupid.", True),
        ("And now I feel stupid: I failed my driving test!", True),
        ("I failed my driving test and now I feel awful, thick.", True),
        ("My brother laughed when the examiner told me to stop the car.", False),
    ]
    for other, found in cases:
        assert near_copies([("a", FAILED), ("b", other)], share=0.5) == ([("a", "b")] if found else []), (other, found)


def test_a_lengthened_text_is_found_by_containment_alone() -> None:
    longer = FAILED + " So tonight the whole family is coming round for tea with a cake that says well done on it."
    assert near_copies([("a", FAILED), ("b", longer)], share=0.5) == []
    assert near_copies([("a", FAILED), ("b", longer)], share=0.5, containment=0.8) == [("a", "b")]


def test_texts_of_one_owner_and_short_texts_are_not_compared() -> None:
    texts = [("a", FAILED), ("a", FAILED), ("b", "Hi"), ("c", "Hi")]
    assert near_copies(texts, share=0.5, fewest=2) == []
    assert near_copies(texts, share=0.5) == [("b", "c")]
