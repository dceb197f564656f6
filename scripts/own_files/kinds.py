"""Which of the files that a team writes a file is: by its name, or else by what it holds."""

from collections.abc import Collection
from typing import Literal, TypeAlias

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_text import load_yaml
from services.prompt_versions import TEXT_SUFFIXES, version_number
from services.text_files import TextFile
from services.workspace import YAML_SUFFIXES

Kind: TypeAlias = Literal["rubric", "scenarios", "cases", "waivers", "gate", "prompt", "labels"]
READ = (*YAML_SUFFIXES, ".json")
"""Ends of the names of files whose kind is seen from what they hold."""
LABELS = "labels.yaml"
_GATE_KEYS = frozenset({"gate", "margins", "largest_fall"})
_RUBRIC_KEYS = frozenset({"metrics", "extends", "scale", "history"})


def kind_of(file: TextFile) -> Kind:
    """The kind of a file. Raises ParseError for one that cannot be read, and for one that is of no kind."""
    suffix = file.path.suffix
    if suffix in TEXT_SUFFIXES:
        return "prompt"
    if suffix not in READ:
        raise ParseError(
            file.place, f"ends with none of {', '.join((*TEXT_SUFFIXES, *READ))}: leave it out, or rename it"
        )
    value = load_yaml(file.text, file.place)
    if file.path.name == LABELS:
        return "labels"
    if suffix == ".json" and isinstance(value, list):
        return "cases"
    found = _kind_by_keys(value if isinstance(value, dict) else {})
    if found is None and version_number(file.path):
        return "prompt"
    if found is None:
        said = "a rubric has 'metrics:' or 'extends:', a scenario file 'scenarios:', waivers 'waivers:', "
        problem = f"is no file that this tool reads: {said}a gate 'gate:', a chat prompt 'messages:'"
        raise ParseError(f"{file.place}:1", problem)
    return found


def _kind_by_keys(value: dict[str, Json]) -> Kind | None:
    by_keys: tuple[tuple[Collection[str], Kind], ...] = (
        ({"fridge_input"}, "cases"),
        ({"messages"}, "prompt"),
        ({"scenarios"}, "scenarios"),
        ({"waivers"}, "waivers"),
        (_RUBRIC_KEYS, "rubric"),
        (_GATE_KEYS, "gate"),
        ({"category"}, "scenarios"),
    )
    return next((kind for keys, kind in by_keys if not value.keys().isdisjoint(keys)), None)
