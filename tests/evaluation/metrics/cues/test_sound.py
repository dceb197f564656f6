"""How long a response takes to say, and what in it cannot be taken in by ear, with the settings of companion-v3."""

import pytest
from pydantic import ValidationError

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.sound import seconds_to_say
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding
from tests.evaluation.metrics.shipped import v3_cue, v3_rules

EVERYDAY = (
    "I walked down to the river this morning before the shops were open. The water was high and quite brown from all "
    "the rain. A man with two small dogs stopped to talk about the bridge, which they plan to paint in spring. "
    "After that I bought bread, went home, and slept for an hour with the window open."
)


def findings(cue: str, response: str) -> tuple[Finding, ...]:
    return v3_cue(cue)(Utterance("Hello", response))


def strength(cue: str, response: str) -> float:
    return max((finding.strength for finding in findings(cue, response)), default=0.0)


def test_everyday_english_is_said_at_the_rate_of_narration() -> None:
    words = len(EVERYDAY.split())
    assert 150 <= words / seconds_to_say(EVERYDAY) * 60 <= 160


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("0161 496 0000", "my phone number"),
        ("one. two. three.", "one, two, three."),
        ("extraordinary circumstances", "odd things"),
        ("今日はとても疲れました", "I am"),
        ("a = b / c", "a is b by c"),
    ],
)
def test_digits_pauses_letters_and_ideographs_take_time(longer: str, shorter: str) -> None:
    assert seconds_to_say(longer) > seconds_to_say(shorter)


def test_nothing_takes_no_time() -> None:
    assert seconds_to_say("") == 0
    assert seconds_to_say("  ") == 0


def test_takes_long_is_a_measurement_and_grows() -> None:
    (some,) = findings("takes_long", EVERYDAY + " " + EVERYDAY[:60])
    (more,) = findings("takes_long", EVERYDAY * 2)
    assert some.quote.endswith(" seconds to say")
    assert (some.start, some.end) == (0, 0)
    assert 0 < some.strength < 0.3 < more.strength <= 1
    assert strength("takes_long", EVERYDAY * 9) == 1


@pytest.mark.parametrize(
    "response",
    ["", "Okay.", "That's a lot to carry, and I'm glad you said it. " * 4, "a " * 40, "Really?! " * 12, "." * 5000],
)
def test_what_is_listened_to_with_ease(response: str) -> None:
    assert findings("takes_long", response) == ()


@pytest.mark.parametrize("response", ["1 " * 60, "#" * 60, "今日" * 60, "lovely " * 80, "Yes. " * 60])
def test_what_is_not(response: str) -> None:
    assert findings("takes_long", response)


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="not above free"):
        CUES["takes_long"].prepare({"free": 20, "full": 20})
    with pytest.raises(ValidationError):
        CUES["takes_long"].prepare({"free": 0, "full": 20})


HARD = [
    ("See www.example.org/a?b=1 for it.", ["www.example.org/a?b=1"]),
    ("Write to help.desk@mail.co.uk today.", ["help.desk@mail.co.uk"]),
    ("Go to example.com/help for more.", ["example.com/help"]),
    ("Your reference is XK-99213-B.", ["XK-99213-B"]),
    ("Call 0161 496 0000 today.", ["0161 496 0000"]),
    ("I.e. rest, approx. two hours, cf. above.", ["I.e", "approx", "cf"]),
    ("Use x = 2y there.", ["=", "2y"]),
    ("Set max_length or call getName() first.", ["max_length", "getName"]),
    ("Version XIV of the SLA and the KPI.", ["XIV", "SLA", "KPI"]),
    ("Take 400 mg and walk 5 km.", ["mg", "km"]),
    ("It is 5 kg & 30 cm.", ["kg", "&", "cm"]),
    ("Yes 🎉🎉🎉 yes.", ["🎉🎉🎉"]),
    ("First A -> B.", ["->"]),
    ("Section 4.2.1, para. 3, p. 17.", ["4.2.1", "para", "p"]),
    ("It grew by 4.75% y/y.", ["4.75%", "y/y"]),
    ("That is 1,250,300 ÷ 12.", ["1,250,300", "÷"]),
    ("It goes like 10^6 m/s².", ["10^6", "m/s²"]),
    ("The address 192.168.0.1 is free.", ["192.168.0.1"]),
    ("Dept. of letters, attn. Lee.", ["Dept", "attn"]),
    ("ISBN 978-3-16-148410-0", ["978-3-16-148410-0"]),
]


@pytest.mark.parametrize(("response", "quotes"), HARD)
def test_hard_to_hear(response: str, quotes: list[str]) -> None:
    assert [finding.quote for finding in findings("hard_to_hear", response)] == quotes
    for finding in findings("hard_to_hear", response):
        assert response[finding.start : finding.end] == finding.quote


@pytest.mark.parametrize(
    "response",
    [
        "",
        "See you at 7, or at 9:30 pm, or at 8am.",
        "It was in 1994, I think.",
        "That's $20 or €3.50, not much.",
        "Call 988 or 911 or 116 123 now.",
        "The TV is on, OK?",
        "The NHS and the GP can help.",
        "Dr. Lee and Mr. Smith came at 8 a.m. today.",
        "I'm here 24/7, and he/she and/or they can be.",
        "NASA called. That's SO good, I LOVE it!",
        "A 12% raise is fine.",
        "I <3 you 😀😀",
        "My well-known mother-in-law – ok…",
        "He was born in the '90s, in his 20s.",
        '"Yes," she said; "no: never!"',
        "You turned 30 on the 3rd of May.",
        "It takes 10-15 minutes, maybe 20.",
        "He is a 5-year-old.",
        "It's 5 km away.",
        "McDonald's and YouTube on my iPhone.",
        "20,000 people came.",
        "No. That is his fig. It can be a sign in vol. form.",
        "Hmm... well... okay.Fine",
    ],
)
def test_what_is_easy_to_hear(response: str) -> None:
    assert findings("hard_to_hear", response) == ()


def test_the_more_is_hard_the_more_it_counts() -> None:
    assert (
        0 < strength("hard_to_hear", "Rest approx. an hour.") < strength("hard_to_hear", "Rest approx. 3.75 h, cf. it.")
    )
    assert strength("hard_to_hear", "See https://example.org/a for it.") == 1


def test_the_explanation_names_both() -> None:
    explained = v3_rules().explain(Utterance("Hello", EVERYDAY * 2 + " Cf. www.example.org"))
    text = explained["conversational_quality"].explanation
    assert "seconds to say" in text
    assert "www.example.org" in text


@pytest.mark.parametrize(
    "piece", ["a", "1", "1 ", "a.", "A", "@", "a_", "(", "-", "www.", "=>", "a@b.", "😀", "+(", "É"]
)
def test_hostile_input_is_read_in_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    for cue in ("takes_long", "hard_to_hear"):
        for finding in findings(cue, text):
            assert 0 <= finding.start <= finding.end <= len(text)
