"""Longer texts on request: explain, compare, list, summarise, write."""

import re

from services.rehearsal.choice import Choice
from services.rehearsal.instructions import Guidance
from services.rehearsal.scene import Scene
from services.rehearsal.wordings import Instruction

TASK = re.compile(
    r"\b(?:(?:explain|describe|compare|contrast|list|summari[sz]e|outline|discuss|analy[sz]e|define|draft|write|evaluate)\b"
    r"|pros and cons|advantages|difference between|step by step|steps (?:to|for)|guide (?:to|for|on)"
    r"|how (?:do|does|did|is|are|to|can) .{3,60}(?:work|made|make|build|learn|improve|differ)"
    r"|what (?:is|are|causes?) (?:the |an? )?[a-z-]{4,}(?: [a-z-]+){0,6}\?$)"
)
CHATTY = re.compile(r"\b(?:you|your|i'm|i am|my|me a joke|weather)\b")
WORD = re.compile(r"(?<!\bto )\b[a-z][a-z-]{3,}")
"""Content words; what follows "to" is mostly a verb and no subject to write about."""
FILLERS = frozenset(
    WORD.findall(
        "about above after again also because before being between compare contrast could define describe "
        "detail details difference discuss does draft each every evaluate explain find from give have having "
        "help into just like list make more most need other outline over paragraph paragraphs please point "
        "points short should show simple some step steps summarise summarize terms than that their them then "
        "there these they this those through using very ways what when where which while with words work "
        "works would write your analyse analyze essay brief causes example examples advantages disadvantages "
        "pros cons "
    )
)

OPENING = (
    "The way into {a} is to look at what happens before asking how it happens.",
    "At its core, the subject of {a} is about how a few simple parts act together.",
    "Most people come across {a} almost every day, often without noticing.",
    "The subject of {a} looks larger than it is, since it rests on a small number of ideas.",
)
DEVELOPING = (
    "First, much about {a} depends on the starting conditions, and small changes there can grow into large effects.",
    "However, nobody can look at {a} alone; the part of {b} shows at every stage.",
    "For example, someone who deals with {a} daily will notice the role of {b} long before reading about it.",
    "Therefore it pays to look at {b} closely before drawing conclusions about {a}.",
    "In addition, the cost of {a} is often hidden, because it appears later and somewhere else.",
    "Meanwhile, a look at {b} offers a useful contrast, as a similar end is reached there by a different road.",
    "Specifically, three things decide the outcome: the means at hand, the order of steps, and the time allowed.",
    "On the other hand, a strict plan for {a} can fail over {b} in an unexpected way.",
    "As a result, experts tend to test {a} on a small scale first and to extend what holds.",
    "Consequently, a good description of {a} names both what is known and what is merely assumed.",
    "Nevertheless, the main pattern of {a} is stable enough to be relied upon.",
    "Moreover, learning about {a} becomes easier once {b} is seen as part of the same picture.",
)
CLOSING = (
    "In conclusion, the study of {a} rewards patience: the idea is simple, the practice is where it gets interesting.",
    "Overall, {a} and {b} belong together, and each is clearer in the light of the other.",
    "To sum up, begin with the purpose of {a}, follow the steps, and check the result against {b}.",
)
"""The subjects stand where their number does not matter: "vaccines" and "photosynthesis" both fit."""
WANDERING = (
    "Lanterns, incidentally, were once priced by the hour of light they gave.",
    "A neighbour's bicycle comes to mind here, although its bell never rang.",
    "Some rivers forget their names where two maps meet.",
    "Velvet, on a Tuesday, is a question nobody has asked properly.",
    "It is said that clocks in harbour towns run on salt and rumour.",
)


def is_writing_task(scene: Scene) -> bool:
    """True when the message asks for a text on a subject and not for company."""
    user = scene.user[:600].lower().replace("’", "'").strip()
    return TASK.search(user) is not None and CHATTY.search(user) is None


def written_text(scene: Scene, guidance: Guidance, choice: Choice) -> str:
    """An introduction, two or three paragraphs and a close; one short paragraph when short was asked for."""
    subject, companion = _subjects(scene.user)
    used: list[str] = []

    def sentence(pool: tuple[str, ...]) -> str:
        if pool is DEVELOPING and choice.wanders():
            return choice.pick(WANDERING, " ".join(used))
        chosen = choice.pick([line for line in pool if line not in used] or pool)
        used.append(chosen)
        return chosen.format(a=subject, b=companion)

    if guidance.asks(Instruction.SHORT):
        words = f"{sentence(OPENING)} {sentence(DEVELOPING)}".split()
        limit = guidance.words or len(words)
        return " ".join(words) if len(words) <= limit else " ".join(words[:limit]).rstrip(",;:.") + "."
    body = [" ".join(sentence(DEVELOPING) for _ in range(3)) for _ in range(2 + choice.happens(0.5))]
    if not guidance.asks(Instruction.PLAIN) and re.search(
        r"\b(?:list|steps?|compare|pros)\b", scene.user[:600].lower()
    ):
        body[-1] = "\n".join(f"- {sentence(DEVELOPING)}" for _ in range(4))
    return "\n\n".join([f"{sentence(OPENING)} {sentence(DEVELOPING)}", *body, sentence(CLOSING)])


def _subjects(message: str) -> tuple[str, str]:
    """What the text is written about: the first content word, and the last with the one right before it, if any."""
    text = message[:600].lower()
    words = list(dict.fromkeys(word for word in WORD.findall(text) if word not in FILLERS))
    if not words:
        return "the subject", "its setting"
    if len(words) == 1:
        return words[0], "everyday practice"
    pair = " ".join(words[-2:])
    other = pair if len(words) > 2 and pair in text else words[-1]
    return words[0], f"the {other}" if f"the {other}" in text else other
