"""The records that travel, in the order in which they come to be.

Scenario -> Cell -> Request -> Reply | CallFailure -> Exchange -> Finding -> Score, Verdict, ItemAnswer -> Result.
All are frozen values; identity (row ids, hashes) belongs to storage.
"""

from evaluation.records.calls import CallFailure, NumberToken, Purpose, Reply, Request, Usage
from evaluation.records.results import (
    WHOLE,
    AnswerCalls,
    Exchange,
    Finding,
    ItemAnswer,
    Meaning,
    Outcome,
    Position,
    Result,
    Scope,
    Score,
    Source,
    State,
    Verdict,
    Where,
    finding_of,
)
from evaluation.records.scenarios import Cell, Expectation, Json, Scenario, ScriptedResult, ToolCall, Turn, of_turn

__all__ = [
    "WHOLE",
    "AnswerCalls",
    "CallFailure",
    "Cell",
    "Exchange",
    "Expectation",
    "Finding",
    "ItemAnswer",
    "Json",
    "Meaning",
    "NumberToken",
    "Outcome",
    "Position",
    "Purpose",
    "Reply",
    "Request",
    "Result",
    "Scenario",
    "Scope",
    "Score",
    "ScriptedResult",
    "Source",
    "State",
    "ToolCall",
    "Turn",
    "Usage",
    "Verdict",
    "Where",
    "finding_of",
    "of_turn",
]
