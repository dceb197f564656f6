"""The probes of the files, and what the checks say of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from evaluation.chat_flow.flow_run import Recipe
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading_tables import shipped_lexicon
from evaluation.food.rules import Inspection, Rules, inspect_recipe, rules_of

FOLDER = Path(__file__).parent
HALVES = ("open", "shut")
Said: TypeAlias = Literal["violated", "clear", "not_known"]
DIETS = {"vegan": "vegan", "meat": "pescatarian"}
"""Groups that are diets; the others are allergies, or foods that are left out."""
LEFT_OUT = ("pork", "alcohol")


@dataclass(frozen=True, slots=True)
class Probe:
    """Something that a recipe may say, and what is true of it."""

    group: str
    language: str
    """Of the line; "steps" and "mappings" for probes of these."""
    truth: Said
    ingredients: tuple[str, ...]
    step: str = ""

    @property
    def text(self) -> str:
        listed = "; ".join(self.ingredients)
        return f"{listed} | {self.step}" if self.step else listed


def read_probes(half: str) -> tuple[Probe, ...]:
    """All probes of a half, in the order of its files."""
    return tuple(probe for path in sorted((FOLDER / half).glob("*.yaml")) for probe in _of_file(path))


def _of_file(path: Path) -> Iterator[Probe]:
    table: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    group = table["group"]
    truths: tuple[Said, ...] = ("violated", "clear", "not_known")
    for truth in truths:
        for language, lines in table.get(truth, {}).items():
            yield from (Probe(group, language, truth, (line,)) for line in lines)
        for entry in table["steps"].get(truth, ()):
            yield Probe(group, "steps", truth, tuple(entry["ingredients"]), entry["step"])
        for entry in table["structured"].get(truth, ()):
            yield Probe(group, "mappings", truth, Recipe.read({"ingredients": [entry]}).ingredients or ())


@cache
def rules_of_group(group: str) -> Rules:
    lexicon = shipped_lexicon()
    if group in DIETS:
        return rules_of([DIETS[group]], [], [], lexicon)
    return rules_of([], [], [group], lexicon) if group in LEFT_OUT else rules_of([], [group], [], lexicon)


def inspect(probe: Probe, lexicon: Lexicon) -> Inspection:
    return inspect_recipe(probe.ingredients, (probe.step,) if probe.step else (), rules_of_group(probe.group), lexicon)


def said_of(probe: Probe, lexicon: Lexicon) -> Said:
    """What the checks say of a probe."""
    found = inspect(probe, lexicon)
    if found.violated:
        return "violated"
    return "not_known" if found.not_known else "clear"


@dataclass(frozen=True, slots=True)
class Counts:
    """How often the checks are right about probes."""

    probes: int
    false_alarms: int
    clear_probes: int
    wrong_clear: int
    """Called clear, though violated or not to be known."""
    called_clear: int
    open: int
    """Left open, though a cook would know."""
    known: int
    """Probes that a cook would know."""


def count(probes: Sequence[Probe], lexicon: Lexicon) -> Counts:
    said = [(probe.truth, said_of(probe, lexicon)) for probe in probes]
    return Counts(
        probes=len(said),
        false_alarms=said.count(("clear", "violated")),
        clear_probes=sum(truth == "clear" for truth, _ in said),
        wrong_clear=sum(truth != "clear" and found == "clear" for truth, found in said),
        called_clear=sum(found == "clear" for _, found in said),
        open=sum(truth != "not_known" and found == "not_known" for truth, found in said),
        known=sum(truth != "not_known" for truth, _ in said),
    )
