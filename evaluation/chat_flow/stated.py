"""Constraints that messages state in plain English: times, people, diets, allergies, dislikes, and what is there.

Small on purpose, and careful in one direction: a food in a sentence about what cannot be eaten is never taken for one
that the user has.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from evaluation.food.lexicon import EQUIPMENT, Lexicon
from evaluation.food.reading import mentions
from evaluation.food.tokens import fold, singulars, words
from evaluation.records import Json, Turn

_MINUTES = re.compile(r"\b(\d{1,4}) ?-?(?:min|mins|minutes?|minuten|minutos|minuti)\b")
_HOURS = re.compile(r"\b(\d{1,2}(?:\.\d{1,2})?|an?|half an|one) ?-?(?:h|hr|hrs|hours?)\b")
_WORDS = {"a": 1.0, "an": 1.0, "one": 1.0, "half an": 0.5}
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: float(number) for number, word in enumerate(_NUMBER_WORDS, start=1)}
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_PEOPLE = re.compile(
    rf"\b(?:(?:for|serves|feeds)(?: a| my| our)?(?: family of| party of| group of)?|family of|there are|we are|we're)"
    rf" {_NUMBER}\b(?! ?-?(?:min|h\b|hour|day|night|week|egg|potato))(?: people| persons| adults| of us)?"
)
_ALONE = re.compile(r"\b(?:just|only) (?:for )?(?:me|myself)\b|\bfor myself\b|\bi'?m alone\b|\bcooking for one\b")
_QUARTERS = re.compile(r"\b(a quarter|quarter|three quarters|three-quarters)(?: of)? an hour\b")
_CLOCK = re.compile(r"\b(\d{1,2}) ?h ?(\d{2})\b")
_HALF_MORE = re.compile(r"\b(?:an|one|\d{1,2}) ?-?(?:h|hr|hrs|hours?) and a half\b|\bone and a half hours\b")
_NEGATED = re.compile(r"\b(?:not|no|isnt|without)\b")
_SENTENCE = re.compile(r"[.;!?\n]+(?=\s|$)|\n")
_TURN = re.compile(
    r",? \b(?:but|although|though|so|because|yet)\b"
    r"|,? \b(?:i|we|there)(?:'ve| have| got|'s| is| are)\b"
    r"|,? \b(?:have|no|without)\b"
)
"""What ends the things that a person cannot or will not eat."""
_ALLERGIC_TO = re.compile(
    r"\b(?:allerg(?:ic|y|ies) (?:to|against)|intoleran(?:t|ce) (?:to|of)|(?:reacts?|sensitive) (?:badly )?to"
    r"|allergi(?:sch|e) (?:gegen|auf)|vertrag\w* (?:kein\w*|nicht)|allergi(?:que|e) (?:a la|a l'|aux|au|a)"
    r"|alergi(?:co|ca|a) (?:a los|a las|a la|al|a)|allergi(?:co|ca|a) (?:all'|alle|alla|allo|agli|ai|al|a))(?!\w)"
)
_ALLERGY = re.compile(r"[ -](?:allerg(?:y|ies|ic)|intoleran(?:t|ce|ces)|sensitivity)\b")
_ANOTHER = re.compile(r"\b(?:an?|is|are|am|i'm|has|have|being) ")
"""Before the thing that an allergy is to: "my daughter is lactose intolerant"."""
_AVOIDS = re.compile(
    r"\b(?:(?:do not|don'?t|does not|doesn'?t|can'?t|cannot|can not|couldn'?t|won'?t|will not|may not|never|not)"
    r" (?:really )?(?:eat|have|like|want|use|tolerate|touch|stand|take|do)(?: any)?"
    r"|hates?|dislikes?|avoid(?:s|ing)?|loathes?|nothing with|free of|free from|leave out|hold the|skip the"
    r"|not (?:a (?:big )?fan of|fond of|keen on)|except(?: for)?|(?:anything|everything) (?:but|apart from)"
    r"|(?:ran|run|running|am|i'm|we're|are|be) out of|cut(?:ting)? (?:down on|back on|out)|(?:but|just|please) not"
    r"|(?:esse|mag|essen|mogen|vertrage|kann) (?:kein|keine|keinen)|je ne mange pas(?: de| d')?"
    r"|je n'aime pas(?: les| le| la)?|no como|no me gustan?(?: los| las| el| la)?"
    r"|non mangio|non mi piac\w+(?: i| gli| le| il| la)?)(?!\w)"
)
"""Before a list that goes on over commas."""
_HARMS = re.compile(
    r"\b(?:deadly|kills?|ill|sick|hospital|epi-?pen|anaphyla\w*|swell\w*|itch\w*|hives|rash|reactions?|poison\w*|choke\w*)\b"
)
"""Beside a food, between two commas: it harms the one who eats it."""
_OFF = re.compile(r"\b(?:off[ -]limits|off the (?:table|menu)|no[ -]go|forbidden|not allowed|banned)\b")
"""So is it not eaten, for whatever reason."""
_OF_THE_BODY = frozenset({"tongue", "tongues", "cheek", "cheeks", "heart", "stomach", "throat", "lips", "brain"})
_NO = re.compile(r"\b(?:no|without|ohne|keine?n?|sans|pas de|sin|senza)\b(?!-)")
"""Before one food, or a list that ends in "or"."""
_LISTED = re.compile(r",| (?:and|or|nor|any) |&|/")
_LONGEST = 4
"""Words of a thing to avoid that no list knows."""
_NO_THINGS = frozenset(
    words(
        "allergy allergies restriction restrictions dietary preference preferences intolerance intolerances time idea"
        " ideas clue oven stove microwave pan blender wish wishes problem problems worries rush hurry matter need more"
        " thing one way limit special requirements requirement diet diets other else food foods recipe recipes go fuss"
        " cooking skills skin bones bone seeds peel shells heads nonsense longer"
        " anything leftovers energy money equipment plan plans people person"
    )
)
"""What "no" is said of where nothing is left out: "no allergies", "I have no time"."""
_NAMES = re.compile(
    r"\b(?:(?:from|in|visit\w*) turkey|(?:my|our|a|first|the) date\b(?! (?:syrup|paste|sugar))|date night"
    r"|game (?:night|day)|(?:video|board) games?|soy (?=alergic|celiac|vegan|vegetarian|intolerant))"
)
"""Words that are foods elsewhere, and none here."""
_NO_FAULT = re.compile(
    r"\b(?:no (?:problems?|issues?) (?:with|eating)"
    r"|(?:not|no longer|never|isn'?t|aren'?t|wasn'?t) (?:been )?(?:allergic|sensitive|intolerant) to)"
    r"\b[^,.;]*?(?=\bbut\b|[,.;]|$)|\b(?:without (?:a|any)|no) doubt\b"
)
"""What does no harm: "not allergic to peanuts"."""
_FILLERS = frozenset(
    {"a", "an", "any", "the", "of", "please", "thanks", "at", "all", "in", "it", "kind", "home"}
    | {"that", "those", "these", "them"}
)


@dataclass(slots=True)
class _Said:
    """What one sentence says of food."""

    allergies: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    rest: str = ""
    """Without what may not be eaten."""


def constraints_in(messages: Iterable[Turn], lexicon: Lexicon, fridge: Json = None) -> dict[str, Json]:
    """The constraints of the user's messages as a case's data; a later time or number of people replaces an earlier.

    What `fridge`, the data beside the messages, names in its texts is available too.
    """
    found: dict[str, Json] = {}
    for turn in messages:
        if turn.role != "user":
            continue
        text = fold(turn.content).replace("’", "'")
        minutes = _minutes(text)
        if minutes is not None:
            found["time_budget_minutes"] = minutes
        if people := _PEOPLE.findall(text):
            found["servings"] = _NUMBERS.get(people[-1]) or float(people[-1])
        elif _ALONE.search(text):
            found["servings"] = 1.0
        _add(found, "diet", _diets(text, lexicon))
        for sentence in _SENTENCE.split(_NO_FAULT.sub(" ", _NAMES.sub(" ", text))):
            said = _read(sentence, lexicon)
            _add(found, "allergies", said.allergies)
            _add(found, "forbidden", said.forbidden)
            _add(found, "available", _foods(said.rest, lexicon))
    for text in _texts(fridge):
        _add(found, "available", _foods(text, lexicon))
    return found


def _add(found: dict[str, Json], name: str, more: Iterable[str]) -> None:
    known = found.get(name, [])
    if new := [each for each in dict.fromkeys(more) if each not in known]:
        found[name] = [*known, *new]


def _foods(text: str, lexicon: Lexicon) -> list[str]:
    """The foods that a text names; a wok is none."""
    return [each.phrase for each in mentions(text, lexicon) if not lexicon.is_kind_of(each.food, EQUIPMENT)]


def _texts(value: Json, depth: int = 0) -> Iterator[str]:
    """The texts in data, however it is nested; those of keys are not."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth < 5:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each, depth + 1)


