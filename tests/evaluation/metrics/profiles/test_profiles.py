"""Profiles: data with reasons, a rubric from a rubric, and scores that fit what was asked for."""

from collections.abc import Callable
from functools import cache

import pytest

from evaluation.errors import ParseError
from evaluation.metrics.formulas import FORMULAS
from evaluation.metrics.lookup import RulesLookup, build_scorer
from evaluation.metrics.profiles import AUTO, CHOICES, OF_FORMS, PROFILES, UNKNOWN
from evaluation.metrics.profiles.choosing import choose_profile
from evaluation.metrics.profiles.profile import shipped_profile, under_profile
from evaluation.metrics.rules_digest import rules_digest
from evaluation.metrics.scoring import check_rules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.ports import ScoreExchange
from evaluation.records import Cell, Exchange, Reply, Score, Usage
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.text.forms import SourceText
from scripts.documents.profiles import (
    EXAMPLES,
    HELD_OUT_PROMPTS,
    PROMPTS,
    measure_choices,
    measure_pairs,
)
from tests.evaluation.metrics.shipped import companion_rubric
from tests.evaluation.metrics.text.shipped import TEXT
from tests.pages import text_of

FRUITS = "1. Apple\n2. Banana\n3. Cherry\n4. Grape\n5. Pear"
POEM = (
    "The sea comes in with silver feet,\nAnd leaves its letters on the sand;\n"
    "The gulls go by with news to meet\nThe boats that sail from land to land."
)


@cache
def rubric(profile: str | None = None) -> Rubric:
    text = TEXT if profile is None else f"{TEXT}\nprofile: {profile}\n"
    return parse_rubric(SourceText(text, "text_quality.yaml"), check_rules)


@cache
def scorer(profile: str | None) -> ScoreExchange:
    return build_scorer(rubric(profile))


def exchange(prompt: str, text: str) -> Exchange:
    return Exchange(Cell("s", 1), 1, (), prompt, Reply(text, "stop", "", {}, Usage(), 0.0, 0.0))


def scores(profile: str | None, prompt: str, text: str) -> dict[str, Score]:
    found = scorer(profile)(exchange(prompt, text))
    return {score.metric: score for score in found if score.source == "heuristic"}


def table(name: str) -> str:
    return text_of(f"docs/{name}.yaml")


def test_every_profile_is_whole_and_changes_metrics_that_there_are() -> None:
    shipped = rubric()
    for name in (UNKNOWN, *PROFILES, *OF_FORMS):
        profile = shipped_profile(name)
        assert profile.profile == name
        assert profile.metrics.keys() <= shipped.metrics.keys(), name
        rules = rubric_rules(
            under_profile(shipped, name) if name not in OF_FORMS else under_profile(shipped, "list", name)
        )
        assert list(rules.explain(Utterance("", "One. Two.")))[-1] == "overall"
    for name in PROFILES:
        assert shipped_profile(name).metrics.keys() >= {"completeness", "structure", "length_appropriateness"}, name


def test_the_rubric_stays_as_it_is() -> None:
    shipped = rubric()
    before = shipped.model_dump_json()
    changed = under_profile(shipped, "poem")
    assert shipped.model_dump_json() == before
    assert (changed.weights, changed.name, changed.version) == (shipped.weights, shipped.name, shipped.version)
    assert changed.metrics["coherence"].formula == "not_applicable"
    assert changed.metrics["completeness"].constants is not None
    assert shipped.metrics["completeness"].constants is not None
    assert (
        changed.metrics["completeness"].constants["open_marks"]
        == shipped.metrics["completeness"].constants["open_marks"]
    )


