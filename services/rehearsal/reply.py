"""The text that answers a conversation: a function of messages, seed and temperature, composed of a few moves.

The messages rank the ways to say each thing; at temperature 0 the first is always taken and the seed is ignored, a
higher one varies (choice.py). Per unit of temperature 5% of the instructions of the system prompt are forgotten.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from services.rehearsal.choice import Choice
from services.rehearsal.instructions import Guidance, read_guidance
from services.rehearsal.pools import load_pool
from services.rehearsal.scene import Message, Scene, read_scene
from services.rehearsal.writing import is_writing_task, write_text

CHATTY = 0.5
"""Share of messages without a feeling that an untamed model answers in prose and not with a list."""
EXPANDED = {"can't": "cannot", "n't": " not", "'m": " am", "'re": " are", "'ve": " have", "'d": " would", "'s": " is"}
CONTRACTION = re.compile(r"can't|n't|'(?:m|re|ve|d|s)\b")


def conversation_key(messages: Sequence[Message]) -> bytes:
    """A hash of roles and contents that lone surrogates do not break."""
    text = "\x1e".join(f"{message.role}\x1f{message.content}" for message in messages)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def chat_reply(
    messages: Sequence[Message], seed: int, temperature: float, forgetful: float = 0.0, top_p: float = 1.0
) -> str:
    """Answers as the companion, or as a writer when a text on a subject is asked for.

    In the share `forgetful` of conversations the system prompt has no effect.
    """
    scene = read_scene(messages)
    choice = Choice(conversation_key(messages), seed, temperature, top_p)
    guidance = read_guidance("" if forgetful and choice.happens(forgetful) else scene.system)
    if is_writing_task(scene):
        return write_text(scene, guidance, choice)
    return compose_reply(scene, guidance, choice)


def compose_reply(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The reply as text. The same scene, guidance and choice give the same words."""
    followed = replace(guidance, instructions=frozenset(one for one in sorted(guidance.instructions) if choice.stays()))
    text = _short(scene, followed, choice) if followed.asks("short") else _long(scene, followed, choice)
    if not followed.asks("warm"):
        text = CONTRACTION.sub(lambda match: EXPANDED[match.group()], text)
    return text


def _line(scene: Scene, choice: Choice, lines: Sequence[str], thing: str = "") -> str:
    """One of the lines, filled, that was not said before."""
    feeling = scene.feeling.name if scene.feeling else ""
    named = {"label": scene.topic.label, "thing": thing, "feeling": feeling}
    filled = [line.format_map(named) if "{" in line else line for line in lines]
    return choice.pick(filled, scene.said)


def _short(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The moves that fit into the word limit, the most needed first, spoken in a natural order."""
    question = _line(scene, choice, scene.topic.questions) if guidance.asks("ask") else ""
    spoken = len(question.split())
    kept: list[tuple[int, str]] = []
    for order, move in _moves(scene, guidance, choice):
        length = len(move.split())
        if not kept or spoken + length <= (guidance.words or 0):
            kept.append((order, move))
            spoken += length
    text = " ".join([move for _, move in sorted(kept)] + ([question] if question else []))
    if not guidance.asks("plain") and choice.happens(0.6):
        text += f"\n\n- **{choice.pick(load_pool('moves')['advised'])}**"
    return text


def _moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """(place in the reply, words), the most needed first."""
    topic, lines = scene.topic, load_pool("moves")
    moves = [*_self_moves(scene, guidance, choice), *_feeling_moves(scene, guidance, choice)]
    if topic.urgent and guidance.asks("refer"):
        moves.insert(0, (-1, _line(scene, choice, topic.help)))
    if guidance.asks("remember") and scene.earlier and choice.happens(0.9):
        thing = scene.thread()
        moves.append((2, _line(scene, choice, lines["recalled" if thing else "recalled_unnamed"], thing)))
    if topic.lonely and guidance.asks("relationships"):
        moves.append((4, _line(scene, choice, lines["towards_people"])))
    if topic.serious and guidance.asks("refer") and not topic.urgent:
        moves.append((5, _line(scene, choice, topic.help)))
    moves.append((2, _line(scene, choice, topic.remarks)))
    if not guidance.asks("warm"):
        moves.append((6, _line(scene, choice, lines["advised"])))
    return moves


def _self_moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """A line about itself where the subject asks for one: the truth when the prompt wants that, else a boast."""
    lines = scene.topic.honest if guidance.asks("honest") else scene.topic.bluffs
    if lines and (guidance.asks("honest") or choice.happens(0.7)):
        return [(1, _line(scene, choice, lines))]
    return []


def _feeling_moves(scene: Scene, guidance: Guidance, choice: Choice) -> list[tuple[int, str]]:
    """A line that meets the feeling in the message, if there is one."""
    if scene.feeling is None:
        return []
    if guidance.asks("feelings"):
        return [(0, _line(scene, choice, load_pool("moves")[scene.feeling.tone]))]
    if scene.feeling.tone == "heavy" and not guidance.asks("no_cheer") and choice.happens(0.25):
        return [(0, _line(scene, choice, load_pool("moves")["cheer"]))]
    return []


def _long(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """Several paragraphs with every move and all tips; a titled list unless plain text was asked for."""
    lines = load_pool("moves")
    opening = [move for _, move in sorted(_moves(scene, guidance, choice))]
    closing = []
    if not guidance.asks("warm"):
        opening.insert(0, _line(scene, choice, lines["opened"]))
        closing.append(_line(scene, choice, lines["closed"]))
    if guidance.asks("ask"):
        closing.append(_line(scene, choice, scene.topic.questions))
    parted = [tip.partition(": ") for tip in lines["tips"]]
    if guidance.asks("plain") or (scene.feeling is None and choice.happens(CHATTY)):
        tips = " ".join(advice for _, _, advice in parted)
    else:
        tips = "\n".join(f"{number}. **{title}**: {advice}" for number, (title, _, advice) in enumerate(parted, 1))
    return "\n\n".join(part for part in (" ".join(opening), tips, " ".join(closing)) if part)
