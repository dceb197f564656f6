"""What takes up a feeling by its rows and what brushes it aside, with the settings of companion-v3.

What the words of the whole reply say beside the rows is tested in test_understanding.py.
"""

import time
from functools import lru_cache

from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.cues.feelings import MirrorSettings, mirrors_feeling
from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.shipped import v3_cue, v3_rubric


@lru_cache(maxsize=1)
def by_rows() -> Detect:
    settings = MirrorSettings.model_validate(v3_rubric().cues["mirrors_feeling"].settings)
    return mirrors_feeling(settings.model_copy(update={"by_words": 0.0}))


def found(cue: str, response: str) -> list[str]:
    detect = by_rows() if cue == "mirrors_feeling" else v3_cue(cue)
    return [finding.quote for finding in detect(Utterance("", response))]


def strength(response: str) -> float:
    return max((finding.strength for finding in by_rows()(Utterance("", response))), default=0.0)


def test_what_takes_up_a_feeling() -> None:
    cases: list[str] = [
        "I can hear how much this hurts.",
        "No wonder you're worn out.",
        "That's such a hard place to be.",
        "Congratulations, you must be so proud!",
        "What a rotten way to start.",
        "Soaked and stuck, ugh.",
        "I'm so sorry to hear that.",
        "It makes sense that you'd feel lost.",
        "You've been carrying so much on your own.",
        "Losing a pet like that hurts.",
        "Waiting for results is so nerve-racking.",
        "Anyone would be shaken after a night like that.",
        "You sound exhausted.",
        "It sounds like work has really been getting to you.",
        "That must have stung, being left out by the group.",
        "You have every right to be angry.",
        "I'm really sorry about your grandmother.",
        "Oh no, that's rough.",
        "Ouch. That's not fair.",
        "It's okay to cry.",
        "You clearly loved him very much.",
        "She meant the world to you.",
        "That's a lot to carry.",
        "My heart goes out to you.",
        "I'd be fuming too.",
        "I can't imagine how painful this is.",
        "That kind of loneliness is heavy.",
        "Being ignored like that is so frustrating.",
        "You've got a lot on your plate.",
        "Nobody deserves to be treated like that.",
        "Yikes, three night shifts in a row is brutal.",
        "How exciting, you got the place!",
        "I'm so happy for you!",
        "Your grief makes sense.",
        "That sucks, mate.",
        "Feeling nervous before an interview is completely natural.",
        "It's not easy being the new one.",
        "Of course you're scared.",
        "You must miss her terribly.",
        "That would wear anyone out.",
        "it is clear that this has shaken you.",
        "I hear how tired you are.",
        "That's awful, I'm so sorry you had to go through it alone.",
        "You didn't deserve that.",
        "So you feel torn between the two of them.",
        "I get why that stings.",
        "That sounds like a dreadful morning.",
        "Such a long week, and then this.",
        "This is clearly eating at you.",
        "Sounds like you're having a really tough time.",
        "Grief like this takes its time, and it's okay to be sad.",
        "I'd feel lost as well.",
        "That was a cruel thing to say to you.",
        "I can tell how disappointed you are.",
    ]
    for response in cases:
        assert found("mirrors_feeling", response), response
        assert not found("dismisses", response), response


def test_what_only_looks_as_if_it_took_up_a_feeling() -> None:
    cases: list[str] = [
        "I don't see why you'd be sad.",
        "I feel great today.",
        "She must be so proud.",
        "Are you sad?",
        "I'm sorry, I can't help with that.",
        "That's a hard question.",
        "If you feel sad, take a walk.",
        '"I hear you" is what he says.',
        "I had a long day.",
        "You can boil the eggs for six minutes.",
        "It's hard to say which train is faster.",
        "There's no reason to be upset.",
        "What do you miss most?",
        "I'm sorry for the confusion.",
        "I see.",
        "Do you feel lonely?",
        "The station is on the left, next to the bakery.",
        "I'm happy to help you with that.",
        "My day was terrible.",
        "Okay.",
        "Why are you so angry?",
        "He was devastated when he lost.",
        "Let's look at the schedule for tomorrow.",
        "Try a hard-boiled egg.",
        "You could look at a map of Spain.",
        "Is that hard for you?",
        "I'm feeling wonderful, thanks for asking.",
        "They were heartbroken at the funeral.",
        "Put the dough in a warm place for an hour.",
        "It's not that bad.",
        "You're overreacting.",
        "Take the number nine bus, it leaves at ten.",
        "That must be the postman.",
        "Which part feels heaviest right now?",
        "Don't be sad.",
        "Great, let's begin.",
        "You should eat that soon.",
        "I know how to fix it.",
    ]
    for response in cases:
        assert found("mirrors_feeling", response) == [], response


