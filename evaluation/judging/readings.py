"""The ways in which a judge may read a text: as it came, as it is shown, without what nobody sees, in plain letters."""

import re
from functools import cache, lru_cache
from unicodedata import category, normalize

from evaluation.judging.material import INVISIBLE, visible

LOOK_ALIKES = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u0261\u03bf\u03b1\u03bd\u03c1\u0410\u0412\u0415\u041a\u041c"
        "\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u2236\ua789",
        "aeopcyxsijdgoavpABEKMHOPCTXSIJABEHIKMNOPTX::",
        strict=True,
    )
)
"""Cyrillic, Greek and other characters -> the Latin ones that they are taken for."""
ALIKE = re.compile(f"[{''.join(LOOK_ALIKES)}]")
COMPATIBLE = re.compile(
    "[\u00a0-\u00be\u0132-\u0149\u017f\u01c4-\u01f3\u02b0-\u02e3\u037a-\u0385\u1d2c-\u1d65\u1d9c-\u1dbb\u1e9a\u1fbd-\u200a\u2011"
    "\u2017\u2024-\u2026\u202f-\u2057\u205f\u2070-\u20a8\u2100-\u2189\u2460-\u24ea\u2a74-\u2a76\u2c7c\u2c7d\u3000\u309b\u309c\u3200-\u325f"
    "\u32b1-\u32cf\u3358-\u33ff\ua7f2-\ua7f4\ufb00-\ufb06\ufb29\ufc5e-\ufc63\ufdfa\ufdfb\ufe10-\ufe19\ufe30-\ufe7e\uff01-\uff5e\uffe3"
    "\U000107a5\U0001d400-\U0001d6a3\U0001d7ce-\U0001d7ff\U0001f100-\U0001f190\U0001fbf0-\U0001fbf9]+"
)
"""Characters whose compatibility form (NFKC) holds one of ASCII: full-width, mathematical, enclosed, raised ones."""
MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""Combining marks: what stands over, under or through a letter."""
LETTERED = "\u0600-\u1dbf\u2de0-\u2dff\u302a-\u30ff\ua66f-\uabff"
"""Scripts with marks of their own, as a set of a pattern."""
UNSEEN = f"{INVISIBLE}\u00ad\u200c\u200d\u2028\u2029\u2800\ufe00-\ufe0f\r"
"""All that may stand within a word unseen, line ends other than a plain one among it, as a set of a pattern."""
UNSEEN_RUN = re.compile(f"[{UNSEEN}\x1b\x9b\\\\]+")
"""The same with the beginnings of a terminal's sequences and of JSON's escapes."""
PRINTABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\\\\\U000e0100-\U000e01ef]"
)
"""Those of them that Python calls printable."""
DROPPED = re.compile(f"[{UNSEEN}]+")
LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
JSON_LINE_END = re.compile(r"\\[nr]")
JSON_ESCAPE = re.compile(r"\\(?:[bft]|u00(?:0[0-9a-f]|1[0-9ac-f]))")
SEQUENCE = re.compile(r"(?:(?:\x1b|\\u001b)\[|\x9b(?=[0-?]))[0-?]*[ -/]*[@-~]|[\x1b\x9b]|\\u001b")
"""What moves the cursor of a terminal or changes its colours (ECMA-48: control sequences)."""
USUAL_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b(?=[0-?]))[0-?]*[A-Za-z]")
"""The same as terminals are sent it: numbers, then a letter."""
BEGINNING = re.compile(r"[\x1b\x9b]")
EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
WITHOUT_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u1aad"
ORDINARY = re.compile(
    "(?:"
    # Emoji: joined to one, in their style, the keys of a telephone, and the flags of three countries.
    f"(?<=[{EMOJI}\ufe0f])\u200d(?=[{EMOJI}])|(?<=[\u00a9\u00ae\u203c\u2049\u2122\u2139{EMOJI}])[\ufe0e\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=\U0001f3f4)\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067"
    "|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
    # Arabic and Indic letters joined or not, breaks in scripts without spaces, forms of ideographs and of letters.
    "|(?<=[\u0600-\u0dff])[\u200c\u200d](?=[\u0600-\u0dff\\s])"
    f"|(?<=[{WITHOUT_SPACES}])\u200b|\u200b(?=[{WITHOUT_SPACES}])"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|(?<=[\u1800-\u18af])[\u180b-\u180f]|[\u115f\u1160](?=[\u1100-\u115e\u1161-\u11ff])|(?<=[\u1100-\u115e\u1161-\u11ff])\u1160"
    ")+"
)
"""What nobody sees, in the places for which it was made: none of these is within a word that a judge could obey."""


@lru_cache(maxsize=4)
def readings(text: str) -> tuple[str, ...]:
    """The text in each way in which it may be read; an ordinary one in ASCII has one reading.

    As it came; as a judge is shown it; without what nobody sees; the same with every kind of line end as a plain one;
    and each of them with compatibility forms, marked letters and look-alikes as plain letters. The last ones are kept
    for a moment, as flag and verdict ask for them one after the other.
    """
    forms = [text]
    letters = text if text.isascii() else without_marks(text)
    # A mark must not pass for the letter beside which something unseen is ordinary.
    if holds_unseen(letters):
        # Once more for marks on what is not seen: with it gone they stand on the letter before it.
        # And with rare sequences of a terminal as text: their last character may be one of a verdict's.
        usual = BEGINNING.sub("", USUAL_SEQUENCE.sub("", letters))
        shapes = dict.fromkeys((letters, LINE_END.sub("\n", letters), usual))
        bare = list(map(_bare, shapes))
        forms += [visible(text), *(bare if text.isascii() else map(without_marks, bare))]
    if not text.isascii():
        forms += map(_in_plain_letters, dict.fromkeys([letters, *forms[1:]]))
    return tuple(dict.fromkeys(forms))


def holds_unseen(text: str) -> bool:
    """True where anything that nobody sees stands in another place than the one for which it was made."""
    if text.replace("\n", "").isprintable() and not ("\\" in text if text.isascii() else PRINTABLE.search(text)):
        return False
    for run in UNSEEN_RUN.finditer(text):
        ordinary = ORDINARY.match(text, run.start())
        if ordinary is None or ordinary.end() < run.end():
            return True
    return False


def _bare(text: str) -> str:
    """The text without anything that nobody sees."""
    seen = JSON_LINE_END.sub("\n", DROPPED.sub("", text))
    return SEQUENCE.sub("", JSON_ESCAPE.sub("", seen))


def without_marks(text: str) -> str:
    """The text without marks over letters: composed ones are taken apart where there are any."""
    if MARKS.search(text):
        text = MARKS.sub("", normalize("NFD", text))
    return _strange_marks().sub("", text)


@cache
def _strange_marks() -> re.Pattern[str]:
    """Marks of a script on what is no letter of it. Made where it is needed: it takes some milliseconds."""
    scripts = (range(0x600, 0x1DC0), range(0x2DE0, 0x2E00), range(0x302A, 0x309B), range(0xA66F, 0xAC00))
    marks = "".join(char for script in scripts for char in map(chr, script) if category(char) in ("Mn", "Mc", "Me"))
    return re.compile(f"[{marks}](?<![{LETTERED}].)[{marks}]*")


def _in_plain_letters(text: str) -> str:
    text = COMPATIBLE.sub(lambda found: normalize("NFKC", found.group()), text)
    return ALIKE.sub(lambda found: LOOK_ALIKES[found.group()], text)
