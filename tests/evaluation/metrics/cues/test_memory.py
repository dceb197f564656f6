"""What a reply remembers of earlier turns, what it confuses, and what it claims to remember."""

import pytest

from evaluation.metrics.utterance import Utterance
from evaluation.records import Turn
from tests.evaluation.metrics.shipped import v3_cue, v3_rules


def utterance(before: str, response: str, user_input: str = "Any advice?") -> Utterance:
    turns = (Turn("user", before), Turn("assistant", "I see.")) if before else ()
    return Utterance(user_input, response, turns)


def found(cue: str, before: str, response: str, user_input: str = "Any advice?") -> tuple[list[str], float]:
    findings = v3_cue(cue)(utterance(before, response, user_input))
    return [finding.quote for finding in findings], max((finding.strength for finding in findings), default=0.0)


@pytest.mark.parametrize(
    ("before", "response", "quote", "least"),
    [
        ("I walked my dog Pretzel today.", "Take Pretzel with you.", "Pretzel", 0.9),
        ("My exam is on Friday.", "Sleep well before Friday.", "Friday", 0.9),
        ("I have worked there for seven years.", "After seven years you may ask.", "seven", 0.9),
        ("It starts at 8.", "So leave well before 8, say.", "8", 0.9),
        ("my sister lives in Leeds", "Leeds is not so far.", "Leeds", 0.6),
        ("I work as a nurse.", "Even nurses need a rest.", "nurses", 0.6),
        ("I'm Oluwaseun, by the way.", "Well, Oluwaseun, I would wait.", "Oluwaseun", 0.9),
        ("We grow pumpkins.", "Are the pumpkins ripe?", "pumpkins", 0.6),
        ("I am allergic to peanuts.", "Then ask whether there are peanuts in it.", "peanuts", 0.6),
        ("My mother is moving in.", "Does your mother have a room?", "mother", 0.3),
        ("i play the cello", "The cello may help.", "cello", 0.6),
        ("I run marathons.", "Then the marathon will do.", "marathon", 0.6),
        ("Our wedding is in June.", "June is close.", "June", 0.9),
        ("I met Siobhán at the choir.", "Would Siobhán know?", "Siobhán", 0.9),
        ("I am sixty, you know.", "At sixty you may do as you like.", "sixty", 0.9),
    ],
)
def test_what_is_recalled(before: str, response: str, quote: str, least: float) -> None:
    quotes, strength = found("recalls", before, response)
    assert quote in quotes
    assert strength >= least


@pytest.mark.parametrize(
    ("before", "response", "user_input"),
    [
        ("", "Take Pretzel with you.", "My dog Pretzel is bored."),
        ("My dog Pretzel is bored.", "Take Pretzel with you.", "Where can I take Pretzel?"),
        ("My dog Pretzel is bored.", "Take Rex with you.", "What now?"),
        ("I feel so sad.", "I feel for you.", "What now?"),
        ("It was a good day.", "That is a good thing to say.", "What now?"),
        ("I think that I know.", "I know what you think.", "What now?"),
        ("Hello.", "Hello!", "What now?"),
        ("I work as a nurse.", "That is hard.", "What now?"),
        ("I work as a nurse.", "", "What now?"),
        ("My cart broke.", "Play a card.", "What now?"),
        ("It is on at ten.", "It is on.", "What now?"),
        ("We are one.", "One of us is.", "What now?"),
        ("I need help.", "I can help.", "What now?"),
        ("Thank you.", "Thank you.", "What now?"),
        ("Really?", "Really.", "What now?"),
    ],
)
def test_what_recalls_nothing(before: str, response: str, user_input: str) -> None:
    assert found("recalls", before, response, user_input) == ([], 0.0)


def test_only_what_the_user_said_is_recalled() -> None:
    turns = (Turn("user", "Hello."), Turn("assistant", "The dog is called Pretzel."))
    assert v3_cue("recalls")(Utterance("What now?", "Take Pretzel with you.", turns)) == ()


