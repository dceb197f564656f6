"""Replies that say nothing, and plain ones that do, with the settings of companion-v3."""

import pytest

from evaluation.metrics.cues import CUES
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding
from tests.evaluation.metrics.shipped import v3_cue, v3_rules

PILED = [
    "I completely understand, your emotions are legitimate, thank you for opening up, I am listening, we can get "
    "through this, please reach out to a counsellor, what would you like to share?",
    "It's okay to feel that way, you matter, you deserve support, take it one step at a time, be gentle with "
    "yourself, I believe in you, tell me more about how you feel.",
    "Great question! As a language model I don't have feelings, but I am always here for you, I value our "
    "conversation, I remember what you told me, is there anything else I can do for you?",
    "That must be so tough for you. I can imagine how you feel. It's completely normal to feel like that. You are so "
    "strong. I'm proud of you. You are not alone. How can I support you?",
    "Understand, empathy, valid, hear, support, listen, care, feelings, normal, therapist, hotline, trust, safe, you",
    "I see what you mean, I get it, I know how that feels, totally valid, makes total sense, sending love, here for "
    "you, always, you've got this, want to talk?",
    "Like you said earlier, as you mentioned before, from what you told me, I remember that well, given your "
    "situation, in your case, for you personally, I would suggest, perhaps, to talk about it.",
    "Sounds hard. Sounds tough. Sounds painful. I understand. I hear you. I'm sorry. You're valid. You're strong. I'm "
    "here. Talk to me. What's wrong?",
    "I want to acknowledge your feelings. I want to honor your experience. I want to hold space for you. I want to "
    "remind you of your strength. I want to ask you what you need.",
    "i understand how you feel that sounds so hard i am here for you you are not alone your feelings are valid thank "
    "you for sharing that with me do you want to talk about it",
    "Sorry, sad, understand, tough, hear, valid, lonely, crisis, you, feel, angry, natural, care, support, remember",
]
FILLER = [
    "To be honest, when you think about it, there are things in life that one can see this way or that way, and in "
    "the end everybody has to know for themselves what is right for them.",
    "As a matter of fact, as it were, it's kind of like, well, you know what I mean, it's just one of those things, "
    "really, and so on and so forth, and that's basically that.",
    "And of course, as we all know, life is like that sometimes, and what will be will be, and time will tell, and "
    "there is not much more that one can say about it at this point.",
    "By and large, in some way or other, for the most part, it is what it is, and one should always take into account "
    "that everything is connected to everything else in its own way.",
    "Well, I mean, like, I guess, sort of, maybe, in a way, if that makes sense, I don't know, it's just, you know, "
    "whatever it is, it's kind of that, I suppose, or something like that.",
    "It is important to remember that everyone is different and that what works for one person may not work for "
    "another, so it is always a good idea to consider all of the options.",
    "What it all comes down to, at the end of it all, is that some things are the way they are, and others are not, "
    "and it's up to each of us to make of them what we will.",
]
PLAIN = [
    "",
    "Okay.",
    "I'm so sorry, that's awful.",
    "I see. That sounds really hard, I'm so sorry. Do you want to talk about it?",
    "I'm so sorry, that sounds really hard. It makes sense that you feel that way.",
    "It sounds like you have been through so much, and I can see why you would feel that way.",
    "I hear you. It must hurt that he left without a word. What would help right now?",
    "That's wonderful news! I'm so happy for you. How are you going to celebrate?",
    "I'm an AI, so I don't have feelings, but I can listen and help you think about it.",
    "I'm really worried about you. Are you safe right now? Please call 988 or tell someone near you, you don't have "
    "to be alone with this.",
    "Thank you for telling me. That took courage. Is there someone you trust who could be with you tonight?",
    "I'm not sure what you mean. Could you tell me a bit more?",
    "You're welcome! Let me know if there is anything else I can help with.",
    "I can't tell you what to do, but I can help you think it through. What matters most to you?",
    "I'm so sorry about your dog. Twelve years is a long time, and the house must feel very quiet without her.",
    "It makes sense that you're angry. He promised to come and then didn't even call, and you had cooked for everyone.",
    "You could start with the kitchen, since it's the smallest. Put on music, set a timer, and stop when it rings.",
    "Das tut mir wirklich leid, was war denn da los, und wie geht es dir jetzt damit, magst du davon erzählen?",
    "apples, pears, milk, bread, butter, cheese, eggs, flour, sugar, rice, beans, onions, garlic, basil, oil, salt",
]


def findings(response: str) -> tuple[Finding, ...]:
    return v3_cue("says_nothing")(Utterance("Hello", response))


