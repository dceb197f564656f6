"""What a line of a recipe says of food: the foods that are there, what they hold, and the words that are not known.

"Gluten-free noodles in soy sauce" takes gluten from the noodles and from nothing else; "chicken-free strips" holds no
chicken; "1 sachet Zelko mix" holds what nobody can tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.food.lexicon import PLAIN, SHORTEST_PART, Entry, Lexicon, Tags
from evaluation.food.tokens import BREAKS, PAUSES, tokens

HEAD = 5
"""Letters of a food's name from which a longer word that ends in it is a kind of it: Ziegenfrischkäse."""
REST = 3
"""Letters that such a word has before it, at least."""
LONGEST = 40
"""Letters of a word that is taken apart."""
REACH = 30
"""Foods before a word that takes something back, which it reaches at most."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One food in a text."""

    food: str
    phrase: str
    """The words that name it, caseless and without accents."""
    tags: Tags
    """The tags that it brings into the dish, after those that the text takes back."""
    may: Tags = frozenset()
    """Those that it may bring, so that nobody can tell from the words."""
    is_part: bool = False
    """True where it is named as a part of a longer word."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A line as the tables read it."""

    mentions: tuple[Mention, ...]
    unknown: tuple[str, ...]
    """Words that no table lists, in order."""
    names_food: bool
    """True where a food is named, be it to say that it is not there."""
    is_heading: bool = False
    """True for a line that names a part of the recipe: "For the sauce:"."""

    @property
    def is_recognised(self) -> bool:
        """True where every word is known and a food is among them, or where the line is a heading."""
        return self.is_heading or (self.names_food and not self.unknown)


@dataclass(slots=True)
class _Found:
    """A food while its line is read."""

    food: str
    phrase: str
    tags: Tags
    may: Tags
    is_part: bool = False

    def take(self, removes: Tags, may: Sequence[tuple[str, Tags]] = ()) -> None:
        """Take tags from it. What stands in for something that was taken may hold other things."""
        taken = removes & (self.tags | self.may)
        if taken:
            instead = frozenset[str]().union(*(tags for tag, tags in may if tag in taken))
            self.tags -= removes
            self.may = (self.may - removes | instead) - self.tags


