"""Scoring by a base and adjustments: the arithmetic of a rubric's metric of kind `adjustments`.

The value is the base plus the amount of every adjustment whose cues are all found, held within the scale. An amount
is the adjustment's `add` times the strength of the strongest finding of its cue.
"""

from collections.abc import Callable
from typing import TypeAlias

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect, Findings
from evaluation.metrics.explained import Explained, Term, clamped, term_text
from evaluation.metrics.quoting import number
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.rubric import Adjustment, Condition, Metric

Rule: TypeAlias = Callable[[Utterance], Explained]
"""Scores one utterance on one metric."""
DECIMALS = 10
"""To which sums are rounded, so that 0.1 + 0.2 is 0.3."""


def adjustment_rule(metric: Metric, low: float = 0.0, high: float = 1.0) -> Rule:
    """Prepares a metric's cues once. The metric must have passed the rubric's checks."""
    base = Term(metric.base, "base")
    base_text = f"{number(metric.base)} base"
    steps = [(adjustment, _detector(adjustment), _all_of(adjustment.requires)) for adjustment in metric.adjustments]

    def rule(utterance: Utterance) -> Explained:
        terms = [base]
        texts = [base_text]
        total = metric.base
        for adjustment, detect, required in steps:
            findings = detect(utterance)
            if not findings:
                continue
            if required is not None:
                conditions = required(utterance)
                if not conditions:
                    continue
                amount = _amount(adjustment, findings)
                findings = (*findings, *conditions)
            else:
                amount = _amount(adjustment, findings)
            term = Term(amount, adjustment.label, findings)
            terms.append(term)
            texts.append(term_text(term))
            total = round(total + amount, DECIMALS)
        value, clamp = clamped(total, low, high)
        if clamp is not None:
            terms.append(clamp)
            texts.append(term_text(clamp))
        return Explained(value, tuple(terms), ", ".join(texts))

    return rule


def score_metric(metric: Metric, utterance: Utterance, low: float = 0.0, high: float = 1.0) -> Explained:
    """Scores one utterance once; to score many, keep the rule."""
    return adjustment_rule(metric, low, high)(utterance)


def _detector(condition: Adjustment | Condition) -> Detect:
    cue = CUES[condition.when]
    return cue.build(cue.settings(**condition.parameters))


def _all_of(conditions: tuple[Condition, ...]) -> Detect | None:
    if not conditions:
        return None
    detectors = tuple(map(_detector, conditions))
    if len(detectors) == 1:
        return detectors[0]

    def detect(utterance: Utterance) -> Findings:
        found: list[Findings] = []
        for detector in detectors:
            findings = detector(utterance)
            if not findings:
                return ()
            found.append(findings)
        return tuple(finding for findings in found for finding in findings)

    return detect


def _amount(adjustment: Adjustment, findings: Findings) -> float:
    strength = findings[0].strength if len(findings) == 1 else max(finding.strength for finding in findings)
    return adjustment.add if strength == 1.0 else round(adjustment.add * strength, DECIMALS)
