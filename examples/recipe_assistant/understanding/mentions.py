"""Ingredients that a text mentions: there, lacking, unwanted, or forbidden for health."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from examples.recipe_assistant.larder import Larder
from examples.recipe_assistant.understanding.text import END, words

Manner = Literal["have", "lack", "unwanted", "allergy"]
"""In hand; not in hand; not wanted; must not be eaten."""


@dataclass(frozen=True, slots=True)
class Mention:
    what: str
    """An ingredient of the larder, or one of CLASSES."""
    manner: Manner


CLASSES: Mapping[str, str] = {
    "seafood": "shellfish", "shellfish": "shellfish", "marisco": "shellfish", "mariscos": "shellfish",
    "dairy": "dairy", "dairy products": "dairy", "milk products": "dairy", "lactose": "dairy", "laktose": "dairy",
    "lactosa": "dairy", "lacteos": "dairy", "produits laitiers": "dairy", "milchprodukte": "dairy",
    "gluten": "gluten", "wheat": "gluten", "weizen": "gluten", "trigo": "gluten", "ble": "gluten",
    "alcohol": "alcohol", "alkohol": "alcohol", "alcool": "alcohol", "soy": "soy", "soya": "soy", "sesame": "sesame",
    "milk protein": "dairy", "cow's milk protein": "dairy", "cow milk protein": "dairy", "casein": "dairy",
    "whey": "dairy", "lattosio": "dairy", "latticini": "dairy", "laticinios": "dairy", "glutine": "gluten",
    "grano": "gluten", "alcol": "alcohol", "soia": "soy", "soja": "soy", "sesamo": "sesame",
}  # fmt: skip
"""Words for what ingredients contain rather than for ingredients."""
CLASS_WORDS = {words(name): contents for name, contents in CLASSES.items()}
LONGEST_CLASS = max(map(len, CLASS_WORDS))

CUES: Mapping[Manner, tuple[str, ...]] = {
    "allergy": (
        "allergic to", "allergy to", "allergies to", "allergies :", "allergy :", "allergic", "intolerant to",
        "intolerance to", "intolerant of", "can't have", "cannot have", "can not have", "can't eat", "cannot eat",
        "can not eat", "can't tolerate", "can't drink", "cannot drink", "mustn't have", "mustn't eat", "must not eat",
        "must not have", "not allowed to eat", "not allowed", "alergico a", "alergica a", "alergia a", "alergia al",
        "alergico al", "alergica al", "alergicos a", "allergisch gegen", "allergisch auf", "allergie gegen",
        "allergique a", "allergique au", "allergique aux", "allergie a", "allergie au", "allergie aux",
        "allergico", "allergica", "allergici", "allergia", "intollerante", "alergico", "alergica", "alergia",
        "react to", "reacts to", "reacting to", "reaction to", "reactions to", "sensitive to", "sensitivity to",
        "anaphylactic to", "anaphylaxis from",
        "hives from", "ill from", "sick from", "rash from",
        "swells up from", "swell up from", "epipen for", "epipen is for", "epi pen for", "epi pen is for",
    ),
    "lack": (
        "don't have", "dont have", "do not have", "doesn't have", "haven't got", "have no", "have not got", "got no",
        "ran out of", "run out of", "out of", "no more", "there's no", "there is no", "we're missing", "no tengo",
        "no hay", "habe kein", "habe keine", "habe keinen", "haben keine", "n ai pas de", "n ai pas d", "n ai plus de",
        "haven't", "don't have any", "used up", "non ho", "non abbiamo", "nao tenho", "nao ha",
    ),
    "unwanted": (
        "no", "without", "w / o", "minus", "except", "except for", "skip", "skip the", "hold the", "leave out",
        "forget", "forget the", "forget about", "drop the", "remove", "remove the", "instead of", "rather than",
        "nothing with", "nothing containing", "avoid", "avoids", "avoiding", "hate", "hates", "dislike", "dislikes",
        "don't like", "do not like", "doesn't like", "don't eat", "do not eat", "doesn't eat", "does not eat",
        "don't want", "do not want", "doesn't want", "won't eat", "not a fan of", "can't stand", "free of", "free from",
        "swap", "swap the", "replace", "replace the", "sin", "ohne", "kein", "keine", "keinen", "sans", "pas de",
        "pas d", "mag keine", "mag kein", "not eat", "any more", "nor", "senza", "niente", "sem", "evitare", "evitar",
        "stay away from", "keep away from", "steer clear of", "off limits :",
    ),
    "have": (
        "have", "i have", "we have", "got", "i've got", "we've got", "with", "use", "using", "add", "include", "want",
        "like", "love", "there is", "there's", "for", "but", "only", "tengo", "con", "hay", "habe", "haben", "mit",
        "ai", "avec", "pero", "aber", "do have", "found", "bought", "by", "plus", "fridge", "no problem with", "need",
        "no more than", "not more than", "ho", "abbiamo", "c'e", "ma", "tenho", "temos", "com", "mas",
    ),
}  # fmt: skip
CUE_WORDS: Mapping[tuple[str, ...], Manner] = {
    words(phrase): manner for manner in get_args(Manner) for phrase in CUES[manner]
}
LONGEST_CUE = max(map(len, CUE_WORDS))
LISTS_ON: Mapping[Manner, bool] = {"have": True, "lack": True, "allergy": False, "unwanted": False}
"""True where a comma carries the manner on: "I don't have eggs, milk" lacks both, "no garlic, chicken" has chicken."""
OR = frozenset({"or", "nor", "oder", "ou", "o", "u", "ni", "noch"})
AND = frozenset({"and", "&", "und", "y", "e", "et"})
AFTER = frozenset({"allergy", "allergies", "allergic", "allergie", "intolerance", "intolerant", "unvertraglichkeit"})
DOES = frozenset(
    {"make", "makes", "made", "send", "sends", "sent", "give", "gives", "gave", "put", "puts", "land", "lands", "cause"}
    | {"causes", "trigger", "triggers", "upset", "upsets", "bring", "brings"}
)
HARM = frozenset(
    {"ill", "sick", "unwell", "poorly", "hospital", "hives", "rash", "itch", "itchy", "swell", "swells", "reaction"}
    | {"reactions", "cramps", "bloated", "migraine", "migraines", "throat", "stomach", "asthma", "vomit", "wheeze"}
)
"""The effect of a food and its object, where they follow the food: "mustard sends me to hospital"."""
HARM_REACH = 5
"""Words from the verb to the harm."""
FINE = frozenset({"fine", "ok", "okay", "allowed", "alright", "good"})
REACH = 4
"""Words between a cue such as "no" and what it refers to."""


@dataclass(slots=True)
class _Scope:
    """The words read so far, as they bear on the next ingredient."""

    manner: Manner = "have"
    lists_on: bool = True
    reached: bool = False
    """An ingredient followed the cue."""
    since: int = 0
    """Words since the cue."""

    def open(self, manner: Manner) -> None:
        self.manner, self.reached, self.since = manner, False, 0
        self.lists_on = LISTS_ON[manner]

    def close(self) -> None:
        self.open("have")


def read_mentions(tokens: Sequence[str], larder: Larder) -> list[Mention]:
    """All mentions in the order of the text."""
    found: list[Mention] = []
    for sentence in _sentences(tokens):
        found += _in_sentence(sentence, larder)
    return found


def _sentences(tokens: Sequence[str]) -> Iterator[list[str]]:
    current: list[str] = []
    for token in tokens:
        if token in END:
            yield current
            current = []
        else:
            current.append(token)
    yield current


def _in_sentence(tokens: Sequence[str], larder: Larder) -> list[Mention]:
    found: list[Mention] = []
    scope = _Scope()
    place = 0
    while place < len(tokens):
        thing = named_at(tokens, place, larder)
        if thing:
            what, end = thing
            far = scope.manner == "unwanted" and not scope.reached and scope.since > REACH
            manner = _manner_after(tokens, end) or scope.manner
            found.append(Mention(what, "have" if far and manner == "unwanted" else manner))
            scope.reached = True
            place = end
            continue
        cue = cue_at(tokens, place)
        if cue:
            manner, end = cue
            scope.open(manner)
            place = end
            continue
        if tokens[place] in (",", "|", ":", "(", ")") and _ends_scope(scope, tokens, place, larder):
            scope.close()
        scope.since += 1
        place += 1
    return found


def _manner_after(tokens: Sequence[str], end: int) -> Manner | None:
    """The manner that the words after a food give it: nut allergy, eggs make me ill, prawns are fine."""
    following = tokens[end : end + 1 + HARM_REACH]
    if not following:
        return None
    if following[0] in AFTER:
        return "allergy"
    if following[0] in DOES and HARM.intersection(_clause(following)):
        return "allergy"
    if following[0] in ("is", "are") and FINE.intersection(following[1:2]):
        return "have"
    return None


def _clause(tokens: Sequence[str]) -> Sequence[str]:
    """The tokens up to the first comma."""
    return tokens[: tokens.index(",")] if "," in tokens else tokens


def _ends_scope(scope: _Scope, tokens: Sequence[str], comma: int, larder: Larder) -> bool:
    if scope.manner == "have":
        return False
    if tokens[comma] == "|":
        return scope.reached
    if not scope.reached:
        return scope.manner == "unwanted"
    if scope.lists_on or _ends_with_or(tokens, comma, larder):
        return False
    return scope.manner != "allergy" or not _allergen_follows(tokens, comma, larder)


def _ends_with_or(tokens: Sequence[str], comma: int, larder: Larder) -> bool:
    """True where the list goes on to an "or" before anything but ingredients and commas: no eggs, milk or butter."""
    place, others = comma + 1, 0
    while place < len(tokens) and others <= 2:
        if tokens[place] in OR:
            return True
        if thing := named_at(tokens, place, larder):
            place, others = thing[1], 0
        elif cue_at(tokens, place):
            return False
        else:
            others += tokens[place] != ","
            place += 1
    return False


def _allergen_follows(tokens: Sequence[str], comma: int, larder: Larder) -> bool:
    """True where the next thing in the list is a common allergen and no plain ingredient."""
    for place in range(comma + 1, min(comma + 4, len(tokens))):
        if thing := named_at(tokens, place, larder):
            if _manner_after(tokens, thing[1]) == "have":
                return False
            return thing[0] in CLASSES.values() or thing[0] in ALLERGENS
        if cue_at(tokens, place):
            return False
    return False


ALLERGENS = frozenset(
    {"nuts", "peanuts", "fish", "shellfish", "prawns", "eggs", "milk", "almonds", "walnuts", "cashews", "hazelnuts"}
)


def named_at(tokens: Sequence[str], place: int, larder: Larder) -> tuple[str, int] | None:
    """(what, end) of an ingredient or a class named here; the longer of the two readings."""
    ingredient = larder.match(tokens, place)
    for length in range(LONGEST_CLASS, 0, -1):
        contents = CLASS_WORDS.get(tuple(tokens[place : place + length]))
        if contents and (ingredient is None or place + length >= ingredient[1]):
            return contents, place + length
    return ingredient


def cue_at(tokens: Sequence[str], place: int) -> tuple[Manner, int] | None:
    """(manner, end) of the longest cue that begins here."""
    for length in range(min(LONGEST_CUE, len(tokens) - place), 0, -1):
        manner = CUE_WORDS.get(tuple(tokens[place : place + length]))
        if manner:
            return manner, place + length
    return None
