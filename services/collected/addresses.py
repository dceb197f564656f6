"""Names of files of a collection: which of them are addresses, and how these are shown and kept without secrets.

An address may hold what opens it: user and password, or a signed query (`X-Amz-Signature=`, `sig=`, `token=`). What is
printed, and what stands in a file, goes through here.
"""

import hashlib
import re
from urllib.parse import parse_qsl

WEB = ("http", "https")
"""Protocols whose addresses name one file, and may have a query with signs of a pattern."""
WITH_CONTAINER = ("abfs", "abfss", "wasb", "wasbs")
"""Protocols in which a container, and no user, stands before the @."""
DIGITS = 16
"""Of the digest of what an address leaves out."""
_HOST = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+")
_NAMED_SECRET = re.compile(
    r"([\w-]*(?:sig|signature|token|secret|passw|credential|key)[\w-]*)(\s*=\s*|[\"']\s*:\s*)[^\s&,;]+", re.IGNORECASE
)
_SIGNING = re.compile(r"x-(amz|goog|oss|obs|cos)-.*", re.IGNORECASE)
"""Parameters that say who may read a file until when, and not which file it is; they change with each signature."""
_BESIDE = {
    "signature": {
        "signature",
        "expires",
        "policy",
        "key-pair-id",
        "awsaccesskeyid",
        "googleaccessid",
        "ossaccesskeyid",
    },
    "sig": {
        "sig",
        "se",
        "st",
        "sp",
        "sv",
        "sr",
        "ss",
        "srt",
        "spr",
        "sip",
        "skoid",
        "sktid",
        "skt",
        "ske",
        "sks",
        "skv",
    },
}
"""A parameter that is a signature -> those that belong to it."""


def is_remote(name: str) -> bool:
    """True for an address, False for a path of this machine."""
    return "://" in name


def is_web(name: str) -> bool:
    return name.partition("://")[0] in WEB and is_remote(name)


def shown(name: str) -> str:
    """An address without user, password, query and fragment; a path as it is."""
    return _HOST.sub(_without_user, name[: _end(name)]) if is_remote(name) else name


def kept(name: str) -> str:
    """`shown`, with a digest of what else tells this file from others: user, and query without a signature.

    So a new signature for the same file changes nothing.
    """
    rest = _rest(name) if is_remote(name) else ""
    digest = hashlib.sha256(rest.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{shown(name)} ({digest})" if rest else shown(name)


def without_secrets(text: str) -> str:
    """What others say of an address, without what opens it."""
    return _NAMED_SECRET.sub(r"\1\2***", _ADDRESS.sub(lambda found: shown(found[0]), text))


def _end(name: str) -> int:
    """Where the query or the fragment of an address begins. In a bucket, ? may be of a pattern, and # of a name."""
    signs = "?#" if any(f"{each}://" in name for each in WEB) else "?"
    places = [place for place, sign in enumerate(name) if sign in signs and (len(signs) > 1 or "=" in name[place:])]
    return places[0] if places else len(name)


def _without_user(found: re.Match[str]) -> str:
    protocol, host = found.groups()
    user, at, rest = host.rpartition("@")
    if protocol in WITH_CONTAINER and ":" not in user:
        return found[0]
    return f"{protocol}://{rest if at else host}"


def _rest(name: str) -> str:
    users = [host.rpartition("@")[0].partition(":")[0] for _, host in _HOST.findall(name[: _end(name)])]
    query = parse_qsl(name[_end(name) + 1 :], keep_blank_values=True)
    names = {key.lower() for key, _ in query}
    dropped = set[str]().union(*(beside for sign, beside in _BESIDE.items() if sign in names))
    left = [(key, value) for key, value in query if key.lower() not in dropped and not _SIGNING.fullmatch(key)]
    users = [user for user in users if user]
    return repr((users, sorted(left))) if users or left else ""
