"""Where settings come from: the environment, `.env`, the workspace file, and the default, in this order."""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from evaluation.errors import ParseError, Problems
from services import setting_values as read
from services.setting_values import Unusable, Variable, variables_of
from services.text_files import read_text, show_path
from services.workspace import HERE, Workspace
from services.workspace_file import WorkspaceFile, check_key

Kind: TypeAlias = Literal["environment", "env_file", "workspace", "default"]
_LARGEST_ENV_FILE = 1_000_000
_SHOWN = 80
_PATHS, _REFERENCES, _NAMES = (read.path,), (read.reference, read.references), (read.name_or_path,)
_SECRET_KEYS = frozenset({"key", "secret", "token", "password", "headers", "webhook", "webhook_url"})
_SECRET_ENDS = ("_key", "_secret", "_token", "_password")
_SECRET_VALUES = ("sk-", "pk-lf-", "Bearer ")


@dataclass(frozen=True, slots=True)
class Origin:
    """The place that a value comes from."""

    kind: Kind
    place: str = ""
    """The variable, the file and line, or empty for the default."""


@dataclass(frozen=True, slots=True)
class Sources:
    """All that settings are read from. Values of `.env` and of the environment are never shown."""

    exported: Mapping[str, str] = field(repr=False)
    env_values: Mapping[str, str] = field(default_factory=dict, repr=False)
    env_file: Path | None = None
    workspace: Workspace = field(default_factory=Workspace)

    @property
    def texts(self) -> dict[str, str]:
        """Variable -> text; an exported variable wins over the file."""
        return {**self.env_values, **{name: value for name, value in self.exported.items() if value.strip()}}

    def read(self, settings: type, declared: Mapping[str, Variable] | None = None) -> dict[str, Any]:
        """Field -> value for every setting that a class declares, in the words of `declared` where they are given.

        Raises UsageError or ParseError for the first that is unusable.
        """
        return {name: value for name, (value, _) in self.trace(settings, declared).items()}

    def trace(self, settings: type, declared: Mapping[str, Variable] | None = None) -> dict[str, tuple[Any, Origin]]:
        """The same with the origin of each value."""
        hints = get_type_hints(settings) if self.workspace.file is not None else {}
        texts = self.texts
        known = dict(variables_of(settings)) if declared is None else declared
        return {name: self._find(variable, texts, hints.get(name)) for name, variable in known.items()}

    def keys_below(self, table: str) -> Iterator[str]:
        """The keys within a table of the workspace file, without the table's own."""
        return iter(()) if self.workspace.file is None else (key for key, _ in self.workspace.file.below(table))

    def _find(self, variable: Variable, texts: Mapping[str, str], hint: Any) -> tuple[Any, Origin]:
        file, name = self.workspace.file, variable.named_in(texts)
        if name:
            value = variable.value(texts)
            if self.exported.get(name, "").strip():
                return value, Origin("environment", name)
            return self._seen_from_env_file(variable, value), Origin("env_file", f"{name} in {self.env_place}")
        if file is not None and variable.key in file.values:
            return self._of_workspace(file, variable, hint), Origin("workspace", file.at(variable.key))
        default = variable.default
        return self.workspace.output / default if isinstance(default, Path) else default, Origin("default")

    @property
    def env_place(self) -> str:
        """The `.env` as people know it."""
        return "" if self.env_file is None else show_path(self.env_file)

    def _seen_from_env_file(self, variable: Variable, value: Any) -> Any:
        """A path in the `.env` of a workspace is relative to its folder, as it is in the file beside it."""
        if self.workspace.file is None:
            return value
        if variable.read in _PATHS:
            return self.workspace.path_of(str(value))
        if variable.read in (*_REFERENCES, *_NAMES):
            return _each(value, lambda name: self.workspace.own_reference(name) or name)
        return value

    def _of_workspace(self, file: WorkspaceFile, variable: Variable, hint: Any) -> Any:
        key, written = variable.key, file.values[variable.key]
        text = toml_text(written, hint)
        if text is None:
            raise file.error(key, f"is {_shown(written)}: give {_kind_of(hint)}")
        if not text.strip():
            return variable.default
        if variable.read is read.address and "@" in urlsplit(text).netloc:
            raise file.error(key, f"holds a user or a password, and this file is shared: set {variable.name} in .env")
        try:
            value = variable.read(text)
        except Unusable as error:
            raise file.error(key, str(error)) from None
        if variable.read in _PATHS:
            return self._path(file, variable, text)
        if variable.read in _REFERENCES:
            return _each(value, lambda name: self._reference(file, variable, name))
        return self.workspace.own_reference(value) or value if variable.read in _NAMES else value

    def _path(self, file: WorkspaceFile, variable: Variable, text: str) -> Path:
        path = self.workspace.path_of(text)
        if not variable.made and not path.exists():
            raise file.error(
                variable.key, f"there is no {text[:_SHOWN]!r} beside the file: make it, or correct the path"
            )
        return path

    def _reference(self, file: WorkspaceFile, variable: Variable, name: str) -> str:
        own = self.workspace.own_reference(name)
        if own is not None:
            return own
        known = self.workspace.known_names(variable.key)
        if name not in known:
            listed = ", ".join(known)
            problem = f"there is no {name[:_SHOWN]!r} beside the file, and no shipped one of that name ({listed})"
            raise file.error(variable.key, f"{problem}: correct the path or the name")
        return name


