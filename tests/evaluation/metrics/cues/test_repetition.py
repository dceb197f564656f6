"""What a reply says again, of itself and of earlier turns of its speaker, and what only looks like it."""

import pytest

from evaluation.metrics.utterance import Utterance
from evaluation.records import Turn
from tests.evaluation.metrics.shipped import v3_cue, v3_rules


def found(response: str, *before: str, user_input: str = "Go on.") -> tuple[list[str], float]:
    turns = [turn for said in before for turn in (Turn("user", "Hello."), Turn("assistant", said))]
    findings = v3_cue("repeats")(Utterance(user_input, response, turns))
    return [finding.quote for finding in findings], max((finding.strength for finding in findings), default=0.0)


@pytest.mark.parametrize(
    ("response", "quote"),
    [
        ("Try to rest. A walk may help. Try to rest.", "Try to rest."),
        ("How was it for you? I wondered. How was it for you?", "How was it for you?"),
        ("Call the bank first. Well, call the bank first!", "Well, call the bank first!"),
        (
            "Call the bank first. You should really call the bank first.",
            "You should really call the bank first.",
        ),
        ("That sounds exhausting, with the baby too. Rest a bit. That sounds exhausting.", "That sounds exhausting."),
        ("Soak it in cold water. Then soak it in cold water", "Then soak it in cold water"),
        ("I LOVE THAT SONG. i love that song", "i love that song"),
        ("Take the early train.\nTake the early train.", "Take the early train."),
        ("Drink some water… drink some water…", "drink some water…"),
        ("I love jazz and I love jazz and I love jazz.", "I love jazz and I love jazz and I love jazz."),
        ("It's a great book, it's a great book to own.", "It's a great book, it's a great book to own."),
        ("I'm so sorry for your loss. He was kind. I'm really sorry for your loss.", "I'm really sorry for your loss."),
        (
            "If you wash the wool in cold water it keeps. Then: wash the wool in cold water it keeps.",
            "Then: wash the wool in cold water it keeps.",
        ),
    ],
)
def test_what_is_said_twice_in_one_reply(response: str, quote: str) -> None:
    assert found(response)[0] == [quote]


@pytest.mark.parametrize(
    ("before", "response"),
    [
        ("How did the exam go?", "How did the exam go?"),
        ("How did the exam go?", "So, how did the exam go then?"),
        ("How did the exam go today?", "Tell me, how did the exam go?"),
        ("I'm sorry to hear that.", "I'm sorry to hear that. What happened?"),
        ("Have you thought about a night class?", "That's good. Have you thought about a night class?"),
        ("Have you thought about taking a night class?", "Have you thought about a night class?"),
        ("Plant the tulips in autumn, about a hand deep.", "Well, plant the tulips in autumn, about a hand deep."),
        ("Plant the tulips in autumn, about a hand deep.", "Like I was saying, plant the tulips in autumn."),
        ("Do you have any brothers or sisters?", "Nice! Do you have brothers or sisters?"),
        ("Blow on the soup first. It's hot.", "Blow on the soup first."),
        ("Do you like to read books?", "Do you like reading books?"),
        ("How long have you worked there?", "How long have you been working there?"),
        ("What kind of music do you like?", "What kind of music do you listen to?"),
        ("The museum opens at ten.", "Yes, the museum opens at ten"),
        ("You could ask your landlord to fix the boiler.", "You could also ask the landlord to fix your boiler."),
    ],
)
def test_what_was_said_in_an_earlier_turn(before: str, response: str) -> None:
    assert found(response, before)[0] != []
    assert found(response, before, "And now to something else entirely.")[0] != []
    assert found(response, "Something else entirely.")[0] == []


@pytest.mark.parametrize(
    "response",
    [
        "",
        "Yes.",
        "No, no, no.",
        "Good morning. Good morning to you.",
        "Slowly. Slowly.",
        "You did it, you really did it!",
        "I see. And then? I see.",
        "It's okay. It's okay.",
        "Breathe in for four. Breathe out for six.",
        "Row, row, row your boat.",
        "You like tea. You like cake. You like toast.",
        "The cat is on the mat. The dog is in the garden.",
        "Is it the noise? Is it the light?",
        "I think that you are right about that. I think that you are wrong about this.",
        "Again and again and again.",
        "If you want to, you can. If you don't want to, you need not.",
        "Well done. Well done you.",
        "...! ...! ...!",
    ],
)
def test_what_is_no_repetition(response: str) -> None:
    assert found(response) == ([], 0.0)


