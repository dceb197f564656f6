"""The rehearsal judge's own crude opinion of a run of a recipe assistant: what was named, offered and chosen."""

import random
import re
from collections.abc import Mapping

from services.rehearsal.reading import NOISE, Reading

BLOCK = re.compile(r"<(messages|fridge_input|options|selected|errors)-([0-9a-f]{8,64})>\n(.*?)\n</\1-\2>", re.DOTALL)
MINUTES = re.compile(r"\b(\d{1,3}) ?(?:min|minutes?)\b", re.IGNORECASE)
USER = re.compile(r"^\[user\] (.*(?:\n(?!\[)[^\n]*)*)", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{3,}")
TITLE = re.compile(r"^title: (.+)$", re.MULTILINE)
TIME = re.compile(r"^time_minutes: (\d{1,5})", re.MULTILINE)
INGREDIENTS = re.compile(r"^ingredients: (.+)$", re.MULTILINE)
STEP = re.compile(r"^ {2}\d{1,3}\. ", re.MULTILINE)
NONE = "(none)"
DIMENSIONS = ("input_understanding", "option_quality", "selection_quality", "reliability", "clarity")


def flow_parts(text: str) -> Mapping[str, str]:
    """The blocks of a request that shows a run; empty where it shows none."""
    found = {match[1]: match[3] for match in BLOCK.finditer(text)}
    return found if {"messages", "options", "selected"} <= found.keys() else {}


def read_flow(parts: Mapping[str, str], luck: random.Random) -> Reading:
    """Values in 0..1 and a remark for each of five dimensions."""
    options, selected = parts["options"], parts["selected"]
    errors = parts.get("errors", NONE)
    said = "\n".join(USER.findall(parts["messages"]))
    titles = TITLE.findall(options)
    named = {word.lower() for word in WORD.findall(f"{said} {parts.get('fridge_input', '')}")}
    lists = [{word.lower() for word in WORD.findall(line)} for line in INGREDIENTS.findall(options)]
    used = sum(bool(words & named) for words in lists) / len(lists) if lists else 0.0
    limit = min((int(minutes) for minutes in MINUTES.findall(said)), default=None)
    late = 0 if limit is None else sum(int(minutes) > limit for minutes in TIME.findall(options))
    chosen = next(iter(TITLE.findall(selected)), "")
    steps = len(STEP.findall(selected))
    broken = errors.strip() != NONE
    seen = {
        "input_understanding": (0.2 + 0.7 * used, f"{used:.0%} of the options use something that was named"),
        "option_quality": (
            0.9 * used - 0.5 * bool(late) if titles else 0.0,
            f"{len(titles)} options, {late} of them over the time that was named",
        ),
        "selection_quality": (
            0.9 if chosen and chosen in titles else 0.1,
            "the selected recipe is one of the options" if chosen and chosen in titles else "not one of the options",
        ),
        "reliability": (0.0 if broken else 0.95, "the run broke off" if broken else "no errors"),
        "clarity": (0.3 if steps < 2 else 0.9 if steps < 8 else 0.7, f"{steps} steps to follow"),
    }
    values = {name: min(1.0, max(0.0, value + luck.gauss(0, NOISE))) for name, (value, _) in seen.items()}
    remarks = {name: f"{why[0].upper()}{why[1:]}." for name, (_, why) in seen.items()}
    signs = {name: (name,) for name in DIMENSIONS}
    return Reading(values, " ".join(remarks.values()), signs, remarks)
