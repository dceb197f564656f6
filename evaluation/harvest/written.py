"""Values as YAML that people like to edit and that the strict reader reads back as they were."""

import re
from typing import Any

import yaml

from evaluation.records import Json
from evaluation.text.yaml_text import load_yaml

WIDTH = 110
FOLDED_FROM = 80
"""Characters from which on a text goes over several lines."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 _./()-]*")
_KEYWORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Pretty(yaml.SafeDumper):
    """Plain where nothing can be misread, folded where it is long, else in double quotes."""


class _Exact(yaml.SafeDumper):
    """All texts in double quotes, on one line each."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    if _PLAIN.fullmatch(text) and text[-1] != " " and len(text) < FOLDED_FROM and text.lower() not in _KEYWORDS:
        return None
    if "\n" in text:
        return "|"
    return ">" if len(text) >= FOLDED_FROM and "  " not in text else '"'


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if _PLAIN.fullmatch(text) else '"')


def _nothing(dumper: yaml.SafeDumper, _: None) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:null", "")


_Pretty.add_representer(str, _text)
_Exact.add_representer(str, _quoted)
for _dumper in (_Pretty, _Exact):
    _dumper.add_representer(type(None), _nothing)


def write_yaml(value: Json) -> str:
    """The text of a value of mappings, lists and scalars; nothing is written as nothing."""
    text = _dump(value, _Pretty, WIDTH)
    try:
        same: bool = load_yaml(text, "") == value
    except Exception:  # whatever a hostile text does to the pretty form, the exact one holds it
        same = False
    return text if same else _dump(value, _Exact, 10**9)


def write_line(key: str, value: str | bool) -> str:
    """A key and its scalar on one line, without its end."""
    return _dump({key: value}, _Exact, 10**9).rstrip("\n")


def _dump(value: Json, dumper: Any, width: int) -> str:
    text: str = yaml.dump(value, Dumper=dumper, allow_unicode=True, sort_keys=False, width=width)
    return "\n".join(line.rstrip() if line.endswith(": ") else line for line in text.splitlines()) + "\n"


def indented(text: str, blanks: int) -> str:
    """The lines of a text, each that holds something moved to the right."""
    return "".join(f"{' ' * blanks}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
