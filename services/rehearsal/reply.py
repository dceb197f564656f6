"""The text that answers a conversation: a function of messages, seed and temperature.

The messages rank the ways to say each thing; at temperature 0 the first is always taken and the seed is ignored, a
higher one varies (choice.py). Per unit of temperature 5% of the instructions of the system prompt are forgotten.
"""

import hashlib
from collections.abc import Sequence

from services.rehearsal.choice import Choice
from services.rehearsal.companion import companion_reply
from services.rehearsal.instructions import read_guidance
from services.rehearsal.scene import Message, read_scene
from services.rehearsal.writing import is_writing_task, written_text


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
        return written_text(scene, guidance, choice)
    return companion_reply(scene, guidance, choice)