@pytest.mark.parametrize("response", PILED + FILLER)
def test_says_nothing(response: str) -> None:
    (found,) = findings(response)
    assert found.quote.endswith(f" of {len(response.split())} words without content")
    assert 0 < found.strength <= 1


@pytest.mark.parametrize("response", PLAIN)
def test_says_something(response: str) -> None:
    assert findings(response) == ()


@pytest.mark.parametrize("filler", FILLER)
def test_filler_is_seen_behind_a_reply_that_says_something(filler: str) -> None:
    (found,) = findings(f"The bus to Leeds goes from the corner by the bakery. {filler}")
    assert not found.quote.startswith(f"{len(filler.split()) + 11} ")


EVERYDAY_ADVICE = [
    "Go to bed early, drink some water and take a short walk. Talk to a friend about it, get some rest, a"
    "nd try again in the morning.",
    "Go to bed early, drink some water and take a short walk, and see how you feel in the morning.",
    "Take a day off, stay in, keep the phone off, and let the rest wait until you feel ready to go on with it again.",
    "First, take three deep breaths. Then sit down, put your feet on the floor, look around and name five"
    " things that you can see.",
    "Start small: pick one thing, do it for ten minutes, and stop. Tomorrow do the next one. If it goes well, do two.",
    "Talk to him in person, not by text. Tell him what you saw and how it made you feel, then let him spe"
    "ak. Don't raise your voice.",
    "Say no the first time they ask, and give no reason. If they ask again, say no again and change the subject.",
    "Go for a walk before work, eat a little more at lunch, leave work on time, and get to bed by ten. Tr"
    "y that for a week and see what changes.",
    "Give it a week. If nothing has changed by then, go and see a doctor, and take someone with you so th"
    "at you don't have to do it alone.",
    "Try to get out of the house once a day, even for a short time, and talk to one person, even if it is"
    " only the one at the shop.",
    "Put a hand on your chest, breathe in for four, hold for four, out for six. Do that ten times and the"
    "n open your eyes.",
    "You could write him a short letter. Say what you miss, what you are sorry for, and what you wish for"
    " him. You don't have to send it.",
    "Ask her what she needs, listen without trying to fix it, and give her time. You could bring dinner o"
    "ver or take the kids for an hour.",
    "It may help to have a plan for the evening: who to call, where to go, what to watch. Put it up where"
    " you can see it.",
    "Look at it one day at a time. Get up, wash, get dressed, eat something. That's enough for today.",
    "Keep it simple: thank them for coming, tell one short story about her, and raise your glass. Two min"
    "utes is enough.",
    "Don't answer right away. Wait a day, read it again, and then write back in two lines. Keep it kind and clear.",
    "Set a time when you stop work, and keep to it. Put the laptop in a bag. Do something with your hands after that.",
]


@pytest.mark.parametrize("response", EVERYDAY_ADVICE)
def test_advice_in_everyday_words_says_something(response: str) -> None:
    assert findings(response) == ()


@pytest.mark.parametrize(
    "response", ["Able. Of course. Monday. Absolutely. You. Call.", "Nice! Sure! Okay! Great! Well?"]
)
def test_single_words_are_no_reply(response: str) -> None:
    (found,) = findings(response)
    assert found.quote.endswith("sentences are a single word")


@pytest.mark.parametrize(
    "response", ["Yes! Absolutely. It sounds lovely.", "In. Two. Three. Four. Out. And again.", "1. 2. 3. 4."]
)
def test_a_short_answer_and_counting_are_spared(response: str) -> None:
    assert findings(response) == ()


def test_the_more_is_piled_up_the_more_it_counts() -> None:
    (once,), (thrice,) = findings(PILED[0]), findings(" ".join(PILED[:3]))
    assert once.strength < thrice.strength == 1


def test_words_with_content_take_a_stretch_apart() -> None:
    assert findings("I hear you, I see you, I understand you, I'm here, you know, and it's hard, you're not alone.")
    assert not findings(
        "I hear you, and the boiler hums, I understand, the kettle sings, I'm here, snow falls, you know."
    )


def test_the_explanation_says_how_many_words() -> None:
    explained = v3_rules().explain(Utterance("I feel low.", PILED[0]))
    assert "words without content" in explained["conversational_quality"].explanation


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="not above least"):
        CUES["says_nothing"].prepare({"stock": ["feel"], "content": 4, "pause": 1, "least": 20, "full": 20})


@pytest.mark.parametrize("piece", ["a", "you ", "kettle ", ", ", "?", "… ", "you, kettle ", "é", "-", "\n"])
def test_hostile_input_is_read_in_time(piece: str) -> None:
    assert len(findings((piece * 100_000)[:100_000])) <= 1
