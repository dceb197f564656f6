"""The raw call behind an answer of an application, as a line of calls.jsonl, with the command that sends it again."""

import re
import shlex
from collections.abc import Mapping

from evaluation.records import Json

_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_NOT_VARIABLE = re.compile(r'(["\\`]|\$(?!\{[A-Za-z_][A-Za-z0-9_]*\}))')


def raw_line(scenario_id: str, repeat: int, turn: int, http: Mapping[str, Json]) -> dict[str, Json]:
    """One call: where it belongs, what was sent and came back, and `curl`, in which keys stand as ${NAME}.

    A request whose body was too long to be kept has no `curl`: it would send another one.
    """
    shown = {name: value for name, value in http.items() if name != "session"}
    line: dict[str, Json] = {"scenario_id": scenario_id, "repeat": repeat, "turn": turn, **shown}
    request = http.get("request")
    if not isinstance(request, dict) or request.get("cut"):
        return line
    return {**line, "curl": curl_of(request)}


def curl_of(request: Mapping[str, Json]) -> str:
    """A command of a POSIX shell that sends a request again; variables in its headers are read from the environment."""
    words = ["curl", "-X", request["method"]]
    for name, value in request["headers"].items():
        words += ["-H", f'"{_NOT_VARIABLE.sub(_escape, f"{name}: {value}")}"']
    if request["body"] is not None:
        named = any(name.lower() == "content-type" for name in request["headers"])
        words += [] if named else ["-H", "'content-type: application/json'"]
        words += ["--data-raw", shlex.quote(request["body"])]
    query = "&".join(f"{_percent(name)}={_percent(value)}" for name, value in request["query"].items())
    return " ".join([*words, shlex.quote(f"{request['url']}{query and '?'}{query}")])


def _percent(text: str) -> str:
    kept = (_UNRESERVED.fullmatch(each) is not None for each in text)
    return "".join(
        each if keep else "".join(f"%{byte:02X}" for byte in each.encode("utf-8", "replace"))
        for each, keep in zip(text, kept, strict=True)
    )


def _escape(match: "re.Match[str]") -> str:
    return f"\\{match[0]}"
