"""How rare words are, which words are forms of one, and what none of this loads before it is needed."""

import subprocess
import sys
import tracemalloc
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from io import BytesIO

import pytest

from evaluation.errors import UsageError
from evaluation.text import word_frequency
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of
from evaluation.text.word_frequency import KNOWN, word_ranks


def test_ranks_order_words_by_how_often_they_are_written() -> None:
    ranks = [word_ranks()[word] for word in ("the", "mother", "kettle", "cardigan")]
    assert ranks[0] == 1
    assert ranks == sorted(ranks)
    assert sorted(word_ranks().values()) == list(range(1, KNOWN + 1))
    assert "qwertz" not in word_ranks()


def test_the_list_takes_little_memory() -> None:
    tracemalloc.start()
    word_ranks.__wrapped__()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


class _Reader(Loader):
    def __init__(self, text: bytes | None) -> None:
        self.text = text

    def get_resource_reader(self, _package: str) -> "_Reader":
        return self

    def open_resource(self, name: str) -> BytesIO:
        if self.text is None:
            raise FileNotFoundError(name)
        return BytesIO(self.text)


@pytest.mark.parametrize("spec", [None, ModuleSpec("symspellpy", None), ModuleSpec("symspellpy", _Reader(None))])
def test_a_missing_list_is_an_error_of_one_line(spec: ModuleSpec | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: spec)
    with pytest.raises(UsageError, match=r"^the list of word frequencies is missing: .*; install symspellpy$"):
        word_frequency.word_ranks.__wrapped__()


def test_a_byte_order_mark_is_no_part_of_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleSpec("symspellpy", _Reader("\ufeffthe 9\nof 8\n".encode()))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: spec)
    assert word_frequency.word_ranks.__wrapped__() == {"the": 1, "of": 2}


def test_forms_of_a_word_have_one_stem() -> None:
    assert {stem_of(word) for word in ("cook", "cooks", "cooked", "cooking")} == {"cook"}
    assert stem_of("łódź") == "łódź"


def test_function_words_are_single_tokens_in_lower_case() -> None:
    assert all(word.isalnum() and word == word.lower() for word in FUNCTION_WORDS)


@pytest.mark.slow
def test_neither_is_loaded_with_the_cues() -> None:
    code = "import evaluation.metrics.scoring, sys; print([m for m in ('Stemmer', 'symspellpy') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
