"""The user of a case answers in the sense of the case, whatever the words of the question."""

import pytest

from evaluation.chat_flow.case import NEUTRAL_ANSWER, FlowCase
from evaluation.chat_flow.scripted_user import ScriptedUser
from evaluation.records import Json, Turn
from tests.evaluation.chat_flow.made import lexicon


def answer(question: str, data: dict[str, Json], *said: str) -> str:
    user = ScriptedUser(FlowCase.read(data), lexicon())
    return user.answer(question, [Turn("user", text) for text in said or ("Hello.",)])


ANSWERS: list[Json] = [
    "Whatever.",
    {"to": ["how long", "minutes"], "say": "20 minutes.", "states": {"time_budget_minutes": 20, "diet": ["vegan"]}},
    {"to": ["people"], "say": "Two."},
    "Really, anything.",
]


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        ("How long may it take?", (), "20 minutes."),
        ("HOW  LONG?", ("Whatever.",), "20 minutes."),
        ("For how many people?", (), "Two."),
        ("Peoples?", (), "Whatever."),
        ("Anything else?", (), "Whatever."),
        ("Anything else?", ("Whatever.",), "Really, anything."),
        ("Anything else?", ("Whatever.", "Really, anything."), NEUTRAL_ANSWER),
        ("How many minutes, again?", ("20 minutes.", "Whatever.", "Really, anything."), "20 minutes."),
        ("", (), "Whatever."),
        ("When do you want to eat?", (), "20 minutes."),
        ("How long may it take, and for how many people?", (), "20 minutes. Two."),
    ],
)
def test_what_the_case_answers_is_said_as_written(question: str, said: tuple[str, ...], expected: str) -> None:
    assert answer(question, {"answers": ANSWERS}, *said) == expected


def test_answers_as_a_mapping_and_none() -> None:
    data: dict[str, Json] = {"answers": {"time": "20 min", "people": "2"}, "otherwise": "Egal."}
    assert [answer(asked, data) for asked in ("What time?", "How many people?", "Und?")] == ["20 min", "2", "Egal."]
    assert answer("Und?", {}) == NEUTRAL_ANSWER


def test_an_answer_for_another_subject_is_not_given_for_a_word_that_both_have() -> None:
    data: dict[str, Json] = {"time_budget_minutes": 20, "answers": [{"to": ["ingredients", "have"], "say": "Rice."}]}
    assert answer("How much time do you have?", data) == "At most 20 minutes."
    assert answer("What do you have?", data) == "Rice."


