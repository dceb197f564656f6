"""Which language a text is in, by a table that was written before there was code for it; what is misread is named."""

import os
import subprocess
import sys

import pytest
import yaml

from evaluation.languages.detect import NOTHING, Seen, detect_language
from evaluation.languages.spoken import Languages
from evaluation.metrics.lookup import languages_of
from evaluation.metrics.utterance import Utterance, fold, tokens_of
from evaluation.records import Turn
from tests.evaluation.languages.reading import FOLDER

MISREAD = {
    # French by one word or letter that English borrows: not sure, and so English unless the reply is French too.
    "déjà vu": "fr",
    "C'est la vie, I guess": "fr",
    "AI": "fr",
    # The end of a web address is a word of Portuguese.
    "https://example.com": "pt",
    # More letters of names in Latin than characters of Chinese.
    "我在用 iPhone 看 Netflix": "en",
}
"""Texts of the table that are read as another language than they are in."""
SURELY_MISREAD: frozenset[str] = frozenset()
"""Those of them that are scored by the wrong pack whatever else is said."""


def seen(text: str) -> Seen:
    folded = fold(text)
    return detect_language(folded, frozenset(tokens_of(folded)))


def test_the_language_of_each_text_of_the_table_is_recognised_but_for_those_that_are_named() -> None:
    table = yaml.safe_load((FOLDER / "detection.yaml").read_text("utf-8"))
    entries = [("no" if language is False else language, text) for part in table.values() for language, text in part]
    assert len(entries) >= 150 and len({language for language, _ in entries}) >= 25
    read = {text: seen(text) for _, text in entries}
    wrong = {
        text: read[text].language or "en" for language, text in entries if (read[text].language or "en") != language
    }
    assert wrong == MISREAD
    assert {text for text in wrong if read[text].sure} == SURELY_MISREAD


def exchange(message: str, reply: str, *before: str) -> Languages:
    turns = [Turn("user" if place % 2 == 0 else "assistant", text) for place, text in enumerate(before)]
    return languages_of(Utterance(message, reply, turns))


def test_an_exchange_in_english_goes_on_being_english() -> None:
    english = "That sounds lovely, and I would like to hear more about what you did there."
    for message in (
        *("hi", "lol", "🙂", "", "AI", "déjà vu", "ciao", "gracias!", "José", "C'est la vie, I guess"),
        *("my abuela says no es broma", "https://example.com/de", "3", "Rio de Janeiro", "omg si", "ich"),
    ):
        assert exchange(message, english).scored("en") == "en", message
        assert exchange(message, "").scored("en") == "en", message


def test_a_sentence_in_another_language_does_not_change_that_of_a_conversation() -> None:
    message, reply = "Nos quedamos callados porque él no quería hablar de eso.", "What made you go so quiet?"
    assert exchange(message, reply).scored("en") == "es"
    assert exchange(message, reply, "I called him, and he picked up at once.", "And then?").scored("en") == "en"


def test_the_message_goes_before_the_reply_and_a_name_before_both() -> None:
    german, english = seen("Ich bin traurig und weiß nicht weiter."), seen("I am sad, and what should I do now?")
    assert Languages("", german, english).scored("en") == "de"
    assert Languages("fr", german, english).scored("en") == "fr"
    assert Languages("", NOTHING, german).scored("en") == "de"
    assert Languages("", NOTHING, NOTHING).scored("ja") == "ja"


def test_a_word_in_characters_that_chinese_and_japanese_share_leaves_the_language_to_the_other_text() -> None:
    japanese, chinese = "そうですか。今日はどんな一日でしたか？", "这样啊，你今天过得怎么样？"
    for word in ("大丈夫", "東京", "了解", "結婚"):
        assert exchange(word, japanese).scored("en") == "ja", word
        assert exchange(word, chinese).scored("en") == "zh", word
        assert exchange(word, japanese).match() is None, word
    english = "That sounds hard, and I would like to hear more about it."
    for message in ("我很难过", "你好吗", "谢谢", "我失业了"):
        assert exchange(message, english).match() is False, message


def test_two_weak_signs_of_one_language_are_enough() -> None:
    assert not seen("Danke").sure
    assert exchange("Danke", "Gerne").scored("en") == "en"
    assert exchange("Danke", "Bitte").scored("en") == "de"


def test_a_reply_matches_where_both_are_known_and_alike() -> None:
    german, english = seen("Ich bin traurig und weiß nicht weiter."), seen("I am sad, and what should I do now?")
    unknown = Seen("unknown", sure=True)
    assert Languages("", german, english).match() is False
    assert Languages("", german, german).match() is True
    assert Languages("", NOTHING, german).match() is None
    assert Languages("", german, NOTHING).match() is None
    assert Languages("", unknown, unknown).match() is None
    assert Languages("", german, english).match("en") is True


TIES = ("os era he на tak tu meu", "på este din a os as que", "de la par en on me", "en de la si no me te se")
"""Texts whose words several languages have."""
PRINT_TIES = f"""
from evaluation.languages.detect import detect_language
from evaluation.metrics.utterance import fold, tokens_of
print([detect_language(fold(text), frozenset(tokens_of(fold(text)))) for text in {TIES!r}])
"""


@pytest.mark.slow
def test_the_order_of_a_set_decides_nothing() -> None:
    """Which a process chooses at its start."""
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT_TIES],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1
