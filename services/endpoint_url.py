"""The base URL of an OpenAI-compatible endpoint: checked, taken apart, and reduced to an identity."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from evaluation.errors import UsageError

OPENAI_URL = "https://api.openai.com/v1"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class EndpointUrl:
    """The place of an endpoint, taken apart."""

    url: str
    """To call: as given, without user info, query and trailing slash."""
    identity: str
    """To show and to compare: lower-case scheme and host; no user info, default port, query or trailing slash."""
    user_info: tuple[str, str] | None
    """User name and password, sent in place of a key (a gateway that asks for them). Never shown."""
    query: dict[str, str]
    """Sent along with every call (some gateways ask for a version there)."""
    loopback: bool
    """True when it lies on this machine, where no proxy is asked."""

    @property
    def plain(self) -> bool:
        """True for a server on this machine with which no TLS is ever spoken.

        To read the system's certificates for it costs as much time as a hundred calls.
        """
        return self.loopback and self.url.startswith("http:")


def parse_endpoint_url(text: str, setting: str = "OPENAI_BASE_URL", example: str = OPENAI_URL) -> EndpointUrl:
    """Raises UsageError, without repeating user info, when the text is not an http or https URL with a host.

    `setting` is where the text came from.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{setting} cannot be read ({error}); expected for example {example}") from None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not host:
        raise UsageError(f"{setting} is not an http or https URL with a host; expected for example {example}")
    path = parts.path.rstrip("/")
    shown_host = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        shown_host = f"{shown_host}:{port}"
    return EndpointUrl(
        url=urlunsplit(SplitResult(scheme, parts.netloc.rpartition("@")[2], path, "", "")),
        identity=urlunsplit(SplitResult(scheme, shown_host, path, "", "")),
        user_info=None if parts.username is None else (unquote(parts.username), unquote(parts.password or "")),
        query=dict(parse_qsl(parts.query)),
        loopback=_is_loopback(host),
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
