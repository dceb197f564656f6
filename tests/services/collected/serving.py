"""A file on a web server of this machine, which breaks off, refuses or says nothing where a test asks for it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from services.rehearsal.wire import HttpRequest, HttpResponse
from tests.loopback import in_thread, listening

SECRETS = ("hunter2", "deadbeef", "Signature")
"""What the address of it holds beside its host, and nobody may see."""


@contextmanager
def serving(content: bytes, how: Mapping[str, Any] = MappingProxyType({})) -> Iterator[str]:
    """The address of a server whose every file is this one; gives pieces of it as they are asked for.

    `how` may change while it serves: found (status of a look), read (of a piece), look and manner (how these end),
    whole (says that it gives no pieces), deaf (gives none, and does not say so), gives (what pieces are of).
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if request.method == "HEAD":
            return HttpResponse(405, b"")
        wanted = request.headers.get("range")
        if wanted is None or how.get("whole") or how.get("deaf"):
            headers = (("Accept-Ranges", "none"),) if how.get("whole") else ()
            return HttpResponse(how.get("found", 200), content, headers, manner=how.get("look", "whole"))
        first, last = map(int, wanted.removeprefix("bytes=").split("-"))
        last = min(last, len(content) - 1)
        pieces = how.get("gives", content)
        piece = (("Content-Range", f"bytes {first}-{last}/{len(content)}"),)
        return HttpResponse(how.get("read", 206), pieces[first : last + 1], piece, manner=how.get("manner", "whole"))

    with in_thread(lambda: listening(respond)) as port:
        yield f"http://ann:hunter2@127.0.0.1:{port}/r.jsonl?X-Amz-Signature=deadbeef"
