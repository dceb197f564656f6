"""How the mood of a person's own words goes over a conversation. The table was written before the rule."""

import pytest

from evaluation.metrics.mood import mood_change, mood_reader
from scripts.run.load import load_rubric

CONVERSATIONS: tuple[tuple[tuple[str, ...], int | None], ...] = (
    (("I feel awful today.", "Yes, since the funeral.", "Thank you. I feel a bit better now."), 2),
    (("My dog died yesterday.", "His name was Rex.", "That helped, thank you."), 2),
    (("I'm so lonely.", "Maybe I could ring her.", "I needed to hear that."), 2),
    (("I lost my job.", "What would I even say?", "I'm still so worried."), 0),
    (("I got the job!", "Next Monday.", "I'm so happy."), 0),
    (("I passed my exam!", "My dad didn't say a word.", "Now I'm just sad."), -2),
    (("I'm sad.", "You don't get it.", "This is making it worse."), 0),
    (("We're engaged!", "You're not listening.", "Forget it."), -2),
    (("I'm so happy today.", "It's not helping that you keep asking."), -2),
    (("I feel terrible.", "I'm not feeling better yet."), 0),
    (("What's the capital of Chad?", "And of Niger?"), None),
    (("I'm sad.", "Where do I find the form?"), None),
    (("I feel better today.",), None),
    ((), None),
)


def test_the_last_mood_told_is_held_against_the_first() -> None:
    read = mood_reader(load_rubric("companion-v3").guide_settings_of)
    assert read is not None
    for messages, change in CONVERSATIONS:
        assert mood_change(messages, read) == change, (messages, [read(each) for each in messages])


@pytest.mark.parametrize("rubric", ["companion", "text_quality"])
def test_a_rubric_that_does_not_say_what_bad_news_is_measures_no_mood(rubric: str) -> None:
    assert mood_reader(load_rubric(rubric).guide_settings_of) is None
