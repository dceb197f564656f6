"""Ids that follow from what they name: the same run, scenario and repeat always give the same trace."""

import hashlib

from evaluation.records import Scenario


def trace_id(run_id: str, scenario_id: str, repeat: int, attempt: int = 1) -> str:
    """The trace of one cell: 32 hex digits, the start of the SHA-256 of "run_id|scenario_id|repeat".

    A cell that was shown as failed and succeeded when the run was resumed has a trace of its own for each `attempt`,
    which from 2 on is part of the text.
    """
    text = f"{run_id}|{scenario_id}|{repeat}"
    return _hex(text if attempt == 1 else f"{text}|{attempt}", 32)


def observation_id(trace: str, part: str) -> str:
    """One observation of a trace, named by its part in it (root, turn-2, judge-2): 16 hex digits."""
    return _hex(f"{trace}|{part}", 16)


def experiment_id(run_id: str, repeat: int) -> str:
    """One repeat of a run as an experiment: 16 hex digits."""
    return _hex(f"experiment|{run_id}|{repeat}", 16)


def score_id(target: str, name: str) -> str:
    """One score of one target (an observation or an experiment): 32 hex digits. Sending it again replaces it."""
    return _hex(f"score|{target}|{name}", 32)


def exchange_id(trace: str, turn: int) -> str:
    """One response to be evaluated: 32 hex digits. Every evaluation of it, by whomever, names it."""
    return _hex(f"exchange|{trace}|{turn}", 32)


def eval_id(exchange: str, reviewer: str = "") -> str:
    """One evaluation of one response, by its run or by a reviewer: 32 hex digits. Doing it again replaces it."""
    return _hex(f"eval|{exchange}|{reviewer}", 32)


def session_id(run_id: str, scenario: Scenario, repeat: int) -> str | None:
    """The session of one conversation: "session-" and its trace id; None for a single turn.

    Plain ASCII and short whatever the scenario is called: longer session ids are dropped on their way to Langfuse.
    """
    if len(scenario.turns) < 2:
        return None
    return f"session-{trace_id(run_id, scenario.id, repeat)}"


def _hex(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
