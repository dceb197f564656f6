"""Files that lie elsewhere, through fsspec: whatever goes wrong there is one line that names the address.

Each back end has errors of its own (botocore's ClientError, aiohttp's ClientResponseError, gcsfs' HttpError): they are
known by the HTTP status that they carry, and by their kind.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from evaluation.errors import EvaluationError, LinesNotScored, UsageError
from services.collected.addresses import WEB, is_web, shown, without_secrets

SILENCE_S = 60.0
"""The longest that a web server may say nothing. Clients of other protocols have limits of their own."""
BUFFER = 1_000_000
"""Bytes that are asked for at a time."""
LONGEST = 200
"""Characters of what a back end says."""
_BROKEN = ("ClientPayloadError", "ServerDisconnectedError", "IncompleteRead", "ResponseStreamingError")
_UNREACHED = ("ClientConnectorError", "EndpointConnectionError", "ConnectionRefusedError", "gaierror")
_NO_PIECES = re.compile("support range requests|Cannot seek")
_NO_KEYS = ("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError")


def system_of(name: str) -> tuple[Any, str]:
    """Who reaches an address, and what it is called there. Raises UsageError where nobody installed does."""
    import fsspec

    try:
        with reached(name):
            system, path = fsspec.core.url_to_fs(name, **_bounded(name))
    except ImportError as error:
        raise UsageError(
            f"{shown(name)}: a package is missing that reaches it ({error}): install it beside fsspec"
        ) from None
    except ValueError as error:
        said = without_secrets(str(error))
        raise UsageError(
            f"{shown(name)}: is no address ({said}): give a path, or one of s3://, gs://, https://"
        ) from None
    return system, str(path)


def _bounded(name: str) -> dict[str, Any]:
    """Has a web server's silence end; what the user's own configuration of fsspec says of its client goes first."""
    import fsspec

    found: dict[str, Any] = {}
    for protocol in WEB:
        if f"{protocol}://" in name:
            import aiohttp

            limit = aiohttp.ClientTimeout(total=None, sock_connect=SILENCE_S, sock_read=SILENCE_S)
            own = fsspec.config.conf.get(protocol, {}).get("client_kwargs", {})
            found[protocol] = {"client_kwargs": {"timeout": limit, **own}}
    return found


@contextmanager
def reached(name: str, what: str = "") -> Iterator[None]:
    """Makes one UsageError of whatever a back end raises, but of a missing package and a name that is no address.

    `what` says what was tried, where it is not to read.
    """
    try:
        yield
    except (EvaluationError, ImportError):
        raise
    except Exception as error:
        if type(error) is ValueError and not is_web(name):
            raise
        raise UsageError(f"{shown(name)}: {what}{': ' * bool(what)}{why(error)}") from None


@contextmanager
def at_work() -> Iterator[None]:
    """Makes of a UsageError that what comes of it stays: the work had begun."""
    try:
        yield
    except UsageError as error:
        raise LinesNotScored(f"{error}; the same command goes on with the parts that are not done") from None


def gives_pieces(name: str, size: int) -> bool:
    """False for a web server that sends a whole file whatever it is asked for. Raises UsageError."""
    if not is_web(name):
        return True
    system, path = system_of(name)
    with reached(name), system.open(path, "rb") as file:
        try:
            file.seek(size - 1)
            file.read(1)
        except ValueError as error:
            if _NO_PIECES.search(str(error)):
                return False
            raise
    return True


@contextmanager
def opened_there(name: str, *, whole: bool = False) -> "Iterator[io.BufferedReader[Any]]":
    """The file of an address for reading. Raises UsageError, also while it is read.

    `whole` is for one of which no pieces are given: it can only be read from its beginning on.
    """
    system, path = system_of(name)
    with reached(name):
        file = system.open(path, "rb", **({"block_size": 0} if whole and is_web(name) else {}))
    try:
        with io.BufferedReader(_Source(name, file), BUFFER) as source:
            yield source
    finally:
        with suppress(Exception):  # what was read is read
            file.close()


class _Source(io.RawIOBase):
    """A file of a back end. One that ends before its size is no shorter file, but a broken one."""

    def __init__(self, name: str, file: Any) -> None:
        self._name, self._file, self._at = name, file, 0
        self._size = getattr(file, "size", None)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        with reached(self._name):
            block = self._file.read(len(buffer))
        if not block and self._size is not None and self._at < self._size:
            raise UsageError(
                f"{shown(self._name)}: ends after {self._at:,} of {self._size:,} bytes: it has changed, or its server "
                "is at fault"
            )
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)

    def seek(self, place: int, whence: int = 0) -> int:
        with reached(self._name):
            self._file.seek(place, whence)
            self._at = self._file.tell()
        return self._at


def why(error: BaseException) -> str:
    """What happened and what to do, in words without a secret, from what a back end raised."""
    chain = list(_causes(error))
    status = next((found for each in chain if (found := _status(each)) is not None), None)
    code = "" if status is None else f" (HTTP {status})"
    if status in (401, 403) or (status is None and any(isinstance(each, PermissionError) for each in chain)):
        return f"access is refused{code}: look at this machine's keys, or whether a signed address has expired"
    if status in (404, 410):
        return f"is not there{code}: look at the address"
    if status is not None and (status == 429 or status >= 500):
        return f"its server cannot answer now{code}: try again later"
    kinds = [kind.__name__ for each in chain for kind in type(each).__mro__]
    if any(isinstance(each, TimeoutError) for each in chain):
        return f"its server says nothing (for {SILENCE_S:g} s): try again later"
    if not set(_UNREACHED).isdisjoint(kinds):
        return "its server cannot be reached: look at the address, and at the network"
    if any(isinstance(each, ConnectionError) for each in chain) or not set(_BROKEN).isdisjoint(kinds):
        return "the connection breaks off: try again"
    if not set(_NO_KEYS).isdisjoint(kinds):
        return "no keys are found that open it: set those of its protocol"
    if status is None and any(isinstance(each, FileNotFoundError) for each in chain[-1:]):
        return "is not there: look at the address"
    if _NO_PIECES.search(str(error)):
        return "its server gives no pieces of a file: load it down first, and name the file on this machine"
    said = " ".join("".join(char if char.isprintable() else " " for char in without_secrets(str(error))).split())
    return f"cannot be read ({type(error).__name__}{': ' * bool(said)}{said[:LONGEST]}){code}: look at the address"


def _causes(error: BaseException) -> Iterator[BaseException]:
    step: BaseException | None = error
    for _ in range(8):
        if step is None:
            return
        yield step
        step = step.__cause__ or step.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status that an error carries, in the forms of aiohttp, gcsfs, azure and botocore."""
    response = getattr(error, "response", None)
    about = response.get("ResponseMetadata") if isinstance(response, dict) else None
    if isinstance(about, dict):
        return _fault(about.get("HTTPStatusCode"))
    # One after the other: some warn of a name that is not theirs any more.
    found = (_fault(getattr(error, name, None)) for name in ("status", "status_code", "code"))
    return next((status for status in found if status is not None), None)


def _fault(status: object) -> int | None:
    return int(str(status)) if str(status).isdecimal() and 400 <= int(str(status)) < 600 else None
