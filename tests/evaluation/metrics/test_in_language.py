"""Exchanges in other languages than the rubric's: by the lists of their pack, or with a reason and no value."""

from unicodedata import normalize

import pytest

from evaluation.errors import ParseError
from evaluation.languages.packs import pack_of
from evaluation.metrics.lookup import SpokenIn, build_scorer, spoken_in
from evaluation.metrics.scoring import check_rules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Reply, Score, Usage
from evaluation.rubrics.from_pack import FromPack, in_language
from evaluation.rubrics.loader import parse_rubric
from evaluation.text.forms import SourceText
from tests.evaluation.metrics.shipped import companion_rubric, v3_rubric
from tests.evaluation.metrics.text.shipped import TEXT

SCORE = build_scorer(companion_rubric())


def exchange(message: str, reply: str, language: str = "") -> Exchange:
    answer = Reply(reply, "stop", "", {}, Usage(), 0.0, 0.0)
    return Exchange(Cell("a", 1), 1, (), message, answer, language=language)


def scores(message: str, reply: str, language: str = "") -> dict[str, Score]:
    return {each.metric: each for each in SCORE(exchange(message, reply, language))}


def of_text(reply: str) -> dict[str, Score]:
    score = build_scorer(parse_rubric(SourceText(TEXT, "text_quality.yaml"), check_rules))
    return {each.metric: each for each in score(exchange("", reply))}


def test_a_feeling_is_taken_up_in_chinese() -> None:
    found = scores("我很难过", "听起来你真的很难过，我能理解。想跟我说说发生了什么吗？")
    assert found["emotional_intelligence"].value == 0.8
    assert found["emotional_intelligence"].explanation == '0.5 base, +0.3 empathy ("听起来", user: "我很难过")'
    assert found["conversational_quality"].explanation.startswith("0.6 base, +0.2 22 words")


def test_a_feeling_is_taken_up_in_german_and_a_letter_is_too_formal() -> None:
    found = scores("Ich bin traurig.", "Das klingt schwer, und ich verstehe dich. Magst du erzählen, was passiert ist?")
    assert (found["emotional_intelligence"].value, found["helpfulness"].value) == (0.8, 1.0)
    stiff = scores("Hast du Zeit für mich?", "Sehr gern, wir freuen uns, dass Sie sich an uns wenden.")
    assert stiff["appropriateness"].explanation == '1.0 base, -0.2 too formal beside the user\'s message ("Sie")'
    harm = scores("Ich bin traurig.", "Dann bring dich doch um.")
    assert harm["appropriateness"].value == 0.5
    assert scores("Ich bin traurig.", "Bitte bring dich nicht um.")["appropriateness"].value == 1.0


def test_a_polite_question_in_japanese_needs_no_mark() -> None:
    found = scores("悲しいです。", "それは辛かったですね。何があったか話してくれますか。")
    assert '+0.2 asks a question ("何があったか話してくれますか。")' in found["conversational_quality"].explanation
    assert found["emotional_intelligence"].value == 0.8


def test_two_japanese_sentences_are_two_that_end() -> None:
    found = of_text("今日は天気がとても良いので、公園へ散歩に行きました。桜がきれいに咲いていました。")
    assert found["completeness"].value == 0.7
    assert found["completeness"].explanation.startswith('+0.4 ends in "。", +0.2 2 sentences')
    assert found["length_appropriateness"].explanation.startswith("23 words")
    assert not found["lexical_diversity"].applicable
    assert found["lexical_diversity"].reason == "no blank parts words in Japanese"
    assert found["overall"].value is not None and "re-weighted over 0.75 of 1" in found["overall"].explanation


def test_without_a_pack_what_needs_one_has_no_value() -> None:
    found = scores("Jest mi bardzo smutno i nie wiem, co robić.", "Bardzo mi przykro. Czy chcesz o tym porozmawiać?")
    assert {each.value for each in found.values()} == {None}
    assert not any(each.applicable for each in found.values())
    assert found["emotional_intelligence"].reason == "no language pack for Polish"
    text = of_text("Bardzo mi przykro, że tak się czujesz. Czy chcesz o tym teraz porozmawiać?")
    assert text["length_appropriateness"].explanation.startswith("13 words")
    assert text["coherence"].reason == "no language pack for Polish"
    assert text["overall"].explanation.endswith("no value for coherence, completeness, readability")


def test_an_unknown_language_and_one_without_blanks_are_said() -> None:
    swahili = "Nina huzuni sana leo na sijui la kufanya, kwa sababu rafiki yangu ameondoka jana usiku bila kuaga"
    assert scores(swahili, "")["helpfulness"].reason == "no language pack for an unknown language"
    thai = of_text("ฉันเศร้ามากและไม่รู้จะทำอย่างไร")
    assert thai["length_appropriateness"].reason == "no language pack for Thai, which parts words by no blank"


