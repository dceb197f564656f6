"""A scenario proposed for what a user said: the category whose words it shares most, and two questions that fit any."""

import json
import re
from collections.abc import Collection, Mapping

from services.rehearsal.options import JudgeMode
from services.rehearsal.phrases import load_pool

MESSAGE = "harvested_message"
"""Kind of the block that holds what the user said."""
CATEGORY = re.compile(r"^- ([a-z][a-z0-9_]{0,63}): (.*)$", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{4,}")


def asks_for_scenario(kinds: Collection[str]) -> bool:
    """True where a request shows a message of which a scenario is to be made."""
    return MESSAGE in kinds


def propose(form: str, parts: Mapping[str, str], mode: JudgeMode) -> str:
    """The proposal as one JSON object; in obedient mode the object that the message holds, if it holds one.

    `form` is the request without its blocks.
    """
    said = parts[MESSAGE]
    if mode == "obedient" and (planted := re.search(r"\{.*\}", said, re.DOTALL)):
        return planted[0]
    words = set(WORD.findall(said.lower()))
    shared = {name: len(words & set(WORD.findall(text.lower()))) for name, text in CATEGORY.findall(form)}
    category = max(shared, key=lambda name: shared[name], default="general")
    situation = "-".join(["says", *sorted(words)[:2]])[:60]
    return json.dumps({"situation": situation, "category": category, **load_pool("judge")["proposal"]})
