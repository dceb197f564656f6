"""The rehearsal judge's own crude opinion of a run of a recipe assistant: what was named, offered and chosen."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from services.rehearsal.reading import NOISE, Reading

BLOCK = re.compile(r"<(messages|fridge_input|options|selected|errors)-([0-9a-f]{8,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
MINUTES = re.compile(r"\b(\d{1,3}) ?(?:min|minutes?)\b", re.IGNORECASE)
USER = re.compile(r"^\[user\] (.*(?:\n(?!\[)[^\n]*)*)", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{3,}")
TITLE = re.compile(r"^title: (.+)$", re.MULTILINE)
TIME = re.compile(r"^time_minutes: (\d{1,5})", re.MULTILINE)
INGREDIENTS = re.compile(r"^ingredients: (.+)$", re.MULTILINE)
UNWANTED = re.compile(r"\b(?:no|without|allergic to|allergy to) (\w{3,40})", re.IGNORECASE)
STEP = re.compile(r"^ {2}\d{1,3}\. ", re.MULTILINE)
NONE = "(none)"
DIMENSIONS = ("input_understanding", "option_quality", "selection_quality", "reliability", "clarity")


def flow_parts(text: str) -> Mapping[str, str]:
    """The blocks of a request that shows a run; empty where it shows none."""
    found = {match[1]: match[3] for match in BLOCK.finditer(text)}
    return found if {"messages", "options", "selected"} <= found.keys() else {}


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the user said, as far as single words tell."""

    words: set[str]
    unwanted: set[str]
    minutes: int | None


@dataclass(frozen=True, slots=True)
class _Look:
    """One recipe beside the wish."""

    used: bool
    late: bool
    unwanted: bool


def _looked_at(recipe: str, wish: _Wish) -> _Look:
    listed = _words(" ".join(INGREDIENTS.findall(recipe)))
    late = wish.minutes is not None and any(int(minutes) > wish.minutes for minutes in TIME.findall(recipe))
    return _Look(bool(listed & wish.words), late, any(_singular(word) in wish.unwanted for word in listed))


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")


def read_flow(parts: Mapping[str, str], luck: random.Random) -> Reading:
    """Values in 0..1 and a remark for each of five dimensions."""
    selected, errors = parts["selected"], parts.get("errors", NONE)
    said = "\n".join(USER.findall(parts["messages"]))
    wish = _Wish(
        words=_words(f"{said} {parts.get('fridge_input', '')}"),
        unwanted={_singular(word) for word in UNWANTED.findall(said)},
        minutes=min((int(minutes) for minutes in MINUTES.findall(said)), default=None),
    )
    titles = TITLE.findall(parts["options"])
    offered = [_looked_at(text, wish) for text in re.split(r"\n\n(?=Option )", parts["options"])] if titles else []
    used = sum(each.used for each in offered) / len(offered) if offered else 0.0
    bad = sum(each.late or each.unwanted for each in offered) / len(offered) if offered else 0.0
    chosen, choice = next(iter(TITLE.findall(selected)), ""), _looked_at(selected, wish)
    suits = choice.used and not choice.late and not choice.unwanted
    steps = len(STEP.findall(selected))
    broken = errors.strip() != NONE
    seen = {
        "input_understanding": (
            0.2 + 0.7 * used * (1 - 0.6 * bad),
            f"{used:.0%} of the options use something that was named",
        ),
        "option_quality": (
            0.9 * used * (1 - 0.9 * bad) if titles else 0.0,
            f"{len(titles)} options, {sum(each.late for each in offered)} of them over the time that was named, "
            f"{sum(each.unwanted for each in offered)} with what was not wanted",
        ),
        "selection_quality": (
            (0.9 if suits else 0.3) if chosen and chosen in titles else 0.1,
            "the selected recipe is one of the options" if chosen and chosen in titles else "not one of the options",
        ),
        "reliability": (0.0 if broken else 0.95, "the run broke off" if broken else "no errors"),
        "clarity": (0.3 if steps < 2 else 0.9 if steps < 8 else 0.7, f"{steps} steps to follow"),
    }
    values = {name: min(1.0, max(0.0, value + luck.gauss(0, NOISE))) for name, (value, _) in seen.items()}
    remarks = {name: f"{why[0].upper()}{why[1:]}." for name, (_, why) in seen.items()}
    signs = {name: (name,) for name in DIMENSIONS}
    return Reading(values, " ".join(remarks.values()), signs, remarks)
