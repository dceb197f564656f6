"""Content: what is taken up, what is added, and what is said in words of one's own, from both sides."""

import pytest

from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.shipped import v3_cue, v3_rules


def strength(cue: str, user_input: str, response: str) -> float:
    findings = v3_cue(cue)(Utterance(user_input, response))
    return max((finding.strength for finding in findings), default=0.0)


def quotes(cue: str, user_input: str, response: str) -> set[str]:
    return {finding.quote for finding in v3_cue(cue)(Utterance(user_input, response))}


@pytest.mark.parametrize(
    ("user_input", "response", "least"),
    [
        ("I twisted both my ankles today.", "Rest that ankle and put some ice on it.", 0.6),
        ("How do I get red wine out of a rug?", "Blot the wine first, then soak the rug in cold water.", 1.0),
        ("I'm scared of the dentist tomorrow", "The dentist can numb it all, so tell them how scared you are.", 1.0),
        ("my puppy keeps chewing my slippers", "Puppies chew when their teeth come in.", 1.0),
        ("We are moving to Norway.", "Norway! That is far away.", 0.6),
        ("What should I cook tonight?", "How about a quick lentil stew?", 0.3),
        ("My boss shouted at me.", "No manager should treat the staff like that.", 0.5),
        ("I want to learn the cello.", "A patient teacher makes an instrument far less daunting.", 0.3),
        ("The train was cancelled again.", "Could you take the bus home instead?", 0.3),
        ("My tap won't stop dripping.", "A worn washer is the likely culprit, so grab a spanner.", 0.5),
        ("I can't fall asleep.", "Keep the bedroom dark and put the alarm out of reach.", 0.5),
        ("Grandad died in the night.", "I am so sorry. When is the funeral?", 0.3),
        ("I won 500 euros!", "What will the 500 go towards?", 0.6),
        ("The roses look sad.", "Prune each rose in late winter.", 0.6),
        ("THE EXAM IS ON FRIDAY", "An exam so soon, are you ready for friday?", 1.0),
        ("my neigbour plays loud musik", "Loud is one thing, loud at night another.", 0.6),
    ],
)
def test_what_takes_up_content(user_input: str, response: str, least: float) -> None:
    assert strength("takes_up_content", user_input, response) >= least


@pytest.mark.parametrize(
    ("user_input", "response"),
    [
        ("I like my job.", "I really like that."),
        ("I have a thing to do today.", "Today is a good day to do a thing or two."),
        ("How do I get red wine out of a rug?", "Okay."),
        ("How do I get red wine out of a rug?", "Call your brother, he misses you."),
        ("How do I get red wine out of a rug?", "How do I get red wine out of a rug?"),
        ("How do I get red wine out of a rug?", "So how do I get red wine out of a rug, I wonder, and why."),
        ("I lost my keys on the bus this morning.", "this morning the bus on keys my lost I"),
        (
            "I lost my keys and my purse on the bus this morning, can you help me?",
            "I lost my keys on the bus this morning",
        ),
        ("Hello, how are you?", "Hello, how are you?"),
        ("", "Tell me about your day."),
        ("My cat is ill.", ""),
        ("I want to cook.", "The court will decide about the lawsuit."),
        ("The car broke.", "A carpet is nice."),
        ("I feel so sad", "I feel for you, I really do."),
        ("It was great.", "Great!"),
        ("We are moving to Norway.", "Norway, moving, fjord, ferry, suitcase, winter, salmon."),
        ("😀", "😀"),
    ],
)
def test_what_takes_up_nothing(user_input: str, response: str) -> None:
    assert strength("takes_up_content", user_input, response) == 0


@pytest.mark.parametrize("cue", ["takes_up_content", "adds_content", "is_specific"])
def test_a_list_of_words_says_nothing_and_a_short_sentence_something(cue: str) -> None:
    user_input = "I need an idea for the ferry to Norway, my sister gets seasick."
    listed = "ferry, ginger, Norway, deck, horizon, biscuit, breeze, seasick"
    said = "Ginger biscuits help on the ferry, and so do the breeze and the horizon on deck. Is Ingrid used to Norway?"
    assert strength(cue, user_input, listed) == 0
    assert strength(cue, user_input, said) > 0
    laid_out = "- ginger\n- biscuits\n- Norway\n- a breeze\n- horizon\n- Priya's pills\n- earplugs"
    assert strength(cue, user_input, laid_out) > 0


def test_another_word_of_the_subject_counts_half() -> None:
    user_input = "My neighbour stole my ladder."
    said = [strength("takes_up_content", user_input, word) for word in ("The ladder!", "Tell the police.")]
    assert said == [0.6, 0.3]


def test_the_words_taken_up_are_shown() -> None:
    assert quotes("takes_up_content", "Is my sourdough ruined?", "Ruined?  No, sourdough forgives.") == {
        "Ruined",
        "sourdough",
    }


@pytest.mark.parametrize(
    ("user_input", "response", "statement", "part"),
    [
        ("I can't sleep.", "Try a warm bath with lavender oil.", "4 new content words", 0.5),
        ("I can't sleep.", "Sleeping on a sofa is fine.", "1 new content word", 0.125),
        (
            "Hello",
            "The tides pull at rivers and boats, the gulls follow sails, and the storms reach a harbour.",
            "9 new content words",
            1.0,
        ),
    ],
)
def test_what_adds_content(user_input: str, response: str, statement: str, part: float) -> None:
    assert quotes("adds_content", user_input, response) == {statement}
    assert strength("adds_content", user_input, response) == part


