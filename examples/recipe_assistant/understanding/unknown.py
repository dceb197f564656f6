"""Things in a shopping list that the assistant does not know."""

import re

from examples.recipe_assistant.larder import Larder
from examples.recipe_assistant.understanding.mentions import cue_at, named_at
from examples.recipe_assistant.understanding.text import NUMBERS, tokens

SEPARATOR = re.compile(r"[,;.!?\n|]|\b(?:and|und|y|et|or)\b")
FILLER_WORDS = (
    "a an the some any few little bit of leftover leftovers fresh frozen tinned canned cooked raw big small large half "
    "can cans tin tins pack packet bag jar bottle bunch handful piece pieces slice slices cup cups g kg ml l gram "
    "grams my our also maybe un una unos unas poco ein eine einen etwas ein paar du de la le les des"
)
FILLER = frozenset(FILLER_WORDS.split())
TALK_WORDS = (
    "please thanks thank hello hey good morning evening tonight today dinner lunch breakfast quick easy simple healthy "
    "something anything nothing really help cook cooking recipe recipes meal meals people person minutes minute hour "
    "hours time max maximum spicy mild warm cold light tasty cheap fast soon now yes yeah sure okay idea ideas "
    "what whatever that this make making change actually instead rather want need like love have with without "
    "free allergy allergic diet family kids children wife husband friend friends servings serving portions "
    "sorry mind care matter fine well just only still again else more less than under about around within "
    "options option ready starving hungry done everything stuff things fridge kitchen pantry left over low carb keto "
    "high protein restrictions preference preferences gracias danke merci bitte hola hallo bonjour minuten minutos "
    "mins serves feeds between media hora horas stunde stunden halbe heure demi pour para uhr euro euros "
    "tacos taco soup salad curry stew stir fry sandwich pizza burger burgers omelette pancakes snack dessert dish "
    "personas personen personnes por favor gluten dairy grazie favore prego obrigado obrigada cena jantar "
    "minuti persone pessoas ricetta receita cosa posso cucinare cozinhar careful"
)
TALK = frozenset(TALK_WORDS.split()) | {word for name in NUMBERS for word in tokens(name)}


def unknown_in(folded: str, larder: Larder) -> list[str]:
    """The short parts of a list in which nothing is understood and that do not look like talk."""
    parts = [part for part in SEPARATOR.split(folded) if part.strip()]
    if len(parts) < 2:
        return []
    return [name for part in parts if (name := _unknown(part, larder))]


def _unknown(part: str, larder: Larder) -> str | None:
    said = tokens(part)
    if any(named_at(said, place, larder) or cue_at(said, place) for place in range(len(said))):
        return None
    left = [word for word in said if word not in FILLER and not word[0].isdigit()]
    looks_like_one = 1 <= len(left) <= 2 and all(word.isalpha() and len(word) > 3 for word in left)
    return " ".join(left) if looks_like_one and not TALK.intersection(left) else None
