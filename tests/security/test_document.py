"""docs/security.md names tests; each of them exists."""

import ast
import re

from tests.pages import ROOT, text_of

NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_test_that_the_page_names_exists() -> None:
    named = NAMED.findall(text_of("docs/security.md"))
    assert len(named) > 30
    assert [f"{path}::{name}" for path, name in named if name not in functions(path)] == []


def test_every_threat_has_a_test() -> None:
    rows = [line for line in text_of("docs/security.md").splitlines() if line.startswith("| ")]
    threats = [row for row in rows if not row.startswith(("| threat |", "| --- |"))]
    assert [row for row in threats if not NAMED.search(row)] == []


def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
