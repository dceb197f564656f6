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

HELD_OUT: tuple[tuple[tuple[str, ...], int | None], ...] = (
    (("I can't stop crying since he left.", "Two years.", "Okay. I think I can sleep now."), None),
    (
        (
            "Had a row with my daughter and I feel rotten.",
            "She's 16.",
            "You're right, I'll text her. Feeling calmer already.",
        ),
        2,
    ),
    (("My cat has cancer.", "The vet says weeks.", "Thanks for listening, it really helps."), 2),
    (("I failed my driving test again.", "Fourth time.", "Whatever. Nothing helps."), 0),
    (("Guess what, I got promoted!", "Starting Monday.", "I'm so excited."), 0),
    (("We're having a baby!", "My mother said I'm too old.", "I feel miserable now."), -2),
    (("I'm exhausted.", "Three jobs.", "You don't understand."), 0),
    (("I feel so alone.", "Maybe I'll go to the choir.", "Yes. That's what I needed."), 2),
    (("Can you give me a recipe for soup?", "With leeks.", "Great, thanks."), None),
    (("My brother died last spring.", "We sang together.", "I'm not feeling any better."), 0),
    (("It's my first day sober.", "I'm proud.", "But I'm scared of tonight."), -2),
    (("Nobody came to my birthday.", "I baked for ten.", "Talking to you helped a little."), 2),
    (("I hate my job.", "Every morning.", "I'm relieved that I said it out loud."), 2),
    (("Work was okay.", "Same as ever.", "Now I feel worse, honestly."), None),
    (("I won the match!", "Three nil.", "Shame that nobody saw it."), None),
    (("I've been really anxious lately.", "About money.", "That doesn't help me at all."), 0),
    (("My wife was diagnosed today.", "Stage two.", "I feel lighter for having told someone."), 2),
    (("I am heartbroken.", "She just texted.", "Forget it."), 0),
    (("The interview went well!", "They'll call.", "They just called. I didn't get it."), -2),
    (("I feel empty.", "Since March.", "I'm less alone with it now, thank you."), 2),
)
"""Written when the rule was done, and never used to change it."""


def test_the_last_mood_told_is_held_against_the_first() -> None:
    read = mood_reader(load_rubric("companion-v3").guide_settings_of)
    assert read is not None
    for messages, change in CONVERSATIONS:
        assert mood_change(messages, read) == change, (messages, [read(each) for each in messages])


@pytest.mark.parametrize("rubric", ["companion", "text_quality"])
def test_a_rubric_that_does_not_say_what_bad_news_is_measures_no_mood(rubric: str) -> None:
    assert mood_reader(load_rubric(rubric).guide_settings_of) is None


def test_of_conversations_held_out_some_are_not_read_and_none_is_read_the_wrong_way() -> None:
    read = mood_reader(load_rubric("companion-v3").guide_settings_of)
    assert read is not None
    found = [(mood_change(messages, read), change) for messages, change in HELD_OUT]
    assert sum(is_so == change for is_so, change in found) == 15
    assert sum(is_so is None and change is not None for is_so, change in found) == 5
