"""Free text made comparable."""

import re
import unicodedata

TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[^\w\s\-]|\n")
ELIDED = re.compile(r"\b([ljdnsm]|qu|dell|all|un)'(?=\w)")
APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-"})
END = frozenset(".;!?\n")


def fold(text: str) -> str:
    """Lower case without accents, typographic quotes or French elision: "l'Œuf dur – ½" -> "l œuf dur - 1/2"."""
    spelled = text.translate(APOSTROPHES).lower().replace("ß", "ss").replace("œ", "oe")
    plain = "".join(each for each in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(each))
    return ELIDED.sub(r"\1 ", plain.replace("\u2044", "/"))


def tokens(folded: str) -> list[str]:
    """Words and punctuation marks of a folded text; a hyphen only separates."""
    return TOKEN.findall(folded)


def words(name: str) -> tuple[str, ...]:
    """The words of a name, as they are looked up."""
    return tuple(tokens(fold(name)))


NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "twenty-five": 25, "twenty five": 25, "thirty": 30,
    "thirty-five": 35, "thirty five": 35, "forty": 40, "forty-five": 45, "forty five": 45, "fifty": 50, "sixty": 60,
    "ninety": 90,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "ocho": 8, "diez": 10, "quince": 15, "veinte": 20,
    "treinta": 30, "cuarenta": 40,
    "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6, "acht": 8, "zehn": 10, "funfzehn": 15, "zwanzig": 20,
    "dreissig": 30, "vierzig": 40,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "huit": 8, "dix": 10, "quinze": 15, "vingt": 20, "trente": 30,
    "quarante": 40,
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sette": 7, "otto": 8, "dieci": 10, "quindici": 15, "venti": 20,
    "trenta": 30, "quaranta": 40,
    "dois": 2, "duas": 2, "quatro": 4, "sete": 7, "oito": 8, "dez": 10, "vinte": 20, "trinta": 30,
    "quarenta": 40,
}  # fmt: skip
"""Number words of six languages, folded."""

NUMBER = rf"(?:\d{{1,4}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"


def number(word: str) -> int:
    """The value of what NUMBER matched."""
    return NUMBERS[word] if word in NUMBERS else int(word)
