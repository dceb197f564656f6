"""The wishes of the user, gathered from the conversation: later messages change what earlier ones said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from examples.recipe_assistant.larder import Larder
from examples.recipe_assistant.understanding.diets import no_diet_in, read_diets
from examples.recipe_assistant.understanding.durations import minutes_in, no_limit_in
from examples.recipe_assistant.understanding.injection import is_order, without_orders
from examples.recipe_assistant.understanding.mentions import Mention, read_mentions
from examples.recipe_assistant.understanding.servings import servings_in
from examples.recipe_assistant.understanding.text import fold, tokens
from examples.recipe_assistant.understanding.unknown import unknown_in

Topic = Literal["ingredients", "time", "diet"]


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """All that was understood."""

    have: tuple[str, ...] = ()
    """Ingredients at hand, in the order of first mention."""
    unknown: tuple[str, ...] = ()
    """Things at hand that the assistant does not know."""
    without: frozenset[str] = frozenset()
    """Ingredients that are lacking or not wanted."""
    allergies: frozenset[str] = frozenset()
    """Ingredients that must not be eaten."""
    diets: frozenset[str] = frozenset()
    minutes: int | None = None
    """Time budget."""
    servings: int | None = None
    anything: bool = False
    """The user leaves the ingredients to the assistant."""
    settled: frozenset[Topic] = frozenset()
    """Topics on which the user has no wish, and said so."""


ASKS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("ingredients", re.compile(r"\b(?:fridge|ingredients?|what do you have|at home|cook with|at hand)\b")),
    ("time", re.compile(r"\b(?:how (?:much time|long)|minutes)\b")),
    ("diet", re.compile(r"\b(?:diet\w*|allerg\w+|not eat|avoid)\b")),
)
ANYTHING = re.compile(
    r"\b(?:anything|whatever|surprise me|don't (?:mind|care)|do not (?:mind|care)|you (?:choose|decide|pick)"
    r"|no preference|any ingredients?)\b"
)
CLASS_DIETS = {
    "meat": "meat-free", "fish": "fish-free", "shellfish": "shellfish-free", "pork": "pork-free", "nuts": "nut-free",
    "peanuts": "peanut-free", "eggs": "egg-free", "dairy": "dairy-free", "gluten": "gluten-free", "soy": "soy-free",
    "alcohol": "alcohol-free", "sesame": "sesame-free", "wine": "alcohol-free",
}  # fmt: skip
"""The diet to keep to when one of these is not wanted or not tolerated."""
ALLERGEN_DIETS = {
    "dairy": "dairy-free", "egg": "egg-free", "nut": "nut-free", "peanut": "peanut-free", "shellfish": "shellfish-free",
    "fish": "fish-free", "soy": "soy-free", "sesame": "sesame-free", "mustard": "mustard-free",
}  # fmt: skip
"""Who cannot have milk is not given cheese either."""


@dataclass(slots=True)
class _Gathering:
    """Wishes while the messages are read."""

    larder: Larder
    have: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    without: set[str] = field(default_factory=set)
    allergies: set[str] = field(default_factory=set)
    diets: set[str] = field(default_factory=set)
    minutes: int | None = None
    servings: int | None = None
    anything: bool = False
    settled: set[Topic] = field(default_factory=set)

    def item(self, text: str) -> None:
        """One entry of the list of what is in the fridge."""
        folded = fold(text)
        if is_order(folded):
            return
        said = tokens(folded)
        names: list[str] = []
        place = 0
        while place < len(said):
            thing = self.larder.match(said, place)
            names += [thing[0]] if thing else []
            place = thing[1] if thing else place + 1
        self.have.update(dict.fromkeys(names))
        if not names and (left := " ".join(word for word in said if word.isalpha())[:60]):
            self.unknown[left] = None

    def message(self, text: str, asked: Topic | None) -> None:
        folded = without_orders(fold(text))
        diets, rest = read_diets(folded)
        for diet, wanted in diets:
            (self.diets.add if wanted else self.diets.discard)(diet)
        self._time(folded, asked)
        servings = servings_in(folded)
        self.servings = self.servings if servings is None else servings
        for mention in read_mentions(tokens(rest), self.larder):
            self._mention(mention)
        if no_diet_in(folded):
            self.settled.add("diet")
        if ANYTHING.search(folded) and asked in (None, "ingredients"):
            self.anything = True
        self.unknown.update(dict.fromkeys(unknown_in(rest, self.larder)))

    def _time(self, folded: str, asked: Topic | None) -> None:
        minutes = minutes_in(folded, asked=asked == "time")
        if minutes is not None:
            self.minutes = minutes
        elif no_limit_in(folded):
            self.minutes = None
            self.settled.add("time")

    def _mention(self, mention: Mention) -> None:
        what = mention.what
        if mention.manner == "have":
            if what in self.larder.table:
                self.have.setdefault(what)
                self.without.discard(what)
            return
        # What a diet rules out stays in the list of what is there, so that the reply can say what it left out.
        for name in [name for name in self.have if what in self.larder.kinds(name)]:
            if name == what or what not in CLASS_DIETS:
                del self.have[name]
        if mention.manner == "lack":
            self.without.add(what)
        elif what in CLASS_DIETS:
            self.diets.add(CLASS_DIETS[what])
        elif mention.manner == "allergy":
            self.allergies.add(what)
            contents = self.larder.table[what].contains
            self.diets.update(diet for content, diet in ALLERGEN_DIETS.items() if content in contents)
        else:
            self.without.add(what)


def gather(messages: Sequence[Message], fridge: Sequence[str], larder: Larder) -> Wishes:
    """The wishes in a conversation and in a list of what is in the fridge."""
    found = _Gathering(larder)
    for item in fridge:
        found.item(item)
    asked: Topic | None = None
    for message in messages:
        if message.role == "assistant":
            asked = topic_of(message.content)
        elif message.role == "user":
            found.message(message.content, asked)
    return Wishes(
        tuple(found.have),
        tuple(found.unknown),
        frozenset(found.without),
        frozenset(found.allergies),
        frozenset(found.diets),
        found.minutes,
        found.servings,
        # Who named only what is unknown wants a dish of that, and no other.
        found.anything and (bool(found.have) or not found.unknown),
        frozenset(found.settled),
    )


def topic_of(question: str) -> Topic | None:
    """The subject that a message of the assistant asks for; None when it asks nothing."""
    folded = fold(question)
    if "?" not in folded:
        return None
    last = folded.rsplit("?", 1)[0].rsplit(".", 1)[-1]
    return next((topic for topic, pattern in ASKS if pattern.search(last)), None)
