"""Questions directed at the user, and too many of them, with the settings of companion-v3."""

import pytest

from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding
from tests.evaluation.metrics.shipped import v3_cue, v3_rules


def findings(cue: str, response: str) -> tuple[Finding, ...]:
    return v3_cue(cue)(Utterance("Hello", response))


def strength(response: str) -> float:
    return max((finding.strength for finding in findings("interrogates", response)), default=0.0)


ASKS = [
    ("That's a lot to carry. What would make tomorrow easier for you?", "What would make tomorrow easier for you?"),
    ("Good plan. Shall we go through it?", "Shall we go through it?"),
    ("Ah, the exam! How did it go?", "How did it go?"),
    ("I'd love to hear it. Want to tell me more?", "Want to tell me more?"),
    ("Rain again. What’s on your mind?", "What’s on your mind?"),
    ("I get it. Who in your family knows?", "Who in your family knows?"),
    ("Moving is hard. When do you leave?", "When do you leave?"),
    ("Congratulations on the job! Are you nervous?", "Are you nervous?"),
    ("Sorry about the dog. How old was he?", "How old was he?"),
    ("A violin, lovely. How long have you played?", "How long have you played?"),
    ("Let's sort the list. Which one is first?", "Which one is first?"),
    ("Sounds stressful. Is there anyone to talk to?", "Is there anyone to talk to?"),
    ("Who knows? Maybe it rains. Do you have a coat?", "Do you have a coat?"),
    ("that sounds rough what did you say to him", "what did you say to him"),
    ("A new sister, how lovely. What is her name?", "What is her name?"),
    ("A new sister, how lovely. What's her name?", "What's her name?"),
    ("oh no i'm sorry, are you okay", "are you okay"),
    ("It was late, I see, so what time did you sleep.", "what time did you sleep."),
]


@pytest.mark.parametrize(("response", "quote"), ASKS)
def test_asks_the_user(response: str, quote: str) -> None:
    (found,) = findings("asks_user", response)
    assert found.quote == quote
    assert response[found.start : found.end] == quote


@pytest.mark.parametrize(
    "response",
    [
        "",
        "That is the question.",
        "Life is short. Who cares?",
        "It was a mess. You know what?",
        "That's life for you, right?",
        "You're new here, aren't you?",
        "It's grey out there. Is it raining?",
        "You lost it again. What is wrong with you?",
        "How could you say it? How dare you?",
        "What do you think?",
        "And? What do you think?",
        "I see one. Why you? Why now, do you think? And what about your boss?",
        "The youth club is open. Why now?",
        "I know what you are doing.",
        "Tell me how you are, when you can.",
        "I wonder what that would do for you.",
        "What you did there was brave.",
        "Look at https://example.com/find?you=1 tonight.",
        "i know how hard that was for you and what it did to you",
    ],
)
def test_does_not_ask_the_user(response: str) -> None:
    assert findings("asks_user", response) == ()


INTERROGATES = [
    ("That's sad. When was that? Where? With whom?", "3 questions"),
    ("I like it. Why? Since when? How often? Who knows of it? Are you sure?", "5 questions"),
    ("I like it. When was that, and where, and with whom, and why?", "3 questions"),
    ("I like it. What did he say, how did he look, and what now?", "3 questions"),
    ("What do you think?", "nothing but a question"),
    ("Okay. What happened?", "nothing but a question"),
    ("Oh, I see. And what did he say?", "nothing but a question"),
    ("And you? How do you feel about it?", "nothing but questions"),
    ("Do you want to talk about it?", "nothing but a question"),
    ("What's on your mind today?", "nothing but a question"),
    ("Did the vet look at her paw? Was it swollen?", "nothing but questions"),
    ("Hm, right. Could you say more? What do you need?", "nothing but questions"),
    ("Why?", "nothing but a question"),
    ("Well... how so?", "nothing but a question"),
    ("what did they say when was that", "nothing but questions"),
    ("what did you do who was there how long did it last what did they want", "3 questions"),
    ("¿Por qué? ¿Cuándo? ¿Dónde?", "3 questions"),
    ("Really?! And then?", "nothing but questions"),
    ("So, are you okay?", "nothing but a question"),
    ("👍 How come?", "nothing but a question"),
]


@pytest.mark.parametrize(("response", "statement"), INTERROGATES)
def test_interrogates(response: str, statement: str) -> None:
    (found,) = findings("interrogates", response)
    assert found.quote == statement
    assert (found.start, found.end) == (0, 0)


@pytest.mark.parametrize(
    "response",
    [
        "",
        "Okay.",
        "That's awful. What happened?",
        "Oh no. What happened?",
        "Ouch! How bad is it?",
        "Wow. And then?",
        "Aw, what did she say? Are you okay?",
        "That sounds rough. Do you want to talk about it?",
        "Which of the two houses has the garden?",
        "Okay. Did the vet look at her paw?",
        "I see. Was it the landlord who rang?",
        "Do you need the recipe for four people?",
        "I'm so sorry. What happened?",
        "You rest, and I plan. Do you know when and where it is?",
        "You won, when nobody thought so, and how! What helped you, and what didn't?",
        "What happened? You sound tired.",
        "Try the green tea. Do you like tea? Or is coffee your thing?",
        "She asked where, when and why.",
        "I know who did it and where they are.",
        "It is what it is, and you are who you are.",
        "See https://example.com/?a=1 and https://example.com/?b=2 and https://example.com/?c=3",
        "What a day. How lovely. When it rains, it pours.",
        "What you need is rest.",
        "Should you need me, say so.",
        "however it is, whatever they say",
        "Thank you.",
    ],
)
def test_does_not_interrogate(response: str) -> None:
    assert findings("interrogates", response) == ()


def test_the_more_questions_the_more_it_counts() -> None:
    assert (
        strength("What happened?")
        < strength("I like it. Why? When? Who?")
        < strength("I like it. Why? When? Who? How?")
    )
    assert strength("I like it. Why? When? Who? How?") == strength("Why? Where?") == 1


def test_a_question_earns_nothing_in_an_interrogation() -> None:
    asked = v3_rules().explain(Utterance("I feel low.", "That sounds heavy. What would help you?"))
    alone = v3_rules().explain(Utterance("I feel low.", "What would help you?"))
    assert "asks the user" in asked["conversational_quality"].explanation
    assert "questions the user" in alone["conversational_quality"].explanation
    assert "asks the user" not in alone["conversational_quality"].explanation


@pytest.mark.parametrize("piece", ["?", "? ", "a?", "what do you ", "you are ", "how long did you. ", "\n?", "？"])
def test_hostile_input_is_read_in_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    for cue in ("asks_user", "interrogates"):
        for finding in findings(cue, text):
            assert 0 <= finding.start <= finding.end <= len(text)
