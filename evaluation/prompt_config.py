"""A prompt's config: which keys of it decide a call, in which form, and what is refused before anything is paid."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from evaluation.records import Json

OWNED = (
    *("model", "messages", "input", "n", "stream", "stream_options", "logprobs", "top_logprobs"),
    *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
)
"""Keys of a call's body that are set by the tool, or that it cannot play."""
LIMIT, OTHER_LIMIT = "max_tokens", "max_completion_tokens"
"""Two names of one limit."""
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
    "response_format": _FORMAT,
    "verbosity": _TEXT,
    "service_tier": _TEXT,
    "reasoning": _MAPPING,
    "thinking": _MAPPING,
}
"""Key of a config that its calls are sent under that name -> its form."""
_READ: Mapping[str, ValueForm] = {
    "model": _TEXT,
    "variables": _MAPPING,
    "seed": _whole(0),
    "extra_body": _MAPPING,
}
"""Key that decides a call in another way -> its form."""
CONFIG_KEYS = ("model", *SENT, "seed", "extra_body", "variables")
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
        if value is not None and (name not in ignored or name in ("model", "variables"))
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
    faults = []
    if others := [name[:_SHOWN] for name in counted if name not in CONFIG_KEYS]:
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
    if isinstance(extra := counted.get("extra_body"), Mapping):
        faults += _extra_faults(extra)
    return faults


def _near(name: str) -> str:
    """The key that an unknown one may have meant; empty where none is like it."""
    return next(iter(get_close_matches(name, CONFIG_KEYS, n=1, cutoff=0.75)), "")


def _extra_faults(extra: Mapping[str, Json]) -> list[str]:
    names = [str(name) for name in _set_of(extra)]
    faults = []
    if owned := [name for name in names if name in OWNED]:
        faults.append(
            f"extra_body in its config holds {', '.join(owned)}, which this tool sets or does not play: take it out"
        )
    if known := [name for name in names if name in CONFIG_KEYS and name not in OWNED]:
        faults.append(f"extra_body in its config holds {', '.join(known)}: write it beside extra_body, not under it")
    return faults


def _set_of(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in extra.items() if value is not None}
