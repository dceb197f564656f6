"""A prompt's config: which keys of it decide a call, in which form, and what is refused before anything is paid."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from evaluation.json_schema import schema_fault
from evaluation.records import Json

OWNED = ("model", "messages", "input", "n", "stream", "stream_options", "logprobs", "top_logprobs")
"""Keys of a call's body that are set by the tool."""
DEPRECATED = {"functions": "tools", "function_call": "tool_choice"}
"""Key of an earlier form of calls -> the one in its place."""
TOOLS, CHOICE, PARALLEL = "tools", "tool_choice", "parallel_tool_calls"
FORMAT = "response_format"
LIMIT, OTHER_LIMIT = "max_tokens", "max_completion_tokens"
"""Two names of one limit."""
TOOL_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
SCORED = "scored_field"
"""Key that names the field of a structured reply that is the response."""
_PATH = re.compile(r"[^.\s][^.\n]*(?:\.[^.\n]+)*")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What a key's value may be."""

    fits: Callable[[Json], bool]
    said: str


def _number(low: float, high: float) -> ValueForm:
    return ValueForm(lambda value: _is_number(value) and low <= value <= high, f"a number from {low:g} to {high:g}")


def _whole(low: int) -> ValueForm:
    return ValueForm(
        lambda value: _is_number(value) and low <= value <= 1e9 and value == int(value),
        f"a whole number from {low} up",
    )


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_stop(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _is_format(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    if value.get("type") != "json_schema":
        return value.get("type") in ("text", "json_object")
    named = value.get("json_schema")
    return (
        isinstance(named, Mapping) and isinstance(named.get("name"), str) and isinstance(named.get("schema"), Mapping)
    )


def _is_choice(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return value in ("none", "auto", "required")
    return isinstance(value.get("type"), str)


_TOOLS = ValueForm(
    lambda value: isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value),
    "a list of {type: function, function: {name, description, parameters}}",
)
_CHOICE = ValueForm(_is_choice, "none, auto, required or {type: function, function: {name}}")
_FLAG = ValueForm(lambda value: isinstance(value, bool), "true or false")
_TEXT = ValueForm(lambda value: isinstance(value, str) and bool(value.strip()), "a name")
_MAPPING = ValueForm(lambda value: isinstance(value, Mapping), "a mapping from name to value")
_FORMAT = ValueForm(_is_format, "{type: text}, {type: json_object} or {type: json_schema, json_schema: {name, schema}}")

SENT: Mapping[str, ValueForm] = {
    "temperature": _number(0, 2),
    "top_p": _number(0, 1),
    LIMIT: _whole(1),
    "frequency_penalty": _number(-2, 2),
    "presence_penalty": _number(-2, 2),
    "stop": ValueForm(_is_stop, "a text or a list of texts"),
    "reasoning_effort": _TEXT,
    OTHER_LIMIT: _whole(1),
    "top_k": _whole(-1),
    "min_p": _number(0, 1),
    "repetition_penalty": _number(0, 10),
    "logit_bias": _MAPPING,
    FORMAT: _FORMAT,
    "verbosity": _TEXT,
    "service_tier": _TEXT,
    "reasoning": _MAPPING,
    "thinking": _MAPPING,
    TOOLS: _TOOLS,
    CHOICE: _CHOICE,
    PARALLEL: _FLAG,
}
"""Key of a config that its calls are sent under that name -> its form."""
_READ: Mapping[str, ValueForm] = {
    "model": _TEXT,
    "variables": _MAPPING,
    "seed": _whole(0),
    "extra_body": _MAPPING,
    SCORED: ValueForm(lambda value: isinstance(value, str) and bool(_PATH.fullmatch(value)), "a path: reply, or a.0.b"),
}
"""Key that decides a call in another way -> its form."""
CONFIG_KEYS = ("model", *SENT, "seed", "extra_body", "variables", SCORED)
"""All that a config may hold: another key, unless it is ignored in so many words, would not be what runs."""


def unsent_keys(config: Mapping[str, Json], ignored: Collection[str]) -> list[str]:
    """The keys with a value that no call is sent: those that are unknown, and those that are to be ignored."""
    counted = _counted(config, ignored)
    given = [name for name, value in config.items() if value is not None]
    return [name for name in given if name not in CONFIG_KEYS or name not in counted]


def _counted(config: Mapping[str, Json], ignored: Collection[str]) -> dict[str, Json]:
    """What counts of a config; nobody can ignore what a call cannot be made without."""
    return {
        name: value
        for name, value in config.items()
        if value is not None and (name not in ignored or name in ("model", "variables", SCORED))
    }


def sent_parameters(config: Mapping[str, Json], ignored: Collection[str]) -> dict[str, Json]:
    """The parameters that a config gives to its calls, what stands under `extra_body` among them."""
    counted = _counted(config, ignored)
    extra = counted.get("extra_body") or {}
    found = {name: value for name, value in counted.items() if name in SENT}
    return {**{name: found[name] for name in SENT if name in found}, **_set_of(extra)}


def seed_of(config: Mapping[str, Json], ignored: Collection[str]) -> int:
    """The run's seed as a config gives it; 0 where it gives none."""
    return 0 if "seed" in ignored else int(config.get("seed") or 0)


def config_faults(config: Mapping[str, Json], ignored: Collection[str]) -> list[str]:
    """All that is wrong with a config, each as a clause with what to do; empty for one that runs as it stands."""
    counted = _counted(config, ignored)
    faults = [
        f"its config holds {name}, an earlier form that is no longer sent: write it as {DEPRECATED[name]}"
        for name in DEPRECATED
        if name in counted
    ]
    if others := [name[:_SHOWN] for name in counted if name not in CONFIG_KEYS and name not in DEPRECATED]:
        shown = ", ".join(f"{name} (did you mean {near}?)" if (near := _near(name)) else name for name in others)
        faults.append(
            f"its config holds {shown}, and no call is sent that: take it out, or, where no answer depends on it, "
            f"name it in EVAL_IGNORE_CONFIG={','.join(others)}; docs/prompts.md lists the keys that are sent"
        )
    for name, form in {**_READ, **SENT}.items():
        if name in counted and not form.fits(counted[name]):
            faults.append(f"{name} in its config is {str(counted[name])[:_SHOWN]!r}: make it {form.said}")
    if LIMIT in counted and OTHER_LIMIT in counted:
        faults.append(f"its config holds {LIMIT} and {OTHER_LIMIT}, two names of one limit: keep one")
    faults += [*_tool_faults(counted), *_format_faults(counted.get(FORMAT), counted.get(SCORED))]
    if isinstance(extra := counted.get("extra_body"), Mapping):
        faults += _extra_faults(extra)
    return faults


def _near(name: str) -> str:
    """The key that an unknown one may have meant; empty where none is like it."""
    return next(iter(get_close_matches(name, CONFIG_KEYS, n=1, cutoff=0.75)), "")


def _tool_faults(counted: Mapping[str, Json]) -> list[str]:
    listed, choice = counted.get(TOOLS), counted.get(CHOICE)
    if listed is None:
        return [
            f"its config holds {name} without {TOOLS}: write the tools, or take it out"
            for name in (CHOICE, PARALLEL)
            if name in counted
        ]
    if not _TOOLS.fits(listed):
        return []
    faults = [f"tool {place} in its config {why}" for place, each in enumerate(listed, 1) if (why := _tool_fault(each))]
    names = [function.get("name") for each in listed if isinstance(function := each.get("function"), Mapping)]
    if not faults and len(set(names)) < len(names):
        faults.append("two tools in its config have one name: give each its own")
    named = choice.get("function") if isinstance(choice, Mapping) else None
    if isinstance(named, Mapping) and named.get("name") not in names:
        faults.append(
            f"{CHOICE} in its config names {str(named.get('name'))[:_SHOWN]!r}, which is no tool of it: "
            f"choose one of {', '.join(map(str, names))[:_SHOWN]}"
        )
    return faults


def _tool_fault(tool: Mapping[str, Json]) -> str:
    """What is wrong with one tool; empty where nothing is."""
    function = tool.get("function")
    if tool.get("type") != "function" or not isinstance(function, Mapping):
        return "is no {type: function, function: {...}}: write it so, no other kind is played"
    name = function.get("name")
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        return f"has the name {str(name)[:_SHOWN]!r}: use letters, digits, _, ., : and -, at most 64"
    parameters = function.get("parameters")
    if parameters is not None and (why := schema_fault(parameters)):
        return f"({name}) has parameters that are no JSON schema: {why}"
    return ""


def _format_faults(given: Json, scored: Json) -> list[str]:
    if not _is_format(given) or given["type"] != "json_schema":
        return []
    schema = given["json_schema"]["schema"]
    if why := schema_fault(schema):
        return [f"the schema of response_format in its config is no JSON schema: {why}"]
    if isinstance(scored, str) and (known := _missing(schema, scored)) is not None:
        return [f"{SCORED} in its config is {scored[:_SHOWN]!r}, and the schema of response_format has {known} there"]
    return []


def _missing(schema: Mapping[str, Json], path: str) -> str | None:
    """What a schema names in the place of a path's first part that it does not know; None where it may have the path.

    Beyond plain properties and items (references, choices) anything may be.
    """
    part: Json = schema
    for name in path.split("."):
        properties = part.get("properties") if isinstance(part, Mapping) else None
        if isinstance(part, Mapping) and name.isdecimal() and isinstance(part.get("items"), Mapping):
            part = part["items"]
        elif isinstance(properties, Mapping) and name in properties:
            part = properties[name]
        elif isinstance(properties, Mapping) and part.get("additionalProperties") is False:
            return ", ".join(map(str, properties))[:_SHOWN] or "nothing"
        else:
            return None
    return None


def _extra_faults(extra: Mapping[str, Json]) -> list[str]:
    names = [str(name) for name in _set_of(extra)]
    faults = []
    if owned := [name for name in names if name in OWNED]:
        faults.append(f"extra_body in its config holds {', '.join(owned)}, which this tool sets: take it out")
    if deprecated := [name for name in names if name in DEPRECATED]:
        given = ", ".join(DEPRECATED[name] for name in deprecated)
        faults.append(f"extra_body in its config holds {', '.join(deprecated)}: write {given} beside extra_body")
    if known := [name for name in names if name in CONFIG_KEYS and name not in OWNED]:
        faults.append(f"extra_body in its config holds {', '.join(known)}: write it beside extra_body, not under it")
    return faults


def _set_of(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in extra.items() if value is not None}
