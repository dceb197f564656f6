"""Diets that are named as such: vegan, nut-free, halal."""

import re

DIETARY = (
    (
        "vegetarian",
        r"vegetarians?|vegetarisch\w*|vegetarian(?:[oa]s?|[ie])|vegetarien(?:ne)?s?|veggie(?! (?:stock|broth|burger))",
    ),
    ("vegan", r"vegan(?:s|e|es|er|isch)?|vegan(?:[oa]s?|[ie])|vegetalien(?:ne)?|plant[- ]based"),
    ("pescatarian", r"pesc[ae]tarians?"),
    ("halal", r"halal"),
    ("kosher", r"kosher|koscher|casher"),
    (
        "gluten-free",
        r"(?:gluten|wheat)[- ]?(?:free|frei\w*)|co?eliac\w*|gluten[- ]intoleran\w+|zoliakie|celiac[oahie]+",
    ),
    (
        "dairy-free",
        r"(?:dairy|lactose|milk)[- ]free|(?:laktose|milch)frei\w*|(?:lactose|dairy|laktose)[- ]?intoleran\w+"
        r"|intoleran\w+ (?:a la lactosa|au lactose)",
    ),
    ("egg-free", r"eggs?[- ]free|eifrei"),
    ("nut-free", r"nuts?[- ]free|nussfrei"),
    ("peanut-free", r"peanuts?[- ]free"),
    ("soy-free", r"soya?[- ]free"),
    ("sesame-free", r"sesame[- ]free"),
    ("fish-free", r"fish[- ]free"),
    ("shellfish-free", r"(?:shellfish|seafood)[- ]free"),
    ("meat-free", r"meat(?:less|[- ]free)|fleischlos"),
    ("pork-free", r"pork[- ]free"),
    ("alcohol-free", r"alcohol[- ]free"),
)
NAMED = tuple((diet, re.compile(rf"\b(?:{pattern})\b")) for diet, pattern in DIETARY)
REVOKING = re.compile(
    r"\b(?:not|no longer|isn't|aren't|(?:does not|doesn't|do not|don't) (?:need|have) to be|no need (?:to be|for)"
    r"|forget (?:the|about)?|never mind (?:the)?|drop the|skip the|scratch (?:the|that)?)\s*(?:a |an |it )?$"
)
NO_DIET = re.compile(
    r"\b(?:no (?:dietary )?(?:restrictions?|allerg\w+|diets?|special diets?|preferences?)|eat (?:everything|anything)"
    r"|anything goes|nothing special|no dietary \w+|not allergic)\b"
)
FILLER = " | "
"""Stands where a diet was, so that "dairy" in "dairy-free" is not read again, nor joined to what surrounds it."""


def read_diets(folded: str) -> tuple[list[tuple[str, bool]], str]:
    """([(diet, wanted)] in the order of the text, the text without them)."""
    found: list[tuple[int, str, bool]] = []
    for diet, pattern in NAMED:
        for one in pattern.finditer(folded):
            found.append((one.start(), diet, not REVOKING.search(folded[: one.start()][-40:])))
    rest = folded
    for _, pattern in NAMED:
        rest = pattern.sub(FILLER, rest)
    return [(diet, wanted) for _, diet, wanted in sorted(found)], rest


def no_diet_in(folded: str) -> bool:
    """True where the text says that there is no diet to keep to."""
    return bool(NO_DIET.search(folded))