def _minutes(text: str) -> float | None:
    hours = [_WORDS.get(each) or float(each) for each in _HOURS.findall(text)]
    minutes = [float(each) for each in _MINUTES.findall(text)]
    if quarters := _QUARTERS.search(text):
        return 45.0 if quarters[1].startswith("three") else 15.0
    if clock := _CLOCK.search(text):
        return 60.0 * float(clock[1]) + float(clock[2])
    if not hours and not minutes:
        return None
    half = 30.0 if _HALF_MORE.search(text) else 0.0
    return (hours[-1] * 60 if hours else 0.0) + half + (minutes[-1] if minutes else 0.0) or None


def _diets(text: str, lexicon: Lexicon) -> list[str]:
    """The diets named, in the order of the lists; none from a sentence that says no to something."""
    found: list[str] = []
    for sentence in re.split(r"[.;!?\n]", text):
        spoken = [singulars(word) for word in words(sentence)]
        for name, diet in lexicon.diets.items():
            free = name[-1] == "free"
            stands = any(
                all(word in one for word, one in zip(name, spoken[at : at + len(name)], strict=True))
                for at in range(len(spoken) - len(name) + 1)
            )
            if stands and (free or not _NEGATED.search(sentence)) and diet.name not in found:
                found.append(diet.name)
    return found


