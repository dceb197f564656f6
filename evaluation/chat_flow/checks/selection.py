"""The check of the selection: it is one of the options in meaning, and what is otherwise in it is named."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from evaluation.chat_flow.checks.measures import entry_meaning, same_meaning
from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    fail_with,
    list_findings,
    no_options,
    not_applicable,
    option,
    pass_with,
)
from evaluation.chat_flow.flow_run import Recipe, kind_of
from evaluation.chat_flow.judged import compact
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading import mentions
from evaluation.food.tokens import words
from evaluation.metrics.explained import excerpt
from evaluation.records import Json

IN_ORDER = ("steps",)
"""Lists whose order says something."""


def consistency(subject: CheckSubject) -> CheckResult:
    run = subject.run
    if not subject.case.choose:
        return not_applicable("the case asks for no choice")
    if not subject.options:
        return no_options(subject)
    if run.selected is None:
        if run.fault is not None and run.fault.kind != "empty":
            return not_applicable(f"the flow broke off: {run.fault.kind} at {excerpt(run.fault.where)}")
        return fail_with("there were options, and none was selected")
    for number, recipe in enumerate(subject.options, start=1):
        if not list(_changes(recipe.raw, run.selected)):
            return pass_with(f"selected is {option(number, recipe)}, unchanged")
    return fail_with(_difference(subject, run.selected))


def _difference(subject: CheckSubject, selected: Json) -> str:
    """The fault of a selection that no option equals."""
    if not isinstance(selected, dict):
        return f"selected is {kind_of(selected)}, and none of the options"
    chosen = Recipe.read(selected)
    meant = _meant(subject.options, chosen, selected)
    if meant is None:
        return f'selected is "{excerpt(chosen.title)}", and none of the {len(subject.options)} options'
    recipe = subject.options[meant]
    allergens = [*_added_allergens(recipe, chosen, subject)]
    found = [*allergens, *_changes(recipe.raw, selected)]
    return f"selected is {option(meant + 1, recipe)}, changed: {list_findings(found)}"


def _meant(options: Sequence[Recipe], chosen: Recipe, selected: Mapping[str, Json]) -> int | None:
    """The place of the option that a changed selection goes back to: by its title, by its id, by most of its steps."""
    for number, recipe in enumerate(options):
        if chosen.title and words(recipe.title) == words(chosen.title):
            return number
    for number, recipe in enumerate(options):
        own = recipe.raw.get("id") if isinstance(recipe.raw, dict) else None
        if own is not None and own == selected.get("id"):
            return number
    for number, recipe in enumerate(options):
        steps, kept = set(recipe.steps or ()), set(chosen.steps or ())
        if len(steps) > 1 and 2 * len(steps & kept) >= len(steps):
            return number
    return None


def _changes(offered: Json, selected: Json) -> Iterator[str]:
    """What the selection lacks or has otherwise than the option, by field; what it adds as a field is not counted."""
    if not isinstance(offered, dict) or not isinstance(selected, dict):
        if not same_meaning(offered, selected):
            yield "the value"
        return
    before, after = Recipe.read(offered), Recipe.read(selected)
    for key, value in offered.items():
        other = selected.get(key)
        if key == "ingredients" and before.ingredients is not None and after.ingredients is not None:
            yield from _entries(key, _listed(value, before.ingredients), _listed(other, after.ingredients))
        elif key == "steps" and before.steps is not None and after.steps is not None:
            yield from _in_order(before.steps, after.steps)
        elif key in ("time_minutes", "servings") and getattr(before, key) is not None:
            if getattr(before, key) != getattr(after, key):
                yield _became(key, value, other)
        elif isinstance(value, dict) and isinstance(other, dict):
            yield from (f"{excerpt(key)}.{change}" for change in _changes(value, other))
        elif not same_meaning(value, other, ordered=key in IN_ORDER):
            yield _became(key, value, other)


def _listed(value: Json, texts: tuple[str, ...]) -> Sequence[Json]:
    """The entries of a list as they came, amounts included; those of a text as they were read."""
    return value if isinstance(value, list) else texts


def _entries(key: str, offered: Sequence[Json], selected: Sequence[Json]) -> Iterator[str]:
    left = list(selected)
    gone: list[Json] = []
    for entry in offered:
        same = next((other for other in left if entry_meaning(entry) == entry_meaning(other)), None)
        if same is None:
            gone.append(entry)
        else:
            left.remove(same)
    for entry in gone:
        near = next((other for other in left if _words_of(entry) & _words_of(other)), None)
        if near is None:
            yield f"{key} {_quoted(entry)} is gone"
        else:
            left.remove(near)
            yield _became(key, entry, near)
    yield from (f"{key} {_quoted(entry)} is added" for entry in left)


def _words_of(entry: Json) -> frozenset[str]:
    return frozenset(token for token, _ in entry_meaning(entry) if isinstance(token, str))


def _in_order(offered: Sequence[str], selected: Sequence[str]) -> Iterator[str]:
    for number, (before, after) in enumerate(zip_longest(offered, selected), start=1):
        if before is None:
            yield f"step {number} {_quoted(after)} is added"
        elif after is None:
            yield f"step {number} {_quoted(before)} is gone"
        elif not same_meaning(before, after):
            yield _became(f"step {number}", before, after)


def _became(what: str, before: Json, after: Json) -> str:
    return f"{excerpt(what)} {_quoted(before)} {'is gone' if after is None else f'became {_quoted(after)}'}"


def _quoted(value: Json) -> str:
    return f'"{excerpt(compact(value))}"' if isinstance(value, str | list | dict) else compact(value)


def _added_allergens(offered: Recipe, chosen: Recipe, subject: CheckSubject) -> Iterator[str]:
    """The ingredients that the selection adds and that are, or hold, an allergen, those of the user's first."""
    lexicon = subject.lexicon
    rules = subject.asked.rules(lexicon)
    before = frozenset(tag for tag, _ in _tags(offered.ingredients or (), lexicon))
    known = frozenset[str]().union(*lexicon.allergens.values())
    found: list[tuple[bool, str]] = []
    for tag, entry in _tags(chosen.ingredients or (), lexicon):
        if tag in known and tag not in before:
            own = tag in rules.tags
            found.append((not own, f'the allergen {tag} is added, "{excerpt(entry)}"{_of_user(own)}'))
    yield from dict.fromkeys(text for _, text in sorted(found, key=lambda each: each[0]))


def _of_user(own: bool) -> str:
    return ", which the user may not eat" if own else ""


def _tags(entries: Sequence[str], lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    for entry in entries:
        for mention in mentions(entry, lexicon):
            yield from ((tag, entry) for tag in sorted(mention.tags))
