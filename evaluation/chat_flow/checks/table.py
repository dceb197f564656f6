"""The checks by name, in the order of every table. A new one is a function and a line here."""

from collections.abc import Mapping

from evaluation.chat_flow.checks.dietary import DIETARY
from evaluation.chat_flow.checks.ingredient_overlap import INGREDIENT_OVERLAP
from evaluation.chat_flow.checks.options import NO_DUPLICATES, OPTIONS_PRESENT, SCHEMA
from evaluation.chat_flow.checks.outcome import Check
from evaluation.chat_flow.checks.quantities import SERVINGS, STEPS_PRESENT, TIME_BUDGET
from evaluation.chat_flow.checks.reliability import LATENCY, NO_FAULT
from evaluation.chat_flow.checks.selection import CONSISTENCY

CHECKS: Mapping[str, Check] = {
    check.name: check
    for check in (
        OPTIONS_PRESENT,
        INGREDIENT_OVERLAP,
        TIME_BUDGET,
        DIETARY,
        SERVINGS,
        STEPS_PRESENT,
        CONSISTENCY,
        NO_DUPLICATES,
        SCHEMA,
        NO_FAULT,
        LATENCY,
    )
}