@dataclass(slots=True)
class _Line:
    """The state of a reading: it walks over the phrases of a line once."""

    lexicon: Lexicon
    found: list[_Found] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    stretch: int = 0
    """Place in `found` of the first food since another ingredient began."""
    part: int = 0
    """That of the first food since a comma or bracket."""
    ahead: list[Entry] = field(default_factory=list)
    """Modifiers whose food has not come yet."""
    reached: bool = False
    """True where the last modifiers have reached a food, and no other word stands after it."""
    denied: bool = False
    """True after a negator or an omission, until the food comes that it means."""
    denies_on: bool = False
    """True where that food may come after some words."""
    denies: bool = False
    """True after a food that is not there, while "or" may bring another one."""
    likened: bool = False
    named_last: bool = False
    """True where the last phrase is a food that is there."""

    def read(self, phrases: Sequence[tuple[str, Entry | None]]) -> None:
        for at, (text, entry) in enumerate(phrases):
            if entry is None and text in PAUSES:
                self._pause(listed=self.denies and _goes_on_with_or(phrases, at))
            elif entry is None and text in BREAKS:
                self._begin()
            elif entry is None:
                self._word(text)
            else:
                self._phrase(text, entry)
        self._begin()

    def _phrase(self, text: str, entry: Entry) -> None:
        match entry.role:
            case "food":
                self._food(text, entry)
                return
            case "separator" | "alternative":
                self._begin(still_denies=self.denies and entry.role == "alternative")
                return
            case "modifier":
                if self.reached:
                    self._forget()
                self.ahead.append(entry)
            case "following":
                self._take_back(entry)
            case "negator" | "omission":
                self.denied = True
                self.denies_on = entry.role == "omission"
            case "likened":
                self.likened = True
            case "plain":
                self._plain(text)
                return
            case _:
                self._said_of_the_last(entry)
        self.named_last = self.denies = False

    def _food(self, text: str, entry: Entry) -> None:
        if self.denied or self.denies or self.likened:
            if not self.likened:
                self._without(self.lexicon.foods[entry.food].tags)
            self.denies = not self.likened
            self.denied = self.likened = self.named_last = False
            return
        food = self.lexicon.foods[entry.food]
        new = _Found(entry.food, text, food.tags, food.may)
        for modifier in self.ahead:
            new.take(modifier.removes, modifier.may)
        self.found.append(new)
        self.reached = bool(self.ahead)
        self.named_last = True

    def _plain(self, text: str) -> None:
        """A word that says nothing of food parts a negator and a comparison from what follows, unless it is small."""
        if text[0].isdigit():
            self._end_reach()
            self.likened = False
        if text not in self.lexicon.between:
            self.denied = self.denied and self.denies_on and not text[0].isdigit()
            self.named_last = False
        self.denies = False

    def _word(self, text: str) -> None:
        """A word that no table lists: a compound may show what it holds, and never what it does not."""
        if text[0].isdigit():
            self._plain(text)
            return
        if len(text) == 1 and text.isascii():
            return
        self.denied = self.denied and self.denies_on
        self.denies = self.named_last = False
        self.unknown.append(text)
        part = _part(text, self.lexicon)
        if part is not None:
            food, is_head = part
            tags, may = self.lexicon.foods[food].tags, self.lexicon.foods[food].may
            new = _Found(food, text, tags if is_head else frozenset(), may if is_head else may | tags, is_part=True)
            for modifier in self.ahead:
                new.take(modifier.removes, modifier.may)
            self.reached = bool(self.ahead)
            self.found.append(new)

    def _take_back(self, entry: Entry) -> None:
        """A modifier that stands after its food: "mantequilla vegana"."""
        reach = self._reached(self.part) or self._reached(self.stretch)
        if not reach:
            self.ahead.append(entry)
        for each in reach:
            each.take(entry.removes, entry.may)

    def _said_of_the_last(self, entry: Entry) -> None:
        """ "-free", "-sized", "-flavoured" and "substitute" change the food before them."""
        if not self.named_last:
            return
        last = self.found.pop()
        if entry.role == "free":
            self.ahead.append(Entry("modifier", removes=last.tags))
            self.reached = False
        elif entry.role == "flavour":
            last.may, last.tags = last.may | last.tags, frozenset()
            self.found.append(last)
        elif entry.role == "substitute":
            last.may, last.tags = self.lexicon.tags - last.tags, frozenset()
            self.found.append(last)

    def _without(self, tags: Tags) -> None:
        """What is said not to be there is taken from the foods before it: "pasta without egg"."""
        for each in self._reached(self.stretch):
            each.take(tags)

    def _reached(self, start: int) -> list[_Found]:
        """The foods from a place on, the last of them: the work for a line grows with its length alone."""
        return self.found[max(start, len(self.found) - REACH) :]

    def _pause(self, *, listed: bool) -> None:
        self._end_reach()
        self.part = len(self.found)
        self.named_last = self.denied = self.likened = False
        self.denies = listed

    def _begin(self, *, still_denies: bool = False) -> None:
        """Another ingredient begins."""
        self._end_reach()
        self.ahead.clear()
        self.stretch = self.part = len(self.found)
        self.named_last = self.denied = self.likened = False
        self.denies = still_denies

    def _end_reach(self) -> None:
        """Modifiers that no food followed mean the foods before them: "noodles, gluten-free, 200 g"."""
        if self.reached:
            self._forget()
        elif self.ahead and len(self.found) > self.stretch:
            for each in self._reached(self.stretch):
                for modifier in self.ahead:
                    each.take(modifier.removes, modifier.may)
            self._forget()

    def _forget(self) -> None:
        self.ahead.clear()
        self.reached = False


