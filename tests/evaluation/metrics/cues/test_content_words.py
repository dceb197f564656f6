"""Content words: where the words of a text stand, whether few are looked for or many."""

from evaluation.metrics.cues.content_words import FEW, place_of, places_of_words
from evaluation.metrics.utterance import Text


def test_many_words_are_found_where_each_by_itself_is() -> None:
    text = Text("Oat_milk, GOATS and a goat: " + " ".join(f"w{number}s w{number}" for number in range(FEW)), "response")
    words = ["milk", "goat", "oat", *(f"w{number}" for number in range(FEW))]
    assert places_of_words(text, words) == [place_of(text, word) for word in words]
    assert places_of_words(text, words[:2]) == [place_of(text, word) for word in words[:2]]