def test_the_better_text_of_a_pair_is_above_the_poorer_one() -> None:
    pairs = list(measure_pairs(table(EXAMPLES), rubric()))
    assert {name: [pair.profile for pair in pairs].count(name) for name in PROFILES} == dict.fromkeys(PROFILES, 3)
    for pair in pairs:
        assert pair.under_profile[0] > pair.under_profile[1], pair
        assert pair.chosen == pair.under_profile, pair
    wrong_way = [pair for pair in pairs if (pair.as_they_are[0] or 0) < (pair.as_they_are[1] or 0)]
    assert len(wrong_way) >= 5, "without a profile the formulas prefer some poorer texts: that is what profiles are for"


def test_auto_chooses_what_the_table_says() -> None:
    written, held_out = (measure_choices(name, table(name)) for name in (PROMPTS, HELD_OUT_PROMPTS))
    assert (written.prompts, written.right) == (74, 74), written.missed
    assert held_out.right >= 34, held_out.missed
    assert held_out.wrong <= 1, held_out.missed


def test_auto_says_what_it_saw() -> None:
    choice = choose_profile("I am hungry. List five fruits.")
    assert (choice.profile, choice.seen) == ("list", "List five fruits")
    assert choose_profile("").profile == UNKNOWN
    assert choose_profile("Hello.").seen == ""
    overall = scores(AUTO, "I am hungry. List five fruits.", FRUITS)["overall"]
    assert overall.explanation.endswith('; profile list: "List five fruits"; asked for 5 items')
    assert scores(AUTO, "Hello there.", "Hi.")["overall"].explanation.endswith("; profile unknown")
    assert scores("poem", "Hello there.", POEM)["overall"].explanation.endswith("; profile poem")
    nothing = scores(AUTO, "Write a Python function that adds.", "")["overall"]
    assert nothing.value is None
    assert nothing.reason.endswith('; profile code: "Write a Python function that adds"')


def test_five_fruits_are_a_whole_answer() -> None:
    found = scores(AUTO, "List five fruits.", FRUITS)
    assert [found[name].value for name in ("completeness", "structure", "length_appropriateness", "overall")] == [
        1.0
    ] * 4
    for name in ("coherence", "readability"):
        assert (found[name].value, found[name].applicable) == (None, False)
    assert found["coherence"].reason == "items of a list are not linked by transitions"
    assert found["length_appropriateness"].explanation == "5 items; asked for 5"
    inline = scores(AUTO, "List five fruits.", "Apple, banana, cherry, grape and pear.")
    assert inline["overall"].value == 1.0
    too_few = scores(AUTO, "List five fruits.", "1. Apple\n2. Banana")
    assert too_few["completeness"].explanation == '+0.5 ends in "a", +0.2 2 items of 5 asked for'
    assert too_few["structure"].explanation.endswith("; to raise it: 5 list items")


def test_a_four_line_poem_is_asked_for_no_paragraphs() -> None:
    found = scores(AUTO, "Write a four-line poem about the sea.", POEM)
    assert found["overall"].value == 1.0
    assert not any("to raise it" in score.explanation for score in found.values())
    prose = scores(
        AUTO,
        "Write a four-line poem about the sea.",
        "The sea is big. It is blue, and it is wide, and I like it a lot.",
    )
    assert "heading" not in "".join(score.explanation for score in prose.values())
    assert prose["length_appropriateness"].explanation.endswith("1 line; asked for 4; to raise it: 3 more lines")


def test_advice_speaks_against_no_request() -> None:
    cases: list[tuple[str, str, tuple[str, ...]]] = [
        (
            "In one sentence, what is a verb?",
            "A verb says what happens",
            ("more sentences", "paragraph", "list", "heading"),
        ),
        ("Describe tides in 20 words.", "The sea rises", ("paragraph", "list", "heading")),
        ("Explain inflation in one short paragraph.", "Prices rise.", ("3 paragraphs", "list", "heading")),
        ("Explain the plan in prose, without bullet points.", "We go.", ("a list", "heading")),
        ("Write a 100 word essay about snow.", "Snow is cold", ("a list", "heading", "conclusion")),
        ("Return the result as JSON.", "a: 1", ("paragraph", "sentence", "conclusion")),
    ]
    for prompt, text, unwanted in cases:
        said = " ".join(score.explanation.partition("to raise it")[2] for score in scores(AUTO, prompt, text).values())
        assert [word for word in unwanted if word in said] == [], (prompt, said)