def read_line(text: str, lexicon: Lexicon) -> Reading:
    """A line of a recipe, or a step of it. Linear in the length of the text.

    The longest phrase wins. A modifier reaches the foods that follow it up to the next comma, number or "and"; where
    none follows, those before it. What a negator or a comparison means is left out.
    """
    phrases = list(_phrases(tokens(text), lexicon))
    is_heading = _is_heading(text, phrases, lexicon)
    line = _Line(lexicon)
    if not is_heading:
        line.read(phrases)
    mentions = tuple(Mention(each.food, each.phrase, each.tags, each.may, each.is_part) for each in line.found)
    names_food = any(entry is not None and entry.role == "food" for _, entry in phrases)
    return Reading(mentions, tuple(_joined(line.unknown)), names_food, is_heading)


def mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The foods that a text says are there, in order; those in longer words that no table lists are left out."""
    return tuple(each for each in read_line(text, lexicon).mentions if not each.is_part)


def _phrases(sequence: Sequence[str], lexicon: Lexicon) -> Iterator[tuple[str, Entry | None]]:
    """The phrases, marks and unknown words of a text, in order."""
    at = 0
    while at < len(sequence):
        token = sequence[at]
        found = None if token in PAUSES or token in BREAKS else lexicon.longest_phrase(sequence, at)
        if found is None and len(token) > 1 and lexicon.is_plain(token):
            found = 1, PLAIN
        size, entry = (1, None) if found is None else found
        if entry is not None and entry.role == "food":
            turned = _turned(sequence, at, size, lexicon)
            size, entry = turned or (size, entry)
        yield " ".join(sequence[at : at + size]), entry
        at += size


def _turned(sequence: Sequence[str], at: int, size: int, lexicon: Lexicon) -> tuple[int, Entry] | None:
    """A food that a comma turns round, with the length of it all: "mushrooms, oyster"."""
    comma = at + size
    if comma >= len(sequence) or sequence[comma] != ",":
        return None
    for words in (2, 1):
        end = comma + 1 + words
        before = sequence[comma + 1 : end]
        if len(before) == words and (end == len(sequence) or sequence[end] in PAUSES or sequence[end] in BREAKS):
            entry = lexicon.phrases.get((*before, *sequence[at:comma]))
            if entry is not None and entry.role == "food":
                return end - at, entry
    return None


def _goes_on_with_or(phrases: Sequence[tuple[str, Entry | None]], at: int) -> bool:
    """True where a list of foods after a comma ends in "or": "without milk, butter or cheese"."""
    for text, entry in phrases[at : at + REACH]:
        if entry is not None and entry.role == "alternative":
            return True
        if not (text == "," or (entry is not None and entry.role == "food")):
            return False
    return False


def _part(word: str, lexicon: Lexicon) -> tuple[str, bool] | None:
    """(a food whose name is a part of a longer word, whether the word ends in it); the longest name."""
    if len(word) > LONGEST:
        return None
    names = lexicon.single_words
    for start in range(REST, len(word) - HEAD + 1):
        if food := names.get(word[start:]):
            return food, True
    for end in range(len(word) - REST, SHORTEST_PART - 1, -1):
        if food := names.get(word[:end]):
            return food, False
    return None


def _joined(unknown: Sequence[str]) -> Iterator[str]:
    """The words once each, neighbouring characters of scripts without spaces as one."""
    whole = ""
    for word in unknown:
        if len(word) == 1:
            whole += word
            continue
        if whole:
            yield whole
        whole = ""
        yield word
    if whole:
        yield whole


def _is_heading(text: str, phrases: Sequence[tuple[str, Entry | None]], lexicon: Lexicon) -> bool:
    """A line that says for which part of the dish the next ones are, and no amount: "For the sauce", "Topping:"."""
    first = phrases[0][0].partition(" ")[0] if phrases else ""
    begins, ends = first in lexicon.headings, text.rstrip().endswith(":")
    if (not begins and not ends) or any(word[0].isdigit() for word, _ in phrases):
        return False
    return (begins and ends) or all(
        word in lexicon.dish_parts
        or word == ":"
        or (entry is not None and (entry.role in ("plain", "separator") or (begins and entry.role == "food")))
        for word, entry in phrases[1 if begins else 0 :]
    )
