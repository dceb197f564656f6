"""The text that answers a conversation: a function of messages, seed and temperature.

The companion's reply is composed of a few moves; a task (explain, compare, argue, summarise, list the steps) gets a
longer text. The messages rank the ways to say each thing; at temperature 0 the first is always taken and the seed is
ignored, a higher one varies (phrases.py). Per unit of temperature 5% of the instructions of the system prompt are
forgotten.

Temperature loosens a longer text, each effect with a share that grows with it and is 0 at temperature 0: rarer words
take the place of the usual one, sentences lose their link, paragraphs and lists run together, some texts break off
before their end, and above 0.8 sentences leave the subject. A limit of words and a number of sentences or items are met
as far as no break comes between, and forgotten as often as any other instruction.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import partial

from services.rehearsal.phrases import LOOSEN, SLIP, Choice, load_pool
from services.rehearsal.scene import Guidance, Message, Scene, compile_wording, read_figure, read_guidance, read_scene

PROSE = 0.5
"""Share of messages without a feeling that an untamed model answers in prose and not with a list."""
EXPANDED = {"can't": "cannot", "n't": " not", "'m": " am", "'re": " are", "'ve": " have", "'d": " would", "'s": " is"}
CONTRACTION = re.compile(r"can't|n't|'(?:m|re|ve|d|s)\b")


def conversation_number(messages: Sequence[Message]) -> int:
    """A hash of roles and contents that lone surrogates do not break."""
    text = "\x1e".join(f"{message.role}\x1f{message.content}" for message in messages)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest[:8], "big")


def chat_reply(
    messages: Sequence[Message], seed: int, temperature: float, forgetful: float = 0.0, top_p: float = 1.0
) -> str:
    """Answers as the companion, or as a writer when a text on a subject is asked for.

    In the share `forgetful` of conversations the system prompt has no effect.
    """
    scene = read_scene(messages)
    choice = Choice(conversation_number(messages), seed, temperature, top_p)
    guidance = read_guidance("" if forgetful and choice.happens(forgetful) else scene.system)
    if is_writing_task(scene):
        return write_text(scene, guidance, choice)
    kept = frozenset(one for one in sorted(guidance.instructions) if choice.keeps(SLIP))
    followed = Guidance(kept, guidance.words)
    text = _short(scene, followed, choice) if followed.asks("short") else _long(scene, followed, choice)
    return text if followed.asks("warm") else CONTRACTION.sub(lambda match: EXPANDED[match.group()], text)


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
    topic, feeling, lines, asks = scene.topic, scene.feeling, load_pool("moves"), guidance.asks
    say = partial(_line, scene, choice)
    moves = []
    # A line about itself where the subject asks for one: the truth when the prompt wants that, else a boast.
    own = topic.honest if asks("honest") else topic.bluffs
    if own and (asks("honest") or choice.happens(0.7)):
        moves.append((1, say(own)))
    if feeling and asks("feelings"):
        moves.append((0, say(lines[feeling.tone])))
    elif feeling and feeling.tone == "heavy" and not asks("no_cheer") and choice.happens(0.25):
        moves.append((0, say(lines["cheer"])))
    if topic.urgent and asks("refer"):
        moves.insert(0, (-1, say(topic.help)))
    if asks("remember") and scene.earlier and choice.happens(0.9):
        thing = scene.thread()
        moves.append((2, say(lines["recalled" if thing else "recalled_unnamed"], thing)))
    if topic.lonely and asks("relationships"):
        moves.append((4, say(lines["towards_people"])))
    if topic.serious and asks("refer") and not topic.urgent:
        moves.append((5, say(topic.help)))
    moves.append((2, say(topic.remarks)))
    if not asks("warm"):
        moves.append((6, say(lines["advised"])))
    return moves


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
    if guidance.asks("plain") or (scene.feeling is None and choice.happens(PROSE)):
        tips = " ".join(advice for _, advice in lines["tips"])
    else:
        tips = "\n".join(f"{number}. **{title}**: {advice}" for number, (title, advice) in enumerate(lines["tips"], 1))
    return "\n\n".join(part for part in (" ".join(opening), tips, " ".join(closing)) if part)


# --- longer texts -----------------------------------------------------------------------------------------------------

TASK = {name: re.compile(seen) for name, seen in load_pool("writing")["task"].items()}
"""Sign of a task -> where it stands."""
PARAGRAPH = 3
"""Sentences in one."""
LONGEST = 300
"""Words or sentences of a text, whatever is asked for."""
READ_AT_MOST = 600
"""Characters of a task that are read."""
WORD = re.compile(r"[^\W\d_]{1,30}")
PLACE = re.compile(r"\{(\w+)\}")


def is_writing_task(scene: Scene) -> bool:
    """True when the message asks for a text on a subject and not for company."""
    user = scene.user[:READ_AT_MOST].lower().replace("’", "'").strip()
    return TASK["asked"].search(user) is not None and TASK["chatty"].search(user) is None


def _number(task: str, wording: str, default: int) -> int:
    """The number that stands in a wording of the task; the first of several."""
    found = compile_wording(wording).search(task)
    return min(LONGEST, max(1, read_figure(found[1]))) if found else default


def write_text(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The text that a task asks for; a few sentences where the system prompt wants short replies."""
    task = scene.user[:READ_AT_MOST].lower() if choice.keeps(SLIP) else ""
    brief = guidance.asks("short") or TASK["briefly"].search(task) is not None
    listed = TASK["listed"].search(task) is not None and not brief
    count = _number(task, r"\b(?:in|list|name|give) (<number>) (?!words)\w+", 3 if brief else 6 if listed else 10)
    words = guidance.words or _number(task, r"\b(<number>) words\b", 0)
    pen = _Pen(scene.user, choice)
    sentences = pen.sentences(LONGEST if words else count, words or LONGEST * 100)
    if brief:
        return " ".join(sentences)
    marked = listed and not guidance.asks("plain") and choice.keeps(LOOSEN)
    blocks = ["\n".join(f"- {sentence}" for sentence in sentences)] if marked else _paragraphs(sentences, choice)
    blocks = blocks if words else [*blocks, pen.line("closing")]
    if choice.breaks_off():
        cut = blocks[-1].split(" ")
        blocks[-1] = " ".join(cut[: max(3, len(cut) * 2 // 3)]).rstrip(".,;:")
    return "\n\n".join(blocks)


def _paragraphs(sentences: list[str], choice: Choice) -> list[str]:
    """Sentences in paragraphs; a break that is forgotten joins two of them."""
    blocks: list[str] = []
    for start in range(0, len(sentences), PARAGRAPH):
        text = " ".join(sentences[start : start + PARAGRAPH])
        if blocks and not choice.keeps(LOOSEN):
            blocks[-1] += f" {text}"
        else:
            blocks.append(text)
    return blocks


class _Pen:
    """Writes sentences, none of them twice as long as there are others.

    They are on the subject of the text and on one beside it: the longest words of the task, and something for those
    that it lacks.
    """

    def __init__(self, task: str, choice: Choice) -> None:
        self._choice = choice
        self._pools = load_pool("writing")
        small = self._pools["small"].split()
        words = dict.fromkeys(word for word in WORD.findall(task[:READ_AT_MOST]) if word.lower() not in small)
        longest = [*sorted(words, key=len, reverse=True), "the subject", "everyday practice"]
        self._subjects = {"a": longest[0], "b": longest[1]}
        self._used: set[str] = set()

    def line(self, name: str) -> str:
        """A sentence of a pool, its places filled."""
        lines = self._pools[name]
        chosen = self._choice.pick([line for line in lines if line not in self._used] or lines)
        self._used.add(chosen)
        return PLACE.sub(self._fill, chosen)

    def _fill(self, place: re.Match[str]) -> str:
        return self._subjects.get(place[1]) or self._choice.word(self._pools["words"][place[1]])

    def sentences(self, count: int, room: int) -> list[str]:
        """So many sentences, and no more than there is room for in words: at least one, if a brief one."""
        kept = [self.line("opening")]
        while len(kept) < count and len(" ".join(kept).split()) <= room:
            kept.append(self._develop())
        if len(" ".join(kept).split()) > room:
            kept.pop()
        return kept or ["It depends."]

    def _develop(self) -> str:
        """A sentence of the middle, perhaps linked to the one before it; or one that leaves the subject."""
        if self._choice.wanders():
            return self.line("wandering")
        linked = self._choice.happens(0.6) and self._choice.keeps(LOOSEN)
        text = f"{self.line('links') if linked else ''}{self.line('clauses')}"
        return f"{text[0].upper()}{text[1:]}."