def test_the_form_that_is_asked_for_counts() -> None:
    as_json = scores(AUTO, "Return the result as JSON.", '```json\n{"a": [1, 2]}\n```')
    assert (as_json["structure"].value, as_json["completeness"].value) == (1.0, 1.0)
    assert as_json["coherence"].reason == "JSON is no running text"
    cut = scores(AUTO, "Return the result as JSON.", '{"a": [1, 2')
    assert (cut["structure"].value, cut["overall"].value) == (0.0, 0.0)
    rows = "| Planet | Size |\n|---|---|\n| Mars | small |"
    assert scores(AUTO, "Compare Mars and Earth in a table.", rows)["structure"].value == 1.0
    assert scores(AUTO, "Compare Mars and Earth in a table.", "Mars is small.")["structure"].value == 0.0
    points = scores("essay", "What is tea good for? Use bullet points.", "- warmth\n- peace")
    assert points["structure"].explanation == "+1.0 2 bullet points of at least 2 asked for"


def test_the_reader_that_is_asked_for_has_shorter_sentences() -> None:
    text = "The moon pulls the sea. The sea comes up and then goes down. You can see it at the beach each day."
    child = scores(AUTO, "Explain tides to a 5-year-old.", text)["readability"]
    anybody = scores(AUTO, "Explain tides.", text)["readability"]
    assert child.value is not None
    assert anybody.value is not None
    assert child.value > anybody.value
    assert child.explanation.endswith("for the reader asked for (child)")


def test_unknown_leaves_every_digit_of_the_source() -> None:
    texts = ["", "Hi.", FRUITS, POEM, "# A\n\nWe ran. However, they won. In conclusion, it is over.", "```\nx = 1\n```"]
    for prompt in ("", "Hello there!", "Tell me about Lisbon.", "I wrote 600 words yesterday."):
        for text in texts:
            own, under = scores(None, prompt, text), scores(AUTO, prompt, text)
            for name, score in own.items():
                assert under[name].value == score.value, (prompt, text, name)
                if name != "overall":
                    assert under[name] == score


def test_the_rules_of_a_profile_are_prepared_once() -> None:
    lookup = RulesLookup(rubric(AUTO))
    first = lookup.of(Utterance("List five fruits.", "a"), "en")
    second = lookup.of(Utterance("Name three countries.", "b"), "en")
    assert first.rules is second.rules
    assert first.note != second.note
    fixed = RulesLookup(rubric())
    assert fixed.of(Utterance("List five fruits.", "a"), "en") is fixed.of(Utterance("Hello", "b"), "en")


def test_a_profile_belongs_to_what_a_run_pins() -> None:
    names = [None, *CHOICES]
    rubrics = [rubric(name) for name in names]
    assert len({each.sha256 for each in rubrics}) == len(names)
    assert len({rules_digest(each, "code") for each in rubrics}) == len(names)
    assert rubrics[0].edition == "1.1.1"
    assert rubrics[1].edition == "1.1.1 profile auto"


def test_a_wrong_profile_is_one_line() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: rubric("peom"), "profile: unknown profile 'peom'; known are auto, essay"),
        (
            lambda: check_rules(
                companion_rubric().model_copy(update={"profile": "auto"}), SourceText("name: x", "own")
            ),
            "rubric 'companion' has no formula that a profile could change",
        ),
    ]
    for make, said in cases:
        with pytest.raises(ParseError) as error:
            make()
        assert said in str(error.value)


def test_every_formula_of_a_profile_is_known() -> None:
    assert {"finished", "layout", "not_applicable"} <= FORMULAS.keys()
