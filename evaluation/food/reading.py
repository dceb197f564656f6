"""What a line of a recipe says of food: the foods that are there, what they hold, and the words that are not known.

"Gluten-free noodles in soy sauce" takes gluten from the noodles and from nothing else; "chicken-free strips" holds no
chicken; "1 sachet Zelko mix" holds what nobody can tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.food.lexicon import Entry, Lexicon, Tags
from evaluation.food.phrases import REACH, Phrase, goes_on_with_or, is_heading, names_food, part_of_word, phrases_of
from evaluation.food.tokens import BREAKS, PAUSES, tokens

COMPARED = ("ed", "cut", "sliced")
"""Endings of a word after which "like" compares: "shredded like crab"."""


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

    def doubt(self, tags: Tags) -> None:
        """Nobody can tell whether it holds these of its tags."""
        doubted = tags & self.tags
        self.tags, self.may = self.tags - doubted, self.may | doubted


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
    ahead_is_aside: bool = False
    """True where these say for whom something is, or when: they mean no food before them."""
    reached: bool = False
    """True where the last modifiers have reached a food, and no other word stands after it."""
    denied: bool = False
    """True after a negator or an omission, until the food comes that it means."""
    denies_on: bool = False
    """True where that food may come after some words."""
    denied_last: bool = False
    """True where the last phrase is a food that is not there."""
    denies: bool = False
    """True after such a food and an "or", which brings another one."""
    likened: bool = False
    is_example: bool = False
    """True after "like": what follows is an example of what is there, or only compared with it."""
    is_aside: bool = False
    """True after "for" or "if", until the words end that these are about."""
    last_text: str = ""
    named_last: bool = False
    """True where the last phrase is a food that is there."""

    def read(self, phrases: Sequence[Phrase]) -> None:
        for at, (text, entry) in enumerate(phrases):
            if entry is None and text in PAUSES:
                self._pause(listed=self.denied_last and goes_on_with_or(phrases, at))
            elif entry is None and text in BREAKS:
                self._begin()
            elif entry is None:
                self._word(text)
            elif entry.role == "alternative":
                if not names_food(phrases, at + 1):
                    self._leave_open()
                self._begin(still_denies=self.denied_last or self.denies)
            else:
                self._phrase(text, entry)
            self.last_text = text
        self._begin()

    def _phrase(self, text: str, entry: Entry) -> None:
        self._set_aside(text)
        match entry.role:
            case "food":
                self._food(text, entry)
                return
            case "separator":
                self._begin()
                self.is_aside = text in self.lexicon.purposes
                return
            case "modifier" | "following":
                self._modifier(entry)
            case "negator" | "omission":
                self.denied = True
                self.denies_on = entry.role == "omission"
            case "likened" | "example":
                self.likened = entry.role == "likened" or self.last_text.endswith(COMPARED)
                self.is_example = not self.likened
            case "plain":
                self._plain(text)
                return
            case _:
                self._said_of_the_last(entry)
        self.named_last = self.denies = self.denied_last = False

    def _food(self, text: str, entry: Entry) -> None:
        food = self.lexicon.foods[entry.food]
        if self.denied or self.denies or self.likened:
            if not self.likened and not self.denies_on:
                self._without(entry.food)
            self.denied_last = not self.likened
            self.denies = self.denied = self.likened = self.is_example = self.named_last = False
            return
        new = _Found(entry.food, text, food.tags, food.may)
        for modifier in self.ahead:
            new.take(modifier.removes, modifier.may)
        if self.is_example or self.denied_last:
            new.doubt(food.tags)
        self.found.append(new)
        self.reached = bool(self.ahead)
        self.named_last = True
        self.is_example = self.denied_last = self.is_aside = False

    def _set_aside(self, text: str) -> None:
        """ "Gluten-free if you need it", "oat milk for vegans": what such modifiers say holds for some, or at times."""
        if text in self.lexicon.conditions:
            self._leave_open()
            self.is_aside = True
        elif text in self.lexicon.purposes:
            self.is_aside = True

    def _leave_open(self) -> None:
        """Nobody can tell whether the modifiers ahead hold for the foods before them."""
        if not self.reached and not self.ahead_is_aside:
            for each in self._reached(self.stretch):
                for modifier in self.ahead:
                    each.doubt(modifier.removes)
            self._forget()

    def _plain(self, text: str) -> None:
        """A word that says nothing of food parts a negator and a comparison from what follows, unless it is small."""
        if text[0].isdigit():
            self._end_reach()
            self.likened = self.is_example = False
        if text not in self.lexicon.between:
            self.denied = self.denied and self.denies_on and not text[0].isdigit()
            self.named_last = False
            if self.last_text in self.lexicon.purposes and text not in self.lexicon.purposes:
                self.is_aside = False
        self.denies = self.denied_last = False

    def _word(self, text: str) -> None:
        """A word that no table lists: a compound may show what it holds, and never what it does not."""
        if text[0].isdigit():
            self._plain(text)
            return
        if len(text) == 1 and text.isascii():
            return
        self.denied = self.denied and self.denies_on
        self.denies = self.named_last = self.denied_last = False
        self.unknown.append(text)
        part = part_of_word(text, self.lexicon)
        if part is not None:
            food, is_head = part
            tags, may = self.lexicon.foods[food].tags, self.lexicon.foods[food].may
            new = _Found(food, text, tags if is_head else frozenset(), may if is_head else may | tags, is_part=True)
            for modifier in self.ahead:
                new.take(modifier.removes, modifier.may)
            self.reached = bool(self.ahead)
            self.found.append(new)

    def _modifier(self, entry: Entry) -> None:
        if self.denied:
            # "Not gluten-free": nothing is taken back.
            return
        if entry.role == "following":
            if not self.is_aside:
                self._take_back(entry)
            return
        if self.reached:
            self._forget()
        self.ahead.append(entry)
        self.ahead_is_aside = self.is_aside

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

    def _without(self, food: str) -> None:
        """What is said not to be there is taken from the foods before it: "pasta without egg".

        A food keeps what makes it one of its kind: "ham without rind" holds pork.
        """
        for each in self._reached(self.stretch):
            if not self.lexicon.share_a_kind(each.food, food):
                each.take(self.lexicon.foods[food].tags)

    def _reached(self, start: int) -> list[_Found]:
        """The foods from a place on, the last of them: the work for a line grows with its length alone."""
        return self.found[max(start, len(self.found) - REACH) :]

    def _pause(self, *, listed: bool) -> None:
        self._end_reach()
        self.part = len(self.found)
        self._clear()
        self.denies = listed

    def _begin(self, *, still_denies: bool = False) -> None:
        """Another ingredient begins."""
        self._end_reach()
        self.ahead.clear()
        self.stretch = self.part = len(self.found)
        self._clear()
        self.denies = still_denies

    def _clear(self) -> None:
        self.named_last = self.denied = self.denied_last = self.likened = self.is_example = self.is_aside = False

    def _end_reach(self) -> None:
        """Modifiers that no food followed mean the foods before them: "noodles, gluten-free, 200 g"."""
        if self.reached or self.ahead_is_aside:
            self._forget()
        elif self.ahead and len(self.found) > self.stretch:
            for each in self._reached(self.stretch):
                for modifier in self.ahead:
                    each.take(modifier.removes, modifier.may)
            self._forget()

    def _forget(self) -> None:
        self.ahead.clear()
        self.reached = self.ahead_is_aside = False


def read_line(text: str, lexicon: Lexicon) -> Reading:
    """A line of a recipe, or a step of it. Linear in the length of the text.

    The longest phrase wins. A modifier reaches the foods that follow it up to the next comma, number or "and"; where
    none follows, those before it. What a negator or a comparison means is left out.
    """
    phrases = list(phrases_of(tokens(text), lexicon))
    line, heading = _Line(lexicon), is_heading(text, phrases, lexicon)
    if not heading:
        line.read(phrases)
    mentions = tuple(Mention(each.food, each.phrase, each.tags, each.may, each.is_part) for each in line.found)
    named = any(entry is not None and entry.role == "food" for _, entry in phrases)
    return Reading(mentions, tuple(_joined(line.unknown)), named, heading)


def mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The foods that a text says are there, in order; those in longer words that no table lists are left out."""
    return tuple(each for each in read_line(text, lexicon).mentions if not each.is_part)


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