KNOWN: dict[str, Json] = {
    "available": ["noodles", "carrots", "cabbage"],
    "allergies": ["peanuts"],
    "forbidden": ["coriander"],
    "time_budget_minutes": 20,
    "servings": 2,
}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("You avoid peanut?", "Yes, I avoid peanut."),
        ("So, no peanuts?", "Yes, I avoid peanuts."),
        ("Are groundnuts off limits?", "Yes, I avoid groundnuts."),
        ("Is peanut butter okay for you?", "No, I avoid peanut butter."),
        ("May I use satay sauce?", "No, I avoid satay sauce."),
        ("What about peanuts?", "No, I avoid peanuts."),
        ("Should it be peanut-free?", "Yes, peanut-free."),
        ("Do you eat cilantro?", "No, I avoid cilantro."),
        ("Do you eat fish?", "Yes, I eat fish."),
        ("Is dairy a problem?", "No, I eat dairy."),
        ("Do you tolerate peanuts and milk?", "I avoid peanuts. I eat milk."),
        ("Are you allergic to milk?", "No, I eat milk. I am allergic to peanuts. I avoid coriander."),
        ("Are you vegan?", "No."),
        ("To confirm: peanut-free, and no coriander, correct?", "Yes, peanut-free. I avoid coriander."),
        ("Which of these do you have: rice, pasta?", "I have noodles, carrots, cabbage."),
        ("How do you feel about peanuts?", "No, I avoid peanuts."),
        ("Do you have more time than 20 minutes?", "No, at most 20 minutes."),
        ("Any allergies?", "I am allergic to peanuts. I avoid coriander."),
        ("Do you have any food allergies, such as nuts or milk?", "I am allergic to peanuts. I avoid coriander."),
        ("Is there anything that you don't eat?", "I am allergic to peanuts. I avoid coriander."),
        ("What ingredients do you have?", "I have noodles, carrots, cabbage."),
        ("What's in your fridge?", "I have noodles, carrots, cabbage."),
        ("Nice to meet you. Tell me what you have at home.", "I have noodles, carrots, cabbage."),
        ("Do you have carrots?", "Yes, I have carrots."),
        ("Do you have eggs?", "No, I have no eggs."),
        ("Have you got noodles or eggs?", "I have noodles. I have no eggs."),
        ("How much time is there?", "At most 20 minutes."),
        ("How quickly does it have to be ready?", "At most 20 minutes."),
        ("Is half an hour fine?", "No, at most 20 minutes."),
        ("Would 15 minutes do?", "Yes, at most 20 minutes."),
        ("Is 45 minutes too long?", "Yes, at most 20 minutes."),
        ("How many of you are eating?", "For 2."),
        ("Is it for four people?", "No, for 2."),
        ("Are you cooking just for yourself?", "No, for 2."),
        ("How much time, and how many people?", "At most 20 minutes. For 2."),
        ("Wie viel Zeit hast du?", "At most 20 minutes."),
        ("¿Tienes alguna alergia?", "I am allergic to peanuts. I avoid coriander."),
        ("Anything else I should avoid?", "I am allergic to peanuts. I avoid coriander. Nothing else."),
        ("Do you like it spicy?", NEUTRAL_ANSWER),
        ("Do you have an oven?", NEUTRAL_ANSWER),
        ("Do you own a wok?", NEUTRAL_ANSWER),
        ("Which kitchen tools do you have?", NEUTRAL_ANSWER),
        ("Would you like something vegan?", NEUTRAL_ANSWER),
        ("Do you prefer rice or noodles?", NEUTRAL_ANSWER),
        ("Could you tell me a little more about that?", NEUTRAL_ANSWER),
    ],
)
def test_what_no_answer_covers_follows_from_the_constraints(question: str, expected: str) -> None:
    assert answer(question, KNOWN) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do you eat meat or fish?", "I avoid meat. I eat fish."),
        ("Are you vegetarian?", "No, pescatarian."),
        ("Are you a pescatarian?", "Yes, pescatarian."),
        ("Do you follow a special diet?", "Pescatarian, please."),
        ("Is bacon allowed?", "No, I avoid bacon."),
        ("How much time do you have?", NEUTRAL_ANSWER),
        ("What do you have at home?", NEUTRAL_ANSWER),
    ],
)
def test_a_diet_rules_out_what_is_made_of_it(question: str, expected: str) -> None:
    assert answer(question, {"diet": ["pescatarian"]}) == expected


def test_who_is_vegan_is_vegetarian_too() -> None:
    assert answer("Are you vegetarian?", {"diet": ["vegan"]}) == "Yes, vegetarian."


def test_what_only_the_message_rules_out_is_not_eaten() -> None:
    data: dict[str, Json] = {"available": ["chicken"]}
    said = "chicken, rice, garlic. 20 min. gluten-free."
    assert answer("Is gluten fine?", data, said) == "No, I avoid gluten."
    assert answer("Do you have rice?", data, said) == "Yes, I have rice."


LATER: dict[str, Json] = {
    "answers": [
        {"to": ["allergies", "avoid"], "say": "Yes, I'm allergic to peanuts.", "states": {"allergies": ["peanuts"]}},
        {"to": ["oven"], "say": "A small one."},
        "You choose.",
    ]
}


@pytest.mark.parametrize(
    ("question", "expected", "counts"),
    [
        ("Do you avoid peanuts?", "Yes, I'm allergic to peanuts.", True),
        ("Are peanuts fine?", "No, I avoid peanuts. Yes, I'm allergic to peanuts.", True),
        ("Is there something you can't eat?", "Yes, I'm allergic to peanuts.", True),
        ("Do you avoid milk?", "No, I eat milk. I am allergic to peanuts.", False),
        ("Do you have an oven?", "A small one.", False),
        ("Do you like it spicy?", "You choose.", False),
    ],
)
def test_what_only_an_answer_states_is_said_in_its_words(question: str, expected: str, counts: bool) -> None:
    found = answer(question, LATER)
    known = FlowCase.read(LATER).constraints_after([Turn("user", found)])
    assert (found, known.allergies) == (expected, ["peanuts"] if counts else [])
