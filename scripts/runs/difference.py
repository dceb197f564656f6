"""In what two stored runs differ: their values, and their texts sentence by sentence, the first lines of each part."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import islice
from typing import Any

from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.run import JUDGE_PROMPT, prompt_from_json
from evaluation.runspec import differences
from evaluation.text.page import WIDTH
from evaluation.text.safe_text import wrap
from scripts.run.stored import find_stored, open_stored
from scripts.shell import DONE
from services.journal import StoredRun
from services.run_folder import INPUTS
from services.settings import Settings

MOST = 60
"""Changed lines and their neighbours of one part, unless the whole is asked for."""
LONGEST = 140
"""Characters that are compared as one."""
_ENDS = re.compile(r"(?<=[.!?]) (?=\S)|(?<=[。！？])|\n")
_PIECES = re.compile(rf".{{1,{LONGEST}}}(?: |$)|.{{1,{LONGEST}}}", re.DOTALL)


def diff_runs(options: argparse.Namespace, settings: Settings) -> int:
    """The parts of the run specifications that differ: what changed, and as JSON both values."""
    with open_stored(settings, options.runs[0]) as journal:
        first, second = (find_stored(journal, run_id) for run_id in options.runs)
    parts = differences(first.spec, second.spec)
    if options.json:
        values = first.spec.parts(), second.spec.parts()
        print(json.dumps({part: [each.get(part) for each in values] for part in parts}, indent=2))
        return DONE
    if not parts:
        print("they measure the same")
    for part in parts:
        print(part)
        lines = _changes(part, first, second)
        print("\n".join(lines if options.whole else islice(lines, MOST)) or "  equal but for line breaks")
        if left := sum(1 for _ in lines):
            print(f"  ... {left:,} more lines: add --whole, or read {INPUTS} of both runs")
    return DONE


def _changes(part: str, first: StoredRun, second: StoredRun) -> Iterator[str]:
    """Lines of at most a terminal's width, each with what left (-), what came (+), or what stands beside it."""
    if part == "scenarios":
        yield from _changed_scenarios(*(json.loads(run.inputs["scenarios"]) for run in (first, second)))
    else:
        # What stands beside an expectation is another one.
        around = 0 if part == "expectations" else 1
        yield from _changed(list(_lines(part, first)), list(_lines(part, second)), around)


def _lines(part: str, run: StoredRun) -> Iterator[str]:
    """One part of a run as lines: its values, and the text that they stand for."""
    spec, inputs = run.spec, run.inputs
    if part == "prompt" and "prompt" in inputs:
        yield from _prompt(inputs["prompt"])
    elif part == "scorer":
        yield f"the code that scores: {spec.scorer[:8]}"
    else:
        yield from _flat(part, spec.parts().get(part))
    if part == "judge" and JUDGE_PROMPT in inputs:
        yield from _prompt(inputs[JUDGE_PROMPT])
    if part == "rubric":
        yield from _pieces(inputs["rubric"])
    if part == "expectations":
        yield from _items(json.loads(inputs["scenarios"]))


def _items(scenarios: Iterable[Any]) -> Iterator[str]:
    """A line for each expectation of each scenario, with all that makes its question."""
    for scenario in scenarios:
        for item in scenario.get("expect", ()):
            marks = [item["kind"], *(["critical"] if item.get("critical") else [])]
            marks += [f"turn {item['turn']}"] if item.get("turn") else []
            rule = f" {item['check']} {json.dumps(item['settings'])}" if item.get("settings") else ""
            yield from _pieces(f"{scenario['id']} {item['id']} ({', '.join(marks)}): {item['question']}{rule}")


def _prompt(text: str) -> Iterator[str]:
    prompt: PromptVersion = prompt_from_json(json.loads(text))
    yield f"{prompt.pin.title}, from {prompt.pin.source}"
    yield from _flat("config", prompt.config)
    for message in prompt.messages:
        yield from _pieces(f"{message.role}: {message.content}")


def _flat(name: str, value: Json) -> Iterator[str]:
    """A value as lines that begin with its name, without hashes: the texts that they stand for are shown themselves."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key != "sha256":
                yield from _flat(f"{name}.{key}" if name else key, each)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value, start=1):
            yield from _flat(f"{name} {number}", each)
    else:
        yield from _pieces(f"{name}: {value if isinstance(value, str) else json.dumps(value)}")


def _pieces(text: str) -> Iterator[str]:
    """Sentences and lines, the long ones broken at words: of two long paragraphs only what differs is shown."""
    for sentence in _ENDS.split(text):
        *parts, last = _PIECES.findall(sentence) or [""]
        yield from (part.removesuffix(" ") for part in parts)
        yield last


def _changed(before: Sequence[str], after: Sequence[str], around: int = 1) -> Iterator[str]:
    """What differs, with so many lines `around` it; an ellipsis stands between places that lie apart."""
    found = islice(unified_diff(before, after, n=around, lineterm=""), 2, None)
    for number, line in enumerate(found):
        if line.startswith("@@"):
            yield from ("    ...",) if number and around else ()
        else:
            yield from _marked(line[0], line[1:])


def _changed_scenarios(before: Iterable[Any], after: Iterable[Any]) -> Iterator[str]:
    """Scenarios that went, came or changed, by their ids."""
    ours, theirs = ({each["id"]: each for each in scenarios} for scenarios in (before, after))
    for mark, these, others in (("-", ours, theirs), ("+", theirs, ours)):
        for name in these.keys() - others.keys():
            yield from _marked(mark, name)
    for name in ours:
        if name in theirs and ours[name] != theirs[name]:
            yield from _marked(" ", name)
            yield from _changed(list(_flat("", ours[name])), list(_flat("", theirs[name])), around=0)


def _marked(mark: str, text: str) -> Iterator[str]:
    """A text behind its mark, made safe for a terminal; blanks at its end as escapes, since nobody would see them."""
    plain = text.rstrip(" ")
    for number, line in enumerate(wrap(plain + "\\x20" * (len(text) - len(plain)), WIDTH - 4, LONGEST)):
        yield f"  {mark if not number else ' '} {line}".rstrip()