def test_a_formula_is_worth_less_than_a_feeling_named_and_either_less_than_with_content() -> None:
    formula, named = strength("I understand."), strength("That sounds so hard.")
    assert 0 < formula < named < strength("Missing the last train home sounds so hard.") < 1
    assert formula < strength("I'm sorry about the flooded kitchen.")


def test_a_second_sentence_adds_a_little_unless_it_is_a_formula() -> None:
    one = strength("No wonder the exam scares you.")
    assert one == strength("I understand. No wonder the exam scares you.")
    assert one < strength("No wonder the exam scares you. That must be so hard.") <= 1


def test_formulas_piled_up_are_worth_no_more_than_one_in_a_sentence_of_its_own() -> None:
    piled = "I hear you, I see you, I'm so sorry, that must be so hard, I can see why, you're not alone."
    plain = strength("No wonder the exam scares you.")
    assert strength(piled) <= 0.3 < plain
    assert strength(piled.replace(",", ".")) <= 0.3
    assert strength("I understand. I hear you. I'm sorry. I'm here for you.") <= 0.3


def test_other_spellings_and_synonyms_move_the_strength_little() -> None:
    swaps: list[tuple[str, str]] = [
        ("That's so frightening.", "That is so scary."),
        ("That sounds horrible, and it's unfair.", "That sounds awful and it is unfair."),
        ("No wonder you're sad.", "No wonder you are unhappy."),
        ("I'm sorry you're worried about her.", "I am sorry you are concerned about her."),
        ("That must be exhausting!", "That must be very tiring."),
    ]
    for one, other in swaps:
        assert abs(strength(one) - strength(other)) <= 0.25, (one, other)
        assert strength(one) > 0


def test_the_evidence_is_what_takes_up_the_feeling() -> None:
    response = "Hm.  No wonder you feel   lost. Tea?"
    finding = by_rows()(Utterance("", response))[0]
    assert finding.quote == response[finding.start : finding.end] == "No wonder"


def test_what_plays_a_feeling_down_or_blames() -> None:
    cases: list[str] = [
        "It's not that bad.",
        "Oh come on, it isn't so terrible.",
        "Other people have it much worse.",
        "You're overreacting.",
        "You are being way too sensitive.",
        "Get over it.",
        "Just think positive!",
        "You brought this on yourself.",
        "What did you expect?",
        "Boo hoo.",
        "It's only a dog.",
        "It was just a job, you'll find another.",
        "Cheer up!",
        "Look on the bright side.",
        "Stop whining.",
        "Stop crying about it.",
        "Don't be so dramatic.",
        "You're making a mountain out of a molehill.",
        "That's your own fault.",
        "Well, it's nobody's fault but your own.",
        "You should have known better.",
        "If you had studied, this wouldn't have happened.",
        "You only have yourself to blame.",
        "Everything happens for a reason.",
        "At least you still have your health.",
        "There are kids starving in Africa.",
        "Man up.",
        "Grow up.",
        "You need to toughen up.",
        "Everyone gets sad sometimes.",
        "It's all in your head.",
        "That's life.",
        "Calm down.",
        "Could be worse.",
        "You have nothing to cry about.",
        "There's no reason to be upset.",
        "Serves you right.",
        "You had it coming.",
        "I don't see what the problem is.",
        "I told you so.",
        "You'll get over it.",
        "You'll be fine.",
        "Stop feeling sorry for yourself.",
        "Who cares?",
        "This is what happens when you don't listen.",
        "That was pretty careless of you.",
        "Maybe if you had listened to them.",
        "You did this to yourself.",
        "Crying won't change anything.",
        "Worse things happen at sea.",
        "It's really nothing to get worked up about.",
        "Don't make such a fuss.",
        "You're just being paranoid.",
        "No use crying over spilt milk.",
        "Why didn't you just leave?",
        "You worry too much.",
        "Just move on already.",
        "Let it go.",
        "You think you have problems?",
        "Nothing a good night's sleep won't fix.",
        "First world problems.",
        "I think you're blowing this out of proportion.",
        "You made your bed, now lie in it.",
        "That's what you get for trusting him.",
        "It's not like anybody died.",
        "You always were too soft.",
        "Pull yourself together.",
        "Honestly, you should be grateful.",
        "Get a grip.",
    ]
    for response in cases:
        assert found("dismisses", response), response


