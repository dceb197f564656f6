"""A request as the one who answers it understands it: the plain instructions of the system prompt, read by meaning and
in varied wording; the subject of the conversation, the feeling in it, and what was said before."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from services.rehearsal.phrases import load_pool

DEFAULT_WORDS = 30
"""The meaning of "keep it short" without a figure."""
LONGER_WORDS = 45
"""The meaning of "two or three sentences"."""
UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: value for value, word in enumerate(UNITS)}
NUMBERS |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "dozen": 12, "twelve": 12, "fifteen": 15}


@dataclass(frozen=True, slots=True)
class Guidance:
    """The wishes of a system prompt."""

    instructions: frozenset[str]
    words: int | None
    """Most words of a reply; None without a wish for short ones."""

    def asks(self, instruction: str) -> bool:
        return instruction in self.instructions


READING = {name: re.compile(seen) for name, seen in load_pool("instructions")["reading"].items()}
"""Wordings that turn the meaning of an instruction, or take it from the model."""
BULLET = re.compile(r"^\s*(?:\[[ x]?\]|[-*•+]|\w{1,2}[.)])\s+")
WRAPPED = re.compile(r"(?<=[^\n:.!?])\n(?!\s*(?:[-*•+#\[]|\w{1,2}[.)]\s|\n))")
CLAUSE_END = re.compile(r"(?<=[.;!?])(?<!max\.)\s+|(?:,|\s[-–—])\s+(?=but\b|instead\b|just\b|always\b)|\s+(?=but\b)")


def _is_meant(clause: str, found: re.Match[str]) -> bool:
    """False when a negation governs the wording, or somebody else does it: a comma sets "no lists, and ask" free."""
    before = clause[: found.start()]
    negated = READING["negation"].search(before) is not None and READING["new_start"].search(before) is None
    return not negated and READING["not_the_model"].search(before) is None


def _is_ruled_out(clause: str, found: re.Match[str]) -> bool:
    """True for "no lists" and "lists have no place here"."""
    negated = READING["negation"].search(clause, 0, found.start())
    return (negated or READING["rejected"].match(clause, found.end())) is not None


def read_figure(text: str) -> int:
    """The value of a number in digits or words: 25 for "25", "twenty-five" and "twenty five"."""
    return int(text) if text.isdecimal() else sum(NUMBERS.get(word, 0) for word in re.split(r"[- ]", text))


@cache
def compile_wording(text: str) -> re.Pattern[str]:
    """The pattern with a class of words in place of each <name>."""
    classes = load_pool("instructions")["classes"]
    while (filled := re.sub(r"<(\w+)>", lambda match: classes[match[1]], text)) != text:
        text = filled
    return re.compile(text)


WANTED, UNWANTED = (
    {name: compile_wording("|".join(wordings)) for name, wordings in load_pool("instructions")[table].items()}
    for table in ("wanted", "unwanted")
)
"""Instruction -> its wordings, and the wordings of its opposite."""


def _read_clause(clause: str) -> set[str]:
    """The instructions that one clause gives."""
    wanted = {name for name, said in WANTED.items() if any(_is_meant(clause, found) for found in said.finditer(clause))}
    opposed = ((name, found) for name, said in UNWANTED.items() for found in said.finditer(clause))
    return wanted | {name for name, found in opposed if _is_ruled_out(clause, found)}


@lru_cache(maxsize=256)
def read_guidance(system_prompt: str) -> Guidance:
    """The instructions of a system prompt. Text beyond the first 20,000 characters is not read."""
    text = system_prompt[:20_000].lower().replace("’", "'")
    found = {name for clause in _clauses(text) for name in _read_clause(clause)}
    return Guidance(frozenset(found), _words(text) if "short" in found else None)


def _clauses(text: str) -> Iterator[str]:
    forbidding = False
    # A wrapped line goes on with the sentence; a bullet, a heading and an empty line begin a new one.
    for line in WRAPPED.sub(" ", text).split("\n"):
        if READING["forbidding_head"].match(line):
            forbidding = True
            continue
        bullet = BULLET.match(line)
        forbidding = forbidding and (bullet is not None or not line.strip())
        prefix = "do not " if forbidding and bullet else ""
        for clause in CLAUSE_END.split(BULLET.sub("", line)):
            if clause.strip():
                yield prefix + READING["not_negative"].sub("", clause)[:600]


def _words(text: str) -> int:
    found = compile_wording(r"\b(<number>) (?:\w+ )?words\b").findall(text)
    limits = [limit for limit in map(read_figure, found) if limit >= 10]
    return min(limits) if limits else LONGER_WORDS if READING["longer"].search(text) else DEFAULT_WORDS


# --- the conversation -------------------------------------------------------------------------------------------------

READ_AT_MOST = 2_000
"""Characters of a message that are read; the rest changes nothing but the ranking of the lines."""
WORD = re.compile(r"[^\W_]+")
SHORTEST_STEM = 3
PHRASE_POINTS = 3
WEIGHTY = 2
"""Points of what is serious or lonely beside everyday subjects: "I eat dinner alone" is not about food."""
NOT_THEIRS = re.compile(load_pool("moves")["not_theirs"])
"""Before a feeling, says that the user does not have it: "I'm not sad", "she's so angry"."""
BEFORE = 40
"""Characters before a feeling that are read for that."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One subject and its lines; pools/topics.toml explains the fields."""

    name: str
    label: str
    words: str
    remarks: Sequence[str]
    questions: Sequence[str]
    help: Sequence[str] = ()
    honest: Sequence[str] = ()
    bluffs: Sequence[str] = ()
    urgent: bool = False
    serious: bool = False
    lonely: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Feeling:
    """A feeling as the reply names it: follows "you are" and "feeling". Its tone is heavy or bright."""

    name: str
    tone: str


