"""Which of the files that a team writes a file is: by its name, or else by what it holds."""

from collections.abc import Collection
from typing import Literal, TypeAlias

from evaluation.chat_flow.mapping import OF_RECIPES
from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_text import load_yaml
from services.prompt_versions import TEXT_SUFFIXES, version_number
from services.text_files import TextFile
from services.workspace import SUITE_FILE, YAML_SUFFIXES
from services.workspace_file import FILE, PYTHON_PROJECT

Kind: TypeAlias = Literal[
    "rubric",
    "scenarios",
    "cases",
    "waivers",
    "gate",
    "prompt",
    "labels",
    "suite",
    "canaries",
    "drafts",
    "workspace",
    "mapping",
    "mix",
    "language",
    "criteria",
]
READ = (*YAML_SUFFIXES, ".json")
"""Ends of the names of files whose kind is seen from what they hold."""
LABELS = "labels.yaml"
WORKSPACES = (FILE, PYTHON_PROJECT)
"""Names of the files of which a table or the whole is a workspace."""
_GATE_KEYS = frozenset({"gate", "margins", "largest_fall"})
_SUITE_KEYS = frozenset({"plays", "rubric", "tagged"})
_MAPPING_KEYS = OF_RECIPES | {"path", "body", "reply", "session", "stream", "poll", "headers"}
_CRITERIA_KEYS = frozenset({"stated", "sources"})
_RUBRIC_KEYS = frozenset({"metrics", "extends", "scale", "history"})


_BY_NAME: dict[str, Kind] = {LABELS: "labels", SUITE_FILE: "suite"}


def kind_of(file: TextFile) -> Kind:
    """The kind of a file. Raises ParseError for one that cannot be read, and for one that is of no kind."""
    suffix = file.path.suffix
    if suffix in TEXT_SUFFIXES:
        return "prompt"
    if file.path.name in WORKSPACES:
        return "workspace"
    if suffix not in READ:
        ends = ", ".join((*TEXT_SUFFIXES, *READ))
        raise ParseError(file.place, f"ends with none of {ends}, and is no {FILE}: leave it out, or rename it")
    value = load_yaml(file.text, file.place)
    if file.path.name in _BY_NAME:
        return _BY_NAME[file.path.name]
    if suffix == ".json" and isinstance(value, list):
        return "cases"
    found = _kind_by_keys(value if isinstance(value, dict) else {})
    if found is None and version_number(file.path):
        return "prompt"
    if found is None:
        said = (
            "a rubric has 'metrics:' or 'extends:', a scenario file 'scenarios:', a suite 'rubric:' or 'plays:', "
            "waivers 'waivers:', a set of criteria 'stated:', a mix 'mix_of:', a gate 'gate:', "
            "a chat prompt 'messages:', a language pack 'stop_words:', an application's mapping 'path:' or 'turn:'"
        )
        problem = f"is no file that this tool reads: {said}"
        raise ParseError(f"{file.place}:1", problem)
    return found


def _kind_by_keys(value: dict[str, Json]) -> Kind | None:
    by_keys: tuple[tuple[Collection[str], Kind], ...] = (
        ({"fridge_input"}, "cases"),
        ({"messages"}, "prompt"),
        (_SUITE_KEYS, "suite"),
        ({"scenarios"}, "scenarios"),
        ({"waivers"}, "waivers"),
        ({"mix_of"}, "mix"),
        (_CRITERIA_KEYS, "criteria"),
        (_RUBRIC_KEYS, "rubric"),
        (_GATE_KEYS, "gate"),
        ({"stop_words", "sentence_ends"}, "language"),
        ({"category"}, "scenarios"),
        ({"canaries"}, "canaries"),
        ({"drafts"}, "drafts"),
        (_MAPPING_KEYS, "mapping"),
    )
    if _names_sets(value):
        return "suite"
    return next((kind for keys, kind in by_keys if not value.keys().isdisjoint(keys)), None)


def _names_sets(value: dict[str, Json]) -> bool:
    """True where scenarios are files, as in a suite that says nothing else."""
    sets = value.get("scenarios")
    return isinstance(sets, list) and bool(sets) and all(isinstance(each, str) for each in sets)
