"""Rubrics and scenario sets by name, file or folder: the text, and where it came from. Parsing is left to the core."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError

MAX_BYTES = 8_000_000
"""Of one file."""
_SHIPPED = Path(__file__).resolve().parent.parent / "evaluation"
RUBRICS = _SHIPPED / "rubrics"
GATE_RULES = _SHIPPED / "gates"
EXPECTATIONS = _SHIPPED / "sweep"
MUTATIONS = _SHIPPED / "mutations"
RATED_PAIRS = _SHIPPED / "calibration"
AGREEMENT = _SHIPPED / "agreement"
SCENARIOS = _SHIPPED / "scenarios"
PAGES = _SHIPPED / "reports" / "html"
YAML_SUFFIXES = (".yaml", ".yml")
HERE = Path()
"""The working directory."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was read."""

    name: str
    """The file's name without its suffix."""
    place: str
    """The path as people know it: relative to the working directory where it lies below it."""
    text: str
    path: Path


def read_text(path: Path, largest: int = MAX_BYTES) -> TextFile:
    """A UTF-8 text file of at most so many bytes; line ends become "\\n". Raises UsageError naming the file."""
    place = show_path(path)
    try:
        if path.is_dir():
            raise UsageError(f"{place}: is a folder: name a file in it")
        with path.open("rb") as file:
            content = file.read(largest + 1)
        if len(content) > largest:
            raise UsageError(f"{place}: is larger than {largest:,} bytes: name a smaller file")
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{place}: is not UTF-8 text (byte {error.start}): save it as such") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{place}: cannot be read ({reason}): check its name and permissions") from None
    return TextFile(path.stem, place, text.replace("\r\n", "\n").replace("\r", "\n"), path.resolve())


def read_named(kind: str, reference: str, folder: Path, beside: Path = HERE) -> TextFile:
    """A file by the name of one that is shipped in `folder` ("companion"), or by its path, as seen from `beside`.

    Raises UsageError, with `kind` for what it should be and a list of what exists, when there is neither.
    """
    return read_text(_find(kind, reference, folder, beside))


def read_scenarios(references: Sequence[str] = (), folder: Path = SCENARIOS) -> tuple[TextFile, ...]:
    """The files of scenario sets, each by the name of a shipped file or folder, or by a file or folder of one's own.

    Without a reference: the shipped files, in the order of their names. A file named twice is read once.
    Raises UsageError, listing what exists, for an unknown name and for a folder without YAML files.
    """
    paths: list[Path] = [] if references else _yaml_files(folder)
    for reference in references:
        path = _find("scenario set", reference, folder)
        paths.extend(_yaml_files(path) if path.is_dir() else [path])
    return tuple(read_text(path) for path in {path.resolve(): path for path in paths}.values())


def read_page_assets(folder: Path = PAGES) -> tuple[dict[str, str], str, str]:
    """The parts that HTML pages are built from: templates by file name, styles, script. Raises UsageError."""
    templates = {path.name: read_text(path).text for path in sorted(folder.glob("*.html.j2"))}
    return templates, read_text(folder / "page.css").text, read_text(folder / "page.js").text


def shipped_names(folder: Path) -> tuple[str, ...]:
    """The names by which the files and folders of a shipped folder can be asked for, sorted."""
    entries = [entry for entry in folder.iterdir() if _NAME.fullmatch(entry.stem)] if folder.is_dir() else []
    return tuple(
        sorted(
            entry.stem
            for entry in entries
            if entry.suffix in YAML_SUFFIXES or (entry.is_dir() and any(_is_yaml(inner) for inner in entry.iterdir()))
        )
    )


def show_path(path: Path) -> str:
    """A path as people know it: relative to the working directory where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (OSError, ValueError, RuntimeError):
        return str(path)


def _find(kind: str, reference: str, folder: Path, beside: Path = HERE) -> Path:
    """The shipped file or folder of that name, which is never a path, or else a path of the user's own."""
    if _NAME.fullmatch(reference) and reference in shipped_names(folder):
        files = [folder / f"{reference}{suffix}" for suffix in YAML_SUFFIXES]
        return next((file for file in files if file.is_file()), folder / reference)
    path = beside / Path(reference).expanduser() if reference.strip() and "\0" not in reference else None
    try:
        if path is not None and path.exists():
            return path
    except OSError:
        pass  # a name too long for the file system does not exist either
    known = ", ".join(shipped_names(folder)) or "none"
    raise UsageError(f"there is no {kind} {reference[:200]!r}, neither shipped nor as a file; shipped are {known}")


def _yaml_files(folder: Path) -> list[Path]:
    files = sorted(entry for entry in folder.iterdir() if _is_yaml(entry))
    if not files:
        raise UsageError(
            f"{show_path(folder)}: holds no {' or '.join(YAML_SUFFIXES)} file: name another folder or a file"
        )
    return files


def _is_yaml(path: Path) -> bool:
    return path.suffix in YAML_SUFFIXES and path.is_file()
