"""Text cut into comparable words: caseless, without accents, one token per character of scripts without spaces."""

import re
import unicodedata

BREAKS = frozenset(";/+&.\n:")
"""After one of these stands another ingredient."""
PAUSES = frozenset(",()[]–—")
"""The words after one of these are said of the same ingredient, or begin another."""
_NO_SPACES = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_AMPERSAND = re.compile(r"(?<=\w) ?& ?(?=\w)")
_SIGNS = str.maketrans("™℠®©", "    ")
_TOKEN = re.compile(rf"[{_NO_SPACES}]|\d+(?=[^\W\d_]{{3}})|[^\W_{_NO_SPACES}]+|[;/+&.\n:,()\[\]–—]")


def tokens(text: str) -> list[str]:
    """Words and marks (BREAKS, PAUSES) in order. "Crème-fraîche" gives creme, fraiche. Linear in the length."""
    return _TOKEN.findall(_AMPERSAND.sub(" and ", fold(text)))


def words(text: str) -> tuple[str, ...]:
    """The words alone."""
    return tuple(token for token in tokens(text) if token not in BREAKS and token not in PAUSES)


def fold(text: str) -> str:
    """Caseless and without accents."""
    if text.isascii():
        return text.lower()
    # Marks go first: normalising sorts each run of them, in quadratic time for a hostile one.
    bare = "".join(character for character in text.casefold() if not unicodedata.combining(character))
    # A trade mark's sign would come apart into letters.
    split = unicodedata.normalize("NFKD", bare.translate(_SIGNS))
    return unicodedata.normalize("NFC", "".join(each for each in split if not unicodedata.combining(each)))


def singulars(word: str) -> frozenset[str]:
    """The word, and what it may be an English plural of."""
    found = {word}
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
        if word.endswith("es"):
            found.add(word[:-2])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
    return frozenset(found)


def plurals(word: str) -> tuple[str, ...]:
    """The spellings of several of it in English."""
    if not word.isascii():
        return ()
    if word.endswith("ss"):
        return (word + "es",)
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return (word[:-1] + "ies",)
    if word.endswith("f"):
        return (word + "s", word[:-1] + "ves")
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return (word + "es", word + "s")
    return (word + "s",)
