"""A grid of settings from what was typed: `--vary temperature=0.3,0.7 --vary top_p=0.5,1`."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import prod
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from scripts.arguments import positive, temperature

Grid: TypeAlias = tuple[tuple[str, tuple[Any, ...]], ...]
"""Parameters, each with its values."""

DEFAULT: Grid = (("temperature", (0.3, 0.7, 1.2)),)
"""Where nothing else varies."""
MOST_SETTINGS = 24
"""More take `--large`: they are seldom meant, and always paid for."""


def probability(text: str) -> float:
    """A share of the probability mass: above 0, at most 1."""
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0 and at most 1")
    return value


def penalty(text: str) -> float:
    """A penalty on words that were used before: -2 to 2."""
    value = float(text)
    if not -2 <= value <= 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from -2 to 2")
    return value


PARAMETERS: Mapping[str, Callable[[str], Any]] = {
    "temperature": temperature,
    "top_p": probability,
    "max_tokens": positive,
    "frequency_penalty": penalty,
    "presence_penalty": penalty,
    "reasoning_effort": str,
    "model": str,
}
"""The parameters that may vary, and what reads a value of each."""


def parse_grid(typed: Sequence[str], prompts: Sequence[str], fixed: Sequence[str], *, large: bool) -> Grid:
    """The parameters of a grid, each with its values in the order given; one value fixes a parameter.

    `prompts` vary too; `fixed` are parameters that have a flag of their own already. Raises UsageError for a
    parameter that does not exist or comes twice, a value that is out of range or comes twice, a grid of one setting,
    and one of more than `MOST_SETTINGS` unless `large`.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for text in typed:
        name, values = _axis(text)
        if name in found or name in fixed:
            raise UsageError(f"--vary {text}: {name} is given twice: name all its values at once")
        found[name] = values
    grid: Grid = tuple(found.items())
    varies = any(len(values) > 1 for values in found.values()) or len(prompts) > 1
    if not varies and not typed and "temperature" not in fixed:
        grid = DEFAULT
    elif not varies:
        raise UsageError(
            "nothing varies: name at least two values, as in --vary temperature=0.3,0.7,1.2, or two --prompt"
        )
    count = prod(len(values) for _, values in grid) * max(1, len(prompts))
    if count > MOST_SETTINGS and not large:
        raise UsageError(f"the grid has {count} settings, and each is a run of its own: vary less, or add --large")
    return grid


def _axis(text: str) -> tuple[str, tuple[Any, ...]]:
    name, given, listed = (part.strip() for part in text.partition("="))
    if name not in PARAMETERS:
        near = get_close_matches(name, PARAMETERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(PARAMETERS)}, and prompts with --prompt"
        raise UsageError(f"--vary {text}: there is no parameter {name!r} to vary: {hint}")
    words = [word.strip() for word in listed.split(",")]
    if not given or not all(words):
        raise UsageError(f"--vary {text}: give values after '=', with commas between them: --vary {name}=0.3,0.7")
    values = tuple(_value(name, word, text) for word in words)
    twice = [word for place, word in enumerate(words) if values[place] in values[:place]]
    if twice:
        raise UsageError(f"--vary {text}: {twice[0]} is given twice: two runs alike say nothing, use --repeats")
    return name, values


def _value(name: str, word: str, text: str) -> Any:
    try:
        return PARAMETERS[name](word)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--vary {text}: {error}") from None
    except ValueError:
        kind = "whole number" if PARAMETERS[name] is positive else "number"
        raise UsageError(f"--vary {text}: {word!r} is no {kind}, and {name} takes {kind}s") from None
