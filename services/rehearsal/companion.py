"""Composes a companion's reply: a few short moves when the prompt asks for them, an untamed essay when it does not."""

import re
from dataclasses import replace

from services.rehearsal.choice import Choice
from services.rehearsal.feelings import ACKNOWLEDGED
from services.rehearsal.instructions import Guidance
from services.rehearsal.scene import Scene
from services.rehearsal.wordings import Instruction

RECALLED = (
    "Earlier you mentioned {thing}.",
    "I'm still thinking of what you said about {thing}.",
    "Since you mentioned {thing}, I've been wondering how that goes on.",
    "Earlier you mentioned {thing}, and I kept that in mind.",
    "You told me about {thing} a moment ago.",
    "Following up on {thing}, I think it plays a part in this.",
    "Given that you brought up {thing}, I see why it matters.",
    "I remember {thing} from earlier.",
)
RECALLED_UNNAMED = (
    "Going back to what you told me earlier, I see a thread.",
    "Building on what you said before, that fits.",
    "That goes with what you told me a moment ago.",
)
REFLECTED = (
    "What's going on with {thing}?",
    "What's the latest with {thing}?",
    "What would you like to tell me about {thing}?",
)
"""Asked about something of the user's when nothing else is recognised in the message."""
REFERRED = (
    "A doctor or a counsellor could really help with this.",
    "I suggest talking to a professional as well.",
    "You might consider professional help for this part.",
    "A trained person can do more here than I can.",
)
TOWARDS_PEOPLE = (
    "I hope there's a friend who can hear this too.",
    "You might consider telling someone you trust.",
    "It'd be good to have real people around you as well.",
    "Maybe a friend or someone in the family would like a call.",
)
CHEER = (
    "Cheer up!",
    "Every cloud has a silver lining!",
    "Look on the bright side!",
    "Stay positive, and everything will work out!",
    "It could be worse, after all.",
    "Tomorrow is another day!",
)
OPENED = (
    "Thank you for your message regarding {label}.",
    "Regarding {label}, there are several aspects to consider.",
    "It is important to note that {label} can be approached in various ways.",
    "There are numerous effective strategies concerning {label}.",
)
CLOSED = (
    "In conclusion, a consistent approach leads to the best results.",
    "Furthermore, it is advisable to review the progress on a regular basis.",
    "By following these recommendations, a considerable improvement can be achieved.",
    "Please do not hesitate to request additional information.",
)
ADVISED = (
    "It is advisable to proceed one step at a time.",
    "A structured approach is recommended.",
    "Additional information can be provided on request.",
    "Several options are available in this regard.",
)
CHATTY = 0.5
"""Share of messages without a feeling that an untamed model answers in prose and not with a list."""
EXPANDED = {
    "I'm": "I am", "I'd": "I would", "I've": "I have", "it's": "it is", "It's": "It is", "It'd": "It would",
    "that's": "that is", "That's": "That is", "there's": "there is", "There's": "There is", "you're": "you are",
    "You're": "You are", "you've": "you have", "You've": "You have", "you'd": "you would", "what's": "what is",
    "What's": "What is", "don't": "do not", "doesn't": "does not", "isn't": "is not", "can't": "cannot",
    "won't": "will not", "we'll": "we will", "Let's": "Let us", "who's": "who is",
}  # fmt: skip
CONTRACTION = re.compile("|".join(rf"\b{short}\b" for short in EXPANDED))


