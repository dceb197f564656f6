"""Where the certificates of promotions lie: one file per promotion, under version control."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.runspec import digest
from services.run_folder import write_text
from services.text_files import TextFile, read_text

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_LARGEST = 8_000_000
_DIGITS = 12
"""Of a certificate's id, in the name of its file."""


def certificate_path(folder: Path, prompt: str, version: int, label: str, certificate_id: str) -> Path:
    """The file of a certificate. Names that are no plain file name get one that cannot be mistaken."""
    return folder / f"{_stem(prompt)}-v{version}-{_stem(label)}-{certificate_id[:_DIGITS]}.json"


def _stem(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return f"{_OTHER.sub('-', name).strip('-.')[:60]}-{digest(name)[:8]}".lstrip("-.")


def write_certificate(path: Path, text: str) -> None:
    """Writes the file whole or not at all, readable by everyone who may read the project: it holds no texts."""
    try:
        write_text(path, text)
        path.chmod(0o644)
    except UsageError as error:
        raise UsageError(str(error).replace("EVAL_RUNS_DIR", "EVAL_CERTIFICATES_DIR")) from None


def read_certificates(folder: Path) -> Iterator[TextFile]:
    """Every file of the folder that can be read, in the order of the names."""
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            yield read_text(path, _LARGEST)
        except UsageError:
            continue


def certificate_run_ids(folder: Path) -> set[str]:
    """The runs that certificates rest on, whatever else is in the files."""
    found: set[str] = set()
    for file in read_certificates(folder):
        try:
            runs = json.loads(file.text)["runs"]
            found.update(each["run_id"] for each in runs if isinstance(each["run_id"], str))
        except (ValueError, RecursionError, KeyError, TypeError):
            continue
    return found
