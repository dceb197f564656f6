"""Letters: a text in those that rows and words are written in, however it hides them.

A phone writes full width, a filter is deceived by a character of no width or by a letter of another alphabet that looks
like a Latin one. A word that is in another alphabet as a whole stays as it is.
"""

import re
import unicodedata

from evaluation.metrics.cues.spellings import Respelled
from evaluation.metrics.utterance import Text

_WORD = re.compile(r"\S+")
_LATIN = re.compile("[a-z]")
_NO_WIDTH = "Cf"
_LOOKS_LIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf\u051b\u051d\u043a\u043c\u0442\u0432\u043d"
    "\u03bf\u03b1\u03b5\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5\u03c7\u0131\u0261",
    "aeopcyxijsdhlqwkmtbhoaeikvptuxig",
)
"""Letters in lower case of Cyrillic, Greek and phonetic writing that look like Latin ones."""


def in_plain_letters(text: Text) -> Respelled:
    """The text with its hidden letters as plain ones; the text itself where there are none."""
    line = text.line
    if line.isascii():
        return Respelled(text)
    plain = [_plain(character) for character in line]
    for word in _WORD.finditer(line):
        places = range(*word.span())
        if _LATIN.search("".join([plain[place] for place in places])):
            for place in places:
                plain[place] = plain[place].translate(_LOOKS_LIKE)
    if all(map(str.__eq__, plain, line)):
        return Respelled(text)
    starts, length = [], 0
    for written in plain:
        starts.append(length)
        length += len(written)
    origins = tuple([(place, place + 1) for place in range(len(line))])
    return Respelled(Text("".join(plain), text.where), tuple(starts), origins)


def _plain(character: str) -> str:
    """A letter or digit as NFKC has it in lower case, its accent kept; one of no width is nothing."""
    if character.isascii():
        return character
    if unicodedata.category(character) == _NO_WIDTH:
        return ""
    is_variant = character.isalnum() and unicodedata.decomposition(character).startswith("<")
    return unicodedata.normalize("NFKC", character).lower() if is_variant else character