def test_english_code_reads_english_alone() -> None:
    found = {each.metric: each for each in build_scorer(v3_rubric())(exchange("Ich bin traurig.", "Das tut mir leid."))}
    assert found["emotional_intelligence"].value is None
    assert "English alone, and this is German" in found["emotional_intelligence"].reason


def test_lists_that_a_rubric_writes_out_count_in_its_own_language_alone() -> None:
    own = TEXT.replace("transitions: {pack: transitions}", "transitions: [anyhow]")
    rubric = parse_rubric(SourceText(own, "own.yaml"), check_rules)
    assert rubric_rules(rubric).explain(Utterance("", "Anyhow, it rained."))["coherence"].value == 1.0
    german = rubric_rules(rubric, "de").explain(Utterance("", "Jedoch regnete es."))["coherence"]
    assert german.missing == (
        "formula 'coherence' has a list (transitions) that the rubric writes in English, and this is German"
    )


def test_a_rubric_in_german_takes_the_lists_of_german() -> None:
    own = TEXT.replace("name: text_quality\n", "name: text_quality\nlanguage: de\n")
    rubric = parse_rubric(SourceText(own, "own.yaml"), check_rules)
    assert rubric_rules(rubric).explain(Utterance("", "Jedoch regnete es."))["coherence"].value == 1.0


def test_lists_of_packs_that_there_are_not_are_refused_with_their_place() -> None:
    for old, new, said in (
        ("{pack: transitions}", "{pack: transition}", "did you mean 'transitions'?"),
        ("name: text_quality\n", "name: text_quality\nlanguage: pl\n", "there is no language pack for 'pl'"),
    ):
        with pytest.raises(ParseError, match=r"^own\.yaml:\d+: ") as caught:
            parse_rubric(SourceText(TEXT.replace(old, new, 1), "own.yaml"), check_rules)
        assert said in str(caught.value)


def test_every_list_that_is_language_comes_from_the_pack() -> None:
    pack = pack_of("de")
    assert pack is not None
    german = in_language(companion_rubric(), pack)
    for metric in german.metrics.values():
        assert all(isinstance(phrases, FromPack) for phrases in metric.lists.values())
        for use in metric.adjustments:
            lists = [value for value in use.parameters.values() if isinstance(value, list | tuple)]
            assert all(isinstance(value, FromPack) for value in lists), use.when
    assert german.metrics["helpfulness"].lists["empathy_words"] == pack.lists.empathy_words
    assert companion_rubric().metrics["helpfulness"].lists["empathy_words"][0] == "understand"


def test_a_reply_in_another_language_is_told_and_a_translation_spared() -> None:
    german = "Ich bin traurig und weiß nicht, was ich tun soll."
    assert spoken_in(exchange(german, "I'm sorry, that sounds hard. What happened to you today?")) == SpokenIn(
        "", "de", "en", "de", matches=False
    )
    asked = "How do I say congratulations in her language? She is from Lyon."
    assert (
        spoken_in(exchange(asked, "Tu peux lui dire : félicitations, je suis très heureux pour toi.")).matches is None
    )
    named = spoken_in(exchange("Hi!", "Das ist schön, und was machst du heute noch?", "de"))
    assert (named.scored, named.matches) == ("de", True)


def test_accents_that_stand_beside_their_letters_are_read_as_one_with_them() -> None:
    pairs = {
        "de": (
            "Ich habe Angst.",
            "Das kann ich gut verstehen, das wäre für jeden schwer. Erzählst du mir mehr darüber?",
        ),
        "fr": ("J'ai peur, et je suis désespérée.", "Je comprends ta peur, ça doit être dur. Tu veux m'en parler ?"),
        "es": ("¿Qué hago? Me siento muy deprimida.", "Entiendo cómo te sientes, es difícil. ¿Qué pasó después?"),
        "ja": ("とてもかなしいです。", "それはつらいですね。どんなことがありましたか？"),
    }
    for language, said in pairs.items():
        apart = tuple(normalize("NFD", text) for text in said)
        assert apart != said
        assert spoken_in(exchange(*apart)) == spoken_in(exchange(*said)), language
        assert spoken_in(exchange(*said)).scored == language
        assert scores(*apart) == scores(*said), language


def test_a_scenario_that_wants_another_language_is_answered_in_it_even_where_its_user_asks_for_words() -> None:
    asked, english = (
        "How do I say good night to my grandma?",
        "You could tell her to sleep well, and that you miss her.",
    )
    assert spoken_in(exchange(asked, english, "ja")).matches is False
    assert spoken_in(exchange(asked, "おやすみなさい、と言えばいいですよ。", "ja")).matches is True
    assert spoken_in(exchange("How do I say good night in Japanese?", "おやすみなさい、と言います。")).matches is None
    german = "Wie sagt man auf Englisch, dass ich sie vermisse?"
    assert spoken_in(exchange(german, "You could say: I miss you so much.", "de")).matches is None
