"""Replies that stop before their end or whose words have no order, with the settings of companion-v3."""

import random
from collections.abc import Callable

import pytest

from evaluation.metrics.cues import CUES
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding, Json
from tests.evaluation.metrics.shipped import v3_cue, v3_rubric, v3_rules

ORDERLY = [
    "I'm so sorry about your dog. Twelve years is a long time, and the house must feel very quiet without her.",
    "That sounds like a rough week. Have you been able to sleep at all, or does it keep going round in your head?",
    "You could start with the kitchen, since it's the smallest. Put on some music, and stop when it rings.",
    "It makes sense that you're angry. He promised to come and then didn't call, and you had cooked for everyone.",
    "Oh no, on your birthday of all days! What did the landlord say when you showed him the leak?",
    "I can't tell you what the test will show. A pharmacist could check whether the two tablets go together.",
    "That's a lovely idea. If you plant the beans in May, they'll be ready before the children go back to school.",
    "I hear how tired you are. Nobody can carry a newborn, a job and a sick parent without feeling it.",
    "Moving to a new city where you don't know a soul is hard. Is there a choir or a running club near you?",
    "What a day you've had. First the flat tyre, then the rain, and on top of it the meeting.",
    "I'd go for the blue one. It goes with your shoes, and it won't show the stains.",
    "Your mum sounds proud of you, even if she doesn't say so in so many words.",
]
LOOK_ALIKES = [
    "",
    "Hm",
    "Okay.",
    "i'm so sorry that happened to you",
    "oh no that's awful, how is she doing now?",
    "that sounds fun, tell me more",
    "yeah i get that. my advice would be to wait a day",
    "Good for you!",
    "Sure thing",
    "See you soon xx",
    "I'm so glad you rang 😊",
    "Yes! 🎉 When do you move in?",
    "Well done to you both! 🙌 the party is on me.",
    "No, I am an AI. I am still happy to chat though.",
    "Sounds like a plan lol",
    "Well done (you earned it all)",
    'She said it and meant it: "never again"',
    "Take care of yourself and your mother!! ❤️",
    "Hmm... I don't know.",
    "Well, I was wondering about it...",
    "Das tut mir wirklich leid, was war denn da los in der Schule",
    "Je suis désolé, on a tous des jours comme ça, et tu as le droit de le dire",
    "Dat is echt heel erg voor je, was het in de stad of in het dorp",
    "What are you looking for?",
    "That is the one I told you about.",
    "Who did you go with?",
    "I love The Beatles and The Lord of the Rings.",
    "The doctor is in. Come on in.",
    "All I can do is listen. What he did was wrong.",
    "The house we live in is old. The film I told you of is on.",
    "People I talk to are kind. The things you are good at are many.",
    "Dr. Lee said so, i.e. you should rest.",
    "If I were you, I'd go. He's the one who called, isn't he?",
    "That he came at all is good. I know that that is hard.",
    "It's an hour, a European union, a one-way street, an X, a UFO and a home.",
    "今日はとても疲れました",
    "yeah that's what i was going to say too",
    "The one he gave you is the best of all, and I told you I'm fine.",
    "Had I known, I'd have done the same. Is he a teacher? Are we the last?",
    "Not that it matters, but is that you on the left?",
    "I kind of have to, and you don't have to for me. I'm about to go.",
    "All you have to do is do it. My advice is don't wait. The truth is I'm tired.",
    "The question is can you. As of now, it's fine. And of course, because of that, he came.",
    "A while ago there was an hour, a like and an honest mistake in my past.",
    "He who is without sin may be the first. Should he be?",
    "Those I like are in the box I told you of.",
    "Would a cup of tea help? Has the rain stopped? Did a friend call?",
    "But if and when you do, I'll be there. If I could I'd come.",
    "That's not about the how, it's about the why.",
    "I got an A in French. A friend did too.",
    "You can read it at www.example.org/and",
]
CUT = [
    ("I'm sorry to hear that your", "your", 1.0),
    ("That sounds hard. I wonder whether your sister knows", "knows", 1.0),
    ("First take a warm bath, and then,", "then,", 1.0),
    ("You could call her and", "and", 1.0),
    ("I think that they're", "they're", 1.0),
    ("Take the bus to the", "the", 1.0),
    ("I can help with the list. Shall we begin with", "with", 1.0),
    ("It's fine, really. You did what you could, bec", "bec", 1.0),
    ("He never listens to you, and that hurts", "hurts", 0.5),
    ("That sounds like a really", "really", 0.5),
    ("i get that it was a", "a", 0.5),
    ("oh no. i'm so sorry about the", "the", 0.5),
    ("So after lunch tomorrow you and I could walk over to the...", "the...", 0.5),
    ("Here is what I'd do:", "do:", 1.0),
    ("There are two ways to see it –", "–", 1.0),
]
MIXED_UP = [
    "to the sorry of I'm that the hear.",
    "So you went the. Of and it is a.",
    "a the my of you.",
    "hear to sorry I'm. dog The your about.",
    "You should the of call. She and is, the a doctor.",
]


