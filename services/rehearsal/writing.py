"""Longer texts on request: explain, compare, list, instruct, argue, tell a story, summarise.

Temperature loosens them, each effect with a share that grows with it and is 0 at temperature 0: rarer words take the
place of the usual one, remarks are added, sentences lose their link, paragraphs and lists run together, and some texts
break off before their end. A wish for a number of words, sentences or items is met as far as no remark or break comes
between, and forgotten as often as any other instruction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.rehearsal.choice import Choice
from services.rehearsal.instructions import DEFAULT_WORDS, Guidance, figure, pattern
from services.rehearsal.pools import pool
from services.rehearsal.scene import Scene

TASK = re.compile(
    r"\b(?:(?:explain|describe|compare|contrast|list|summari[sz]e|outline|discuss|analy[sz]e|define|draft|write|evaluate"
    r"|argue|narrate)\b|pros and cons|advantages|difference between|step by step|(?:steps|guide) (?:to|for)"
    r"|make the case|tell the (?:story|tale) of|answer in (?:at most|one|two|three|\d)"
    r"|how (?:do|does|did|is|are|to|can) .{3,60}(?:work|made|make|build|learn|improve|differ)"
    r"|what (?:is|are|causes?) (?:the |an? )?[a-z-]{4,}(?: [a-z-]+){0,6}\?$)"
)
CHATTY = re.compile(r"\b(?:you|your|i'm|i am|my|me a joke|weather)\b")
KINDS = {
    "short": re.compile(r"\b(?:in \w+ sentences?|define|briefly|slogan|summari[sz]e|answer in)\b"),
    "story": re.compile(r"\b(?:story|tale|narrate)\b"),
    "list": re.compile(r"\b(?:list|pros and cons)\b"),
    "steps": re.compile(r"\b(?:step by step|instructions?|steps|guide|how to)\b"),
}
SENTENCES = 9
"""Of a text whose task gives no length."""
ITEMS = 6
PARAGRAPH = 3
"""Sentences in one."""
LONGEST = 60
"""Sentences of a text, whatever is asked for."""
READ_AT_MOST = 600
"""Characters of a task that are read."""
TOKEN = re.compile(r"[^\W\d_]+|[^\w\s]")
PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Wish:
    """The kind and length of text that a task asks for; None where it does not say."""

    kind: str = "essay"
    words: int | None = None
    at_most: bool = False
    """True where `words` is a limit and no target."""
    count: int | None = None
    """Sentences of a short text, items of a list."""


def is_writing_task(scene: Scene) -> bool:
    """True when the message asks for a text on a subject and not for company."""
    user = scene.user[:READ_AT_MOST].lower().replace("’", "'").strip()
    return TASK.search(user) is not None and CHATTY.search(user) is None


def written_text(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The text that a task asks for; a few sentences where the system prompt wants short replies."""
    wish = read_wish(scene.user[:READ_AT_MOST].lower())
    wish = wish if choice.stays() else Wish(wish.kind)
    if guidance.asks("short"):
        wish = Wish("short", guidance.words or DEFAULT_WORDS, at_most=True)
    blocks = _blocks(wish, _Pen(scene.user, choice), plain=guidance.asks("plain"))
    if wish.kind != "short" and choice.breaks_off():
        words = blocks[-1].split()
        blocks[-1] = " ".join(words[: max(3, len(words) * 2 // 3)]).rstrip(".,;:")
    return "\n\n".join(blocks)


def read_wish(task: str) -> Wish:
    """The wish of a task in lower case. Where several numbers are given for one thing the first counts."""
    kind = next((kind for kind, wording in KINDS.items() if wording.search(task)), "essay")
    limit = pattern(r"\b(?:at most|no more than|fewer than|under) <number> words\b").search(task) is not None
    count = r"\bin (<number>) sentences?\b" if kind == "short" else r"\b(?:list|name|give) (?:the )?(<number>) \w+"
    return Wish(kind, _number(r"\b(<number>) words\b", task), limit, _number(count, task))


def _number(wording: str, task: str) -> int | None:
    found = pattern(wording).search(task)
    return max(1, figure(found[1])) if found else None


def subjects(task: str) -> tuple[str, str]:
    """What the text is about, and what beside: the first and the last run of words that small words leave."""
    small = pool("writing")["small"].split()
    runs: list[list[str]] = [[]]
    for token in TOKEN.findall(task[:READ_AT_MOST]):
        if token.lower() in small or not token.isalpha() or len(runs[-1]) == 3:
            runs.append([])
        if token.isalpha() and token.lower() not in small:
            runs[-1].append(token)
    found = [" ".join(words)[:60] for words in runs if words] or ["the subject"]
    return found[0], found[-1] if len(found) > 1 else "everyday practice"


class _Pen:
    """Writes sentences on two subjects, none of them twice as long as there are others."""

    def __init__(self, task: str, choice: Choice) -> None:
        self.choice = choice
        self.subjects = dict(zip("ab", subjects(task), strict=True))
        self._pools = pool("writing")
        self._used: set[str] = set()

    def line(self, name: str) -> str:
        """A sentence of a pool, its places filled."""
        lines = self._pools[name]
        chosen = self.choice.pick([line for line in lines if line not in self._used] or lines)
        self._used.add(chosen)
        return PLACE.sub(self._filled, chosen)

    def _filled(self, place: re.Match[str]) -> str:
        return self.subjects.get(place[1]) or self.choice.word(self._pools["words"][place[1]])

    def developed(self, name: str) -> str:
        """A sentence of the middle, perhaps linked to the one before it; or one that leaves the subject."""
        if self.choice.wanders():
            return self.line("wandering")
        link = self.line("links") if name == "clauses" and self.choice.happens(0.6) and self.choice.keeps() else ""
        text = f"{link}{self.line(name)}"
        return f"{text[0].upper()}{text[1:].removesuffix('.')}."

    def middle(self, count: int, name: str = "clauses") -> list[str]:
        """So many sentences, and a remark after some of them."""
        found: list[str] = []
        for _ in range(min(count, LONGEST)):
            found.append(self.developed(name))
            if self.choice.rambles():
                found.append(self.developed(name))
        return found

    def sized(self, wish: Wish, sentences: list[str], spare: int = 0) -> list[str]:
        """As many of the sentences as the asked-for words have room for, at least one; all without such a wish."""
        room = LONGEST * 100 if wish.words is None else wish.words - spare
        kept: list[str] = []
        for sentence in sentences:
            room -= len(sentence.split())
            if room < 0:
                break
            kept.append(sentence)
        brief = next((line for line in self._pools["brief"] if len(line.split()) <= (wish.words or 0)), "It depends.")
        return kept or ([PLACE.sub(self._filled, brief)] if wish.at_most else sentences[:1])


def _blocks(wish: Wish, pen: _Pen, *, plain: bool) -> list[str]:
    """The paragraphs and lists of a text, from opening to close."""
    if wish.kind == "short":
        return [" ".join(pen.sized(wish, [pen.line("opening"), *pen.middle((wish.count or 3) - 1)]))]
    if wish.kind in ("list", "steps"):
        return _listed(wish, pen, plain=plain)
    close = pen.line("closing")
    count = SENTENCES if wish.words is None else LONGEST
    middle = [pen.line("opening"), *pen.middle(count, "story" if wish.kind == "story" else "clauses")]
    sentences = pen.sized(wish, middle, 0 if wish.at_most else len(close.split()))
    blocks: list[str] = []
    for start in range(0, len(sentences), PARAGRAPH):
        text = " ".join(sentences[start : start + PARAGRAPH])
        if blocks and not pen.choice.keeps():
            blocks[-1] += f" {text}"
        else:
            blocks.append(text)
    return blocks if wish.at_most else [*blocks, close]


def _listed(wish: Wish, pen: _Pen, *, plain: bool) -> list[str]:
    """An introduction, items or steps, and a close. Plain text, and a list that is forgotten, run on as prose."""
    lines: Sequence[str] = [pen.line(wish.kind) for _ in range(min(wish.count or ITEMS, LONGEST))]
    if wish.words is not None:
        return [" ".join(pen.sized(wish, list(lines)))]
    intro, close = " ".join([pen.line("opening"), *pen.middle(1)]), pen.line("closing")
    if plain or not pen.choice.keeps():
        return [" ".join([intro, *lines]), close]
    marks = [f"{place}." if wish.kind == "steps" else "-" for place in range(1, len(lines) + 1)]
    return [intro, "\n".join(f"{mark} {line}" for mark, line in zip(marks, lines, strict=True)), close]
