"""Instructions are read by meaning: other words give the same set, and a negation takes it away."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.rehearsal.instructions import DEFAULT_WORDS, LONGER_WORDS, read_guidance
from services.rehearsal.wordings import Instruction

PROMPTS = Path(__file__).parents[3] / "prompts" / "penpal-companion"

PARAPHRASE_OF_V3 = """Act as Penpal, someone to talk with over a speaker.
Everything gets read out loud, so be brief: at most 30 words. Skip formatting, bullets and bold.
Talk like an old friend would, casual and friendly.
Always finish your turn by asking an open question.
Start by recognising the emotion behind the message and validating it. Steer clear of platitudes and never brush a
worry aside.
Bring up details the person shared before whenever they belong to the moment.
Be upfront about being a machine, acknowledge your limitations and do not claim to be a person.
Point people to a doctor or a counsellor for anything serious.
Nudge them towards friends and family, and discourage dependency."""


def body(version: int) -> str:
    return (PROMPTS / f"v{version}.md").read_text(encoding="utf-8").split("---\n", 2)[2]


@pytest.mark.parametrize(
    ("version", "expected", "words"),
    [
        (1, set(), None),
        (2, {Instruction.SHORT, Instruction.PLAIN}, LONGER_WORDS),
        (3, set(Instruction), DEFAULT_WORDS),
    ],
)
def test_prompt_versions_differ_by_what_they_say(version: int, expected: set[Instruction], words: int | None) -> None:
    guidance = read_guidance(body(version))
    assert guidance.instructions == expected
    assert guidance.words == words


def test_a_paraphrase_is_understood_alike() -> None:
    assert read_guidance(PARAPHRASE_OF_V3) == read_guidance(body(3))


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "You are Penpal, a companion for people who want to talk.",
        "You are a helpful assistant. Answer the user's questions.",
        "v3 production prompt, version 3, latest and best.",
        "The person speaking is a lonely, vulnerable adult over 70 who lost friends and family.",
    ],
)
def test_a_prompt_without_instructions_gives_the_empty_set(prompt: str) -> None:
    assert read_guidance(prompt).instructions == frozenset()


GIVEN = [
    (Instruction.SHORT, "Keep your replies short."),
    (Instruction.SHORT, "Be concise."),
    (Instruction.SHORT, "No more than 25 words."),
    (Instruction.SHORT, "Answer in a sentence or two."),
    (Instruction.SHORT, "Avoid long answers."),
    (Instruction.SHORT, "Never longer than two sentences."),
    (Instruction.SHORT, "Use a voice-friendly style with voice-length turns."),
    (Instruction.ASK, "Ask a follow-up question."),
    (Instruction.ASK, "Show them you care: end every turn with an open question."),
    (Instruction.ASK, "Don't forget to ask one question."),
    (Instruction.ASK, "No lists, and ask one follow-up question."),
    (Instruction.ASK, "Stay curious."),
    (Instruction.ASK, "Invite them to say more."),
    (Instruction.PLAIN, "Don’t use Markdown."),
    (Instruction.PLAIN, "Your words are read aloud."),
    (Instruction.PLAIN, "Output goes to a TTS engine."),
    (Instruction.PLAIN, "Things to avoid:\n- bullet points\n- headings"),
    (Instruction.PLAIN, "Avoid asterisks, hashtags and lists."),
    (Instruction.FEELINGS, "Acknowledge how the user feels."),
    (Instruction.FEELINGS, "Show empathy."),
    (Instruction.FEELINGS, "Put their emotions into words and validate them."),
    (Instruction.FEELINGS, "Notice what they are feeling."),
    (Instruction.HONEST, "Be transparent about being an AI."),
    (Instruction.HONEST, "Never pretend to be a human."),
    (Instruction.HONEST, "Tell them you are an AI when they ask."),
    (Instruction.HONEST, "Be clear about what you can't do and admit your limits."),
    (Instruction.REFER, "Suggest professional help for serious problems."),
    (Instruction.REFER, "Point them to a crisis line when they are in danger."),
    (Instruction.RELATIONSHIPS, "Encourage them to see their friends."),
    (Instruction.RELATIONSHIPS, "Never foster dependence on you."),
    (Instruction.RELATIONSHIPS, "Support real-world relationships."),
    (Instruction.REMEMBER, "Refer back to earlier parts of the talk."),
    (Instruction.REMEMBER, "Remember what they have told you and build on it."),
    (Instruction.WARM, "Use a warm, casual tone."),
    (Instruction.WARM, "Never be formal."),
    (Instruction.NO_CHEER, "No toxic positivity."),
    (Instruction.NO_CHEER, "Never tell people to look on the bright side."),
]


@pytest.mark.parametrize(("instruction", "prompt"), GIVEN, ids=[prompt for _, prompt in GIVEN])
def test_given(instruction: Instruction, prompt: str) -> None:
    assert instruction in read_guidance(prompt).instructions


NOT_GIVEN = [
    (Instruction.ASK, "Don't ask questions."),
    (Instruction.ASK, "Never end with a question."),
    (Instruction.ASK, "Don't use lists or ask questions."),
    (Instruction.ASK, "Do not:\n- ask follow-up questions\n- use lists"),
    (Instruction.ASK, "Answer the user's questions."),
    (Instruction.SHORT, "Do not be brief."),
    (Instruction.SHORT, "Write long answers."),
    (Instruction.PLAIN, "Use markdown headings and lists."),
    (Instruction.FEELINGS, "Do not acknowledge feelings."),
    (Instruction.HONEST, "Never mention that you are an AI."),
    (Instruction.HONEST, "Pretend to be a human."),
    (Instruction.REFER, "Never refer people to a therapist."),
    (Instruction.RELATIONSHIPS, "Don't encourage them to see friends."),
    (Instruction.REMEMBER, "Do not refer back to earlier turns."),
    (Instruction.WARM, "Avoid a casual tone."),
    (Instruction.NO_CHEER, "Cheer people up with a silver lining."),
]


@pytest.mark.parametrize(("instruction", "prompt"), NOT_GIVEN, ids=[prompt for _, prompt in NOT_GIVEN])
def test_negated_or_absent(instruction: Instruction, prompt: str) -> None:
    assert instruction not in read_guidance(prompt).instructions


@pytest.mark.parametrize(
    ("prompt", "words"),
    [("Use at most 20 words.", 20), ("Two to three sentences.", LONGER_WORDS), ("Be brief.", DEFAULT_WORDS)],
)
def test_the_word_limit_is_read(prompt: str, words: int) -> None:
    assert read_guidance(prompt).words == words


def test_a_wrapped_sentence_is_one_sentence() -> None:
    assert Instruction.ASK not in read_guidance("Whatever happens, do not\nask questions.").instructions


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_read(text: str) -> None:
    read_guidance(text)


def test_a_megabyte_is_read_up_to_its_limit() -> None:
    assert read_guidance("never " * 200_000 + "Be brief.").instructions == frozenset()