def findings(response: str) -> tuple[Finding, ...]:
    return v3_cue("breaks_off")(Utterance("Hello", response))


@pytest.mark.parametrize("response", ORDERLY + LOOK_ALIKES)
def test_comes_to_an_end_in_order(response: str) -> None:
    assert findings(response) == ()


@pytest.mark.parametrize(("response", "quote", "strength"), CUT)
def test_stops_before_its_end(response: str, quote: str, strength: float) -> None:
    (found,) = findings(response)
    assert (found.quote, found.strength) == (quote, strength)
    assert response[found.start : found.end] == quote


@pytest.mark.parametrize("response", MIXED_UP)
def test_words_in_no_order(response: str) -> None:
    (found,) = findings(response)
    assert found.quote.endswith(f" of {len(response.split())} words out of order")
    assert found.strength > 0.5


def test_the_place_of_the_last_word_counts_white_space() -> None:
    response = "First take  a warm bath, and\n\nthen go to  the  "
    (found,) = findings(response)
    assert response[found.start : found.end] == found.quote == "the"


def neighbours_swapped(words: list[str]) -> list[str]:
    return [word for start in range(0, len(words), 2) for word in reversed(words[start : start + 2])]


def shuffled(words: list[str]) -> list[str]:
    return random.Random(7).sample(words, len(words))


@pytest.mark.parametrize(
    "change", [shuffled, neighbours_swapped, lambda words: words[::-1], lambda words: sorted(words, key=str.lower)]
)
def test_other_orders_are_mostly_seen_even_where_a_full_stop_follows(change: Callable[[list[str]], list[str]]) -> None:
    replies = [" ".join(change(reply.split())).rstrip(".!?,") + "." for reply in ORDERLY]
    assert sum(bool(findings(reply)) for reply in replies) >= 0.75 * len(replies)


def test_the_explanation_names_the_last_word() -> None:
    explained = v3_rules().explain(Utterance("Hello", "I'm sorry to hear that your"))
    assert 'breaks off ("your")' in explained["conversational_quality"].explanation


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"never_last": ["nouns"]}, "no class nouns"),
        ({"english_only": ["nouns"]}, "no class nouns"),
        ({"never_before": {"a": ["nouns"]}}, "no class nouns"),
        (
            {"classes": {"a": ["a"], "b": ["A"]}, "never_before": {}, "never_last": [], "english_only": []},
            "two classes",
        ),
        (
            {
                "classes": {str(n): [f"w{n}"] for n in range(40)},
                "never_before": {},
                "never_last": [],
                "english_only": [],
            },
            "more than",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(changed: dict[str, Json], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        CUES["breaks_off"].prepare({**v3_rubric().cues["breaks_off"].settings, **changed})


@pytest.mark.parametrize(
    "piece", ["a", "the ", "the. ", ". ", "The ", ", ", "...", "–", "you and the ", "é ", "\n", "'"]
)
def test_hostile_input_is_read_in_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    for found in findings(text):
        assert 0 <= found.start <= found.end <= len(text)


def test_a_row_of_dots_that_ends_nothing_is_read_in_time() -> None:
    assert findings("You and the " + "." * 100_000 + "a")
