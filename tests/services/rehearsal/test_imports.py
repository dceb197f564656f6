"""The rehearsal model knows nothing of rubrics and metrics: its imports are a short list."""

import ast
import sys
from pathlib import Path

import services.rehearsal

FOLDER = Path(services.rehearsal.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
ALLOWED = {"process.py": {"evaluation.errors", "services.processes"}}
"""The launcher runs in the tool's own process and is built from its parts; the model itself does not import it."""


def imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


def foreign(source: str, allowed: set[str]) -> set[str]:
    return {
        name
        for name in imported(source)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and name not in allowed
        and name != "services.rehearsal"
        and not name.startswith("services.rehearsal.")
    }


def test_imports_are_standard_or_its_own() -> None:
    assert MODULES
    for module in MODULES:
        assert foreign(module.read_text(encoding="utf-8"), ALLOWED.get(module.name, set())) == set(), module.name


def test_nothing_is_imported_or_read_around_the_import_statement() -> None:
    for module in MODULES:
        source = module.read_text(encoding="utf-8")
        assert not any(word in source for word in ("importlib", "__import__", "runpy", "rubric", "evaluation.metrics"))
        assert not {"exec", "eval", "compile"} & {
            node.func.id
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }


def test_the_check_sees_what_it_forbids() -> None:
    source = "import json\nimport evaluation.metrics.cues\nfrom evaluation.rubrics import rubric\nfrom . import x\n"
    assert foreign(source, set()) == {"evaluation.metrics.cues", "evaluation.rubrics", "."}


def test_the_server_never_loads_the_launcher() -> None:
    for module in MODULES:
        if module.name != "process.py":
            assert "services.rehearsal.process" not in imported(module.read_text(encoding="utf-8"))


def test_it_stays_smaller_than_what_it_stands_in_for() -> None:
    assert sum(len(module.read_text(encoding="utf-8").splitlines()) for module in MODULES) <= 2_000
