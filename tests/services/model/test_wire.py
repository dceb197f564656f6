import errno
import socket
import ssl
from itertools import pairwise
from unittest.mock import Mock

import aiohttp
import httpx2
import pytest

from evaluation.errors import EndpointRefused
from services.model.wire import sentence_of_transport
from services.retrying import TryAgain

WHERE = "https://models.example/v1"


def chain(*errors: BaseException) -> BaseException:
    """The first error, caused by the second, caused by the third."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


def client_timeout(*causes: BaseException) -> BaseException:
    """As the transport reports nearly everything."""
    return chain(httpx2.ConnectTimeout("timed out"), *causes)


@pytest.mark.parametrize(
    ("error", "kind", "message", "of_endpoint"),
    [
        (client_timeout(ConnectionRefusedError(errno.ECONNREFUSED, "")), "connection", "connection refused: ", True),
        (client_timeout(OSError(errno.ECONNREFUSED, "Multiple")), "connection", "connection refused: ", True),
        (client_timeout(socket.gaierror(-2, "unknown")), "connection", "host not found: ", True),
        (client_timeout(OSError(errno.EHOSTUNREACH, "")), "connection", "host unreachable: ", True),
        (client_timeout(ssl.SSLError(1, "wrong version")), "connection", "TLS with ", True),
        (client_timeout(ConnectionResetError(errno.ECONNRESET, "")), "connection", "connection reset by ", False),
        (client_timeout(aiohttp.ServerDisconnectedError()), "connection", "connection reset by ", False),
        (client_timeout(aiohttp.ConnectionTimeoutError()), "timeout", "no connection to ", True),
        (chain(httpx2.ReadError("x"), aiohttp.ClientPayloadError("x")), "connection", "reply cut off by ", False),
        (aiohttp.ClientResponseError(Mock(), ()), "malformed", f"{WHERE} does not answer in HTTP", True),
        (httpx2.DecodingError("x"), "malformed", "reply of ", False),
        (httpx2.ReadError("odd\nthing"), "connection", "failed: ReadError: odd thing", False),
    ],
)
def test_the_innermost_cause_decides(error: BaseException, kind: str, message: str, of_endpoint: bool) -> None:
    found = sentence_of_transport(error, WHERE)
    assert isinstance(found, TryAgain)
    assert (found.kind, found.of_endpoint, found.throttled) == (kind, of_endpoint, False)
    assert message in found.message
    assert WHERE in found.message


def test_an_untrusted_certificate_ends_the_run() -> None:
    found = sentence_of_transport(client_timeout(ssl.SSLCertVerificationError(1, "self-signed")), WHERE)
    assert isinstance(found, EndpointRefused)
    assert "certificate" in str(found)


def test_causes_that_go_in_circles_end() -> None:
    first, second = httpx2.ReadError("first"), httpx2.ReadError("second")
    first.__cause__, second.__cause__ = second, first
    assert isinstance(sentence_of_transport(first, WHERE), TryAgain)