@pytest.mark.parametrize(
    ("before", "response", "quote"),
    [
        ("I walked my dog Pretzel today.", "Take your dog Waffles with you.", "Waffles"),
        ("I walked my dog Pretzel today.", "Was Oscar tired after it?", "Oscar"),
        ("I'm Ana, by the way.", "Kevin, that is good news.", "Kevin"),
        ("I'm Ana, by the way.", "That is good news, Bartholomäus.", "Bartholomäus"),
        ("My brother Mateusz is here.", "How long will Gustavo stay?", "Gustavo"),
        ("My exam is on Friday.", "Sleep well on Wednesday.", "Wednesday"),
        ("My exam is on Friday.", "Good luck for Tuesday morning!", "Tuesday"),
        ("We marry in June.", "It will be warm in August.", "August"),
        ("I live in Leeds.", "How is life in Madrid?", "Madrid"),
        ("I moved to Osaka.", "How is it, living in sunny Lisbon?", "Lisbon"),
        ("I work as a nurse.", "As a plumber you know that.", "plumber"),
        ("I'm a baker.", "How was your miner shift?", "miner"),
        ("I play the cello.", "How is your violin?", "violin"),
        ("I play the cello.", "Keep practising the trumpet.", "trumpet"),
        ("I am allergic to peanuts.", "Because of your shellfish allergy you should ask.", "shellfish"),
        ("I'm vegan.", "As a meat lover you may like it.", "meat lover"),
        ("I have worked there for seven years.", "After eight years you may ask.", "eight"),
        ("I get up at six.", "Getting up at nine is early.", "nine"),
        ("I get up at 6am.", "Getting up at 7am is early.", "7am"),
        ("My gran is eighty-two years old.", "At eighty-three years one may.", "eighty-three"),
        ("I hurt my knee.", "Rest your elbow.", "elbow"),
        ("I have a history exam.", "How was the geography exam?", "geography"),
        ("My bike was stolen.", "Was your car insured?", "car"),
        ("My cat is ill.", "Has your dog eaten?", "dog"),
        ("My sister is here.", "Is your brother well?", "brother"),
        ("I'm off to my book club.", "How is your chess club?", "chess club"),
        ("My son Emil is six.", "He's eight, so he will understand.", "eight"),
        ("I live in Porto.", "Life in Gdańsk must be lively.", "Gdańsk"),
        ("I do like my tea.", "Then make your morning coffee.", "coffee"),
    ],
)
def test_what_is_confused(before: str, response: str, quote: str) -> None:
    assert found("confuses", before, response) == ([quote], 1.0)


@pytest.mark.parametrize(
    ("before", "response"),
    [
        ("I walked my dog Pretzel today.", "Take your dog Pretzel with you."),
        ("I walked my dog Pretzel today.", "Pretzel and Waffles could be friends."),
        ("I walked my dog Pretzel today.", "Have you seen the film Lassie?"),
        ("My exam is on Friday.", "Sleep well on Friday."),
        ("My exam is on Friday.", "Is it on Friday or on Thursday?"),
        ("My exam is on Friday.", "Maybe rest on Sunday."),
        ("My exam is on Friday.", "On Thursday you rest, on Friday you shine."),
        ("I live in Leeds.", "Have you ever been in Madrid?"),
        ("I work as a nurse.", "Could you ask a doctor?"),
        ("I work as a nurse.", "You could talk to a lawyer."),
        ("I play the cello.", "You could try the piano."),
        ("I play the cello.", "Violin music may help."),
        ("I am allergic to peanuts.", "Try rice or fish."),
        ("I am allergic to peanuts.", "There is soup."),
        ("I have worked there for seven years.", "Take five minutes off."),
        ("I have worked there for seven years.", "There are two ways."),
        ("I get up at six.", "Then you had eight hours."),
        ("I hurt my knee.", "Keep your head up."),
        ("My sister is here.", "How are your parents?"),
        ("My cat is ill.", "Cats sleep more than dogs."),
        ("We marry in June.", "You may marry. It may rain."),
        ("I'm Ana, by the way.", "Hello, Ana."),
        ("I'm Ana, by the way.", "Thank you. Good to know. Christmas is near."),
        ("I like tea.", "Tea beats coffee."),
        ("Hello.", "Kevin, the bus driver, is from Madrid."),
        ("I'm not in Leeds, I'm in York.", "How is York?"),
        ("I speak Polish and met Ana.", "Do you speak any Spanish?"),
        (
            "My shift ends at six.",
            "Switch your phone off at nine.",
        ),
        ("My son Emil is six.", "It's two streets from here."),
        ("I live in Porto.", "Many letters come in English."),
        ("My son is ill.", "Could your husband look after him?"),
        ("", "How is your violin in Madrid?"),
    ],
)
def test_what_is_not_confused(before: str, response: str) -> None:
    assert found("confuses", before, response) == ([], 0.0)


