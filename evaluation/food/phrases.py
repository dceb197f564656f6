"""The phrases of a line: what the tables list, the marks between, and the words that no table lists."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from evaluation.food.lexicon import PLAIN, SHORTEST_PART, Entry, Lexicon
from evaluation.food.tokens import BREAKS, PAUSES

Phrase: TypeAlias = tuple[str, Entry | None]
"""The words of a phrase, and what it means; None for a mark, and for a word that no table lists."""

HEAD = 5
"""Letters of a food's name from which a longer word that ends in it is a kind of it: Ziegenfrischkäse."""
REST = 3
"""Letters that such a word has before it, at least."""
LONGEST = 40
"""Letters of a word that is taken apart."""
ARTICLES = frozenset(
    {"the", "your", "die", "das", "den", "der", "le", "la", "les", "l", "el", "los", "las", "il", "lo", "gli", "i"}
)
"""After "for" they begin the name of a part of the recipe: "for the chicken"."""
REACH = 30
"""Phrases, or foods, over which a word reaches at most: the work for a line grows with its length alone."""


def phrases_of(sequence: Sequence[str], lexicon: Lexicon) -> Iterator[Phrase]:
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
    """A food that a comma turns round, with the length of it all: "mushrooms, oyster".

    "Milk, soy" without an amount before it may be a list of two.
    """
    comma = at + size
    if comma >= len(sequence) or sequence[comma] != ",":
        return None
    for words in (2, 1):
        end = comma + 1 + words
        before = sequence[comma + 1 : end]
        if len(before) == words and (end == len(sequence) or sequence[end] in PAUSES or sequence[end] in BREAKS):
            entry = lexicon.phrases.get((*before, *sequence[at:comma]))
            if entry is not None and entry.role == "food":
                listed = lexicon.foods[lexicon.phrases[tuple(sequence[at:comma])].food]
                has_amount = any(token[0].isdigit() for token in sequence[:at])
                if has_amount or listed.tags <= lexicon.foods[entry.food].tags:
                    return end - at, entry
    return None


def goes_on_with_or(phrases: Sequence[Phrase], at: int) -> bool:
    """True where a list of foods after a comma ends in "or": "without milk, butter or cheese"."""
    for text, entry in phrases[at : at + REACH]:
        if entry is not None and entry.role == "alternative":
            return True
        if not (text == "," or (entry is not None and entry.role == "food")):
            return False
    return False


def names_food(phrases: Sequence[Phrase], start: int) -> bool:
    """True where a food is named before the next mark."""
    for text, entry in phrases[start : start + REACH]:
        if entry is None and (text in PAUSES or text in BREAKS):
            return False
        if entry is not None and entry.role == "food":
            return True
    return False


def part_of_word(word: str, lexicon: Lexicon) -> tuple[str, bool] | None:
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


def is_heading(text: str, phrases: Sequence[Phrase], lexicon: Lexicon) -> bool:
    """A line that says for which part of the dish the next ones are, and no amount: "For the sauce", "Topping:"."""
    first = phrases[0][0].partition(" ")[0] if phrases else ""
    begins, ends = first in lexicon.headings, text.rstrip().endswith(":")
    if (not begins and not ends) or any(word[0].isdigit() for word, _ in phrases):
        return False
    names = [each for each in phrases[1 if begins else 0 :] if each[0] != ":"]
    # "To serve: parmesan" and "for garnish chopped nuts" are ingredients, "for the nut sauce" and "for the nuts" none.
    first, last = (names[0][0], names[-1][0].rpartition(" ")[2]) if names else ("", "")
    of_a_part = begins and (":", None) not in phrases[:-1] and (last in lexicon.dish_parts or first in ARTICLES)
    return (begins and ends) or all(
        word in lexicon.dish_parts
        or (entry is not None and (entry.role in ("plain", "separator") or (of_a_part and entry.role == "food")))
        for word, entry in names
    )
