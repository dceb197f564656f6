"""A run by language: counts, answers in another language, means and pairs, and the marks on its reports."""

from dataclasses import replace

import pytest

from evaluation.records import Exchange, Reply, Result, Scenario
from evaluation.reports.collected import banners as collection_banners
from evaluation.reports.comparison import banners as comparison_banners
from evaluation.reports.languages import describe_languages, incidents_of, unreviewed
from evaluation.summary.columns import Columns
from evaluation.summary.languages import LanguageSummary
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from tests.evaluation.made_runs import scenario, scored, suite
from tests.evaluation.reports.test_comparison import compared as compared_runs

MESSAGES = {
    "en": ("I am sad, and I do not know what to do.", "That sounds hard, and I would like to hear more about it."),
    "de": ("Ich bin traurig und weiß nicht weiter.", "Das klingt schwer, und ich höre dir gern zu."),
    "pl": ("Jest mi bardzo smutno i nie wiem, co robić.", "Bardzo mi przykro, że tak się czujesz."),
}


def said(name: str, value: float, message: str, reply: str, lang: str = "") -> Result:
    result = scored(name, value)
    outcome = result.exchange.outcome
    assert isinstance(outcome, Reply)
    changed: Exchange = replace(
        result.exchange, user_input=message, outcome=replace(outcome, text=reply), language=lang, context=()
    )
    return replace(result, exchange=changed)


def in_language(language: str, situation: str, value: float) -> tuple[Scenario, Result]:
    name = f"{situation}-{language}"
    return scenario(name, situation=situation), said(name, value, *MESSAGES[language])


def summary_of(*plan: tuple[Scenario, Result]) -> Summary:
    columns = Columns(suite(), [each for each, _ in plan], 1, ("heuristic",))
    return summarise([each for _, each in plan], columns, run_id="r", prompt=None)


def test_a_run_in_the_language_of_the_rubric_says_nothing_of_languages() -> None:
    found = summary_of(in_language("en", "moved", 0.5), in_language("en", "lost", 0.7))
    assert found.languages is None
    assert "languages" not in found.to_json() and unreviewed(found) == ""
    assert list(describe_languages(found)) == []


def test_languages_are_counted_and_compared_over_the_same_situations() -> None:
    found = summary_of(
        *(in_language("en", name, value) for name, value in (("moved", 0.5), ("lost", 0.7))),
        *(in_language("de", name, value) for name, value in (("moved", 0.4), ("lost", 0.5), ("alone", 0.9))),
    )
    languages = found.languages
    assert languages is not None
    assert languages.responses == {"de": 3, "en": 2}
    assert (languages.compared, languages.mismatches) == (5, 0)
    means = {name: table["heuristic"][found.overall].estimate.mean for name, table in languages.by_language.items()}
    assert means == {"de": pytest.approx(0.6), "en": pytest.approx(0.6)}
    (pair,) = languages.paired
    assert (pair.first, pair.second, pair.situations) == ("de", "en", 2)
    assert pair.difference == pytest.approx(0.15)
    assert found.to_json()["languages"]["not_reviewed"] == ["German"]
    assert unreviewed(found).startswith("NOT REVIEWED: the language pack of German was reviewed by no native speaker")
    assert len(list(describe_languages(found))) == 4


def test_every_report_on_several_runs_says_once_whose_packs_nobody_reviewed() -> None:
    german, english = summary_of(in_language("de", "moved", 0.4)), summary_of(in_language("en", "moved", 0.4))
    spanish = replace(german, languages=LanguageSummary({"es": 1, "de": 1}, 0, 0, ()))
    assert unreviewed(english, german) == unreviewed(german)
    said = unreviewed(german, spanish, english)
    assert "the packs of German, Spanish were" in said and "in these languages" in said
    compared = compared_runs({"warmth": 0.1})
    base, candidate = compared.base, replace(compared.candidate, summary=german)
    assert unreviewed(german) in comparison_banners((base, candidate), forced=False)
    assert comparison_banners((base, compared.candidate), forced=False) == []
    assert collection_banners({"languages": {"en": 3, "de": 1}}) == [unreviewed(german)]
    assert collection_banners({"languages": {"en": 3}}) == collection_banners({}) == []


def test_answers_in_another_language_are_named_and_translations_are_not() -> None:
    german, english = MESSAGES["de"][0], MESSAGES["en"][1]
    translation = "Wie sagt man das auf Englisch? Ich weiß es nicht."
    found = summary_of(
        (scenario("wrong"), said("wrong", 0.5, german, english)),
        (scenario("asked"), said("asked", 0.5, translation, english)),
        (scenario("named"), said("named", 0.5, MESSAGES["en"][0], MESSAGES["de"][1], "en")),
    )
    assert found.languages is not None
    assert (found.languages.compared, found.languages.mismatches) == (2, 2)
    assert [*incidents_of(found.languages)] == [
        "in another language than was asked: 2 of 2 responses (wrong: English for German, named: German for English)"
    ]


def test_a_language_without_a_pack_is_said() -> None:
    found = summary_of(in_language("pl", "moved", 0.5))
    assert found.languages is not None and found.languages.without_pack == {"pl": 1}
    assert [*incidents_of(found.languages)] == [
        "no language pack for Polish: 1 response scored by form alone, and metrics that need a pack are left out"
    ]
