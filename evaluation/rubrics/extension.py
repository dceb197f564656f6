"""A rubric that says only what differs from another one: both, or more of them in a row, as one text of its own.

Mappings are merged key by key, lists and single values are replaced whole, and a key whose value is null is taken out.
Cues and lists of phrases of an extended file that no adjustment uses any more are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.forms import SourceText, did_you_mean
from evaluation.text.yaml_text import ValuePath, load_yaml

EXTENDS = "extends"
OWN = ("version", "history")
"""What a file that extends another one says itself: scores of two rubrics are distinguished by it."""
PROFILE = "profile"
_PROFILE = re.compile(r'(?m)^profile:.*(?:\n|\Z)|^ "profile": "[^"]*",\n')
"""Its line in a text, as a file says it or as it is joined."""
_FLOW = re.compile(r"(?:#.*\n)*\{")
"""The beginning of a text that is JSON."""
_UNREADABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML reads as line ends or not at all, and JSON leaves as they are."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One of the files, read once: what it says beside the name of the rubric that it extends."""

    source: SourceText
    value: Json
    """A mapping where the file is a rubric."""
    extends: str | None = None

    @classmethod
    def of(cls, source: SourceText) -> "Layer":
        """A file as a layer.

        Raises ParseError for a text that is not YAML, for a name of a rubric that is none, and for a file that extends
        another one without a version of its own.
        """
        value = load_yaml(source.text, source.place)
        if not isinstance(value, dict) or EXTENDS not in value:
            return cls(source, value)
        name = value[EXTENDS]
        if not isinstance(name, str) or not name.strip():
            raise source.error((EXTENDS,), f"{name!r}: name a shipped rubric or a file")
        said = " and ".join(f"{each!r}" for each in OWN)
        for key in OWN:
            if value.get(key) is None:
                needed = f"needs {key!r} beside it: a rubric that extends another has its own {said}"
                raise source.error((EXTENDS,), needed)
        return cls(source, {key: each for key, each in value.items() if key != EXTENDS}, name)

    @property
    def tree(self) -> dict[str, Json]:
        """The mapping. Raises ParseError for a file that is none."""
        if not isinstance(self.value, dict):
            raise ParseError(self.source.place, "holds no mapping that could be extended: name a rubric")
        return self.value


def join(layers: Sequence[Layer]) -> SourceText:
    """A rubric and those that it extends, each by the one before it, as one text that needs none of their files.

    The text is JSON below a line that names the files; that of a rubric which extends nothing is its own. Raises
    ParseError for a file that is no mapping, and for a null that takes nothing out.
    """
    own = layers[0].source
    if len(layers) == 1:
        return JoinedText(own.text, own.place, layers[0].value, tuple(layers))
    tree = layers[-1].tree
    for layer in reversed(layers[:-1]):
        tree = _without_unused(_merged(layer, layer.tree, tree), layer.tree)
    names = " extends ".join(layer.source.place.rpartition("/")[2] for layer in layers)
    body = _written(tree)
    body = _UNREADABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", body)
    return JoinedText(f"# {' '.join(names.split())}\n{body}\n", own.place, tree, tuple(layers))


def with_profile(source: SourceText, profile: str | None) -> SourceText:
    """The rubric under a profile, which its text then names: a run that keeps the text keeps the profile.

    None for the formulas as they are. One rubric under one profile has one text, whatever it named before: the profile
    stands in a line of its own.
    """
    bare = _PROFILE.sub("", source.text)
    flow = _FLOW.match(bare)
    if profile is None:
        text = bare
    elif flow:
        text = f'{flow[0]}\n "profile": "{profile}",{bare[flow.end() :]}'
    else:
        text = f"{bare.rstrip()}\nprofile: {profile}\n"
    if not isinstance(source, JoinedText) or not isinstance(source.tree, dict):
        return SourceText(text, source.place)
    tree = {key: value for key, value in source.tree.items() if key != PROFILE}
    return replace(source, text=text, tree=tree if profile is None else {**tree, PROFILE: profile})


_as_json = json.JSONEncoder(ensure_ascii=False).encode