def _each(value: Any, change: Any) -> Any:
    return tuple(change(each) for each in value) if isinstance(value, tuple) else change(value)


def open_sources(environ: Mapping[str, str], workspace: Workspace, folder: Path = HERE) -> Sources:
    """The sources of a command that was started in a folder. Raises ParseError for a malformed `.env`."""
    path = workspace.env_file(folder)
    return Sources(environ, read_env_file(path) if path else {}, path, workspace)


def check_workspace_file(file: WorkspaceFile, declared: list[Variable]) -> None:
    """Raises ParseError for secrets, which have no place in a file that is shared, and for unknown keys."""
    known = [each.key for each in declared if each.key]
    problems = Problems()
    for key, value in file.values.items():
        with problems.caught():
            if _is_secret(key, value):
                variable = _variable_for(key, declared)
                raise file.error(key, f"a secret has no place in a file that is shared: set {variable} in .env")
            check_key(file, key, known)
    problems.raise_found()


def _is_secret(key: str, value: Any) -> bool:
    last = key.rpartition(".")[2].lower().replace("-", "_")
    held = isinstance(value, str) and value.strip().startswith(_SECRET_VALUES)
    return held or last in _SECRET_KEYS or last.endswith(_SECRET_ENDS) or ".headers." in key.lower()


def _variable_for(key: str, declared: list[Variable]) -> str:
    """The variable that a secret in the file is meant for, by the end of its name."""
    parts = key.upper().replace("-", "_").split(".")
    if parts[0] == "ENDPOINTS" and len(parts) > 2:
        return f"EVAL_ENDPOINT_{parts[1]}_{parts[2]}"
    secrets = [each.name for each in declared if each.secret or each.read is read.key]
    for meant in ("_".join(parts), *reversed(parts)):
        for name in secrets:
            if f"_{meant}_" in f"_{name}_":
                return name
    return "it as a variable"


def toml_text(value: Any, hint: Any) -> str | None:
    """A value of the workspace file as the text of its variable; None where it is of another type than the setting."""
    kind = _plain(hint)
    if isinstance(value, bool):
        return str(value).lower() if kind is bool else None
    if isinstance(value, int | float):
        return repr(value) if kind is float or (kind is int and isinstance(value, int)) else None
    if isinstance(value, list):
        return ",".join(value) if kind is tuple and all(isinstance(each, str) for each in value) else None
    return value if isinstance(value, str) and kind in (str, Path, tuple) else None


def _kind_of(hint: Any) -> str:
    """What a value of a setting is called."""
    return {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        tuple: 'a list of texts, such as ["a", "b"]',
        Path: "a path in quotes",
    }.get(_plain(hint), "a text in quotes")


def _plain(hint: Any) -> type:
    """The type of a setting without None and parameters."""
    if get_origin(hint) is UnionType or isinstance(hint, UnionType):
        hint = next(each for each in get_args(hint) if each is not type(None))
    found: type = get_origin(hint) or hint
    return found


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def read_env_file(path: Path) -> dict[str, str]:
    """Variable -> value. Raises ParseError naming the line, never its text: the text may be a key."""
    text = read_text(path, _LARGEST_ENV_FILE).text
    for binding in parse_stream(io.StringIO(text)):
        if binding.error or (binding.key is not None and binding.value is None):
            original = binding.original
            blank = original.string[: len(original.string) - len(original.string.lstrip())]
            line = original.line + blank.count("\n")
            raise ParseError(f"{path}:{line}", "is not NAME=value: close its quotes, or write # before a comment")
    return {name: value for name, value in dotenv_values(stream=io.StringIO(text)).items() if value}
