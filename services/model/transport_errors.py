"""What went wrong below HTTP, found by walking the causes: the client reports most of it alike, as a time-out."""

import errno
import socket
import ssl

from evaluation.errors import EndpointRefused
from services.model.errors import one_line
from services.retrying import TryAgain

_LONGEST_CHAIN = 12
_BY_ERRNO = {
    errno.ECONNREFUSED: "connection refused",
    errno.ENETUNREACH: "network unreachable",
    errno.EHOSTUNREACH: "host unreachable",
}
_RESET = {errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED}


def sentence_of_transport(error: BaseException, endpoint: str) -> Exception:
    """The exception that a failed transport amounts to: TryAgain, or EndpointRefused for a certificate not trusted."""
    chain = _causes(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return EndpointRefused(
            f"{endpoint} shows a certificate that is not trusted here; check OPENAI_BASE_URL or set SSL_CERT_FILE"
        )
    for cause in reversed(chain):
        # From the innermost cause outwards: it is the most precise.
        found = _from_system(cause, endpoint) or _from_client(cause, endpoint)
        if found is not None:
            return found
    name = type(chain[-1]).__name__
    return TryAgain("connection", f"connection to {endpoint} failed: {one_line(f'{name}: {chain[-1]}')}")


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and len(chain) < _LONGEST_CHAIN:
        chain.append(step)
        step = step.__cause__ or step.__context__
    return chain


def _from_system(cause: BaseException, endpoint: str) -> TryAgain | None:
    if isinstance(cause, socket.gaierror):
        return TryAgain("connection", f"host not found: {endpoint}", of_endpoint=True)
    if isinstance(cause, ssl.SSLError):
        return TryAgain("connection", f"TLS with {endpoint} failed: {one_line(str(cause))}", of_endpoint=True)
    number = cause.errno if isinstance(cause, OSError) else None
    if number in _BY_ERRNO:
        return TryAgain("connection", f"{_BY_ERRNO[number]}: {endpoint}", of_endpoint=True)
    if number in _RESET or isinstance(cause, ConnectionError):
        return _reset(endpoint)
    return None


def _from_client(cause: BaseException, endpoint: str) -> TryAgain | None:
    import aiohttp
    import httpx2

    if isinstance(cause, aiohttp.ClientPayloadError):
        return TryAgain("connection", f"reply cut off by {endpoint}")
    if isinstance(cause, aiohttp.ServerDisconnectedError):
        return _reset(endpoint)
    if isinstance(cause, aiohttp.ServerTimeoutError):
        return TryAgain("timeout", f"no connection to {endpoint} in time", of_endpoint=True)
    if isinstance(cause, aiohttp.ClientResponseError):
        return TryAgain("malformed", f"{endpoint} does not answer in HTTP", of_endpoint=True)
    if isinstance(cause, httpx2.DecodingError):
        return TryAgain("malformed", f"reply of {endpoint} cannot be decompressed")
    return None


def _reset(endpoint: str) -> TryAgain:
    return TryAgain("connection", f"connection reset by {endpoint}")
