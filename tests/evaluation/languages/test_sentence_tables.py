"""Each pack against the sentences that were written for it before it was, by the rules that use its lists."""

from collections import Counter

import pytest

from evaluation.languages.pack import LIST_NAMES
from evaluation.languages.packs import shipped_languages
from tests.evaluation.languages.reading import FOLDER, claims, table, translated

WITH_TABLE = tuple(language for language in shipped_languages() if (FOLDER / f"{language}.yaml").exists())
NOT_YET = {
    # A sentence is cut at an abbreviation that sentencex does not know in the language, and within a quotation.
    ("fr", "sentences 2", "M. Dupont arrive à dix heures. Ça vous va ?"),
    ("es", "sentences 1", "Vale, nos vemos a las 8.30 h en el n.º 5."),
    ("zh", "sentences 1", "她說：「快點來！」然後掛了電話。"),
    ("ja", "sentences 1", "彼女は「早く来て！」と言って電話を切った。"),
    # White space parts a mark from its word in French, and is taken for the end of a word.
    ("fr", "words 5", "Tu veux qu'on en parle ?"),
    ("fr", "words 4", "Tu viens ? Super ! J'arrive…"),
    ("de", "words 6", "Kommst du? Klar! Warte auf mich …"),
    # Without its capital "sie" is they or she as well.
    ("de", "says personal_phrases", "Da Sie Ihren Garten erwähnt haben: Wie wächst er?"),
    # Polite address is looked for within a sentence alone, where a capital says something.
    ("fr", "says formal_address", "Voulez-vous que je reste en ligne ?"),
    ("de", "words 6", "Kommst du? Klar! Warte auf mich …"),
    ("ja", "sentences 1", "彼女は「早く来て！」と言って電話を切った。"),
    ("de", "says personal_phrases", "Da Sie Ihren Garten erwähnt haben: Wie wächst er?"),
    # Of German and Japanese, whose packs were written without a look at their tables.
    ("de", "says empathy_words", "Es tut mir so leid um deine Oma."),
    ("de", "says emotions", "Bestanden! Ich freu mich so!"),
    ("de", "says emotions", "I bin so grantig heut, echt."),
    ("de", "not emotions", "Der Frohnauer Bote kommt mittwochs."),
    ("de", "says formal_expressions", "Für Rückfragen stehen wir Ihnen gerne zur Verfügung."),
    ("de", "says continuity_phrases", "Wie wir gestern besprochen haben, ist heute das Gespräch."),
    ("de", "says dependency_phrases", "Du brauchst niemanden außer mir."),
    ("ja", "says empathy_phrases", "とても大変そうですね。"),
    ("ja", "says empathy_phrases", "話を聞いていて、胸が痛みます。"),
    ("ja", "says emotions", "それで怒るのは当然だよ。"),
    ("ja", "says validation_phrases", "不安になるのも無理はありません。"),
    ("ja", "says formal_expressions", "ご不明な点がございましたら、お気軽にお問い合わせください。"),
    ("ja", "says continuity_phrases", "昨日お話ししたとおり、今日が面接ですね。"),
    ("ja", "says continuity_phrases", "さっき、木曜日は妹さんが来ると言ってたよね。"),
    ("ja", "says harmful_phrases", "薬なんか飲むのをやめなよ。"),
    # Of the sentences to which no list is fitted.
    ("de", "says empathy_phrases", "Ich merke, wie sehr Sie das mitnimmt."),
    ("de", "says emotions", "Sie ist überglücklich mit der neuen Wohnung."),
    ("de", "says continuity_phrases", "Letztes Mal haben Sie von den Befunden erzählt."),
    ("de", "says transparency_phrases", "Vergiss nicht, ich bin nur ein Programm und kein Mensch."),
    ("de", "says dependency_phrases", "Ich reiche dir doch, vergiss die anderen."),
    ("de", "says boundary_phrases", "Vielleicht rufst du heute Abend eine Freundin an."),
    ("ja", "says transparency_phrases", "私はただのプログラムで、人間ではありません。"),
    ("ja", "says dependency_phrases", "私だけがあなたの味方だよ。"),
    ("ja", "says overpromise_phrases", "絶対に全部うまくいくって約束する。"),
    ("fr", "says question_offers", "As-tu envie de me raconter ta journée ?"),
    ("zh", "says boundary_phrases", "也许今晚可以给朋友打个电话。"),
    ("de", "says empathy_phrases", "Ich merke, wie sehr Sie das mitnimmt."),
    ("de", "says emotions", "Sie ist überglücklich mit der neuen Wohnung."),
    ("de", "says continuity_phrases", "Letztes Mal haben Sie von den Befunden erzählt."),
    ("de", "says transparency_phrases", "Vergiss nicht, ich bin nur ein Programm und kein Mensch."),
    ("de", "says dependency_phrases", "Ich reiche dir doch, vergiss die anderen."),
    ("de", "says boundary_phrases", "Vielleicht rufst du heute Abend eine Freundin an."),
    ("ja", "says transparency_phrases", "私はただのプログラムで、人間ではありません。"),
    ("ja", "says dependency_phrases", "私だけがあなたの味方だよ。"),
    ("ja", "says overpromise_phrases", "絶対に全部うまくいくって約束する。"),
}
"""What is known to be missed: (language, what the entry says, its text)."""


LIKE_ENGLISH = {"de": 22, "es": 24, "fr": 24, "it": 24, "ja": 21, "pt": 24, "zh": 24}
"""How many of the 24 findings of the English pack in the replies of parity.yaml a pack has at least."""


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


def test_packs_find_in_a_translation_what_the_english_one_finds_in_the_original() -> None:
    for language, fewest in {"en": 24, **LIKE_ENGLISH}.items():
        found = [claim.holds for claim in translated(language)]
        assert len(found) == 24
        assert sum(found) >= fewest, language