def _written(value: Json, indent: str = "\n") -> str:
    """The value as JSON with each key on a line of its own."""
    if isinstance(value, list):
        # Most are texts, which JSON's own writer of lists takes twice as long for.
        return f"[{', '.join([_as_json(each) for each in value])}]"
    if not isinstance(value, dict) or not value:
        return _as_json(value)
    inner = indent + " "
    entries = [f"{_as_json(key)}: {_written(each, inner)}" for key, each in value.items()]
    return f"{{{inner}{f',{inner}'.join(entries)}{indent}}}"


@dataclass(frozen=True, slots=True)
class JoinedText(SourceText):
    """The joined text and its value. Its errors name the file and the line in which the value stands."""

    tree: Json
    layers: tuple[Layer, ...]

    def value(self) -> Json:
        return self.tree

    def at(self, path: ValuePath) -> str:
        """The place of a value: "file:line" of the first file that says it, or else most of the way to it."""
        nearest, furthest = self.layers[0], -1
        for layer in self.layers:
            steps, ends = _way(layer.value, path)
            if steps > furthest:
                nearest, furthest = layer, steps
            if ends:
                break  # what this file says there replaces what those that it extends say
        return nearest.source.at(path)


def _way(tree: Json, path: ValuePath) -> tuple[int, bool]:
    """How many steps of a path a file goes, and whether no file that it extends has a say in the rest."""
    ends = False
    for steps, step in enumerate(path):
        if not isinstance(tree, dict):
            ends = True
        if isinstance(tree, dict) and step in tree:
            tree = tree[str(step)]
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
        else:
            return steps, ends
    return len(path), True


def _merged(layer: Layer, own: Mapping[str, Json], under: Mapping[str, Json], path: ValuePath = ()) -> dict[str, Json]:
    """One mapping over another: first the keys of the extended one, in its order."""
    found: dict[str, Json] = dict(under)
    for key, value in own.items():
        below = under.get(key)
        if value is None:
            if key not in under:
                hint = did_you_mean(key, tuple(under))
                raise layer.source.error((*path, key), f"null takes out what is extended, which has no {key!r}{hint}")
            del found[key]
        elif isinstance(value, dict):
            found[key] = _merged(layer, value, below if isinstance(below, dict) else {}, (*path, key))
        else:
            found[key] = value
    return found


def _without_unused(tree: dict[str, Json], own: Mapping[str, Json]) -> dict[str, Json]:
    """The rubric without the cues and lists of phrases that it took over and does not use; what is its own stays."""
    metrics = _mapping(tree, "metrics")
    kept = {name: _metric_without_unused(metric, _mapping(own, "metrics", name)) for name, metric in metrics.items()}
    cues = _only(_mapping(tree, "cues"), _with_lenders({*_named("when", metrics), *_mapping(own, "cues")}, tree))
    return {**tree, **({"metrics": kept} if metrics else {}), **({"cues": cues} if "cues" in tree else {})}


def _with_lenders(cues: set[str], tree: Mapping[str, Json]) -> set[str]:
    """The cues, and those whose settings they share."""
    found: set[str] = set()
    while new := cues - found:
        found |= new
        cues = {name for cue in new for name in _strings(_mapping(tree, "cues", cue).get("with_settings_of"))}
    return found


def _strings(value: Json) -> Iterator[str]:
    yield from (each for each in (value if isinstance(value, list) else ()) if isinstance(each, str))


def _metric_without_unused(metric: Json, own: Mapping[str, Json]) -> Json:
    if not isinstance(metric, dict) or "lists" not in metric:
        return metric
    wanted = {*_named("list", metric.get("adjustments")), *_mapping(own, "lists")}
    return {**metric, "lists": _only(_mapping(metric, "lists"), wanted)}


def _only(mapping: Mapping[str, Json], wanted: set[str]) -> dict[str, Json]:
    return {name: value for name, value in mapping.items() if name in wanted}


def _mapping(tree: Mapping[str, Json], *path: str) -> Mapping[str, Json]:
    """The mapping at a place; empty where there is none."""
    found: Json = dict(tree)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _named(key: str, value: Json) -> Iterator[str]:
    """Every name that stands behind this key, at any depth: the cues of adjustments and of their conditions."""
    if isinstance(value, dict):
        named = value.get(key)
        if isinstance(named, str):
            yield named
        for each in value.values():
            yield from _named(key, each)
    elif isinstance(value, list):
        for each in value:
            yield from _named(key, each)
