"""Which script a character belongs to, and which scripts write no blank between words."""

import re
from functools import cache

_RANGES = {
    "Latin": "A-Za-zªºÀ-ÖØ-öø-ʸḀ-ỿＡ-Ｚａ-ｚ",
    "Greek": "Ͱ-ͳͶ-ͽΆΈ-Ͽἀ-ῼ",
    "Cyrillic": "Ѐ-ԯᲀ-ᲈ",
    "Armenian": "Ա-ֈ",
    "Hebrew": "א-ת",
    "Arabic": "ء-يٮ-ۓۺ-ۿݐ-ݿ",
    "Devanagari": "ऄ-हॐक़-ॡॲ-ॿ",
    "Bengali": "অ-হড়-ৡ",
    "Tamil": "அ-ஹ",
    "Thai": "ก-ะาำเ-ๆ",
    "Georgian": "Ⴀ-ჿᲐ-Ჿ",
    "Hangul": "ᄀ-ᇿㄱ-ㆎ가-힣",
    "Hiragana": "ぁ-ゟ",
    "Katakana": "ァ-ヺー-ヿㇰ-ㇿｦ-ﾝ",
    "Han": "々〇㐀-䶿一-鿿豈-龎\U00020000-\U0002fa1f",
    "Khmer": "ក-ឳ",
    "Lao": "ກ-ະາໆ",
    "Myanmar": "က-ဿ",
}
"""Script -> its letters as ranges of a regular expression (Unicode 15, without marks that combine)."""
SCRIPTS = tuple(_RANGES)
WITHOUT_BLANKS = frozenset(("Han", "Hiragana", "Katakana", "Thai", "Khmer", "Lao", "Myanmar"))
"""Scripts in which no blank parts words."""
LATIN, OTHER = "Latin", "another script"
_UNSPACED = re.compile(f"[{''.join(_RANGES[name] for name in _RANGES if name in WITHOUT_BLANKS)}]")
_FIRST_UNSPACED = "\u0e01"
"""Below this no character is of such a script: English is recognised by one comparison."""


@cache
def letters_of(script: str) -> re.Pattern[str]:
    """Finds the letters of a script."""
    return re.compile(f"[{_RANGES[script]}]")


def is_unspaced(text: str) -> bool:
    """Whether a text holds a character of a script without blanks between words."""
    return not text.isascii() and max(text) >= _FIRST_UNSPACED and _UNSPACED.search(text) is not None


_PIECES = re.compile(f"{_UNSPACED.pattern}|[^{_UNSPACED.pattern[1:-1]}]+")


def apart(text: str) -> str:
    """The text with a blank around each character of a script without blanks."""
    return text if text.isascii() else " ".join(_PIECES.findall(text))


def without_unspaced(text: str) -> tuple[str, int]:
    """The text with a blank in the place of each character of a script without blanks, and how many there were."""
    return _UNSPACED.subn(" ", text)


def script_of(character: str) -> str:
    """The script of a letter, OTHER for one of none that is known here, and nothing for what is no letter."""
    if not character.isalpha():
        return ""
    return next((name for name in SCRIPTS if letters_of(name).match(character)), OTHER)


_PAIR = re.compile(f"(?=([{_RANGES['Han']}{_RANGES['Katakana']}]{{2}}))")


def telling_pairs(text: str) -> set[str]:
    """Every two adjacent characters that carry meaning: of Han or Katakana, which endings are not."""
    return set() if text.isascii() else set(_PAIR.findall(text))
