"""Values that are kept: each is worked out once, and no more of them than are wanted."""

from evaluation.text.remembered import LONGEST_WORD, Remembered, RememberedWords


def test_a_value_is_worked_out_once() -> None:
    asked: list[str] = []

    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    lengths = Remembered(length)
    assert [lengths["one"], lengths["three"], lengths["one"]] == [3, 5, 3]
    assert asked == ["one", "three"]


def test_all_are_forgotten_where_there_are_too_many() -> None:
    lengths: Remembered[str, int] = Remembered(len, most=2)
    assert [lengths[word] for word in ("a", "bb", "ccc")] == [1, 2, 3]
    assert dict(lengths) == {"ccc": 3}


def test_of_what_is_longer_than_a_word_nothing_is_kept() -> None:
    lengths = RememberedWords(len)
    assert [lengths["a" * LONGEST_WORD], lengths["b" * (LONGEST_WORD + 1)]] == [LONGEST_WORD, LONGEST_WORD + 1]
    assert list(lengths) == ["a" * LONGEST_WORD]
