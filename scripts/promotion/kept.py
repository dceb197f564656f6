"""Certificates as they lie in their folder, and what promoting and taking back share."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.decision.certificate import Certificate, parse_certificate
from evaluation.errors import ParseError, UsageError
from evaluation.records import Json
from scripts.shell import note, printable
from services.certificates import read_certificates
from services.langfuse.asking import need_keys
from services.langfuse.labels import LabelStand, leave_comment
from services.langfuse.rest import QUICK, QUICK_SECONDS, LangfuseRest
from services.settings import Settings
from services.text_files import TextFile, read_text

LABEL = re.compile(r"[a-z0-9_.-]{1,36}")
"""A label that Langfuse takes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A certificate and the file that it lies in."""

    certificate: Certificate
    path: Path


def open_rest(settings: Settings) -> LangfuseRest:
    """Langfuse, where labels are kept, as patient as people who wait for it. Raises UsageError without keys."""
    access = need_keys(settings.langfuse, "labels are kept in Langfuse, and without it nothing can be promoted")
    return LangfuseRest(access, backoff=QUICK, attempt_seconds=QUICK_SECONDS)


async def comment_on(rest: LangfuseRest, stand: LabelStand | None, project: str, text: str, mark: str) -> bool:
    """Leaves a comment on a version, once by its mark; False where the server does not say the version's id.

    Raises LabelUnconfirmed.
    """
    if stand is None or not stand.prompt_id:
        note(f"{rest.where} does not say the id of the version: no comment could be left on it")
        return False
    await leave_comment(rest, stand, project, text, mark)
    return True


def check_label(label: str) -> str:
    """Raises UsageError for a label that Langfuse does not take, or moves by itself."""
    if not LABEL.fullmatch(label):
        raise UsageError(f"label {label[:80]!r}: Langfuse takes 1 to 36 of a-z 0-9 _ . -")
    if label == "latest":
        raise UsageError("label 'latest' is always on the newest version: Langfuse moves it by itself")
    return label


def read_kept(path: Path) -> Kept:
    """The certificate in a file. Raises UsageError, or ParseError for one that is none."""
    file = read_text(path)
    return Kept(parse_certificate(file.text, file.place), path)


def kept_certificates(folder: Path) -> Iterator[Kept]:
    """Every certificate of a folder whose id is that of its content."""
    for file in read_certificates(folder):
        kept = _kept(file)
        if kept is not None and kept.certificate.id == kept.certificate.content_id():
            yield replace(kept, path=folder / file.path.name)


def _kept(file: TextFile) -> Kept | None:
    try:
        return Kept(parse_certificate(file.text, file.place), file.path)
    except ParseError:
        return None


def say(lines: list[str], answer: Json, *, as_json: bool) -> None:
    """The answer of the command, for people or as JSON."""
    if as_json:
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        print("\n".join(map(printable, lines)))
