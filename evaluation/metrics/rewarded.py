"""The phrases that a rubric's rules reward, written out: what a reply would say that is made for the score."""

import re
from collections.abc import Iterator, Mapping, Sequence

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.steps import MARKS
from evaluation.metrics.utterance import Utterance, fold_phrase
from evaluation.records import Json
from evaluation.rubrics.rubric import Rubric

BESIDE = ("classes", "own_words", "unless")
"""Beginnings of the names of settings that are no phrases to be found: words that stand in rows, and guards."""
_CLASS = re.compile(r"<([a-z_]+)>")


def rewarded_phrases(rubric: Rubric) -> tuple[tuple[str, ...], ...]:
    """For every cue that adds to a metric and goes by lists, its phrases, each row of words written out once.

    Kept are the phrases by which a cue is found in a reply that says nothing else; where there is none of these, all.
    """
    found: dict[str, tuple[str, ...]] = {}
    alone: dict[object, tuple[str, ...]] = {}
    """Those by which a cue is found, which several metrics may use."""
    for metric in rubric.metrics.values():
        for use in metric.adjustments:
            settings = rubric.settings_of(use, metric)
            phrases = tuple(dict.fromkeys(_phrases(settings, settings)))
            if use.add > 0 and phrases:
                detect = CUES[use.when].prepare(settings)
                key = detect, phrases
                if key not in alone:
                    alone[key] = tuple(phrase for phrase in phrases if detect(Utterance("", phrase)))
                found[f"{use.when} {phrases[0]}"] = alone[key] or phrases
    return tuple(dict.fromkeys(found.values()))


def _phrases(value: Json, settings: Mapping[str, Json]) -> Iterator[str]:
    """Every phrase in the lists of a setting, at whatever depth."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not key.startswith(BESIDE):
                yield from _phrases(inner, settings)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for row in value:
            if isinstance(row, str):
                phrase = write_out(row, settings.get("classes") or {})
                if fold_phrase(phrase):
                    yield phrase
            else:
                yield from _phrases(row, settings)


def write_out(row: str, classes: Mapping[str, Sequence[str]]) -> str:
    """A row of words as somebody says it: the first of each choice, what may be absent too, and nothing for marks."""
    words = (word.removesuffix("?").split("|")[0] for word in row.split() if word not in MARKS)
    return " ".join(_first_member(word, classes) for word in words if word)


def _first_member(word: str, classes: Mapping[str, Sequence[str]]) -> str:
    named = _CLASS.fullmatch(word)
    if named is None:
        return word.replace("_", " ")
    members = classes.get(named[1], ())
    return str(members[0]) if members else word
