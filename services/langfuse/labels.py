"""Labels of prompts in Langfuse: where one stands, moved once and read back, and what is said of it in a comment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from evaluation.errors import LabelUnconfirmed, UsageError
from services.langfuse.rest import FIRST_PAGE, KeysRefused, LangfuseRest, Rejected, Unknown
from services.retrying import TryAgain

LONGEST_COMMENT = 5000
"""Characters, by Langfuse's API document."""


@dataclass(frozen=True, slots=True)
class LabelStand:
    """The version that a label is on."""

    version: int
    prompt_id: str
    """Id of the version in Langfuse, to which comments belong; empty where the server does not say it."""


async def read_label(rest: LangfuseRest, name: str, label: str) -> LabelStand | None:
    """Where a label stands just now, uncached; None where no version has it.

    Raises UsageError for refused keys, a server that stays away, and an answer that is not Langfuse's.
    """
    return await _read(rest, name, {"label": label, "resolve": "false"})


async def read_version(rest: LangfuseRest, name: str, version: int) -> LabelStand | None:
    """A version by its number; None where there is none. Raises like `read_label`."""
    return await _read(rest, name, {"version": version, "resolve": "false"})


async def project_id(rest: LangfuseRest) -> str:
    """The id of the keys' project. Raises like `read_label`."""
    with _answers(rest):
        return str((await rest.get("projects"))["data"][0]["id"])


async def move_label(rest: LangfuseRest, name: str, label: str, to: int) -> None:
    """Puts a label on a version with one request, and reads back that it is there.

    Raises UsageError where Langfuse refuses it, so that nothing moved, and LabelUnconfirmed where that is not known.
    """
    path = f"v2/prompts/{quote(name, safe='')}/versions/{to}"
    why = ""
    try:
        await rest.send_once("PATCH", path, json={"newLabels": [label]})
    except KeysRefused as refused:
        if refused.status != 403:
            raise
        raise UsageError(
            f"{rest.where} does not let these keys move label {label!r} (403): it may be protected, or the keys may "
            "only read: have an admin of the project move it, or lift the protection"
        ) from None
    except Rejected as rejected:
        raise UsageError(f"{rest.where} refuses to move label {label!r} ({rejected}): nothing was moved") from None
    except Unknown as failure:
        why = f"{rest.where} {failure.message}"
    except TryAgain as failure:
        raise LabelUnconfirmed(f"label {label!r} was not moved: {rest.where} {failure.message}") from None
    try:
        stand = await read_label(rest, name, label)
    except UsageError as error:
        raise LabelUnconfirmed(f"it is not known whether label {label!r} was moved: {why or error}") from None
    if stand is None or stand.version != to:
        where = "no version" if stand is None else f"version {stand.version}"
        raise LabelUnconfirmed(f"label {label!r} is on {where} and not on {to}: {why or 'it was moved just now'}")


async def leave_comment(rest: LangfuseRest, stand: LabelStand, project: str, content: str, mark: str) -> None:
    """Leaves a comment on a version of a prompt, unless one that holds `mark` is there.

    Raises LabelUnconfirmed where it is not known to be there.
    """

    async def find() -> str | None:
        parameters: dict[str, Any] = {**FIRST_PAGE, "objectType": "PROMPT", "objectId": stand.prompt_id}
        async for row in rest.rows("comments", **parameters):
            if mark in row["content"]:
                return str(row["id"])
        return None

    body = {"projectId": project, "objectType": "PROMPT", "objectId": stand.prompt_id}
    try:
        if await find() is None:
            await rest.make("comments", {**body, "content": content[:LONGEST_COMMENT]}, find)
    except TryAgain as failure:
        raise LabelUnconfirmed(f"the comment is missing: {rest.where} {failure.message}") from None
    except (Rejected, KeysRefused) as refused:
        raise LabelUnconfirmed(f"the comment is missing: {refused}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise LabelUnconfirmed(f"the comment is missing: {_strange(rest, error)}") from None


async def _read(rest: LangfuseRest, name: str, chosen: Mapping[str, str | int]) -> LabelStand | None:
    with _answers(rest):
        try:
            found = await rest.get(f"v2/prompts/{quote(name, safe='')}", chosen)
        except Rejected as rejected:
            if rejected.status == 404:
                return None
            raise
        version, prompt_id = found["version"], found.get("id")
        if isinstance(version, bool) or not isinstance(version, int):
            raise ValueError("version")
        return LabelStand(version, prompt_id if isinstance(prompt_id, str) else "")


@contextmanager
def _answers(rest: LangfuseRest) -> Iterator[None]:
    """Raises UsageError where the server stays away inside, refuses what it is asked, or answers unlike Langfuse."""
    try:
        yield
    except TryAgain as failure:
        raise UsageError(f"{rest.where} {failure.message}: check LANGFUSE_BASE_URL and the server") from None
    except (Rejected, KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise _strange(rest, error) from None


def _strange(rest: LangfuseRest, error: Exception) -> UsageError:
    said = str(error) if isinstance(error, Rejected) else type(error).__name__
    return UsageError(f"{rest.where} does not answer like Langfuse ({said}): check LANGFUSE_BASE_URL")