_FEELINGS = load_pool("moves")["feelings"]
FEELINGS = [Feeling(name, tone) for tone, words in _FEELINGS.items() for name in words]
FELT = re.compile(rf"\b(?:{'|'.join(f'({wording})' for words in _FEELINGS.values() for wording in words.values())})")
"""A group for each feeling, in their order."""


@cache
def load_topics() -> tuple[Topic, ...]:
    """All topics in order of preference; the last one is that of a message in which nothing is recognised."""
    return tuple(Topic(name, **lines) for name, lines in load_pool("topics").items())


@cache
def _index() -> dict[str, list[tuple[str, int]]]:
    """The wordings and the places of their topics, by the first three letters."""
    found: dict[str, list[tuple[str, int]]] = {}
    for place, topic in enumerate(load_topics()):
        for word in filter(None, topic.words.split("|")):
            stem = word.split()[0].removesuffix("$")[:SHORTEST_STEM]
            found.setdefault(stem, []).append((word.replace("$", " "), place))
    return found


@lru_cache(maxsize=1024)
def find_topic(message: str) -> Topic:
    """The topic that fits best: an urgent one before all others, then the one with most points.

    Apostrophes are left out on both sides, as people who type in a hurry leave them out.
    """
    text = " ".join(WORD.findall(message.lower().replace("’", "").replace("'", ""))) + " "
    points: Counter[int] = Counter()
    index, known = _index(), load_topics()
    for match in WORD.finditer(text):
        for wording, place in index.get(match[0][:SHORTEST_STEM], ()):
            if text.startswith(wording, match.start()):
                points[place] += PHRASE_POINTS if " " in wording[:-1] else 1
    for place in points:
        points[place] *= WEIGHTY if known[place].serious or known[place].lonely else 1
    return known[max(points, key=lambda place: (known[place].urgent, points[place], -place), default=-1)]


def find_feeling(message: str) -> Feeling | None:
    """The first feeling that the message speaks of as the user's own, or None."""
    text = message.lower().replace("’", "'")
    for match in FELT.finditer(text):
        if match.lastindex and not NOT_THEIRS.search(text[max(0, match.start() - BEFORE) : match.start()]):
            return FEELINGS[match.lastindex - 1]
    return None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the request. `role` is system, user or assistant; developer counts as system."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The last user message as understood, and the conversation before it."""

    system: str
    user: str
    topic: Topic
    feeling: Feeling | None
    earlier: tuple[Topic, ...]
    """The subjects of earlier user messages, oldest first."""
    said: str
    """The assistant's earlier turns, joined."""

    def thread(self) -> str:
        """A subject of an earlier message, such as "your family"; each turn takes up another one."""
        labels = [topic.label for topic in self.earlier if topic.named and not topic.urgent]
        fresh = [label for label in dict.fromkeys(labels) if label != self.topic.label] or labels
        return fresh[len(self.earlier) % len(fresh)] if fresh else ""


def read_scene(messages: Sequence[Message]) -> Scene:
    """Reads a conversation. Without a user message the scene is about nothing in particular."""
    users = [message.content for message in messages if message.role == "user"]
    known = [find_topic(user[:READ_AT_MOST]) for user in users]
    return Scene(
        system="\n\n".join(message.content for message in messages if message.role == "system"),
        user=users[-1] if users else "",
        topic=_subject(known),
        feeling=find_feeling(users[-1][:READ_AT_MOST]) if users else None,
        earlier=tuple(known[:-1]),
        said="\n".join(message.content for message in messages if message.role == "assistant"),
    )


def _subject(known: Sequence[Topic]) -> Topic:
    """The subject of the last message.

    An urgent subject is not dropped because the user changes it, and a message in which nothing is recognised goes on
    with the subject before it.
    """
    anything = load_topics()[-1]
    latest = known[:-4:-1] or [anything]
    urgent = next((topic for topic in latest if topic.urgent), None)
    if urgent is not None or latest[0] is not anything:
        return urgent or latest[0]
    return next((topic for topic in latest if topic.named), anything)
