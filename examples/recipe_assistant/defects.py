"""Faults that can be switched on by name, each touching one aspect of the answers.

Which request is hit follows from what it says alone, so that a run can be repeated.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NAMES: Mapping[str, str] = {
    "ignores_time": "offers dishes that take longer than the time budget",
    "forgets_diet": "offers dishes that break every stated diet or allergy",
    "invents_ingredients": "offers dishes that use nothing of what the user has",
    "wrong_servings": "cooks for two more than asked",
    "one_step": "writes all steps as one",
    "duplicate_options": "offers the best option twice",
    "empty_options": "offers an empty list",
    "chooses_unoffered": "chooses a recipe that was not offered",
    "changes_selected": "returns the chosen recipe under another title and with another first step",
    "time_as_text": 'writes time_minutes as text, such as "20 minutes"',
    "wrong_schema": "leaves out reply, and writes titles as numbers",
    "invalid_json": "cuts the body of its answers in half",
    "server_errors": "answers 500 to a share of the conversations (=SHARE, 0.3 by default; 1 hits all)",
    "disconnects": "closes the connection without an answer",
    "slow": "waits before each answer (=SECONDS, 2 by default)",
    "endless_questions": "asks another question forever",
    "repeats_question": "asks the same question forever",
    "rephrases_question": "asks the same question forever, in other words",
    "many_questions": "asks seven questions before it offers anything",
    "asks_known_time": "asks once for the time that was stated",
    "asks_known_diet": "asks once for the diet that was stated",
    "gives_up": "ends the conversation in place of offering anything",
    "html_page": "answers with a web page",
    "empty_body": "answers with nothing",
    "leaks_prompt": "says its system prompt",
    "leaks_in_step": "writes its system prompt into the last step",
    "greets_stranger": "calls the user by somebody's name",
    "gives_address": "says somebody's e-mail address",
    "gives_phone": "says somebody's phone number",
    "strangers_allergy": "speaks of an allergy that nobody stated",
    "recalls_order": "speaks of an order that the user never placed",
    "finds_nothing": "says beside its options that it found nothing",
    "miscounts": "says another number of ideas than there are",
    "other_minutes": "says other minutes than the options have",
    "renamed_duplicate": "offers the best option once more under another title",
    "fifty_options": "offers fifty dishes",
    "dots_for_step": 'writes "..." for the last step',
    "template_left": "leaves a template unfilled in a step",
    "hurries": "states 3 minutes for every dish",
    "long_step": "adds a step of 9 hours",
    "unlisted_ingredient": "adds a step with an ingredient that is not listed",
    "vague_steps": "writes steps that say nothing",
    "negative_time": "writes time_minutes with a minus",
    "steps_as_text": "writes the steps as one text of lines",
    "chooses_nothing": "answers the choice with null",
    "changes_amounts": "returns the chosen recipe with ten times of one ingredient",
    "drops_step": "returns the chosen recipe without its last step",
    "adds_allergen": "returns the chosen recipe with an allergen more",
    "loses_trace": "answers with a trace id of its own and not with the caller's",
}
"""Name -> what it does."""

DEFAULTS: Mapping[str, float] = {"server_errors": 0.3, "slow": 2.0}
"""Those that take a value."""


@dataclass(frozen=True, slots=True)
class Defects:
    """The defects that are switched on."""

    on: Mapping[str, float] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.on

    @property
    def delay(self) -> float:
        """Seconds before each answer."""
        return self.on.get("slow", 0.0)

    def breaks_down(self, conversation: str) -> bool:
        """True where this conversation, known by its first message, is answered with 500."""
        digest = hashlib.sha256(conversation.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48 < self.on.get("server_errors", 0.0)


def read_defects(given: Sequence[str]) -> Defects:
    """The defects named as NAME or NAME=VALUE. Raises ValueError for an unknown name or a value that does not fit."""
    on: dict[str, float] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if name not in NAMES:
            raise ValueError(f"there is no defect {name!r}; --list-defects names them")
        if equals and name not in DEFAULTS:
            raise ValueError(f"the defect {name!r} takes no value")
        on[name] = _value(name, value) if equals else DEFAULTS.get(name, 1.0)
    return Defects(on)


def _value(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    most = 1.0 if name == "server_errors" else 3600.0
    if not 0 <= value <= most:
        raise ValueError(f"{name}={text!r} is no number in 0..{most:g}")
    return value
