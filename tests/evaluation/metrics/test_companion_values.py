"""Values of every metric worked out by hand from the rubric's arithmetic, each adjustment alone and together."""

from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.shipped import companion_rules

PLAIN = "The train leaves at noon."
TEN = "one two three four five six seven eight nine ten"


def value(metric: str, user_input: str, response: str) -> float:
    found = companion_rules().explain(Utterance(user_input, response))[metric].value
    assert found is not None
    return found


def test_appropriateness() -> None:
    cases: list[tuple[str, str, float]] = [
        ("Hello", PLAIN, 1.0),
        ("Hello", "", 1.0),
        ("Hello", "That is *great* news.", 0.7),  # 1.0 - 0.3
        ("Hello", "Furthermore, kindly state the matter.", 0.8),  # 1.0 - 0.2
        ("hey what's up", "Furthermore, it is noon.", 0.8),  # one formal expression to a casual user
        ("Hello", "Furthermore, it is noon.", 1.0),  # one to a neutral user
        ("Furthermore, kindly tell me the time.", "Furthermore, kindly note the hour.", 1.0),  # answered in kind
        ("Hello", "Well fuck.", 0.5),  # 1.0 - 0.5
        ("Hello", "Well **fuck**.", 0.2),  # 1.0 - 0.3 - 0.5
        ("Hello", "**Furthermore**, kindly shut up.", 0.0),  # 1.0 - 0.3 - 0.2 - 0.5
    ]
    for user_input, response, expected in cases:
        assert value("appropriateness", user_input, response) == expected, (user_input, response, expected)


def test_conversational_quality() -> None:
    cases: list[tuple[str, float]] = [
        ("", 0.6),
        (PLAIN, 0.6),  # 5 words
        ("word " * 9, 0.6),
        (TEN, 0.8),  # 10 words: + 0.2
        ("word " * 30, 0.8),
        ("word " * 31, 0.6),
        ("word " * 50, 0.6),
        ("word " * 51, 0.4),  # - 0.2
        ("How come?", 0.8),  # question + 0.2
        ("Glad to hear from you.", 0.7),  # pronoun + 0.1
        ("Did you?", 0.9),  # + 0.2 + 0.1
        (TEN + " and you?", 1.0),  # 0.6 + 0.2 + 0.2 + 0.1 = 1.1, clamped
        ("`word`", 0.3),  # - 0.3
        ("one\ntwo\nthree\nfour", 0.4),  # three line breaks: - 0.2
        ("one\ntwo\nthree", 0.6),
        ("- one\n- two\n- three\n- four", 0.1),  # list and breaks: - 0.3 - 0.2
        ("- one\n- two\n- three\n- four" + " word" * 51, 0.0),  # 0.6 - 0.3 - 0.2 - 0.2 = -0.1, clamped
        (f"{TEN} *you*?", 0.8),  # 0.6 + 0.2 + 0.2 + 0.1 - 0.3
    ]
    for response, expected in cases:
        assert value("conversational_quality", "Hello", response) == expected, (response, expected)


def test_helpfulness() -> None:
    cases: list[tuple[str, str, float]] = [
        ("Hello", PLAIN, 0.5),
        ("", "", 0.5),
        ("When does the bus go?", PLAIN, 0.8),  # "the": function words count
        ("Noon?", PLAIN, 0.8),  # punctuation around words is no part of them
        ("I’m here", "i'm there", 0.8),  # apostrophes are equal
        ("work", "working", 0.5),  # whole words
        ("stress", "so sorry", 0.7),  # feeling and empathy: + 0.2
        ("I'm STRESSED", "SORRY", 0.7),  # case does not matter
        ("distress", "so sorry", 0.5),  # not at the start of a word
        ("lonely", "so sorry", 0.5),  # not in this metric's list
        ("happy", "so sorry", 0.5),
        ("upset", "that sounds hard", 0.5),  # "sounds" is in the other metric's list
        ("upset", "you are helpless", 0.7),  # "help" at the start of "helpless" is known
        ("upset", "unsupported", 0.5),
        ("Hello", "What would you like?", 0.6),  # helpful question: + 0.1
        ("Hello", "Who cares?", 0.5),
        ("sad day", "sorry about the day", 1.0),  # 0.5 + 0.3 + 0.2
        ("I feel sad", "I feel it too. Do you want to talk?", 1.0),  # 1.1, clamped
    ]
    for user_input, response, expected in cases:
        assert value("helpfulness", user_input, response) == expected, (user_input, response, expected)


