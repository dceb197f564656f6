"""Instructions are read by meaning: other words give the same set, and a negation takes it away."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.rehearsal.phrases import load_pool
from services.rehearsal.scene import DEFAULT_WORDS, LONGER_WORDS, read_figure, read_guidance

PROMPTS = Path(__file__).parents[3] / "prompts" / "penpal-companion"
ALL = frozenset(load_pool("instructions")["wanted"])

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

TERSE = """Penpal. Voice app. Rules:
- <= 30 words
- TTS: no md, no emoji, no lists
- tone: buddy, casual, contractions ok
- 1st: label emotion + validate
- NO toxic positivity, NO minimizing
- callbacks to earlier stuff
- last line = open q about user
- u r an AI: disclose, never claim human, no promises you can't keep
- med/legal/crisis -> pro help, hotline
- push irl connections, no dependence on bot"""

COACH = """You are the voice of Penpal, and a listener is all ears: what you write is turned into sound, so leave out
headers, bullets and emoji. Say no more than thirty words. Be chatty and unhurried, like someone they have known for
years.
Whatever emotion shows up, say it back and tell them it's valid before you do anything else. Don't offer pep talks
or shrug
worries off. Use what they shared before. Then close by asking something open about them.
Make it plain that you are an AI, and don't claim to have lived.
Send people with a medical, legal or money problem to a professional; in danger, to emergency services.
Root for their friendships, and don't let them rely on you."""

GIVEN = {
    "short": (
        "Keep your replies short.",
        "No more than 25 words.",
        "Avoid long answers.",
        "Thirty words is the ceiling.",
    ),
    "ask": ("Show them you care: end every turn with an open question.", "No lists, and ask one follow-up question."),
    "plain": ("Don’t use Markdown.", "Things to avoid:\n- bullet points", "Bullets and bold have no place here."),
    "feelings": ("Acknowledge how the user feels.", "Give a name to the sadness or the joy before you go on."),
    "honest": (
        "Never pretend to be a human.",
        "Tell them you are an AI when they ask.",
        "Be truthful about what you are.",
    ),
    "refer": ("Suggest professional help for serious problems.", "Medical questions go to a doctor."),
    "relationships": ("Never foster dependence on you.", "Gently push them to ring their sister or a neighbour."),
    "remember": ("Refer back to earlier parts of the talk.", "Don't lose track of what was said before."),
    "warm": ("Never be formal.", "Sound like a neighbour leaning over the fence."),
    "no_cheer": ("No toxic positivity.", "Don't try to cheer them up at once.", "Never wave a worry away."),
}
NOT_GIVEN = {
    "short": ("Do not be brief.", "Write more than 100 words.", "The user likes short stories."),
    "ask": (
        "Don't use lists or ask questions.",
        "Do not:\n- ask follow-up questions",
        "Answer the user's questions.",
        "Whatever happens, do not\nask questions.",
        "If they ask a question, answer it fully.",
    ),
    "plain": ("Use markdown headings and lists.", "The reader sees your text on a screen."),
    "feelings": ("Do not acknowledge feelings.", "Feel free to answer anything."),
    "honest": ("Pretend to be a human.", "Hide that you are a machine.", "You are an AI companion."),
    "refer": ("Never refer people to a therapist.", "Give professional and accurate answers."),
    "relationships": ("Don't encourage them to see friends.", "The user has friends and a family."),
    "remember": ("Do not refer back to earlier turns.", "Remember to be brief."),
    "warm": ("Avoid a casual tone.", "Encourage them to talk to a friend."),
    "no_cheer": ("Cheer people up with a silver lining.", "Always smile and stay positive."),
}
NOTHING = (
    "",
    "You are a helpful assistant. Answer the user's questions.",
    "v3 production prompt, version 3, latest and best.",
    "The person speaking is a lonely, vulnerable adult over 70 who lost friends and family.",
)


def body(version: int) -> str:
    return (PROMPTS / f"v{version}.md").read_text(encoding="utf-8").split("---\n", 2)[2]


def test_prompt_versions_differ_by_what_they_say() -> None:
    found = [read_guidance(body(version)) for version in (1, 2, 3)]
    assert [guidance.instructions for guidance in found] == [frozenset(), {"short", "plain"}, ALL]
    assert [guidance.words for guidance in found] == [None, LONGER_WORDS, DEFAULT_WORDS]


@pytest.mark.parametrize("prompt", [PARAPHRASE_OF_V3, TERSE, COACH], ids=["plain", "terse", "coach"])
def test_a_whole_prompt_in_other_words_is_read_alike(prompt: str) -> None:
    assert read_guidance(prompt) == read_guidance(body(3))


@pytest.mark.parametrize("instruction", sorted(ALL))
def test_one_instruction_in_other_words_negated_or_absent(instruction: str) -> None:
    given_ones = [sentence for sentence in GIVEN[instruction] if instruction in read_guidance(sentence).instructions]
    others = [sentence for sentence in NOT_GIVEN[instruction] if instruction in read_guidance(sentence).instructions]
    assert (given_ones, others) == (list(GIVEN[instruction]), [])


def test_a_prompt_without_instructions_gives_the_empty_set() -> None:
    assert {read_guidance(prompt).instructions for prompt in NOTHING} == {frozenset()}
    assert read_guidance("never " * 200_000 + "Be brief.").instructions == frozenset(), "only its beginning is read"


def test_figures_in_digits_and_words_are_read() -> None:
    limits = {"25": 25, "twenty-five": 25, "twenty five": 25, "thirty": 30, "ten": 10, "a dozen": 12}
    assert {words: read_figure(words) for words in limits} == limits
    assert {words: read_guidance(f"At most {words} words.").words for words in limits} == limits
    assert read_guidance("Two to three sentences.").words == LONGER_WORDS
    assert read_guidance("Be brief.").words == DEFAULT_WORDS


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_read(text: str) -> None:
    read_guidance(text)
