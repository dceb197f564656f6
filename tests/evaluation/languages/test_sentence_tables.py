"""Each pack against the sentences that were written for it before it was, by the rules that use its lists."""

from collections import Counter

import pytest

from evaluation.languages.pack import LIST_NAMES
from evaluation.languages.packs import shipped_languages
from tests.evaluation.languages.reading import FOLDER, claims, table

WITH_TABLE = tuple(language for language in shipped_languages() if (FOLDER / f"{language}.yaml").exists())
NOT_YET = {
    # A sentence is cut at an abbreviation that sentencex does not know in the language, and within a quotation.
    ("fr", "sentences 2", "M. Dupont arrive à dix heures. Ça vous va ?"),
    ("es", "sentences 1", "Vale, nos vemos a las 8.30 h en el n.º 5."),
    ("zh", "sentences 1", "她說：「快點來！」然後掛了電話。"),
    # White space parts a mark from its word in French, and is taken for the end of a word.
    ("fr", "words 5", "Tu veux qu'on en parle ?"),
    ("fr", "words 4", "Tu viens ? Super ! J'arrive…"),
    # Polite address is looked for within a sentence alone, where a capital says something.
    ("fr", "says formal_address", "Voulez-vous que je reste en ligne ?"),
    # Of the sentences to which no list is fitted.
    ("fr", "says question_offers", "As-tu envie de me raconter ta journée ?"),
    ("zh", "says boundary_phrases", "也许今晚可以给朋友打个电话。"),
}
"""What is known to be missed: (language, what the entry says, its text)."""


def test_there_is_a_table_for_the_packs_whose_author_wrote_one() -> None:
    assert set(WITH_TABLE) >= {"es", "fr", "pt", "it", "zh"}


@pytest.mark.parametrize("language", WITH_TABLE)
def test_a_pack_finds_what_its_sentences_say(language: str) -> None:
    wrong = {
        (language, claim.what, claim.text)
        for part in ("table", "held_out")
        for claim in claims(language, part)
        if not claim.holds
    }
    assert wrong - NOT_YET == set()


@pytest.mark.parametrize("language", WITH_TABLE)
def test_a_table_is_large_names_lists_that_there_are_and_looks_at_both_sides(language: str) -> None:
    for part, fewest in (("table", 40), ("held_out", 15)):
        entries = table(language, part)
        assert len(entries) >= fewest
        assert len({entry["text"] for entry in entries}) == len(entries)
        sides = Counter(side for entry in entries for side in ("says", "not") for _ in entry.get(side, ()))
        assert sides["says"] >= 15 and sides["not"] >= 1
        assert {name for entry in entries for side in ("says", "not") for name in entry.get(side, ())} <= {*LIST_NAMES}
        assert not any(entry.keys() - {"text", "says", "not", "sentences", "words", "asks"} for entry in entries)