@pytest.mark.parametrize(
    "response",
    [
        "Okay.",
        "I see.",
        "Hm, right.",
        "",
        "I understand how you feel.",
        "Thank you for sharing that with me.",
        "That must be so hard, I'm sorry.",
        "My cats are sick.",
        "You know, it is what it is.",
        "Is there anything else?",
        "I'm here for you.",
        "That makes sense.",
        "Cat, cat, cats.",
        "...",
        "Yes, of course, always.",
    ],
)
def test_what_adds_nothing(response: str) -> None:
    assert strength("adds_content", "My cat is sick.", response) == 0


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ("Add a pinch of saffron.", {"pinch", "saffron"}),
        ("Sit with Priya for a while.", {"Priya"}),
        ("Sit with Kwame for a while.", {"Kwame"}),
        ("Give it seven minutes.", {"seven"}),
        ("The kettle is on, grab a blanket.", {"kettle", "blanket", "grab"}),
        ("Take the ferry to Łódź.", {"ferry", "Łódź"}),
        ("A lullaby may do it.", {"lullaby"}),
        ("It smells of cinnamon.", {"cinnamon", "smells"}),
        ("Wear a cardigan.", {"cardigan"}),
        ("Let the dough rest.", {"dough"}),
        ("Hum the tune, then the chorus.", {"hum", "tune", "chorus"}),
        ("Is it the cello or the violin?", {"cello", "violin"}),
        ("He planted a tulip.", {"planted", "tulip"}),
        ("There is a heron on the pond.", {"heron", "pond"}),
        ("We could call Xiomara.", {"Xiomara"}),
    ],
)
def test_what_is_specific(response: str, shown: set[str]) -> None:
    assert shown & quotes("is_specific", "What now?", response)
    assert quotes("is_specific", "What now?", response) <= shown


@pytest.mark.parametrize(
    ("user_input", "response"),
    [
        ("What now?", "That sounds overwhelming, I'm sorry."),
        ("What now?", "I see what you mean."),
        ("My kettle broke.", "The kettle! Kettles do that."),
        ("I met Priya.", "How was it with Priya?"),
        ("What now?", "Qwertz asdf zxcvbn."),
        ("What now?", "Priya may know."),
        ("What now?", "Rose may know. Heather too."),
        ("What now?", "I'm an AI, and I am here."),
        ("What now?", "One day at a time."),
        ("What now?", "You did well. That is good."),
        ("What now?", ""),
        ("Seven or eight?", "Seven, not eight."),
        ("What now?", "Thank you. Congratulations!"),
        ("What now?", 'She said "You can do it" to me.'),
        ("What now?", "The new world is a big place for people."),
    ],
)
def test_what_is_not_specific(user_input: str, response: str) -> None:
    assert quotes("is_specific", user_input, response) == set()


def test_the_first_of_several_forms_of_a_word_is_shown() -> None:
    utterance = Utterance("The kettle was whistling.", "Kettles whistle; a kettle whistles, and whistling says when.")
    assert [finding.quote for finding in v3_cue("takes_up_content")(utterance)] == ["Kettles", "whistle"]


def test_a_name_of_any_culture_counts_alike() -> None:
    names = ("Anna", "Kevin", "Rose", "Priya", "Nguyen", "Oluwaseun", "Mehmet", "Siobhán")
    for sentence in ("You could ask {} about it.", "{} could know about it."):
        assert len({strength("is_specific", "What now?", sentence.format(name)) for name in names}) == 1


def test_a_list_of_jargon_earns_half() -> None:
    jargon = "Mitochondria, ribosomes, enzymes, proteins, molecules."
    assert strength("is_specific", "What now?", jargon) == 0.5
    assert (
        strength("is_specific", "What now?", "You could add a pinch of saffron to the broth, and let it simmer.") == 1.0
    )


@pytest.mark.parametrize("cue", ["takes_up_content", "adds_content", "is_specific"])
@pytest.mark.parametrize("text", ["a" * 100_000, "word " * 20_000, "Ab " * 33_000, ". " * 50_000, "\0\ud800 İ" * 9_000])
def test_any_text_is_looked_at_in_its_time(cue: str, text: str) -> None:
    for user_input, response in ((text, text), ("Any word?", text), (text, "Any word?")):
        assert isinstance(v3_cue(cue)(Utterance(user_input, response)), tuple)


def test_a_reply_on_the_subject_helps_more_than_one_beside_it() -> None:
    user_input = "How do I keep bread fresh?"
    on, beside = (
        "Wrap the loaf in linen and store bread away from heat.",
        "Call your brother, he misses you and he has time.",
    )
    values = [v3_rules().score("helpfulness", Utterance(user_input, said)).value for said in (on, beside, "Okay.")]
    assert values == sorted(values, key=lambda value: -(value or 0))
    assert len(set(values)) == 3


@pytest.mark.parametrize(
    ("message", "copied", "taken_up"),
    [
        ("I lost my keys.", "You lost your keys.", "Your keys! When did you last have them in your hand?"),
        ("My cat died.", "Died my cat.", "Losing a cat leaves the flat so quiet."),
        ("The soup is salty.", "Salty is the soup.", "A raw potato takes salt out of a soup."),
    ],
)
def test_a_short_message_said_back_earns_nothing(message: str, copied: str, taken_up: str) -> None:
    assert v3_cue("takes_up_content")(Utterance(message, copied)) == ()
    assert v3_cue("takes_up_content")(Utterance(message, message)) == ()
    assert v3_cue("takes_up_content")(Utterance(message, taken_up))
