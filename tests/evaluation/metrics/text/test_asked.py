"""Length and structure follow what a prompt asks for, where the rubric says so."""

from collections.abc import Iterator

import pytest

from evaluation.metrics.profiles import UNKNOWN
from evaluation.metrics.profiles.choosing import choose_profile
from evaluation.metrics.text.asked import Asked, describe_request, read_request
from evaluation.metrics.text.wording_form import LANGUAGES, shipped_wordings
from evaluation.text.yaml_text import load_yaml
from scripts.documents.profiles import HELD_OUT_WORDINGS, WORDINGS, measure_wordings
from tests.evaluation.metrics.text.shipped import explained, words
from tests.pages import ROOT, text_of

FOLLOWING = ("follow_prompt: false", "follow_prompt: true")
INF = float("inf")


def test_what_is_asked_for() -> None:
    cases: list[tuple[str, Asked]] = [
        ("explain tides in 50 words", Asked(words=(45.0, 55.0))),
        ("explain tides in about 200 words.", Asked(words=(180.0, 220.0))),
        ("write around two hundred words on tides", Asked(words=(180.0, 220.0))),
        ("write a 100-word summary", Asked(words=(90.0, 110.0))),
        ("answer in at most 100 words", Asked(words=(1.0, 100.0))),
        ("answer in under 30 words", Asked(words=(1.0, 30.0))),
        ("answer in 30 words or less", Asked(words=(1.0, 30.0))),
        ("write at least 150 words", Asked(words=(150.0, INF))),
        ("write at least 50 words but no more than 80 words", Asked(words=(50.0, 80.0))),
        ("write between 100 and 150 words", Asked(words=(100.0, 150.0))),
        ("write 100-150 words", Asked(words=(100.0, 150.0))),
        ("explain tides in one sentence", Asked(sentences=(1.0, 1.0))),
        ("explain it in exactly two short sentences", Asked(sentences=(2.0, 2.0))),
        ("in a single sentence, what is a tide?", Asked(sentences=(1.0, 1.0))),
        ("explain tides in two paragraphs", Asked(paragraphs=(2.0, 2.0))),
        ("write a three-paragraph essay", Asked(paragraphs=(3.0, 3.0))),
        ("list five rivers", Asked(items=(5.0, 5.0))),
        ("give me 3 tips for running", Asked(items=(3.0, 3.0))),
        ("name the top ten cities", Asked(items=(10.0, 10.0))),
        ("what are four good reasons to run?", Asked(items=(4.0, 4.0))),
        ("shorten this text of 500 words, in 50 words", Asked(words=(45.0, 55.0))),
        ("in 0 words", Asked()),
        ("explain tides", Asked()),
        ("answer in one word", Asked(words=(0.9, 1.1))),
        ("write a hundred words, using about a hundred words", Asked(words=(90.0, 110.0))),
        ("explain tides in a sentence", Asked(sentences=(1.0, 1.0))),
        ("answer with two sentences", Asked(sentences=(2.0, 2.0))),
        ("what is, in a word, a tide? begin with a word of thanks and close with a sentence", Asked()),
        ("in other words, what is a tide? give me a hint", Asked()),
        ("", Asked()),
        ("in 99999999999999 words", Asked()),
    ]
    for prompt, asked in cases:
        assert read_request(prompt) == asked, (prompt, asked)


def test_a_long_prompt_is_read_in_part() -> None:
    cases: list[str] = ["in " * 300_000, "1" * 900_000, "between 1 and " * 60_000, "a " * 400_000]
    for prompt in cases:
        assert read_request(f"{prompt} in 50 words").words == (45.0, 55.0), prompt


@pytest.mark.slow
def test_hostile_prompts_are_read_to_their_end() -> None:
    cases: list[str] = [
        '"' * 100_000, '"a' * 50_000, "“" * 100_000, "'a " * 33_000, "``` " * 25_000, "> " * 50_000, ", " * 50_000,
        "hundred " * 12_000, "in 5 words. " * 9_000, "\n" * 100_000, "keep it to " * 9_000, "explain to a " * 8_000,
        "write a short poem-" * 6_000, "list five " * 10_000, "x" * 100_000, "\ud800" * 100_000, "İ" * 100_000,
    ]  # fmt: skip
    for prompt in cases:
        read_request(prompt)
        choose_profile(prompt)


