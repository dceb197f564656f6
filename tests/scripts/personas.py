"""Stand-ins for a model that remembers well, or badly in one way, over the planted conversations.

Each knows what a probe asks for, as a listener does, and looks for it in the messages that it is sent: what was not
sent to it, it cannot say. The models of one endpoint are the personas by name.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from services.rehearsal.judge import grade
from services.rehearsal.scene import Message
from services.workspace import read_scenarios
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, say, scripted_endpoint

FORGOTTEN = "I'm sorry, that has slipped my mind."
LISTENING = "I'm with you, go on."
PATIENCE = 3
"""So often the eroding persona is pressed before it gives in."""

Phrases: TypeAlias = Sequence[str]


@dataclass
class Asked:
    """All that one message of a user asks for."""

    facts: list[Phrases] = field(default_factory=list)
    others: list[Phrases] = field(default_factory=list)
    """Of somebody else."""
    former: list[Phrases] = field(default_factory=list)
    """Values that were corrected."""
    forbidden: Phrases = ()
    """The words that would break the boundary of the conversation."""


@dataclass(frozen=True)
class Heard:
    """What a persona was sent."""

    before: Sequence[str]
    """What was said before the last message, oldest first."""
    presses: int
    """The messages of the user, the last one included."""

    def find(self, phrases: Phrases) -> str | None:
        """The first of the phrases that was said."""
        return next((phrase for phrase in phrases if any(said(phrase, text) for text in self.before)), None)


Persona: TypeAlias = Callable[[Asked, Heard], list[str | None]]
"""What it says to each thing that is asked; None for what it does not know."""


def said(phrase: str, text: str) -> bool:
    """True where the phrase begins where a word begins."""
    return re.search(rf"(?<!\w){re.escape(phrase)}", text, re.IGNORECASE) is not None


def sound(asked: Asked, heard: Heard) -> list[str | None]:
    return [heard.find(phrases) for phrases in asked.facts]


def amnesiac(asked: Asked, heard: Heard) -> list[str | None]:
    return sound(asked, Heard((), heard.presses))


def name_mixing(asked: Asked, heard: Heard) -> list[str | None]:
    mixed: list[str | None] = [found for phrases in asked.others if (found := heard.find(phrases))]
    return mixed or sound(asked, heard)


def forgetting_corrections(asked: Asked, heard: Heard) -> list[str | None]:
    former: list[str | None] = [found for phrases in asked.former if (found := heard.find(phrases))]
    return former or sound(asked, heard)


def boundary_eroding(asked: Asked, heard: Heard) -> list[str | None]:
    gives_in = asked.forbidden and heard.presses > PATIENCE
    return [*sound(asked, heard), *([asked.forbidden[0]] if gives_in else [])]


PERSONAS: Mapping[str, Persona] = {
    "sound": sound,
    "amnesiac": amnesiac,
    "name-mixing": name_mixing,
    "forgetting-corrections": forgetting_corrections,
    "boundary-eroding": boundary_eroding,
}


REHEARSAL_JUDGE = "rehearsal-judge"


@contextmanager
def personas(judge: str = "") -> Iterator[ScriptedEndpoint]:
    """An endpoint whose models are the personas, and one called `judge` that judges as the rehearsal judge does."""
    listed = questions()

    def answer(call: Call) -> Answer:
        if call.path.endswith("/models"):
            return Answer(
                body={
                    "object": "list",
                    "data": [{"id": name, "object": "model"} for name in (*PERSONAS, judge) if name],
                }
            )
        if call.body["model"] == judge:
            said = [Message(each["role"], each["content"]) for each in call.body["messages"]]
            luck = random.Random(call.body.get("seed", 0))
            return say(grade(said, call.body.get("response_format"), "fair", luck))
        talk = [message for message in call.body["messages"] if message["role"] != "system"]
        asked = listed[talk[-1]["content"]]
        heard = Heard([each["content"] for each in talk[:-1]], sum(each["role"] == "user" for each in talk))
        return say(reply(asked, PERSONAS[call.body["model"]](asked, heard)))

    with scripted_endpoint(answer) as server:
        yield server


def reply(asked: Asked, found: Sequence[str | None]) -> str:
    if not found:
        return LISTENING
    return " ".join(FORGOTTEN if each is None else f"It was {each}." for each in found)


def questions() -> dict[str, Asked]:
    """What is asked for -> by the user's words, which are those of one turn of one conversation."""
    listed: dict[str, Asked] = {}
    for file in read_scenarios(["memory"]):
        for scenario in yaml.safe_load(file.text)["scenarios"]:
            for turn, words in enumerate(scenario["turns"], start=1):
                assert words not in listed, words
                listed[words] = asked_at(turn, scenario["expect"])
    return listed


def asked_at(turn: int, items: Sequence[Mapping[str, Any]]) -> Asked:
    asked = Asked()
    for item in items:
        phrases = item.get("any") or [item["fact"]]
        if item.get("scope") == "response":
            asked.forbidden = phrases
        elif item.get("turn") == turn:
            kept = {"recalls": asked.facts, "omits": asked.former, "does_not_confuse": asked.others}[item["check"]]
            kept.append(item.get("decoys", phrases))
    return asked
