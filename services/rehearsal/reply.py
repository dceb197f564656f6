"""The text that answers a conversation: a function of messages, seed and temperature.

Temperature works as in a language model, on alternatives in place of tokens. The messages rank the ways to say each
thing. At 0 the first is always taken and the seed is ignored; the weight of the alternative at rank r is
exp(-r / (1.5 * temperature)), so that a low temperature repeats itself and a high one varies. The same messages,
temperature and seed always give the same text; no seed counts as seed 0. Per unit of temperature 5% of the
instructions of the system prompt are forgotten. Longer texts loosen with it (see writing.py), and above 0.8 begin to
leave their subject.
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
