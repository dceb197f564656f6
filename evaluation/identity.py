"""Ids that follow from what they name: the same run, scenario and repeat always give the same trace."""

import hashlib

from evaluation.records import Scenario


def trace_id(run_id: str, scenario_id: str, repeat: int) -> str:
    """The trace of one cell: 32 hex digits, the start of the SHA-256 of "run_id|scenario_id|repeat"."""
    text = f"{run_id}|{scenario_id}|{repeat}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_id(run_id: str, scenario: Scenario, repeat: int) -> str | None:
    """The session of one conversation: "session-" and its trace id; None for a single turn.

    Plain ASCII and short whatever the scenario is called: longer session ids are dropped on their way to Langfuse.
    """
    if len(scenario.turns) < 2:
        return None
    return f"session-{trace_id(run_id, scenario.id, repeat)}"
