"""The standard indices against published worked examples."""

import pytest

from evaluation.metrics.text.indices import flesch_kincaid_grade, flesch_reading_ease, hdd, mattr, mtld
from evaluation.metrics.text.prose import syllables
from evaluation.metrics.utterance import Utterance
from evaluation.records import Score
from tests.evaluation.metrics.text.shipped import rules, words

PLATYPUS = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."
"""Example of Wikipedia's article "Flesch-Kincaid readability tests": 13 words, 24 syllables, 37.5 and 11.3."""
NUMBERS = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 10, 11, 12, 13, 14, 15, 16, 13, 17, 18, 19, 20, 21, 22, 11, 23, 19, 24, 25,
    26, 13, 18, 27, 28, 29, 30, 31, 32, 33, 22, 34, 32, 35, 36, 37, 13, 29, 18, 12, 7, 38, 1, 34, 34, 32, 35,
)  # fmt: skip
"""The words of the example in the README of LexicalRichness (github.com/LSYS/LexicalRichness) as numbers."""
README = [str(number) for number in NUMBERS]


def measured(name: str, text: str) -> Score:
    return next(score for score in rules().scores(Utterance("", text)) if score.metric == name)


def test_the_flesch_tests() -> None:
    assert flesch_reading_ease(13, 1, 24) == pytest.approx(37.5, abs=0.05)
    assert flesch_kincaid_grade(13, 1, 24) == pytest.approx(11.3, abs=0.05)
    # 6 words of one syllable each: 206.835 - 6.09 - 84.6, the usual value of "The cat sat on the mat."
    assert flesch_reading_ease(6, 1, 6) == pytest.approx(116.145)
    assert flesch_kincaid_grade(6, 1, 6) == pytest.approx(-1.45)
    assert (flesch_reading_ease(1, 1, 1), flesch_kincaid_grade(1, 1, 1)) == pytest.approx((121.22, -3.4))


def test_the_flesch_tests_from_the_text() -> None:
    assert measured("flesch_reading_ease", PLATYPUS).value == pytest.approx(37.5, abs=0.05)
    assert measured("flesch_kincaid_grade", PLATYPUS).value == pytest.approx(11.3, abs=0.05)
    assert measured("flesch_reading_ease", "The cat sat on the mat.").value == pytest.approx(116.145)
    assert measured("flesch_reading_ease", PLATYPUS).explanation == "13 words, 1 sentence, 24 syllables"


def test_lexical_diversity_indices() -> None:
    assert mattr(README, 25) == pytest.approx(0.8351515151515151)
    assert mtld(README) == pytest.approx(46.79226361031519)
    assert hdd(README) == pytest.approx(0.7468703323966486)


def test_mtld_step_by_step() -> None:
    # of 1, the 1, people 1, by 1, the 0.8, people 0.667: a stretch ends; for the people 1, so that none of it is done.
    # Backwards: people, the, for, people 0.75, the 0.6; by, people, the, of: none. 9 words, 1 stretch, both ways.
    assert mtld(["of", "the", "people", "by", "the", "people", "for", "the", "people"]) == pytest.approx(9.0)
    # the people for the 0.75 people 0.6: 5 words, 1 stretch; the same backwards.
    assert mtld(["the", "people", "for", "the", "people"]) == pytest.approx(5.0)
    assert mtld(["a", "b", "c"]) is None
    assert mtld(["a"] * 4) == pytest.approx(2.0)


def test_mattr_is_the_mean_over_all_windows() -> None:
    for window in [2, 3, 7, 57]:
        shares = [len(set(README[start : start + window])) / window for start in range(len(README) - window + 1)]
        assert mattr(README, window) == pytest.approx(sum(shares) / len(shares)), window


def test_hdd_at_its_ends() -> None:
    assert hdd(README, draws=57) == pytest.approx(39 / 57)  # all words drawn: the plain share
    assert hdd(["a"] * 42) == pytest.approx(1 / 42)
    assert hdd(words(60).split()) == pytest.approx(1.0)


def test_short_texts_have_no_value() -> None:
    cases: list[tuple[str, int, str]] = [
        ("mtld", 49, "49 words: needs at least 50"),
        ("mtld", 50, "no word comes twice, so that no stretch ends"),
        ("hdd", 41, "41 words: needs at least 42"),
        ("mattr", 49, "49 words: needs at least 50"),
    ]
    for name, count, reason in cases:
        score = measured(name, words(count))
        assert (score.value, score.reason, score.applicable) == (None, reason, False), (name, count, reason)


def test_measures_stand_beside_the_overall() -> None:
    scores = rules().scores(Utterance("", PLATYPUS))
    assert [score.metric for score in scores if score.source == "measure"] == [
        "flesch_reading_ease", "flesch_kincaid_grade", "mtld", "hdd", "mattr",
    ]  # fmt: skip
    overall = next(score for score in scores if score.metric == "overall")
    assert "flesch" not in overall.explanation


def test_syllables() -> None:
    cases: list[tuple[str, int]] = [
        ("the", 1),
        ("about", 2),
        ("people", 2),
        ("table", 2),
        ("makes", 1),
        ("walked", 1),
        ("wanted", 2),
        ("changes", 2),
        ("university", 5),
        ("information", 4),
        ("platypus", 3),
        ("don't", 1),
        ("x", 1),
        ("42", 1),
        ("a" * 100_000, 1),
    ]
    for word, count in cases:
        assert syllables(word) == count, (word, count)
