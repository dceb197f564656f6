"""A scenario proposed for what a user said: the category whose words it shares most, and two questions that fit any."""

import json
import re

from services.rehearsal.options import JudgeMode
from services.rehearsal.phrases import load_pool

CATEGORY = re.compile(r"^- ([a-z][a-z0-9_]{0,63}): (.*)$", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{4,}")


def propose(form: str, said: str, mode: JudgeMode) -> str:
    """The proposal for what a user said as one JSON object; in obedient mode the object that stands in it, if any.

    `form` is the request without its blocks.
    """
    if mode == "obedient" and (planted := re.search(r"\{.*\}", said, re.DOTALL)):
        return planted[0]
    words = set(WORD.findall(said.lower()))
    shared = {name: len(words & set(WORD.findall(text.lower()))) for name, text in CATEGORY.findall(form)}
    category = max(shared, key=lambda name: shared[name], default="general")
    situation = "-".join(["says", *sorted(words)[:2]])[:60]
    return json.dumps({"situation": situation, "category": category, **load_pool("judge")["proposal"]})