CLAIMS = [
    "As we discussed, the lawsuit is over.",
    "Like we talked about yesterday, sell the horse.",
    "Last time you told me about the divorce.",
    "Last time you mentioned a lawsuit.",
    "Earlier you said that the horse was sold.",
    "Remember when you told me about the lawsuit?",
    "Do you remember how we talked about Canada?",
    "Following up on our chat about the surgery, rest.",
    "I remember you saying that the horse was sold.",
    "You once told me about Canada.",
    "In our last session we covered the divorce.",
    "How is the lawsuit that you mentioned?",
    "Building on what you said about the lawsuit, wait.",
    "Given your recent divorce, wait.",
    "You've told me about the lawsuit before.",
    "As you mentioned, the divorce is final.",
    "Since you told me about the surgery, I wondered.",
    "We already spoke about the horse and the lawsuit.",
    "Going back to your lawsuit, wait.",
    "You were telling me about the surgery.",
    "Picking up where we left off with the lawsuit, wait.",
    "From our previous conversation I know about Canada.",
    "As I recall, the surgery was in Canada.",
    "When we last spoke, the horse was ill.",
    "The horse you told me about can wait.",
]


@pytest.mark.parametrize("response", CLAIMS)
def test_a_memory_of_what_was_never_said(response: str) -> None:
    assert found("confuses", "I can't sleep.", response)[1] == 1.0


@pytest.mark.parametrize("response", CLAIMS)
def test_a_memory_of_what_was_said(response: str) -> None:
    before = (
        "After the divorce and the lawsuit in Canada I sold the horse, and now there's the surgery. The horse was ill."
    )
    assert found("confuses", before, response) == ([], 0.0)


@pytest.mark.parametrize(
    "response",
    [
        "I don't remember what you told me about the lawsuit.",
        "You haven't mentioned a lawsuit.",
        "If you mentioned a lawsuit, I missed it.",
        "I can't recall our last conversation about the horse.",
        "Have you told your boss about the lawsuit?",
        "You never said that there was a lawsuit.",
        "Remember that the horse needs water.",
        "Did you discuss it with your sister?",
        "As I see it, the horse is fine.",
        "You can tell me about the lawsuit.",
        "What do you say to a horse?",
        "As you said.",
        "Like you mentioned, sleep.",
        "As we discussed, let's go on.",
        "Let's discuss the lawsuit.",
    ],
)
def test_what_claims_no_memory(response: str) -> None:
    assert found("confuses", "I can't sleep.", response) == ([], 0.0)


@pytest.mark.parametrize(
    ("response", "is_claim"),
    [
        ("As we discussed, rest.", True),
        ("Last time we talked you were well.", True),
        ("In our last conversation you were well.", True),
        ("You mentioned that you can't sleep.", False),
        ("As you said, it is late.", False),
        ("I don't remember our last conversation.", False),
        ("The two of us could talk.", False),
    ],
)
def test_without_earlier_turns_an_earlier_talk_is_none(response: str, is_claim: bool) -> None:
    assert bool(found("confuses", "", response, "I can't sleep.")[0]) == is_claim


def test_a_confusion_costs_more_than_forgetting() -> None:
    said = ("How is Pretzel?", "How are you?", "How is your dog Waffles?")
    values = [
        v3_rules().score("personalization_continuity", utterance("My dog Pretzel is ill.", each)) for each in said
    ]
    assert [score.value for score in values] == [0.77, 0.5, 0.305]


@pytest.mark.parametrize("cue", ["recalls", "confuses"])
@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "on Friday at six " * 6_000, "As we discussed " * 7_000, "Ana, Rex. " * 10_000, "twenty " * 15_000],
)
def test_any_text_is_looked_at_in_its_time(cue: str, text: str) -> None:
    for before, response in ((text, text), ("Ana met Rex on Monday at two.", text), (text, "Kevin, as we discussed.")):
        assert isinstance(found(cue, before, response), tuple)
