"""What an assistant's message asks: about which subject, openly or yes or no, and about which foods and diets.

English is read best; in the other languages of the shipped cases the subject of an open question is.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.chat_flow.checks.measures import singular
from evaluation.food.lexicon import EQUIPMENT, Lexicon
from evaluation.food.reading import mentions
from evaluation.food.tokens import fold, words

Subject: TypeAlias = Literal["ingredients", "time", "servings", "diet", "allergies"]
Stance: TypeAlias = Literal["avoid", "eat", "have"]
"""What a yes would say of the things asked about."""

LONGEST = 3000
"""Characters of a message that are read, its last ones: a question stands at the end."""
_SENTENCE = re.compile(r"[^.!?？。¿\n]+[.!?？。]*")
_REQUEST = re.compile(
    r"\b(?:tell (?:me|us)|let me know|list|share|name|specify|give me|i need to know"
    r"|please (?:enter|provide|confirm|say))\b"
)
_OPEN = re.compile(
    r"\b(?:what|which|who|whom|how(?! do you feel)|when|where|why|anything|something|any one|anybody)\b(?! about\b)"
    r"|\b(?:quant[oaie]|quali|quale|combien|quel(?:le)?s?|cuant[oa]s?|cual(?:es)?|welche[rs]?|wie (?:viel\w*|lange))\b"
)
_OPENLY = re.compile(rf"{_OPEN.pattern}|\bany\b")
_ANY = re.compile(
    r"\bany (?:(?:food|other|known|dietary|special|particular|of the) )*(?:allerg|intoleran|restrict|diet)"
)
_EXAMPLES = re.compile(r"\b(?:such as|for example|for instance|e\.?g|including|like (?!it\b|to\b))|[(:]")
_MORE = re.compile(r"\b(?:else|other|others|more|besides|apart from|aside from|additional(?:ly)?|further)\b")
_WISH = re.compile(r"\b(?:would you (?:like|prefer|want|enjoy)|do you (?:like|prefer|want|fancy)|in the mood)\b")
_YES_NO = re.compile(
    r"\b(?:do|does|did|are|is|can|may|must|should|shall|would|will|could|you|right|correct|so|any|okay|ok|fine)\b"
)

_SUBJECTS: tuple[tuple[Subject, re.Pattern[str]], ...] = (
    (
        "time",
        re.compile(
            r"\b(?:time (?:limit|budget|frame|constraint|available)|(?:much|enough|any|your|the) time|what time|time do"
            r"|how (?:long|quick\w*|fast|soon|late)|minutes?|mins?|hours?|deadline|hurry|rush|pressed"
            r"|when (?:do|does|should|must|would|will|are|is)"
            r"|wie lange|wie viel zeit|wieviel zeit|minuten|combien de temps|cuanto tiempo|minutos|quanto tempo|minuti"
            r"|dakika|ne kadar)\b|時間|何分"
        ),
    ),
    (
        "servings",
        re.compile(
            r"\b(?:(?:how many|number of) (?:people|persons|of you|eaters|guests|servings?|portions?|mouths|plates"
            r"|diners|friends|will|are|should|do i|shall|adults|kids)|for how many|servings?|portions?|serves?"
            r"|(?:who|anyone|anybody|how many) (?:is|are|s|will|else)? ?(?:be )?(?:eat\w*|join\w*)|cook(?:ing)? for"
            r"|just (?:for )?you|(?:your|the) (?:family|household|party)"
            r"|personen|portionen|personnes|personas|porciones|persone|porzioni|pessoas|porcoes|kisi)\b|何人"
        ),
    ),
    (
        "allergies",
        re.compile(
            r"\b(?:allerg\w*|intoleran\w*|sensitiv\w*|react to"
            r"|(?:not|do ?n'?t|ca ?n'?t|cannot) (?:you |they )?(?:eat|have|tolerate|touch)|avoid\w*|off[ -]limits"
            r"|leave out|steer clear|harms?|makes? you (?:ill|sick)"
            r"|unvertraglich\w*|alergi\w*"
            r"|alerji\w*)\b|アレルギー"
        ),
    ),
    (
        "diet",
        re.compile(
            r"\b(?:diets?|dietary|restrict\w*|eating habits|food rules"
            r"|(?:not|do ?n'?t|ca ?n'?t|cannot) (?:you )?(?:eat|have)"
            r"|avoid\w*|off[ -]limits|leave out|steer clear|dislikes?|ernahrung\w*|regime|dieta|diyet)\b"
        ),
    ),
    (
        "ingredients",
        re.compile(
            r"\b(?:ingredients?|groceries|fridge|refrigerator|pantry|larder|cupboards?|at hand|on hand|at home"
            r"|cook with|work with|use up|zutaten|kuhlschrank|frigo|ingredientes|nevera|geladeira|ingredienti"
            r"|frigorifero|malzeme\w*)\b|材料|食材|冷蔵庫"
        ),
    ),
)
_HAVING = re.compile(r"\b(?:what|which)\b.{0,40}\b(?:have|got)\b")
_TOOLS = re.compile(r"\b(?:tools?|equipment|ovens?|stoves?|pans?|pots?|appliances?|devices?|utensils?|cookware)\b")
_HAVE = re.compile(
    r"\b(?:(?:do|have) you (?:still |also )?(?:have|got)|got (?:any|some)|(?:is|are) there (?:any|some|still))\b|^got\b"
)
_AVOID = re.compile(
    r"\b(?:avoid\w*|allerg\w+|intoleran\w+|sensitiv\w+|react\w*|without|leav\w+ out|leave off|skip\w*|omit\w*|exclud\w*"
    r"|free|against|problem\w*|mind|dislik\w*|hat(?:e|es|ing)|no|not|don'?t|doesn'?t|can'?t|cannot|never|off[ -]limits"
    r"|forbidden|off the (?:menu|table)|harm\w*|dangerous|stay\w* away|steer\w* clear|makes? you (?:ill|sick)|kill)\b"
)
_NEGATOR = re.compile(r"\b(?:no|not|without|free|instead of|don'?t|can'?t|cannot)\b")
_HOURS = re.compile(r"\b(half an|an?|one|two|three|\d{1,2}(?:\.\d{1,2})?) ?-?(?:h|hrs?|hours?)\b( and a half)?")
_MINUTES = re.compile(r"\b(\d{1,4}) ?-?(?:min|mins|minutes?)\b")
_COUNTS = {"half an": 0.5, "a": 1.0, "an": 1.0}
_COUNTS.update({word: float(n) for n, word in enumerate(("one", "two", "three", "four", "five", "six"), start=1)})
_PEOPLE = re.compile(
    r"\b(\d{1,3}|one|two|three|four|five|six) (?:people|persons?|servings?|portions?|of you|guests|adults)\b"
)
_FOR = re.compile(r"\bfor (\d{1,3}|one|two|three|four|five|six)\b(?! ?-?(?:min|h\b|hour))")
_ALONE = re.compile(r"\b(?:just (?:for )?you|yourself|alone|only (?:for )?you|on your own)\b")
_WORDS_OF: Mapping[Subject, str] = {
    "time": "time long minutes quick quickly fast hours",
    "servings": "people persons servings serve serves many portions eaters",
    "ingredients": "ingredients ingredient fridge pantry kitchen cook",
    "diet": "diet diets dietary restrictions avoid",
    "allergies": "allergies allergy allergic intolerances",
}
SUBJECT_WORDS: Mapping[str, Subject] = {word: name for name, listed in _WORDS_OF.items() for word in listed.split()}
"""Words by which cases say what an answer is for -> the subject that they mean."""
_SMALL = frozenset(
    words(
        "available dish favorite favourite fine food kitchen meal mind ok okay preference preferred"
        " kind type sort style own got"
        " a about also am an and any are at be best can could d do does for have how i if in is it ll like m may me"
        " most much of on or please prefer re s shall should so some t tell that the there this to today tonight us"
        " want what when which who will with would you your yours"
    )
)
"""Words that do not say what a question is about."""


@dataclass(frozen=True, slots=True)
class Question:
    """One sentence that wants an answer."""

    text: str
    subjects: frozenset[Subject]
    is_open: bool
    """True where yes or no would be no answer."""
    english: bool = True
    """True where a yes or no of the question is understood."""
    stance: Stance = "eat"
    foods: tuple[str, ...] = ()
    """Named in it, caseless: foods, and groups such as dairy."""
    diets: tuple[str, ...] = ()
    """The word lists' names of those that it names."""
    minutes: float | None = None
    people: float | None = None
    asks_for_more: bool = False
    """True of "anything else?": what was said is no answer to it."""
    is_wish: bool = False
    """True of "would you like ...?"."""

    @property
    def meaning(self) -> tuple[object, ...] | None:
        """Equal for questions that ask the same thing in other words; None where the words say too little."""
        if self.foods or self.diets or self.minutes is not None or self.people is not None:
            things = frozenset((*map(singular, self.foods), *self.diets, self.minutes, self.people))
            return ("of", self.is_open, self.stance == "have", things)
        if self.subjects:
            return ("subjects", self.asks_for_more, self.subjects)
        rest = frozenset(singular(word) for word in words(self.text) if word not in _SMALL)
        return ("words", bool(_OPENLY.search(self.text)), rest) if rest else None