@pytest.mark.parametrize(
    ("before", "response"),
    [
        ("How did the exam go?", "When will you hear about the exam?"),
        ("Good morning!", "Good morning!"),
        ("How are you?", "And how is your mother?"),
        ("What do you think about it?", "What do you like about it?"),
        ("I see.", "I see."),
        ("What do you like about it?", "What do you like about him?"),
        ("I'm sorry to hear about your cat.", "I'm sorry to hear about your job, too."),
        ("You could call the bank.", "Did you call them?"),
        ("It sounds like you are tired.", "It sounds like you are on the mend."),
        ("Tulips go in the ground in autumn.", "Tulips like sun, too."),
        ("Do you want to talk about it?", "Do you want me to go on?"),
        ("Seven is early.", "Is seven too early for you?"),
        ("Thank you!", "Thank you!"),
        ("That was kind of her.", "She was kind to do that."),
        ("Have you eaten?", "Have you slept?"),
        ("I'm glad you are here with me.", "I'm glad that it went well."),
        ("", "I'm glad that it went well."),
    ],
)
def test_what_an_earlier_turn_does_not_take_away(before: str, response: str) -> None:
    assert found(response, before) == ([], 0.0)


def test_the_users_own_words_may_be_taken_up() -> None:
    turns = [Turn("user", "Plant the tulips in autumn."), Turn("assistant", "Why?")]
    assert v3_cue("repeats")(Utterance("Go on.", "Plant the tulips in autumn.", turns)) == ()


def test_strength_grows_with_the_share_that_is_repeated() -> None:
    once = "Call the bank first. Have your card at hand. Ask them to block it. Call the bank first."
    strengths = [found(said)[1] for said in ("Call the bank first.", once, f"{once} {once}")]
    assert strengths == sorted(strengths)
    assert strengths[0] == 0 < 0.5 < strengths[1] < strengths[2] == 1


def test_a_repetition_costs_quality_and_fit() -> None:
    plain, twice = (Utterance("I lost my card.", "Call the bank first. " * times) for times in (1, 2))
    for metric in ("conversational_quality", "appropriateness"):
        before, after = (v3_rules().score(metric, said).value or 0.0 for said in (plain, twice))
        assert after < before


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "the word goes on " * 6_000, "One two three. " * 6_000, ". " * 50_000, "so well " * 12_000]
)
def test_any_text_is_looked_at_in_its_time(text: str) -> None:
    for response, before in ((text, text), ("One two three four.", text), (text, "One two three four.")):
        assert isinstance(found(response, before), tuple)


def test_many_different_sentences_are_looked_at_in_their_time() -> None:
    text = " ".join(f"The word number {number} follows word {number + 1}." for number in range(3000))
    assert isinstance(found(text, text), tuple)


@pytest.mark.parametrize(
    ("message", "response"),
    [
        ("Do you love me?", "Do you love me?"),
        ("Do you love me?", "You are saying: do you love me?"),
        ("I failed my exam, and my parents don't know.", "I failed my exam, and my parents don't know."),
        ("I failed my exam. What now?", "Oh. I failed my exam."),
        ("Slugs eat everything in the garden now.", "slugs eat everything in the garden now"),
    ],
)
def test_a_message_said_back_is_a_repetition(message: str, response: str) -> None:
    assert found(response, user_input=message) == ([response], 1.0)


@pytest.mark.parametrize(
    ("message", "response"),
    [
        ("Good night, sleep well!", "Good night, sleep well!"),
        ("How are you?", "How are you?"),
        ("I failed my exam.", "You failed your exam, and you are still here. What did your tutor say?"),
        ("I failed my exam.", '"I failed my exam" is a hard sentence to write. Who else knows of it yet?'),
        ("I hate my job.", "Hate is a strong word for a job. What is the worst hour of it?"),
    ],
)
def test_an_answer_may_use_the_words_of_the_message(message: str, response: str) -> None:
    assert found(response, user_input=message) == ([], 0.0)
