"""Whether anybody listens at an application's address: a connection is opened and closed, and nothing is sent."""

import asyncio
import ssl
from urllib.parse import urlsplit

from services.application.calls import words_of
from services.endpoint_url import EndpointUrl


async def unreachable(where: EndpointUrl, timeout_s: float) -> str:
    """Why no connection can be opened; empty where one can. For `https` the certificate is looked at too."""
    parts = urlsplit(where.url)
    secure = parts.scheme == "https"
    try:
        async with asyncio.timeout(timeout_s):
            _, writer = await asyncio.open_connection(
                parts.hostname,
                parts.port or (443 if secure else 80),
                ssl=ssl.create_default_context() if secure else None,
            )
    except TimeoutError:
        return f"no connection within {timeout_s:g} s"
    except OSError as error:
        return words_of(error)
    writer.close()
    return ""