def read_questions(message: str, lexicon: Lexicon) -> tuple[Question, ...]:
    """The questions of a message in order; empty for a message that asks nothing. Linear in its length.

    Requests such as "Tell me what you have." are questions where no sentence has a question mark.
    """
    sentences = [each.strip() for each in _SENTENCE.findall(fold(message[-LONGEST:]).replace("’", "'"))]
    marked = [each for each in sentences if each.endswith(("?", "？"))]
    asking = marked or [each for each in sentences if _REQUEST.search(each)]
    return tuple(_read(each, lexicon) for each in asking)


def _subjects(sentence: str) -> frozenset[Subject]:
    found = frozenset[Subject](name for name, pattern in _SUBJECTS if pattern.search(sentence))
    having = not found and _HAVING.search(sentence) and not _TOOLS.search(sentence)
    return frozenset({"ingredients"}) if having else found


def _read(sentence: str, lexicon: Lexicon) -> Question:
    stated = _EXAMPLES.split(sentence, maxsplit=1)[0] if _ANY.search(sentence) else sentence
    diets, rest = _diets(stated, lexicon)
    foods = tuple(dict.fromkeys(_foods(rest, lexicon)))
    minutes = _minutes(sentence)
    people = _people(sentence)
    named = bool(foods or diets or minutes is not None or people is not None)
    is_open = not named or bool(_OPEN.search(sentence) or _ANY.search(sentence))
    return Question(
        text=sentence,
        subjects=_subjects(sentence),
        is_open=is_open,
        english=_YES_NO.search(sentence) is not None or len(words(sentence)) <= len(foods) + 2,
        stance="avoid" if _AVOID.search(rest) else "have" if _HAVE.search(sentence) else "eat",
        foods=() if is_open else foods,
        diets=() if is_open else diets,
        minutes=None if is_open else minutes,
        people=None if is_open else people,
        asks_for_more=_MORE.search(sentence) is not None,
        is_wish=_WISH.search(sentence) is not None,
    )


