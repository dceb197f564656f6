"""What counts as the same question again, and what does not."""

import pytest

from evaluation.chat_flow.loops import AskedBefore
from tests.evaluation.chat_flow.made import lexicon


def repeats(*messages: str) -> list[bool]:
    asked = AskedBefore(lexicon())
    return [asked.repeats(message) for message in messages]


@pytest.mark.parametrize(
    "messages",
    [
        ("How much time do you have?", "how  much time do you have?"),
        ("How much time do you have?", "Sure! How long may it take?"),
        ("When should dinner be ready?", "What is your time limit, in minutes?"),
        ("How many people are eating?", "How many servings do you need?"),
        ("Any dietary restrictions?", "Which diet do you follow?"),
        ("Do you have allergies?", "Is there something that you are allergic to?"),
        ("How much time, and for how many people?", "For how many people?"),
        ("Do you eat pork?", "Is pork okay?"),
        ("Do you like it spicy?", "Would you like it spicy?"),
        ("Which cuisine do you prefer?", "What cuisine would you like?"),
        ("Do you like spicy food?", "Is spicy okay for you?"),
        ("Do you have an oven?", "Is there an oven in your kitchen?"),
        ("Which cuisine do you prefer?", "Any favourite cuisine?"),
        ("Is there anything you avoid?", "What can't you eat?"),
        ("Wie viel Zeit hast du?", "Wie lange darf es dauern?"),
        ("Please confirm.", "please  confirm."),
    ],
)
def test_the_same_question_in_other_words_is_a_repetition(messages: tuple[str, str]) -> None:
    assert repeats(*messages) == [False, True]


@pytest.mark.parametrize(
    "messages",
    [
        ("How much time do you have?", "For how many people?"),
        ("Any allergies?", "Do you follow a diet?"),
        ("Do you eat pork?", "Do you eat beef?"),
        ("Is it spicy food that you like?", "How spicy may it be?"),
        ("Do you have an oven?", "Do you have a blender?"),
        ("Any allergies?", "Anything else that I should avoid?"),
        ("What do you have?", "What do you have besides rice?"),
        ("How much time do you have?", "Is 30 minutes fine?"),
        ("For how many people?", "For how many people, and how fast?"),
        ("What ingredients do you have?", "I know none of these. What ingredients do you have?"),
        ("Thanks! One moment.", "Thanks! One more moment."),
    ],
)
def test_another_question_is_none(messages: tuple[str, str]) -> None:
    assert repeats(*messages) == [False, False]


def test_ingredients_that_were_not_understood_are_asked_for_once_more_and_not_twice() -> None:
    asked = ("What ingredients do you have?", "I know none. What is in your fridge?", "What do you have at home?")
    assert repeats(*asked) == [False, False, True]
