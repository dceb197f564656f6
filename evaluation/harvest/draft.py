"""A draft of a scenario: what a person reads, edits, and accepts or rejects."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.harvest.candidate import Candidate
from evaluation.harvest.choice import Chosen
from evaluation.harvest.masking import Masked, mask
from evaluation.judging.checking import signs_of_injection
from evaluation.records import Expectation, Json, Scenario, Turn
from evaluation.runspec import digest
from evaluation.scenarios.nearest import COVERED
from evaluation.text.function_words import FUNCTION_WORDS

TAG = "harvested"
_AGE = re.compile(
    r"\b(?:i'?m|i am|as an?|i just turned)(?: an?)? ([1-9][0-9])"
    r"(?: ?[-–]? ?(?:years?|yrs?)[- ]old| ?yo\b| now| already|(?=[ ]?[.,!;]|$))",
    re.IGNORECASE,
)
_BESIDE_CHECKS = frozenset({"recalls", "does_not_confuse"})
"""Checks about facts of another scenario's conversation."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a scenario would say beside the user's words."""

    situation: str = ""
    category: str = ""
    audience: str = ""
    note: str = ""
    expect: tuple[Json, ...] = ()
    """Items as a scenario file writes them."""
    by: str = ""
    """Who proposes it, in words."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft, its texts masked."""

    id: str
    turns: tuple[str, ...]
    history: tuple[Turn, ...]
    proposal: Proposal
    why: tuple[str, ...]
    response: str
    ideal: str
    masked: Mapping[str, int]
    look_at: tuple[str, ...]
    trace_id: str = ""
    observation_id: str = ""
    url: str = ""
    source: str = ""
    """The file or dataset that it comes from."""
    warnings: tuple[str, ...] = field(default=())
    """Signs that a text speaks to a judge."""

    def to_json(self) -> Json:
        """As a drafts file holds it: first what a person decides, then the scenario, then where it comes from."""
        proposal = self.proposal
        scenario = {
            "id": self.id,
            "accept": None,
            "by": None,
            "decided": None,
            "into": None,
            "category": proposal.category or None,
            "situation": proposal.situation or None,
            "audience": proposal.audience or None,
            "turns": list(self.turns),
            "history": [{"role": turn.role, "content": turn.content} for turn in self.history],
            "tags": [TAG],
            "note": proposal.note or None,
            "expect": list(proposal.expect),
        }
        origin = {
            "source": self.source,
            "trace": self.trace_id,
            "observation": self.observation_id,
            "url": self.url,
            "why": list(self.why),
            "response": self.response,
            "ideal": self.ideal,
            "masked": dict(self.masked),
            "look_at": list(self.look_at),
            "warnings": list(self.warnings),
            "proposed_by": proposal.by,
        }
        kept = {key: value for key, value in scenario.items() if value not in ([], {}) or key == "turns"}
        return {**kept, TAG: {key: value for key, value in origin.items() if value not in ("", [], {}, None)}}


def make_draft(chosen: Chosen, source: str, url: str, nearest: Scenario | None) -> Draft:
    """The draft of a message, masked, with what the nearest scenario proposes."""
    candidate = chosen.candidate
    masked = mask(
        [candidate.message, *(turn.content for turn in candidate.context), candidate.response, candidate.ideal]
    )
    message, *before, response, ideal = masked.texts
    covered = nearest if chosen.guess.is_covered else None
    return Draft(
        id=_identity(candidate, message, masked),
        turns=(message,),
        history=tuple(Turn(turn.role, text) for turn, text in zip(candidate.context, before, strict=True)),
        proposal=_of_nearest(covered, chosen, message),
        why=chosen.why,
        response=response,
        ideal=ideal,
        masked=masked.replaced,
        look_at=masked.look_at,
        trace_id=candidate.trace_id,
        observation_id=candidate.observation_id,
        url=url,
        source=source,
        warnings=tuple(sorted({sign for text in masked.texts for sign in signs_of_injection(text)})),
    )


def with_proposal(draft: Draft, proposal: Proposal) -> Draft:
    """The draft with another proposal; what that one does not say stays."""
    own = draft.proposal
    return replace(
        draft,
        proposal=Proposal(
            situation=proposal.situation or own.situation,
            category=proposal.category or own.category,
            audience=proposal.audience or own.audience,
            note=proposal.note or own.note,
            expect=proposal.expect or own.expect,
            by=proposal.by or own.by,
        ),
    )


def _of_nearest(nearest: Scenario | None, chosen: Chosen, message: str) -> Proposal:
    """Where a scenario covers the message, its situation, note and items; else a guess of the category."""
    age = _AGE.search(message)
    audience = f"a person of {age[1]} years" if age else ""
    if nearest is None:
        share = chosen.guess.categories.get(chosen.guess.category)
        by = f"a guess of the category ({share:.0%})" if share else ""
        return Proposal(category=chosen.guess.category, audience=audience, by=by)
    return Proposal(
        situation=nearest.cluster,
        category=nearest.category,
        audience=audience or nearest.audience,
        note=nearest.note,
        expect=tuple(item_to_form(item) for item in nearest.expect if _holds_elsewhere(item)),
        by=f"scenario {nearest.id}, likeness {chosen.guess.similarity:.2f} (from {COVERED:g} on)",
    )


def _holds_elsewhere(item: Expectation) -> bool:
    """True for an item of the scenario's own that says nothing of its further turns or its facts."""
    return item.origin == "scenario" and item.turn <= 1 and item.check not in _BESIDE_CHECKS


def item_to_form(item: Expectation) -> dict[str, Json]:
    """An item as a scenario file writes it."""
    found: dict[str, Json] = {"id": item.id}
    if item.kind == "check":
        found |= {"check": item.check, **item.settings, **({"ask": item.question} if item.question else {})}
    else:
        found[item.kind] = item.question
    found |= {"critical": True} if item.critical else {}
    found |= {"turn": item.turn} if item.turn else {}
    return found | ({"scope": "response"} if item.scope == "response" and item.kind != "check" else {})


def _identity(candidate: Candidate, message: str, masked: Masked) -> str:
    """Three of its words, none of them a stand-in, and a hash of where it comes from: the same at each harvest."""
    replaced = {word.lower() for each in masked.replaced for word in re.findall(r"[A-Za-z]+", each)}
    words = [word for word in re.findall(r"[a-z]{3,12}", message.lower()) if word not in FUNCTION_WORDS | replaced]
    return "-".join([TAG, *words[:3], digest(candidate.key)[:8]])