def _diets(sentence: str, lexicon: Lexicon) -> tuple[tuple[str, ...], str]:
    """The diets that a sentence names, and the sentence without them."""
    spoken = words(sentence)
    found: dict[str, None] = {}
    left: list[str] = []
    at = 0
    while at < len(spoken):
        length = next((size for size in (3, 2, 1) if lexicon.diets.get(spoken[at : at + size])), 0)
        if length:
            found[lexicon.diets[spoken[at : at + length]].name] = None
        else:
            left.append(spoken[at])
        at += length or 1
    return tuple(found), sentence if not found else " ".join(left)


def _foods(sentence: str, lexicon: Lexicon) -> Iterator[str]:
    """The foods and groups of foods that a sentence names, whether or not it says no to them."""
    read = mentions(_NEGATOR.sub(" ", sentence), lexicon)
    named = [mention.phrase for mention in read if not lexicon.is_kind_of(mention.food, EQUIPMENT)]
    yield from named
    within = {word for phrase in named for word in phrase.split()}
    for word in words(sentence):
        if word not in within and lexicon.allergen(word) is not None:
            yield word


def _minutes(sentence: str) -> float | None:
    hours = _HOURS.search(sentence)
    minutes = _MINUTES.search(sentence)
    if hours is None and minutes is None:
        return None
    whole = 0.0 if hours is None else 60 * (_count(hours[1]) + (0.5 if hours[2] else 0.0))
    return whole + (0.0 if minutes is None else float(minutes[1]))


def _people(sentence: str) -> float | None:
    found = _PEOPLE.search(sentence) or _FOR.search(sentence)
    return _count(found[1]) if found else 1.0 if _ALONE.search(sentence) else None


def _count(word: str) -> float:
    return _COUNTS[word] if word in _COUNTS else float(word)
