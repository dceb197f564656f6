"""No text of the program names a make target by itself: `write_command` knows how this process was started."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from prompt_evaluation.subcommands import SUBCOMMANDS
from tests.pages import ROOT

OF_THE_CLONE = ("scripts/documents/", "scripts/setup/")
"""What writes the pages of docs/, and what installs the clone's own environment."""
LITERAL = re.compile(rf"\bmake (?:{'|'.join(SUBCOMMANDS)})\b")
AFTER = re.compile(r"[,;:.)\n'\"`]| \(")


def sources(word: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules whose text holds a word: to parse them all takes seconds."""
    for folder in ("evaluation", "services", "scripts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            text = path.read_text(encoding="utf-8")
            if word in text and not name.startswith(OF_THE_CLONE):
                yield name, ast.parse(text)


def literals(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts that are not docstrings."""
    documents = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in documents)


def writes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "write_command"


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    for below in ast.iter_child_nodes(node):
        if not isinstance(below, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield below
            yield from run_at_import(below)


def test_no_text_names_a_target_by_itself() -> None:
    found = [
        f"{name}:{node.lineno} {node.value!r}"
        for name, tree in sources("make ")
        for node in literals(tree)
        if isinstance(node.value, str) and LITERAL.search(node.value)
    ]
    assert found == [], "write it with evaluation.commands.write_command"


def test_data_that_is_shown_names_none_either() -> None:
    kinds = (".j2", ".js", ".css", ".yaml", ".toml", ".json")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("evaluation", "services", "scripts")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in kinds and not str(path.relative_to(ROOT)).startswith(OF_THE_CLONE)
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(rf"{LITERAL.pattern}[ \"'`]", line.partition("# ")[0])
    ]
    assert found == []


def test_no_command_is_written_before_it_is_known_how_the_process_was_started() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in sources("write_command")
        for node in run_at_import(tree)
        if isinstance(node, ast.Call) and writes(node)
    ]
    assert found == [], "write it in a function"


def test_a_command_in_a_sentence_ends_where_a_mark_follows() -> None:
    found = [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, tree in sources("write_command")
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part, following in zip(node.values, node.values[1:], strict=False)
        if isinstance(part, ast.FormattedValue) and writes(part.value)
        if isinstance(following, ast.Constant) and not AFTER.match(str(following.value))
    ]
    assert found == []


def test_the_tests_above_find_what_they_are_for(tmp_path: Path) -> None:
    tree = ast.parse('GO = write_command("sync")\ndef f():\n    """make eval"""\n    return "run make eval again"\n')
    assert [node.value for node in literals(tree) if LITERAL.search(str(node.value))] == ["run make eval again"]
    assert any(writes(node) for node in run_at_import(tree))
    assert AFTER.match(" again") is None
