"""Scoring by a base and adjustments: the arithmetic of a rubric's metric of kind `adjustments`.

The value is the base plus the amount of every adjustment whose cues are all found, held within the scale. An amount
is the adjustment's `add` times the strength (0 to 1) of the strongest finding of its cue.
"""

from collections.abc import Callable
from typing import TypeAlias

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect, Findings
from evaluation.metrics.explained import Explained, Term, clamped, term_text
from evaluation.metrics.quoting import number
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.rubric import Adjustment, CueUse, Metric

Rule: TypeAlias = Callable[[Utterance], Explained]
"""Scores one utterance on one metric."""
FindTerm: TypeAlias = Callable[[Utterance], Term | None]
DECIMALS = 10
"""To which sums are rounded, so that 0.1 + 0.2 is 0.3."""


def adjustment_rule(metric: Metric, low: float = 0.0, high: float = 1.0) -> Rule:
    """Prepares a metric's cues once. The metric must have passed the rubric's checks."""
    base = Term(metric.base, "base")
    plain = Explained(metric.base, (base,), f"{number(metric.base)} base")
    steps = tuple(_step(adjustment, metric) for adjustment in metric.adjustments)

    def rule(utterance: Utterance) -> Explained:
        terms = [term for term in [step(utterance) for step in steps] if term is not None]
        if not terms:
            return plain
        total = metric.base
        for term in terms:
            total += term.amount
        total = round(total, DECIMALS) + 0.0  # adding zero makes -0.0 plain
        if not low <= total <= high:
            total, clamp = clamped(total, low, high)
            terms.append(clamp)
        texts = [plain.explanation, *map(term_text, terms)]
        return Explained(total, (base, *terms), ", ".join(texts))

    return rule


def _step(adjustment: Adjustment, metric: Metric) -> FindTerm:
    detect = _detector(adjustment, metric)
    required = _all_of(tuple(_detector(condition, metric) for condition in adjustment.requires))
    add, label = adjustment.add, adjustment.label

    def step(utterance: Utterance) -> Term | None:
        findings = detect(utterance)
        if not findings:
            return None
        amount = add if findings[0].strength == 1.0 else _graded(add, findings)
        if required is None:
            return Term(amount, label, findings)
        conditions = required(utterance)
        return Term(amount, label, findings + conditions) if conditions else None

    return step


def _detector(use: CueUse, metric: Metric) -> Detect:
    cue = CUES[use.when]
    return cue.build(cue.settings(**metric.settings_of(use)))


def _all_of(detectors: tuple[Detect, ...]) -> Detect | None:
    if not detectors:
        return None
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


def _graded(add: float, findings: Findings) -> float:
    return round(add * max(finding.strength for finding in findings), DECIMALS)