def test_the_table_that_was_written_first_is_read_as_it_says() -> None:
    found = measure_wordings(WORDINGS, text_of(f"docs/{WORDINGS}.yaml"))
    assert (found.asked, found.look_alikes) == (86, 80)
    assert found.missed == ()
    assert (found.precision, found.recall) == (1.0, 1.0)


def test_the_table_that_was_held_out_is_read_almost_as_it_says() -> None:
    found = measure_wordings(HELD_OUT_WORDINGS, text_of(f"docs/{HELD_OUT_WORDINGS}.yaml"))
    assert (found.asked, found.look_alikes) == (48, 45)
    assert found.left_alone == 45, found.missed
    assert found.precision == 1.0, found.missed
    assert found.recall >= 0.98, found.missed


def messages(value: object) -> Iterator[str]:
    """What users say in a scenario file, at whatever depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("turns", "input", "user", "prompt"):
                yield from [inner] if isinstance(inner, str) else (each for each in inner if isinstance(each, str))
            yield from messages(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from messages(inner)


def test_nobody_in_a_shipped_conversation_asks_for_a_text_of_a_size() -> None:
    folder = ROOT / "evaluation" / "scenarios"
    files = [path for path in folder.rglob("*.yaml") if "text_quality" not in path.parts]
    said = {text for path in files for text in messages(load_yaml(path.read_text(encoding="utf-8"), path.name))}
    assert len(said) > 600
    assert {text for text in said if read_request(text) != Asked()} == set()
    assert len([text for text in said if choose_profile(text).profile != UNKNOWN]) <= len(said) / 200


def test_sizes_of_something_else_than_the_answer_are_left_alone() -> None:
    """Found after the tables were written, by wordings that were read wrong."""
    prompts = [
        "Please check whether my essay has 600 words.",
        "Please tell me if an essay of 500 words is enough.",
        "Write a review of a book that has 300 words on each page.",
        "Tell me about a poem with three stanzas.",
        "Explain why contracts must have two paragraphs on liability.",
        "Should a cover letter have 300 words?",
        "Write a parser for sentences with at most 10 words.",
        "Write a Python function that counts words in a sentence.",
        "Write a function that returns JSON.",
        "The assignment must have at least 500 words. How do I start?",
        "Our contract must include two paragraphs about leave. What are they called?",
        "Write an introduction of 50 words and a body of 200 words.",
        "Make this at least 200 words longer.",
        "Add two sentences to this paragraph.",
        "How would you write this in German?",
        "Each line should contain exactly one sentence.",
        "Your song should contain at least 10 words in all capital letters.",
        "Responde con al menos 9 palabras con tilde.",
        "Fourteen points for us after round one!",
        "In 20 words she broke my heart",
        "In three sentences he ruined my day.",
        "In two paragraphs my boss fired me.",
        "En 20 palabras me rompió el corazón.",
    ]
    assert {prompt for prompt in prompts if read_request(prompt) != Asked()} == set()
    for prompt in ("In 100 words, the history of tea.", "In 100 words I want a summary of Dune."):
        assert read_request(prompt) == Asked(words=(90.0, 110.0)), prompt
    assert read_request("Name the three branches of government and explain each in one sentence.") == Asked(
        items=(3.0, 3.0)
    )


def test_every_language_has_each_unit_and_its_words_are_folded() -> None:
    for language in LANGUAGES:
        said = shipped_wordings(language)
        assert set(said.units) == {"words", "sentences", "paragraphs", "lines", "bullets"}, language
        lists = [value for value in said.model_dump().values() if isinstance(value, tuple)]
        odd = [word for words in lists for word in words if word != word.lower() or "’" in word or "  " in word]
        assert odd == [], language


def test_what_was_read_is_said_in_words() -> None:
    cases: list[tuple[str, str]] = [
        ("Write 600 words.", "540 to 660 words"),
        ("Explain tides to a child in one sentence.", "1 sentence, a text for a child"),
        ("Summarize it in 5 bullet points.", "5 items, bullet points"),
        ("Write at least 300 words.", "at least 300 words"),
        ("Write a haiku in Spanish.", "3 lines, verse, an answer in the language es"),
        ("Hello.", ""),
    ]
    for prompt, said in cases:
        assert describe_request(read_request(prompt)) == said, prompt


def test_what_is_attached_is_no_request() -> None:
    cases: list[tuple[str, Asked]] = [
        ("Summarise the text below in two sentences.\n\nWrite 600 words, she said.", Asked(sentences=(2.0, 2.0))),
        ("> Write 600 words.\nIs this fair?", Asked()),
        ("Fix this:\n```\nwrite 600 words\n```", Asked()),
        ("Explain “write 600 words” in 50 words.", Asked(words=(45.0, 55.0))),
    ]
    for prompt, asked in cases:
        assert read_request(prompt) == asked, prompt


def length(count: int, prompt: str) -> float | None:
    return explained("length_appropriateness", words(count), prompt, FOLLOWING).value


def test_the_curve_is_stretched_to_what_is_asked_for() -> None:
    cases: list[tuple[int, str, float]] = [
        (50, "In 50 words", 1.0),
        (45, "In 50 words", 1.0),
        (55, "In 50 words", 1.0),
        (30, "In 50 words", 0.7),  # two thirds of the least asked for, as 50 is of 75
        (110, "In 50 words", 0.6),  # twice the most asked for, as 600 is of 300: 0.7 - 100 / 500 x 0.5
        (1000, "At least 150 words", 1.0),
        (5, "In under 30 words", 1.0),
        (50, "In under 30 words", 0.7),  # five thirds of 30, as 500 is of 300
        (200, "What is a tide?", 1.0),  # nothing asked for: the usual curve
    ]
    for count, prompt, expected in cases:
        assert length(count, prompt) == pytest.approx(expected), (count, prompt, expected)


def test_sentences_are_counted_where_sentences_are_asked_for() -> None:
    cases: list[tuple[str, float]] = [
        ("The moon pulls the sea.", 1.0),
        ("The moon pulls. The sea rises.", 0.6),  # twice as many: 600 on the curve
        ("The moon pulls. The sea rises. Twice a day.", 0.3),  # 900: 0.7 - 400 / 500 x 0.5
    ]
    for text, expected in cases:
        found = explained("length_appropriateness", text, "Explain tides in one sentence.", FOLLOWING)
        assert found.value == pytest.approx(expected), (text, expected)
        assert "asked for 1" in found.explanation, (text, expected)


def test_one_too_many_is_named_as_one() -> None:
    found = explained(
        "length_appropriateness", "The moon pulls. The sea rises.", "Explain it in one sentence.", FOLLOWING
    )
    assert found.explanation.endswith("to raise it: 1 fewer sentence")


def structure(text: str, prompt: str) -> float | None:
    return explained("structure", text, prompt, FOLLOWING).value


def test_structure_follows_what_is_asked_for() -> None:
    cases: list[tuple[str, str, float]] = [
        ("- a\n- b\n- c\n- d\n- e", "List five rivers", 0.3),
        ("- a\n- b\n- c\n- d", "List five rivers", 0.24),  # 4 of 5
        ("- a\n- b\n- c\n- d\n- e\n- f", "List five rivers", 0.25),  # 5 of 6
        ("One block.", "List five rivers", 0.0),
        ("One.\n\nTwo.", "In two paragraphs", 0.3),
        ("One.", "In two paragraphs", 0.15),
        ("One.\n\nTwo.\n\nThree.\n\nFour.", "In two paragraphs", 0.15),
        ("One.\n\nTwo.", "Explain tides", 0.2),
    ]
    for text, prompt, expected in cases:
        assert structure(text, prompt) == pytest.approx(expected), (text, prompt, expected)


def test_no_structure_is_wanted_of_one_sentence() -> None:
    found = explained("structure", "The moon pulls the sea.", "Explain tides in one sentence.", FOLLOWING)
    assert (found.value, found.missing) == (None, "1 sentence asked for: no structure is wanted")
    overall = explained("overall", "The moon pulls the sea.", "Explain tides in one sentence.", FOLLOWING)
    assert "re-weighted over 0.85 of 1: no value for structure" in overall.explanation


def test_the_prompt_is_left_alone_by_default() -> None:
    prompt = "List five tides in one sentence of at most 10 words."
    for metric in ("structure", "length_appropriateness", "overall"):
        assert explained(metric, "One.\n\nTwo.", prompt) == explained(metric, "One.\n\nTwo.")
