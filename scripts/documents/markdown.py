"""Markdown of generated pages: from templates beside this file, with filters for what comes from data."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from evaluation.metrics.explained import number, with_sign

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = Path(__file__).resolve().parent / "templates"

Filters: TypeAlias = Mapping[str, Callable[..., Any]]
"""Functions that a template may apply to its values, by name."""


def fill(template: str, filters: Filters, **values: object) -> str:
    """The page of a template, the same text for the same values, ending in one line feed."""
    return str(_template(template, filters).render(**values))


def parts(template: str, filters: Filters, **values: object) -> Any:
    """The macros of a template as functions, each of which gives one part of a page."""
    return _template(template, filters).make_module(values)


def _template(name: str, filters: Filters) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    own = {
        "number": number,
        "with_sign": with_sign,
        "one_line": one_line,
        "cell": cell,
        "code": code,
        "bullets": bullets,
    }
    environment.filters.update({**own, **filters})
    return environment.get_template(name)


def bullets(items: Iterable[str]) -> str:
    """A Markdown list, one line per item."""
    return "\n".join(f"- {one_line(item)}" for item in items)


def code(text: str) -> str:
    """The text as Markdown code, whatever backticks are in it."""
    fence = "`" * (1 + max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def one_line(text: str) -> str:
    """The text with single blanks between its words."""
    return " ".join(text.split())


def cell(text: str) -> str:
    """The text as a cell of a table."""
    return one_line(text).replace("|", "\\|")
