"""Text files: read whole within a bound, and their paths as people know them."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError

MAX_BYTES = 8_000_000
"""Of one file."""


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


def show_path(path: Path) -> str:
    """A path as people know it: relative to the working directory where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (OSError, ValueError, RuntimeError):
        return str(path)
