"""A scenario proposed for what a user said: the category whose words it shares most, and two questions that fit any."""

import json
import re
from collections.abc import Collection, Mapping

from services.rehearsal.options import JudgeMode

MESSAGE = "harvested_message"
"""Kind of the block that holds what the user said."""
CATEGORY = re.compile(r"^- ([a-z][a-z0-9_]{0,63}): (.*)$", re.MULTILINE)
WORD = re.compile(r"[^\W\d_]{4,}")


def asks_for_scenario(kinds: Collection[str]) -> bool:
    """True where a request shows a message of which a scenario is to be made."""
    return MESSAGE in kinds


def propose(asked: str, parts: Mapping[str, str], mode: JudgeMode) -> str:
    """The proposal as one JSON object; in obedient mode the object that the message holds, if it holds one."""
    said = parts[MESSAGE]
    if mode == "obedient" and (planted := re.search(r"\{.*\}", said, re.DOTALL)):
        return planted[0]
    words = set(WORD.findall(said.lower()))
    named = CATEGORY.findall(asked.split(said)[0])
    category = max(named, key=lambda each: len(words & set(WORD.findall(each[1].lower()))), default=("general", ""))[0]
    return json.dumps(
        {
            "situation": "-".join(["says", *sorted(words)[:2]])[:60],
            "category": category,
            "audience": "",
            "note": "Takes up what the user says and asks about it.",
            "expect": [
                {
                    "id": "takes-it-up",
                    "kind": "ask",
                    "question": "Does it take up what the user says?",
                    "critical": False,
                },
                {"id": "no-orders", "kind": "never", "question": "Does it give the user orders?", "critical": False},
            ],
        }
    )