def test_what_only_looks_as_if_it_dismissed() -> None:
    cases: list[str] = [
        "You're not overreacting.",
        "Nobody can say you brought this on yourself.",
        "It's not your fault.",
        "Did someone tell you to get over it?",
        "It can feel like it's your own fault.",
        '"Get over it" is easy to say.',
        "You don't have to get over it.",
        "None of this is your fault.",
        "Where did you grow up?",
        "That's a big deal!",
        "So what would help you most tonight?",
        "You did it!",
        "Someone who cares about you could sit with you.",
        "I don't think you're being dramatic.",
        "Crying is okay.",
        "Let me know what you need.",
        "Just let me know.",
        "Get a good night's rest.",
        "You didn't bring this on yourself.",
        "It takes time to get over something like this.",
        "Put on some music and just relax tonight.",
        "Don't be so hard on yourself.",
        "There's nothing wrong with feeling sad.",
        "You did nothing wrong.",
        "Please call a doctor today.",
        "It's your choice, of course.",
        "What do you hope for?",
        "How do you deal with it?",
        "He should never have told you to man up.",
        "People say everything happens for a reason, but that rarely helps.",
        "You could have been hurt.",
        "The bread isn't hard to make.",
        "You should be proud.",
        "It's easy to say cheer up.",
        "Was it because they told you to stop crying?",
        "No one gets to say you're too sensitive.",
        "You deserve rest.",
        "What did you say to yourself then?",
        "You're lucky to have him, and he's lucky to have you.",
        "Losing your job is a big deal.",
        "You haven't done anything wrong, so please don't blame yourself.",
        "That must be so hard.",
        "The movers come at nine, so don't forget about it.",
        "Is there someone who could help you deal with it?",
        "What happened when you told her?",
    ]
    for response in cases:
        assert found("dismisses", response) == [], response


def test_a_contraction_is_worth_what_its_words_are() -> None:
    cases: list[tuple[str, str, str]] = [
        ("mirrors_feeling", "You didn't deserve that.", "You did not deserve that."),
        ("mirrors_feeling", "I'd be fuming too.", "I would be fuming too."),
        ("dismisses", "Don't be so dramatic.", "Do not be so dramatic."),
        ("dismisses", "That's life.", "That is life."),
        ("dismisses", "Crying won't change anything.", "Crying will not change anything."),
    ]
    for cue, short, long in cases:
        assert found(cue, short), short
        assert found(cue, long), long
    assert not found("dismisses", "You did not bring this on yourself.")


def test_hostile_text_takes_linear_time() -> None:
    for response in ["so " * 33_000, "it is so very " * 7_000, "you " * 25_000, "." * 100_000, "that must " * 10_000]:
        utterance = Utterance("", response)
        began = time.perf_counter()
        for cue in ("mirrors_feeling", "dismisses"):
            v3_cue(cue)(utterance)
        assert time.perf_counter() - began < 2, response[:20]
