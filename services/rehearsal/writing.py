"""Longer texts on request: explain, compare, argue, summarise, or list the steps.

Temperature loosens them, each effect with a share that grows with it and is 0 at temperature 0: rarer words take the
place of the usual one, sentences lose their link, paragraphs and lists run together, some texts break off before their
end, and above 0.8 sentences leave the subject. A limit of words and a number of sentences or items are met as far as no
break comes between, and forgotten as often as any other instruction.
"""

import re

from services.rehearsal.choice import Choice
from services.rehearsal.instructions import Guidance, compile_wording, read_figure
from services.rehearsal.pools import load_pool
from services.rehearsal.scene import Scene

TASK = re.compile(
    r"\b(?:(?:explain|describe|compare|contrast|list|summari[sz]e|outline|discuss|analy[sz]e|define|draft|write|evaluate"
    r"|argue|narrate)\b|pros and cons|advantages|difference between|step by step|(?:steps|guide) (?:to|for)"
    r"|make the case|tell the (?:story|tale) of|answer in (?:at most|one|two|three|\d)"
    r"|how (?:do|does|did|is|are|to|can) .{3,60}(?:work|made|make|build|learn|improve|differ)"
    r"|what (?:is|are|causes?) (?:the |an? )?[a-z-]{4,}(?: [a-z-]+){0,6}\?$)"
)
CHATTY = re.compile(r"\b(?:you|your|i'm|i am|my|me a joke|weather)\b")
BRIEFLY = re.compile(r"\b(?:in \w+ sentences?|define|briefly|slogan|summari[sz]e|answer in)\b")
LISTED = re.compile(r"\b(?:list|pros and cons|step by step|instructions?|steps|guide|how to)\b")
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
    return TASK.search(user) is not None and CHATTY.search(user) is None


def _number(task: str, wording: str, default: int) -> int:
    """The number that stands in a wording of the task; the first of several."""
    found = compile_wording(wording).search(task)
    return min(LONGEST, max(1, read_figure(found[1]))) if found else default


def find_subjects(task: str) -> list[str]:
    """The subject of the text, and one beside it: the longest words of the task, and something for those it lacks."""
    small = load_pool("writing")["small"].split()
    words = [word for word in WORD.findall(task[:READ_AT_MOST]) if word.lower() not in small]
    return [*sorted(dict.fromkeys(words), key=len, reverse=True), "the subject", "everyday practice"][:2]


def write_text(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """The text that a task asks for; a few sentences where the system prompt wants short replies."""
    task = scene.user[:READ_AT_MOST].lower() if choice.stays() else ""
    brief = guidance.asks("short") or BRIEFLY.search(task) is not None
    listed = LISTED.search(task) is not None and not brief
    count = _number(task, r"\b(?:in|list|name|give) (<number>) (?!words)\w+", 3 if brief else 6 if listed else 10)
    words = guidance.words or _number(task, r"\b(<number>) words\b", 0)
    pen = _Pen(scene.user, choice)
    sentences = pen.sentences(LONGEST if words else count, words or LONGEST * 100)
    if brief:
        return " ".join(sentences)
    marked = listed and not guidance.asks("plain") and choice.keeps()
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
        if blocks and not choice.keeps():
            blocks[-1] += f" {text}"
        else:
            blocks.append(text)
    return blocks


class _Pen:
    """Writes sentences on two subjects, none of them twice as long as there are others."""

    def __init__(self, task: str, choice: Choice) -> None:
        self._choice = choice
        self._subjects = dict(zip("ab", find_subjects(task), strict=True))
        self._pools = load_pool("writing")
        self._used: set[str] = set()

    def line(self, name: str) -> str:
        """A sentence of a pool, its places filled."""
        lines = self._pools[name]
        chosen = self._choice.pick([line for line in lines if line not in self._used] or lines)
        self._used.add(chosen)
        return PLACE.sub(self._filled, chosen)

    def _filled(self, place: re.Match[str]) -> str:
        return self._subjects.get(place[1]) or self._choice.word(self._pools["words"][place[1]])

    def sentences(self, count: int, room: int) -> list[str]:
        """So many sentences, and no more than there is room for in words: at least one, if a brief one."""
        kept = [self.line("opening")]
        while len(kept) < count and len(" ".join(kept).split()) <= room:
            kept.append(self._develop())
        while kept and len(" ".join(kept).split()) > room:
            kept.pop()
        return kept or ["It depends."]

    def _develop(self) -> str:
        """A sentence of the middle, perhaps linked to the one before it; or one that leaves the subject."""
        if self._choice.wanders():
            return self.line("wandering")
        linked = self._choice.happens(0.6) and self._choice.keeps()
        text = f"{self.line('links') if linked else ''}{self.line('clauses')}"
        return f"{text[0].upper()}{text[1:]}."
