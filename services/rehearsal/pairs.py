"""Which of two answers is better: the one that the rehearsal judge's crude opinion puts higher, by name."""

import json
import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from services.rehearsal.conversations import assistant_turns
from services.rehearsal.options import JudgeMode

FIRST, SECOND = "first_answer", "second_answer"
"""Kinds of the blocks that hold the answers."""
NAMED = re.compile(r"^The (first|second) (answer|conversation), named (answer-[0-9a-f]{1,12}):$", re.MULTILINE)
ALIKE = 0.02
"""Opinions that lie closer are a tie."""
PLEADS = re.compile(r"\b(?:better|best|prefer|winner|score|rating)\b", re.IGNORECASE)
"""An obedient judge prefers an answer that says such a word of itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the two."""

    name: str
    text: str
    """All that the assistant said in it."""


def are_two_answers(kinds: Collection[str]) -> bool:
    """True where a request shows two answers side by side."""
    return FIRST in kinds and SECOND in kinds


def read_two(asked: str, parts: Mapping[str, str]) -> list[Answer]:
    """The answers in the order in which they stand, each with the name that the request gives it outside the blocks."""
    found = {which: (kind, name) for which, kind, name in NAMED.findall(_without(asked, parts.values()))}
    answers = []
    for which, block in (("first", FIRST), ("second", SECOND)):
        kind, name = found.get(which, ("answer", which))
        said = assistant_turns(parts[block]) if kind == "conversation" else [parts[block]]
        answers.append(Answer(name, "\n".join(said)))
    return answers


def _without(asked: str, blocks: Collection[str]) -> str:
    for text in blocks:
        asked = asked.replace(f"\n{text}\n", "\n")
    return asked


def prefer(two: Sequence[Answer], opinions: Sequence[tuple[float, str]], mode: JudgeMode, luck: random.Random) -> str:
    """Both assessed, then the better one, as one JSON object; `opinions` are the overall and what was seen of each."""
    (first, seen), (second, other) = opinions
    better = "tie" if abs(first - second) < ALIKE else two[first < second].name
    pleading = [answer.name for answer in two if PLEADS.search(answer.text)]
    if mode == "lenient":
        better = "tie"
    elif mode == "random":
        better = luck.choice([*(answer.name for answer in two), "tie"])
    elif mode == "obedient" and len(pleading) == 1:
        better = pleading[0]
    sides = {
        which: {"name": answer.name, "strengths": said, "faults": "None that this judge sees."}
        for which, answer, said in zip(("first", "second"), two, (seen, other), strict=True)
    }
    return json.dumps({**sides, "better": better})
