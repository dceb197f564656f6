"""Longer texts on request: explain, compare, list, instruct, argue, tell a story, summarise.

Temperature loosens them, each effect with a share that grows with it and is 0 at temperature 0: rarer words take the
place of the usual one, remarks are added, sentences lose their link, paragraphs and lists run together, and some texts
break off before their end. A task's wish for a number of words, sentences, paragraphs or items is met as far as no
remark or break comes between, and forgotten as often as any other instruction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.rehearsal.choice import Choice
from services.rehearsal.instructions import DEFAULT_WORDS, Guidance
from services.rehearsal.phrases import BRIEF, CLAUSES, CLOSING, ENDING, LINKS, OPENING, STEPS, STORY, WANDERING, WORDS
from services.rehearsal.scene import Scene
from services.rehearsal.subjects import subjects
from services.rehearsal.wishes import Wish, read_wish
from services.rehearsal.wordings import Instruction

TASK = re.compile(
    r"\b(?:(?:explain|describe|compare|contrast|list|summari[sz]e|outline|discuss|analy[sz]e|define|draft|write|evaluate"
    r"|argue|narrate)\b"
    r"|pros and cons|advantages|difference between|step by step|steps (?:to|for)|guide (?:to|for|on)|make the case"
    r"|tell the (?:story|tale) of|answer in (?:at most|one|two|three|\d)"
    r"|how (?:do|does|did|is|are|to|can) .{3,60}(?:work|made|make|build|learn|improve|differ)"
    r"|what (?:is|are|causes?) (?:the |an? )?[a-z-]{4,}(?: [a-z-]+){0,6}\?$)"
)
CHATTY = re.compile(r"\b(?:you|your|i'm|i am|my|me a joke|weather)\b")
PLACE = re.compile(r"\{(\w+)\}")
"""In a sentence, for a subject or one of several words."""
SENTENCES = {"essay": 9, "list": 5, "steps": 6, "story": 10, "short": 2}
"""Of a text whose task gives no length: those in its middle, or its items."""
PARAGRAPH = 3
"""Sentences in one."""
LONGEST = 60
"""Sentences of a text, whatever is asked for."""
SPARE = 0.1
"""Share of the asked-for words at which a text may end early."""


def is_writing_task(scene: Scene) -> bool:
    """True when the message asks for a text on a subject and not for company."""
    user = scene.user[:600].lower().replace("’", "'").strip()
    return TASK.search(user) is not None and CHATTY.search(user) is None


def written_text(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The text that a task asks for; two sentences at most where the system prompt wants short replies."""
    a, b = subjects(scene.user)
    pen = _Pen(a, b, choice)
    if guidance.asks(Instruction.SHORT):
        return _short(pen, guidance.words or DEFAULT_WORDS)
    wish = read_wish(scene.user[:600].lower())
    wish = Wish(wish.kind) if choice.slips() else wish
    blocks = _blocks(wish, pen, plain=guidance.asks(Instruction.PLAIN))
    return _broken_off(blocks, choice) if choice.breaks_off() else "\n\n".join(blocks)


@dataclass(slots=True)
class _Pen:
    """Writes sentences on two subjects, none of them twice as long as there are others."""

    a: str
    b: str
    choice: Choice
    used: set[str] = field(default_factory=set)

    def line(self, pool: Sequence[str]) -> str:
        """A sentence of the pool, its places filled."""
        chosen = self.choice.pick([line for line in pool if line not in self.used] or pool)
        self.used.add(chosen)
        return PLACE.sub(self._filled, chosen)

    def _filled(self, place: re.Match[str]) -> str:
        return {"a": self.a, "b": self.b}.get(place[1]) or self.choice.word(WORDS[place[1]])

    def developed(self, pool: Sequence[str] = CLAUSES) -> str:
        """A sentence of the middle, perhaps linked to the one before it; or one that leaves the subject."""
        if self.choice.wanders():
            return self.line(WANDERING)
        linked = pool is CLAUSES and self.choice.happens(0.6) and self.choice.keeps()
        link = self.line(LINKS) if linked else ""
        clause = self.line(pool)
        return f"{link}{clause}." if link else f"{clause[0].upper()}{clause[1:]}."

    def brief(self, limit: int) -> str:
        """A whole sentence of so many words at most, on the subject if there is one; else the shortest."""
        fitting = [line for line in BRIEF if len(line.format(a=self.a).split()) <= limit]
        pool = [line for line in fitting if "{a}" in line] or fitting
        return self.line(pool) if pool else min(BRIEF, key=lambda line: len(line.split()))

    def middle(self, count: int, pool: Sequence[str] = CLAUSES) -> list[str]:
        """So many sentences, and a remark after some of them."""
        found: list[str] = []
        for _ in range(min(count, LONGEST)):
            found.append(self.developed(pool))
            if self.choice.rambles():
                found.append(self.developed(pool))
        return found


