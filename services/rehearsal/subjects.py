"""What a text is to be written about: the noun phrases of a task, as far as small words show where they begin."""

import re
from collections.abc import Iterator, Sequence

READ_AT_MOST = 600
"""Characters of a task that are read."""
MOST_WORDS = 4
"""Of one phrase; what stands behind "of" may have as many again."""
TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]")
NAME = re.compile(r"[^\W\d_][^\d_]{1,29}")


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


PARTICIPLE = re.compile(r"[a-z]{3,}ed")
ARTICLES = frozenset({"a", "an", "the"})
PREPOSITIONS = _words(
    "about above across after against along among around as at before behind between beyond by despite during for "
    "from in inside into like near of off on onto over than through towards under until up upon versus via vs with "
    "within without and or"
)
QUANTITIES = _words(
    "more some many few several other two three four five six seven eight nine ten twelve fifteen twenty"
)
ASKING = _words(
    "explain describe compare contrast list summarise summarize outline discuss analyse analyze define evaluate "
    "narrate name give how why what whether"
)
BEFORE_A_PHRASE = PREPOSITIONS | QUANTITIES | ASKING
BEFORE_A_CLAUSE = frozenset({"how", "why", "that", "whether"})
"""A verb ends the phrase: "how tides move the sea"."""
FUNCTION = _words(
    "that i you he she it we they me him her us them my your his its our their this these those who whom whose which "
    "when where is are was were be been being am has have had do does did done can could will would shall should may "
    "might must not no nor but if so to then there here also very just only any each every all both such most least "
    "less much nobody one own out down again too yes please built"
)
UNTOLD = _words(
    "advantage advantages argument brief briefly case cause causes comment cons detail details difference differences "
    "disadvantage disadvantages draft essay everyone example examples following formulas guide guides happens "
    "instruction instructions kilometres make makes means minutes notes paragraph paragraphs people piece poem point "
    "points pros question questions reader readers report sentence sentences short simple slogan step steps story "
    "tale task terms text thing things time want way ways word words works write year years changes"
)
"""What a task says of the text or of its readers, and verbs that end a phrase."""
NOTHING_NAMED = ("the subject", "its setting")
BESIDE = "everyday practice"
"""What a subject is written beside where the task names no other."""


def subjects(task: str) -> tuple[str, str]:
    """What the text is about, and what beside: noun phrases as typed, "the" in place of another article."""
    found = list(dict.fromkeys(_phrases(TOKEN.findall(task[:READ_AT_MOST]))))
    if not found:
        return NOTHING_NAMED
    first = next((phrase for phrase in found if not phrase.endswith("ing") or " " in phrase), found[0])
    words = set(first.lower().split()) - {"the"}
    others = [phrase for phrase in found if words.isdisjoint(phrase.lower().split())]
    return first, others[-1] if others else BESIDE


def _phrases(tokens: Sequence[str]) -> Iterator[str]:
    """Noun phrases in order; one with "of" is followed by what stands behind the "of"."""
    place = 0
    while place < len(tokens):
        start = _start(tokens, place)
        phrase, end = _phrase(tokens, start) if start is not None else ("", place)
        if not phrase:
            place += 1
            continue
        if _word(tokens, end) == "of":
            behind, after = _phrase(tokens, end + 1)
            if behind:
                yield f"{phrase} of {behind}"
                place = after
                continue
        yield phrase
        place = end


def _start(tokens: Sequence[str], place: int) -> int | None:
    """Where a phrase begins that this token announces; None when it announces none."""
    word = _word(tokens, place)
    if word in ARTICLES:
        return place
    if word == "to":  # "to save water": the verb is no part of it; in "to the sea" the article begins
        return None if _word(tokens, place + 1) in ARTICLES else place + 2
    if word in ("is", "are"):
        return place + 1 if _word(tokens, place - 1) == "what" else None
    if word == "that":
        return place + 1 if _word(tokens, place - 1) == "argue" else None
    return place + 1 if word in BEFORE_A_PHRASE else None


def _phrase(tokens: Sequence[str], start: int) -> tuple[str, int]:
    """The phrase at a place and where it ends; an empty one where none begins there."""
    article = _word(tokens, start) in ARTICLES
    end = begin = start + article
    while end < len(tokens) and end - begin < MOST_WORDS and _names(tokens[end]):
        if end > begin and PARTICIPLE.fullmatch(tokens[end]):
            break
        end += 1
    kept = end - (not article and _ends_in_verb(tokens, begin, end))
    words = " ".join(tokens[begin:kept])
    return (f"the {words}" if article and words else words), max(end, start)


def _ends_in_verb(tokens: Sequence[str], begin: int, end: int) -> bool:
    """True for "treating" before "a burn", "tides move" before "the sea", and "plants grow" in "how plants grow"."""
    behind = _word(tokens, end)
    if behind in ARTICLES:
        return True
    told = behind in FUNCTION or behind in UNTOLD
    return _word(tokens, begin - 1) in BEFORE_A_CLAUSE and end > begin + 1 and not told


def _names(token: str) -> bool:
    word = token.lower()
    small = word in ARTICLES or word in BEFORE_A_PHRASE or word in FUNCTION or word in UNTOLD
    return not small and NAME.fullmatch(token) is not None


def _word(tokens: Sequence[str], place: int) -> str:
    return tokens[place].lower() if 0 <= place < len(tokens) else ""