def _read(sentence: str, lexicon: Lexicon) -> _Said:
    """What a sentence says cannot be eaten, and the sentence without it."""
    said = _Said(rest=f" {sentence.strip()} ")
    for pattern, kept in ((_ALLERGIC_TO, said.allergies), (_AVOIDS, said.forbidden)):
        while match := pattern.search(said.rest):
            after = said.rest[match.end() :]
            turn = _TURN.search(after)
            things = after[: turn.start()] if turn else after
            # "peanuts or shrimp allergy" is read below: the word that follows says what it is.
            kept += _things(things, lexicon)
            said.rest = f"{said.rest[: match.start()]} , {after[len(things) :]}"
    while match := _NO.search(said.rest):
        after = said.rest[match.end() :]
        things = _after_no(after)
        said.forbidden += _things(things, lexicon)
        said.rest = f"{said.rest[: match.start()]} , {after[len(things) :]}"
    for part in said.rest.split(","):
        if (harms := _HARMS.search(part)) or _OFF.search(part):
            named = [each.phrase for each in mentions(part, lexicon) if each.phrase not in _OF_THE_BODY]
            (said.allergies if harms else said.forbidden).extend(named)
            said.rest = said.rest.replace(part, " ", 1)
    while match := _ALLERGY.search(said.rest):
        before = said.rest[: match.start()]
        start = max(before.rfind(","), *(each.end() - 1 for each in _ANOTHER.finditer(before)), -1) + 1
        said.allergies += _things(before[start:], lexicon)
        said.rest = f"{before[:start]} , {said.rest[match.end() :]}"
    return said


def _after_no(text: str) -> str:
    """What "no" reaches: up to the comma, or over a list that has an "or" before its end."""
    turn = _TURN.search(text)
    reach = text[: turn.start()] if turn else text
    parts = reach.split(",")
    last = max((at for at, part in enumerate(parts) if at and re.search(r"(?:^| )(?:or|nor) ", part)), default=0)
    return ",".join(parts[: last + 1])


def _things(text: str, lexicon: Lexicon) -> list[str]:
    """The things named in a list: groups and foods of the word lists, else a few words as they stand."""
    found: list[str] = []
    for part in _LISTED.split(f" {text} "):
        spoken = [word for word in words(part) if word not in _FILLERS]
        name = " ".join(spoken)
        if spoken and lexicon.allergen(name) is not None:
            found.append(name)
        elif known := mentions(part, lexicon):
            found += [mention.phrase for mention in known]
        elif 0 < len(spoken) <= _LONGEST and not any(word.isdigit() or word in _NO_THINGS for word in spoken):
            found.append(name)
    return found