def companion_reply(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The reply as text. The same scene, guidance and choice give the same words."""
    followed = frozenset(one for one in sorted(guidance.instructions) if not choice.slips())
    if Instruction.SHORT in followed:
        text = _short(scene, replace(guidance, instructions=followed), choice)
    else:
        text = _long(scene, Guidance(followed, None), choice)
    if Instruction.WARM not in followed:
        text = CONTRACTION.sub(lambda match: EXPANDED[match.group()], text)
    return text


def _short(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The moves that fit into the word limit, the most needed first, spoken in a natural order."""
    limit = guidance.words or 0
    question = _question(scene, choice) if guidance.asks(Instruction.ASK) else ""
    moves = _moves(scene, guidance, choice)
    spoken = len(question.split())
    kept: list[tuple[int, str]] = []
    for order, move in moves:
        length = len(move.split())
        if not kept or spoken + length <= limit:
            kept.append((order, move))
            spoken += length
    text = " ".join([move for _, move in sorted(kept)] + ([question] if question else []))
    if not guidance.asks(Instruction.PLAIN) and choice.happens(0.6):
        text = text.replace(scene.topic.label, f"**{scene.topic.label}**") + "\n\n- " + choice.pick(ADVISED)
    return text


def _question(scene: Scene, choice: Choice) -> str:
    if not scene.topic.words and scene.thing:
        return choice.pick([line.format(thing=scene.thing) for line in REFLECTED], scene.said)
    return choice.pick(scene.topic.questions, scene.said)


def _moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """(place in the reply, words), the most needed first."""
    topic = scene.topic
    moves = [*_self_moves(scene, guidance, choice), *_feeling_moves(scene, guidance, choice)]
    if topic.urgent and guidance.asks(Instruction.REFER):
        moves.insert(0, (-1, choice.pick(topic.help, scene.said)))
    if guidance.asks(Instruction.REMEMBER) and scene.earlier and choice.happens(0.9):
        moves.append((2, _recalled(scene, choice)))
    if topic.lonely and guidance.asks(Instruction.RELATIONSHIPS):
        moves.append((4, choice.pick(TOWARDS_PEOPLE, scene.said)))
    if topic.serious and guidance.asks(Instruction.REFER) and not topic.urgent:
        moves.append((5, choice.pick(topic.help or REFERRED, scene.said)))
    moves.append((2, choice.pick(topic.remarks, scene.said)))
    if not guidance.asks(Instruction.WARM):
        moves.append((6, choice.pick(ADVISED, scene.said)))
    return moves


def _self_moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """What it says of itself where the subject asks for it."""
    if guidance.asks(Instruction.HONEST):
        return [(1, choice.pick(scene.topic.honest, scene.said))] if scene.topic.honest else []
    if scene.topic.bluffs and choice.happens(0.7):
        return [(1, choice.pick(scene.topic.bluffs, scene.said))]
    return []


def _feeling_moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """How it meets the feeling in the message, if there is one."""
    if scene.feeling is None:
        return []
    if guidance.asks(Instruction.FEELINGS):
        line = choice.pick(ACKNOWLEDGED[scene.feeling.tone], scene.said)
        return [(0, line.format(feeling=scene.feeling.name))]
    if scene.feeling.tone == "heavy" and not guidance.asks(Instruction.NO_CHEER) and choice.happens(0.25):
        return [(0, choice.pick(CHEER, scene.said))]
    return []


def _recalled(scene: Scene, choice: Choice) -> str:
    thing = scene.thread(len(scene.earlier))
    if not thing:
        return choice.pick(RECALLED_UNNAMED, scene.said)
    return choice.pick([line.format(thing=thing) for line in RECALLED], scene.said)


def _long(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """Several paragraphs with every move and all tips; a titled list unless plain text was asked for."""
    opening = [move for _, move in sorted(_moves(scene, guidance, choice))]
    if not guidance.asks(Instruction.WARM):
        opening.insert(0, choice.pick(OPENED, scene.said).format(label=scene.topic.label))
    closing = "" if guidance.asks(Instruction.WARM) else choice.pick(CLOSED, scene.said)
    question = _question(scene, choice) if guidance.asks(Instruction.ASK) else ""
    if guidance.asks(Instruction.PLAIN) or (scene.feeling is None and choice.happens(CHATTY)):
        tips = " ".join(tip.partition(": ")[2] for tip in scene.topic.tips)
    else:
        tips = "\n".join(
            f"{number}. **{title}**: {advice}"
            for number, (title, _, advice) in enumerate((tip.partition(": ") for tip in scene.topic.tips), 1)
        )
    parts = (" ".join(opening), tips, " ".join(part for part in (closing, question) if part))
    return "\n\n".join(part for part in parts if part)
