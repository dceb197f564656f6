"""A rubric that says only what differs from another one: both, or more of them in a row, as one text of its own.

Mappings are merged key by key, lists and single values are replaced whole, and a key whose value is null is taken out.
Cues and lists of phrases of an extended file that no adjustment uses any more are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.forms import SourceText, did_you_mean
from evaluation.text.yaml_text import ValuePath, load_yaml

EXTENDS = "extends"
OWN = ("version", "history")
"""What a file that extends another one says itself: scores of two rubrics are told apart by it."""
_UNREADABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML reads as line ends or not at all, and JSON leaves as they are."""


def extended_name(source: SourceText) -> str | None:
    """The rubric that this one extends, as its file names it; None where it stands for itself.

    Raises ParseError for a name that is none, and for a file that extends another one without a version of its own.
    """
    if EXTENDS not in source.text:
        return None  # spares most rubrics a second reading
    tree = load_yaml(source.text, source.place)
    if not isinstance(tree, dict) or EXTENDS not in tree:
        return None  # what is wrong with the rest is said by whoever reads the whole
    name = tree[EXTENDS]
    if not isinstance(name, str) or not name.strip():
        raise source.error((EXTENDS,), f"{name!r}: name a shipped rubric or a file")
    for key in OWN:
        if tree.get(key) is None:
            said = " and ".join(f"{each!r}" for each in OWN)
            raise source.error((EXTENDS,), f"needs {key!r} beside it: a rubric that extends another has its own {said}")
    return name


def join(sources: Sequence[SourceText]) -> SourceText:
    """A rubric and those that it extends, each by the one before it, as one text that needs none of their files.

    The text is JSON below a line that names the files. Raises ParseError for a file that is no mapping, and for a null
    that takes nothing out.
    """
    if len(sources) == 1:
        return sources[0]
    layers = tuple(Layer.of(source) for source in sources)
    tree = layers[-1].tree
    for layer in reversed(layers[:-1]):
        tree = _without_unused(_merged(layer, layer.tree, tree), layer.tree)
    names = " extends ".join(source.place.rpartition("/")[2] for source in sources)
    body = json.dumps(tree, ensure_ascii=False, indent=1)
    body = _UNREADABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", body)
    return JoinedText(f"# {' '.join(names.split())}\n{body}\n", sources[0].place, layers)


@dataclass(frozen=True, slots=True)
class Layer:
    """One of the files, and what it says beside the name of the one that it extends."""

    source: SourceText
    tree: dict[str, Json]

    @classmethod
    def of(cls, source: SourceText) -> "Layer":
        """A file as a layer. Raises ParseError for one that is no mapping."""
        tree = load_yaml(source.text, source.place)
        if not isinstance(tree, dict):
            raise ParseError(source.place, "holds no mapping that could be extended: name a rubric")
        return cls(source, {key: value for key, value in tree.items() if key != EXTENDS})


@dataclass(frozen=True, slots=True)
class JoinedText(SourceText):
    """The joined text. Its errors name the file and the line in which the value stands."""

    layers: tuple[Layer, ...] = field(default=())

    def at(self, path: ValuePath) -> str:
        """The place of a value: "file:line" of the first file that says it, or else most of the way to it."""
        nearest, furthest = self.layers[0], -1
        for layer in self.layers:
            steps, ends = _way(layer.tree, path)
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
    cues = _only(_mapping(tree, "cues"), {*_named("when", metrics), *_mapping(own, "cues")})
    return {**tree, **({"metrics": kept} if metrics else {}), **({"cues": cues} if "cues" in tree else {})}


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