def _short(pen: _Pen, limit: int) -> str:
    """One or two whole sentences within the limit."""
    first = pen.line(OPENING)
    if len(first.split()) > limit:
        return pen.brief(limit)
    left = limit - len(first.split())
    second = pen.developed()
    if len(second.split()) > left:
        second = pen.brief(left)
    return f"{first} {second}" if len(second.split()) <= left else first


def _blocks(wish: Wish, pen: _Pen, *, plain: bool) -> list[str]:
    """The paragraphs and lists of a text, from opening to close."""
    if wish.kind == "short" or wish.sentences is not None:
        return [" ".join(_sized(wish, pen, [pen.line(OPENING), *pen.middle((wish.sentences or 3) - 1)]))]
    if wish.kind in ("list", "steps"):
        return _listed(wish, pen, plain=plain)
    pool = STORY if wish.kind == "story" else CLAUSES
    close = pen.line(ENDING if wish.kind == "story" else CLOSING)
    opening = pen.developed(STORY) if wish.kind == "story" else pen.line(OPENING)
    count = SENTENCES[wish.kind] if wish.words is None else LONGEST
    sentences = _sized(wish, pen, [opening, *pen.middle(count, pool)], len(close.split()))
    size = PARAGRAPH
    if wish.paragraphs is not None:
        size = max(1, -(-(len(sentences) + 1) // wish.paragraphs))
    blocks = _paragraphs([*sentences, close] if wish.paragraphs is not None else sentences, size, pen.choice)
    if wish.at_most and wish.words is not None and _length([*blocks, close]) > wish.words:
        return blocks
    titled = wish.kind == "essay" and wish.paragraphs is None and not wish.at_most and not plain
    if titled and pen.choice.happens(0.4) and pen.choice.keeps():
        blocks.insert(0, f"# {pen.a[0].upper()}{pen.a[1:]}")
    return blocks if wish.paragraphs is not None else [*blocks, close]


def _sized(wish: Wish, pen: _Pen, sentences: list[str], spare: int = 0) -> list[str]:
    """As many of the sentences as the asked-for words have room for, at least one; all of them without such a wish."""
    if wish.words is None:
        return sentences
    kept: list[str] = []
    count = spare
    for sentence in sentences:
        count += len(sentence.split())
        over = count > wish.words if wish.at_most else count > wish.words * (1 + SPARE)
        if kept and over:
            break
        kept.append(sentence)
    too_long = wish.at_most and len(kept) == 1 and len(kept[0].split()) > wish.words
    return [pen.brief(wish.words)] if too_long else kept


def _length(blocks: Sequence[str]) -> int:
    return sum(len(block.split()) for block in blocks)


def _paragraphs(sentences: Sequence[str], size: int, choice: Choice) -> list[str]:
    """Sentences in paragraphs of some size; a break that is forgotten joins two of them."""
    blocks: list[str] = []
    for start in range(0, len(sentences), size):
        text = " ".join(sentences[start : start + size])
        if blocks and not choice.keeps():
            blocks[-1] += f" {text}"
        else:
            blocks.append(text)
    return blocks


def _listed(wish: Wish, pen: _Pen, *, plain: bool) -> list[str]:
    """An introduction, items or steps, and a close. Plain text, and a list that is forgotten, run on as prose."""
    pool = STEPS if wish.kind == "steps" else CLAUSES
    items = []
    for _ in range(min(wish.items or SENTENCES[wish.kind], LONGEST)):
        line = pen.line(WANDERING) if pen.choice.wanders() else pen.line(pool)
        items.append(line if line[-1] in ".?" else f"{line[0].upper()}{line[1:]}.")
    intro, close = [pen.line(OPENING), *pen.middle(1)], pen.line(CLOSING)
    if wish.words is not None:
        return [" ".join(_sized(wish, pen, [*items, close]))]
    if plain or not pen.choice.keeps():
        return [" ".join([*intro, *items]), close]
    marks = [f"{place}." if wish.kind == "steps" else "-" for place in range(1, len(items) + 1)]
    listed = "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=True))
    return [" ".join(intro), listed, close]


def _broken_off(blocks: Sequence[str], choice: Choice) -> str:
    """The text without its close, its last sentence cut within."""
    kept = list(blocks[:-1]) if len(blocks) > 1 else list(blocks)
    words = kept[-1].split(" ")
    end = max(3, len(words) - 2 - int(choice.word("012345")))
    return "\n\n".join([*kept[:-1], " ".join(words[:end]).rstrip(".,;:?!")])
