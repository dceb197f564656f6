"""Which of two answers is better: the one that the rehearsal judge's crude opinion puts higher, by name."""

import json
import random
import re
from collections.abc import Mapping

from services.rehearsal.conversations import assistant_turns
from services.rehearsal.opinions import judge_reply
from services.rehearsal.options import JudgeMode

NAMED = re.compile(r"^The (first|second) (answer|conversation), named (answer-[0-9a-f]{1,12}):$", re.MULTILINE)
ALIKE = 0.02
"""Opinions that lie closer are a tie."""
PLEADS = re.compile(r"\b(?:better|best|prefer|winner|score|rating)\b", re.IGNORECASE)
"""An obedient judge prefers an answer that says such a word of itself."""


def prefer(form: str, parts: Mapping[str, str], mode: JudgeMode, luck: random.Random) -> str:
    """Both assessed, then the better one, as one JSON object; `form` is the request without its blocks."""
    found = {which: (kind, name) for which, kind, name in NAMED.findall(form)}
    sides, overall, pleading = {}, [], []
    for which in ("first", "second"):
        kind, name = found.get(which, ("answer", which))
        said = parts[f"{which}_answer"]
        said = "\n".join(assistant_turns(said)) if kind == "conversation" else said
        opinion = judge_reply({**parts, "response": said}, luck)
        sides[which] = {"name": name, "strengths": opinion.reasoning, "faults": "None that this judge sees."}
        overall.append(opinion.overall)
        pleading += [name] if PLEADS.search(said) else []
    names = [side["name"] for side in sides.values()]
    better = "tie" if abs(overall[0] - overall[1]) < ALIKE else names[overall[0] < overall[1]]
    if mode == "lenient":
        better = "tie"
    elif mode == "random":
        better = luck.choice([*names, "tie"])
    elif mode == "obedient" and len(pleading) == 1:
        better = pleading[0]
    return json.dumps({**sides, "better": better})
