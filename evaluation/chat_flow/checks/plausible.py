"""Checks of recipes against themselves: options that differ, steps that are steps, times and ingredients that agree."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from evaluation.chat_flow.checks.measures import meaning_of
from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    amount,
    fail_with,
    list_findings,
    no_options,
    not_applicable,
    option,
    pass_with,
)
from evaluation.chat_flow.checks.spoken import of_user, passages
from evaluation.chat_flow.flow_run import Recipe
from evaluation.food.lexicon import EQUIPMENT
from evaluation.food.reading import mentions
from evaluation.food.tokens import fold, singulars, words
from evaluation.metrics.explained import excerpt

MOST_COMPARED = 60
"""Options that are compared with one another."""
ALIKE = 0.8
"""The share of words in common from which two lists say the same."""
_FLATTERY = frozenset(
    words(
        "a an and the my our your easy quick simple best tasty delicious classic homemade super perfect amazing great"
        " style version recipe favourite favorite fast ultimate"
    )
)


def near_duplicates(subject: CheckSubject) -> CheckResult:
    whole = [
        (number, recipe)
        for number, recipe in enumerate(subject.options[:MOST_COMPARED], start=1)
        if recipe.ingredients and recipe.steps
    ]
    if len(whole) < 2:
        return not_applicable("there are fewer than two options with ingredients and steps")
    read = [(number, recipe, _words(recipe.ingredients), _words(recipe.steps)) for number, recipe in whole]
    found = []
    for place, (number, recipe, ingredients, steps) in enumerate(read):
        for before, other, their_ingredients, their_steps in read[:place]:
            if words(recipe.title) == words(other.title):
                continue
            named_alike = _core(recipe.title) == _core(other.title) != frozenset()
            much = _shared(ingredients, their_ingredients)
            if much >= ALIKE and (named_alike or _shared(steps, their_steps) >= ALIKE):
                found.append(f"{option(number, recipe)} is {option(before, other)} under another title")
                break
    return (
        fail_with(list_findings(found)) if found else pass_with(f"{len(whole)} options that differ in more than titles")
    )


def _words(texts: Sequence[str] | None) -> frozenset[str]:
    return frozenset(token for text in texts or () for token in meaning_of(text[:2000]) if isinstance(token, str))


def _core(title: str) -> frozenset[str]:
    return frozenset(words(title)) - _FLATTERY


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def option_count(subject: CheckSubject) -> CheckResult:
    if not subject.options:
        return no_options(subject)
    count, most = len(subject.options), subject.case.max_options
    found = f"{count} option{'' if count == 1 else 's'}; at most {most}"
    return pass_with(found) if count <= most else fail_with(found)


_NO_ENTRY = re.compile(
    r"[.…_*#?!\-–—·\s]+"
    r"|(?:step|schritt|etape|paso|ingredient|instruction|recipe|option|dish) ?#?\d{0,3}[.:…]*"
    r"|(?:to ?do|tbd|tba|n/?a|none|null|nil|undefined|nan|x{3,}|string|text|placeholder|title|name|steps|ingredients"
    r"|instructions|etc|and so on|same as (?:above|before)|see above)[.:…]*"
)
_BLANK_FORM = re.compile(
    r"\{\{[^{}\n]{0,60}\}\}|\$\{\w{1,40}\}|\{(?:ingredient|name|title|time|step|minute|user|dish|recipe)\w{0,20}\}"
    r"|<(?:ingredient|name|title|step|time|minutes|amount|dish|recipe)s?>"
    r"|\[(?:insert|your|name|ingredient|title|step|amount|todo|tbd|add|dish)\b[^\]\n]{0,60}\]"
    r"|\blorem ipsum\b|\bto-?do:|\btbd\b|\[object object\]"
)


def no_placeholders(subject: CheckSubject) -> CheckResult:
    user = of_user(subject)
    found = [
        f'{option(number, recipe)}: {what} {place} is "{excerpt(text)}"'
        for number, recipe in enumerate(subject.options, start=1)
        for what, place, text in _entries(recipe)
        if _NO_ENTRY.fullmatch(fold(text.strip())[:200]) and text.strip()
    ]
    texts = 0
    for passage in passages(subject):
        texts += 1
        blank = _BLANK_FORM.search(fold(passage.text))
        if blank is not None and blank[0] not in user:
            found.append(f'{passage.where} says "{excerpt(blank[0])}"')
    if found:
        return fail_with(list_findings(dict.fromkeys(found)))
    if not texts:
        return not_applicable("the assistant said nothing")
    return pass_with(f"{texts} texts, none of them a placeholder")


def _entries(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    yield "the", "title", recipe.title
    for what, texts in (("ingredient", recipe.ingredients), ("step", recipe.steps)):
        for place, text in enumerate(texts or (), start=1):
            yield what, str(place), text


_DURATION = re.compile(
    r"(?P<less>\b(?:after|every|up to|within|the (?:last|first|final)|last|first|final|before the) )?"
    r"\b(?P<count>\d{1,4}(?:[.,]\d{1,2})?|half an|an?|one|two|three|four|five|ten)"
    r"(?: ?(?:-|–|to|or) ?\d{1,4}(?:[.,]\d{1,2})?)? ?(?P<unit>seconds?|secs?|minutes?|mins?|min|hours?|hrs?|h)\b"
)
_COUNTS = {"half an": 0.5, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_BESIDE = re.compile(
    r"\b(?:meanwhile|in the meantime|at the same time|simultaneously|while|whilst|as the|during|preheat\w*|if you"
    r"|optional\w*)\b"
)
"""In a step whose time goes by beside that of another, or need not."""
_OVERNIGHT = re.compile(r"\b(?:overnight|over night)\b")
OVERNIGHT_MINUTES = 360.0
SLACK, SLACK_MINUTES = 0.1, 2.0
"""Rounding of the stated time: this share of it, or as many minutes."""


def step_times(subject: CheckSubject) -> CheckResult:
    if not subject.options:
        return no_options(subject)
    looked_at = 0
    found = []
    for number, recipe in enumerate(subject.options, start=1):
        if recipe.time_minutes is None or not recipe.steps:
            continue
        looked_at += 1
        if (problem := _too_long(recipe.steps, float(recipe.time_minutes))) is not None:
            found.append(f"{option(number, recipe)} states {amount(recipe.time_minutes)} minutes, and {problem}")
    if not looked_at:
        return not_applicable("no option states its time and has steps")
    return (
        fail_with(list_findings(found))
        if found
        else pass_with(f"the times in the steps of {looked_at} options fit theirs")
    )


def _too_long(steps: Sequence[str], stated: float) -> str | None:
    """What is against the stated minutes: one step that is longer, or all that follow one another together."""
    together = 0.0
    for step in steps:
        text = fold(step[:2000])
        taken = sum(minutes for minutes, counts in _durations(text) if counts)
        if _OVERNIGHT.search(text):
            taken += OVERNIGHT_MINUTES
        if taken > stated + 0.01:
            return f'the step "{excerpt(step)}" takes {amount(taken)}'
        together += 0.0 if _BESIDE.search(text) else taken
    if together > stated + max(SLACK * stated, SLACK_MINUTES):
        return f"its steps take {amount(together)} together"
    return None


def _durations(text: str) -> Iterator[tuple[float, bool]]:
    """(minutes, whether they add to the time); of a range the lower end, of two ways the first."""
    end = -10
    for match in _DURATION.finditer(text):
        other_way = " or " in text[max(0, end) : match.start()] and match.start() - end < 40
        of_a_kind = text[match.start("unit") - 1] == "-"
        end = match.end()
        count = _COUNTS.get(match["count"])
        value = float(match["count"].replace(",", ".")) if count is None else float(count)
        unit = {"s": 1 / 60, "m": 1.0, "h": 60.0}[match["unit"][0]]
        yield value * unit, not (match["less"] or other_way or of_a_kind)


_NOT_NEEDED = re.compile(
    r"\b(?:serve[sd]?|garnish\w*|goes well|to taste|if you (?:like|have|want|wish)|optional\w*|instead of|as you would"
    r"|like|for example|such as|or (?:use|any|another)|without|leave out|no need|size of|shape of|looks? like"
    r"|consistency of|until|taste|smell)\b"
)
"""After one of these a sentence names foods that the dish does not need."""
_BESIDE_THE_DISH = re.compile(
    r"\b(?:if you (?:like|have|want|wish)|on the side|for serving|to serve|optional\w*|ladle|into bowls|enjoy)\b"
)
"""In a sentence about what may be eaten with it."""
PANTRY = frozenset({"salt", "pepper", "water", "oil", "sugar", "olive oil", "ice", "stock", "spice", "herb"})
LEAST_KNOWN = 2
"""Foods that a list must name before its steps are held to use one."""


def steps_use_ingredients(subject: CheckSubject) -> CheckResult:
    if not subject.options:
        return no_options(subject)
    looked_at = 0
    found = []
    for number, recipe in enumerate(subject.options, start=1):
        if not recipe.ingredients or not recipe.steps:
            continue
        looked_at += 1
        if problems := list(_contradictions(recipe, subject)):
            found.append(f"{option(number, recipe)}: {list_findings(problems)}")
    if not looked_at:
        return not_applicable("no option has both ingredients and steps")
    return (
        fail_with(list_findings(found)) if found else pass_with(f"the steps of {looked_at} options use what they list")
    )


def _contradictions(recipe: Recipe, subject: CheckSubject) -> Iterator[str]:
    """Foods that only the steps name, more pieces than listed, and steps that use nothing of the list."""
    lexicon = subject.lexicon
    entries, steps = recipe.ingredients or (), recipe.steps or ()
    listed = {mention.food for entry in entries for mention in mentions(_bare(entry), lexicon)}
    heads = {single for text in (*entries, recipe.title) for word in words(text) for single in singulars(word)}
    rules = subject.asked.rules(lexicon)
    used: list[str] = []
    of_all = False
    for step in steps:
        for mention in mentions(_needed(step), lexicon):
            # What the user may not eat is reported as such.
            if rules.forbids(mention.phrase, lexicon):
                continue
            used.append(mention.food)
            of_all = of_all or mention.phrase in lexicon.not_in_steps
            named = set(mention.phrase.split())
            if (
                mention.food in PANTRY
                or lexicon.is_kind_of(mention.food, EQUIPMENT)
                or mention.phrase in lexicon.not_in_steps
                or any(singulars(word) & heads for word in named)
                or any(lexicon.are_related(mention.food, food) for food in listed)
            ):
                continue
            yield f'"{excerpt(mention.phrase)}" in the step "{excerpt(step)}" is no ingredient'
    yield from _more_than_listed(entries, steps)
    spoken = {single for step in steps for word in words(step) for single in singulars(word)}
    none = not spoken & heads and not any(lexicon.are_related(one, other) for one in used for other in listed)
    if len(listed) >= LEAST_KNOWN and used and none and not of_all:
        yield "no step uses an ingredient of the list"


def _needed(step: str) -> str:
    """The step without the sentences and their ends that say what may be served beside the dish."""
    sentences = [each for each in re.split(r"[.;!]", fold(step)) if not _BESIDE_THE_DISH.search(each)]
    return ". ".join(_NOT_NEEDED.split(each, maxsplit=1)[0] for each in sentences)


def _bare(entry: str) -> str:
    """An entry without what says no to a food: "vegan butter" is there, whatever it is made of."""
    return re.sub(r"\b(?:no|without|free)\b", " ", fold(entry))


def _more_than_listed(entries: Sequence[str], steps: Sequence[str]) -> Iterator[str]:
    """ "Beat 4 eggs" where 2 eggs are listed."""
    counts: dict[str, float] = {}
    for entry in entries:
        said = meaning_of(entry[:200])
        if len(said) >= 2 and isinstance(said[0], tuple) and said[0][1] == "" and isinstance(said[1], str):
            counts[said[1]] = counts.get(said[1], 0.0) + said[0][0]
    for step in steps:
        for number, thing in pairwise(meaning_of(step[:2000])):
            if not isinstance(number, tuple) or number[1] or not isinstance(thing, str) or number[0] < 1:
                continue
            if number[0] > counts.get(thing, number[0]):
                yield f'the step "{excerpt(step)}" uses {amount(number[0])} {thing}, {amount(counts[thing])} listed'
