"""A pack as its file says it, and packs of a team's own beside the shipped ones."""

from collections.abc import Iterator
from importlib.resources import files

import pytest

from evaluation.errors import ParseError, UsageError
from evaluation.languages import packs
from evaluation.languages.pack import LIST_NAMES, Pack, parse_pack
from evaluation.languages.packs import pack_of, shipped_languages, use_own_packs
from evaluation.text.forms import SourceText

GERMAN = (files("evaluation.languages") / "de.yaml").read_text("utf-8")


def parsed(*changes: tuple[str, str]) -> Pack:
    text = GERMAN
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return parse_pack(SourceText(text, "own.yaml"))


@pytest.fixture(autouse=True)
def _none_of_ones_own() -> Iterator[None]:
    yield
    use_own_packs(())


def test_what_is_wrong_with_a_pack_is_one_line_with_its_place() -> None:
    for old, new, said in (
        ("matches: word_start", "matches: begins", "own.yaml:8: matches: 'begins'"),
        ("stop_words:", "stopwords:", "unknown key 'stopwords'; did you mean 'stop_words'?"),
        ("scripts: [Latin]", "scripts: [Latn]", "'Latn': is no script that is known here"),
        ("by: spaces", "by: characters", "characters_per_word stands beside by: characters, and there alone"),
        ('open_marks: [","', 'open_marks: [".", ","', "'.' is both in sentence_ends and in open_marks"),
        ("language: de", "language: german", "language: 'german'"),
        ("  transitions:\n    [jedoch,", "  transitions:\n    ['!?', jedoch,", "holds no letter or digit"),
        ("review_wanted:", "note:", "unknown key 'note'"),
    ):
        with pytest.raises(ParseError) as caught:
            parsed((old, new))
        message = str(caught.value)
        assert message.startswith("own.yaml") and said in message and "\n" not in message, (message, said)


def test_every_shipped_pack_can_be_read_and_has_every_list() -> None:
    assert {"de", "en", "es", "fr", "it", "ja", "pt", "zh"} <= set(shipped_languages())
    for language in shipped_languages():
        pack = pack_of(language)
        assert pack is not None and pack.language == language and pack.review_wanted
        assert all(isinstance(pack.phrases(name), tuple) for name in LIST_NAMES)
        assert pack.help_lines
        assert all(line.source.startswith("https://") for line in pack.help_lines.values())


def test_a_pack_of_ones_own_stands_beside_the_shipped_ones_or_in_their_place() -> None:
    own = parsed(("name: German", "name: Our German"))
    polish = parsed(("language: de", "language: pl"), ("name: German", "name: Polish"))
    before = packs.generation()
    use_own_packs([(own, "de.yaml"), (polish, "pl.yaml")])
    assert packs.generation() > before
    assert pack_of("de") is own and pack_of("pl") is polish and "pl" in packs.languages()
    (of_german, of_polish) = packs.own_packs()
    assert of_german.startswith("pack de ") and of_polish.startswith("pack pl ")
    use_own_packs([(own.model_copy(update={"name": "German again"}), "de.yaml")])
    assert packs.own_packs() != (of_german,)
    use_own_packs(())
    assert pack_of("pl") is None and packs.own_packs() == ()


def test_english_and_two_of_one_language_are_refused() -> None:
    english = packs.english()
    with pytest.raises(UsageError, match=r"en\.yaml: the lists of English are those of the rubrics"):
        use_own_packs([(english, "en.yaml")])
    with pytest.raises(UsageError, match=r"b\.yaml: another file is of language 'de' too"):
        use_own_packs([(parsed(), "a.yaml"), (parsed(), "b.yaml")])