def test_emotional_intelligence() -> None:
    cases: list[tuple[str, str, float]] = [
        ("Hello", "I understand, that makes sense. Cheer up.", 0.5),  # no feeling named: nothing counts
        ("I'm angry", PLAIN, 0.5),
        ("I'm angry", "I can see why.", 0.8),  # + 0.3
        ("I'm angry", "A valid point.", 0.7),  # + 0.2
        ("I'm angry", "An invalid point.", 0.5),
        ("I'm angry", "Unreasonable.", 0.5),
        ("I'm angry", "Naturally.", 0.7),
        ("I'm angry", "Cheer up!", 0.1),  # - 0.4
        ("I'm angry", "That must hurt, and it makes sense.", 1.0),  # + 0.3 + 0.2
        ("I'm angry", "That must hurt, it makes sense, but cheer up.", 0.6),
        ("I'm unhappy", "I understand.", 0.5),  # "happy" inside "unhappy" is not found
        ("I'm happy", "I understand.", 0.8),
        ("stressed and anxious", "I understand.", 0.5),  # these are in the other metric's list
        ("a crusade", "I understand.", 0.5),
        ("the saddest day", "that  must\nhurt", 0.8),  # any white space
    ]
    for user_input, response, expected in cases:
        assert value("emotional_intelligence", user_input, response) == expected, (user_input, response, expected)


def test_personalization_continuity() -> None:
    cases: list[tuple[str, float]] = [
        (PLAIN, 0.4),
        ("As we discussed, noon.", 0.7),  # + 0.3
        ("earlier you mentioned noon", 0.7),
        ("Made for you.", 0.6),  # + 0.2
        ("Made for yours.", 0.6),  # a phrase may end within a word
        ("Therefor you go.", 0.4),  # but not begin within one
        ("I believe so.", 0.5),  # + 0.1, without a personality context
        ("as I always say, noon", 0.5),
        ("As we discussed, made for you.", 0.9),
        ("Following up: in your situation, my approach is rest.", 1.0),  # 0.4 + 0.3 + 0.2 + 0.1
    ]
    for response, expected in cases:
        assert value("personalization_continuity", "Hello", response) == expected, (response, expected)


def test_trust_boundaries() -> None:
    cases: list[tuple[str, float]] = [
        (PLAIN, 0.7),
        ("You might consider rest.", 0.9),  # + 0.2
        ("I can help.", 0.9),
        ("i CAN help.", 0.9),
        ("As an AI, noon.", 0.8),  # + 0.1
        ("I can't.", 0.8),
        ("I can’t.", 0.8),
        ("I CAN'T.", 0.8),
        ("I cant.", 0.7),
        ("I'm all you need.", 0.2),  # - 0.5
        ("I’m all you need.", 0.2),
        ("You don't need anyone else.", 0.2),
        ("I guarantee it.", 0.4),  # - 0.3
        ("I suggest rest. I'm not able to drive.", 1.0),  # 0.7 + 0.2 + 0.1
        ("I guarantee it: I'm better than people.", 0.0),  # 0.7 - 0.5 - 0.3 = -0.1, clamped
        ("I suggest rest. I guarantee it.", 0.6),
        ("I suggest rest. I can't drive. I'm all you need. I will fix it.", 0.2),
    ]
    for response, expected in cases:
        assert value("trust_boundaries", "Hello", response) == expected, (response, expected)


def test_overall_quality() -> None:
    cases: list[tuple[str, str, float]] = [
        # 0.15 x 1.0 + 0.20 x 0.6 + 0.20 x 0.5 + 0.25 x 0.5 + 0.10 x 0.4 + 0.10 x 0.7
        ("Hello", PLAIN, 0.605),
        # 0.15 x 0.5 + 0.20 x 0.6 + 0.20 x 0.5 + 0.25 x 0.1 + 0.10 x 0.4 + 0.10 x 0.7
        ("Angry.", "Fuck. Cheer up.", 0.43),
        # 0.15 x 1.0 + 0.20 x 0.9 + 0.20 x 0.6 + 0.25 x 0.8 + 0.10 x 0.4 + 0.10 x 0.9
        ("angry", "It sounds hard. I suggest rest. Would you?", 0.78),
    ]
    for user_input, response, expected in cases:
        assert value("overall_quality", user_input, response) == expected, (user_input, response, expected)
