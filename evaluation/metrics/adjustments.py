"""The value of a metric of kind `adjustments`: its base plus what its cues earn or cost, held within the scale.

An adjustment counts where all of its cues are found and no cue under `unless` takes it back (one with `from_strength`
does so from that strength on). Its amount is its `add` times the strength (0 to 1, in hundredths) of the strongest
finding of its cue.
"""

import json
from collections.abc import Callable, Mapping
from itertools import compress
from typing import TypeAlias

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect, Rule, look, strongest
from evaluation.metrics.cues.rows import REPLIES, RowCue
from evaluation.metrics.explained import (
    DECIMALS,
    Explained,
    Term,
    clamp,
    evidence_text,
    explained_of,
    number,
    term_of,
    term_text,
    with_sign,
)
from evaluation.metrics.utterance import Utterance
from evaluation.records import Json
from evaluation.rubrics.rubric import Adjustment, CueUse, Metric, Rubric
from evaluation.text.remembered import Remembered

KEPT = 1000
"""Sets of cues that were found together whose adjustments are remembered."""
SettingsOf: TypeAlias = Callable[[CueUse, Metric], Mapping[str, Json]]
Said: TypeAlias = tuple[Term, str] | None
"""A term and how an explanation shows it; None where the exchange has none."""


class RubricCues:
    """The cues and adjustments of a rubric, each prepared once for all metrics that say the same."""

    def __init__(self, settings_of: SettingsOf) -> None:
        self._settings_of = settings_of
        self._prepared: dict[str, Detect] = {}
        self._steps: dict[object, Step] = {}
        self._bits: dict[Detect, int] = {}
        self._ruled_out: dict[Detect, int] = {}
        """Cue -> bits of cues each of which takes back all adjustments that ask for it."""
        self._of_rows: list[tuple[RowCue, int]] = []
        """The cues that only a row of the reply shows, with their bits; worked out when first an exchange is read."""
        self._free: dict[Detect, int] = {}
        """The others that nothing rules out, with theirs."""
        self._order: list[tuple[Detect, int, int]] = []
        """Those that something rules out, which go last, with what does."""
        self._is_in_order = False

    def prepare(self, use: CueUse, metric: Metric) -> Detect:
        """The function that looks for a cue where a metric uses it."""
        key = cue_key(use, metric)
        if key not in self._prepared:
            self._prepared[key] = CUES[use.when].prepare(self._settings_of(use, metric))
        return self._prepared[key]

    def step(self, adjustment: Adjustment, metric: Metric) -> "Step":
        """An adjustment of a metric."""
        cue = self.prepare(adjustment, metric)
        required = tuple([self.prepare(condition, metric) for condition in adjustment.requires])
        against = [(self.prepare(condition, metric), condition.from_strength) for condition in adjustment.unless]
        graded = tuple([(contrary, least) for contrary, least in against if least])
        key = cue, required, graded, adjustment.add, adjustment.label
        # A condition often was looked for already, and seldom is met: it goes first.
        first = self._bit(*required[:1] or (cue,))
        without, doubted = (
            self._bit(*[contrary for contrary, least in against if bool(least) is weighed]) for weighed in (False, True)
        )
        for each in (cue, *required):
            self._ruled_out[each] = self._ruled_out.get(each, without) & without
        self._ruled_out |= dict.fromkeys([contrary for contrary, _ in against], 0)
        self._is_in_order = False
        return self._steps.setdefault((*key, without), Step(first, without, doubted, *key))

    def _bit(self, *cues: Detect) -> int:
        bits = 0
        for cue in cues:
            bits |= self._bits.setdefault(cue, 1 << len(self._bits))
        return bits

    def _put_in_order(self) -> None:
        self._of_rows = [(cue, bit) for cue, bit in self._bits.items() if isinstance(cue, RowCue)]
        others = {cue: bit for cue, bit in self._bits.items() if not isinstance(cue, RowCue)}
        self._free = {cue: bit for cue, bit in others.items() if not self._ruled_out[cue]}
        self._order = [(cue, bit, self._ruled_out[cue]) for cue, bit in others.items() if self._ruled_out[cue]]
        self._is_in_order = True

    def found(self, utterance: Utterance) -> int:
        """The bits of the cues that an exchange shows; each is looked for once, whatever the number of metrics.

        A cue is not looked for where another one takes back whatever would come of it.
        """
        bits: int | None = utterance.remembered.get(self)
        if bits is None:
            if not self._is_in_order:
                self._put_in_order()
            bits = utterance.remembered[self] = self._look(utterance)
        return bits

    def _look(self, utterance: Utterance) -> int:
        """The same, where nobody looked before. Kept is what was found, since of the rest the bits say all."""
        bits, remembered = 0, utterance.remembered
        if self._of_rows:
            said = REPLIES.read(utterance.response).found
            for cue, bit in self._of_rows:
                if not cue.lists.isdisjoint(said) and look(cue, utterance):
                    bits |= bit
        findings = [remembered[each] if each in remembered else each(utterance) for each in self._free]
        remembered.update(compress(zip(self._free, findings, strict=True), findings))
        bits += sum(compress(self._free.values(), findings))
        for detect, bit, ruled_out in self._order:
            if bits & ruled_out:
                continue
            if look(detect, utterance):
                bits |= bit
        return bits


def cue_key(use: CueUse, metric: Metric) -> str:
    """What tells a cue from the others of a rubric: what the rubric says of it once for all metrics does not."""
    return json.dumps([use.when, metric.settings_of(use)], sort_keys=True)


class Step:
    """One adjustment with its cues prepared."""

    __slots__ = ("_add", "_cue", "_doubted", "_graded", "_label", "_required", "_shares", "first", "without")

    def __init__(
        self,
        first: int,
        without: int,
        doubted: int,
        cue: Detect,
        required: tuple[Detect, ...],
        graded: tuple[tuple[Detect, float], ...],
        add: float,
        label: str,
    ) -> None:
        self.first, self.without = first, without
        """Bits of the first cue that must be found, and of those that must not."""
        self._doubted = doubted
        """Bits of those that must not be found from some strength on."""
        self._cue, self._required, self._graded = cue, required, graded
        self._add, self._label = add, label
        self._shares = Remembered(self._share, KEPT)

    def say(self, utterance: Utterance, found: int) -> Said:
        """The term of an exchange that shows these cues; it is kept, for other metrics may have the same adjustment."""
        findings = evidence = look(self._cue, utterance)
        for required in self._required if findings else ():
            met = look(required, utterance)
            evidence = evidence + met if met and evidence else ()
        said: Said = None
        if evidence and not (found & self._doubted and self._is_outweighed(utterance)):
            amount, text = self._shares[strongest(findings)]
            said = term_of((amount, self._label, evidence)), text + evidence_text(self._label, evidence)
        utterance.remembered[self] = said
        return said

    def _is_outweighed(self, utterance: Utterance) -> bool:
        """Whether a cue that takes it back is strong enough."""
        against = [(look(contrary, utterance), least) for contrary, least in self._graded]
        return any(met and strongest(met) >= least for met, least in against)

    def _share(self, strength: float) -> tuple[float, str]:
        """The share of the amount, its strength in hundredths, so that explanations are short and add up; its text."""
        amount = round(self._add * round(strength, 2), DECIMALS)
        return amount, f"{with_sign(amount)} {self._label}"


def adjustment_rule(metric: Metric, cues: RubricCues, low: float = 0.0, high: float = 1.0) -> Rule:
    """Prepares a metric's cues once. The metric must have passed the rubric's checks."""
    base = Term(metric.base, "base")
    plain = Explained(metric.base, (base,), f"{number(metric.base)} base")
    steps = tuple([cues.step(each, metric) for each in metric.adjustments])
    bits = 0
    for step in steps:
        bits |= step.first | step.without

    def may_count(found: int) -> tuple[Step, ...]:
        return tuple([each for each in steps if each.first & found and not each.without & found])

    possible = Remembered(may_count, KEPT)

    def rule(utterance: Utterance) -> Explained:
        # Most cues are absent, and what makes no term is not looked at again.
        found = cues.found(utterance)
        may_be_said = possible[found & bits]
        if not may_be_said:
            return plain
        total, terms, texts = metric.base, [base], [plain.explanation]
        remembered = utterance.remembered
        for step in may_be_said:
            said = remembered[step] if step in remembered else step.say(utterance, found)
            if said is not None:
                term, text = said
                total += term[0]
                terms.append(term)
                texts.append(text)
        if len(terms) == 1:
            return plain
        total = round(total, DECIMALS) + 0.0  # adding zero makes -0.0 plain
        if not low <= total <= high:
            total, limit = clamp(total, low, high)
            terms.append(limit)
            texts.append(term_text(limit))
        return explained_of((total, tuple(terms), ", ".join(texts), ""))

    return rule


def adjustment_strengths(rubric: Rubric) -> Callable[[Utterance], dict[str, list[float]]]:
    """Prepares a rubric's cues for their strengths: metric -> strength of each adjustment, 0 where it is absent."""
    cues = RubricCues(rubric.settings_of)
    steps = {
        name: [(each.add, cues.step(each, metric)) for each in metric.adjustments]
        for name, metric in rubric.metrics.items()
        if metric.kind == "adjustments"
    }

    def strengths(utterance: Utterance) -> dict[str, list[float]]:
        found, shares = cues.found(utterance), dict[str, list[float]]()
        for name, metric in steps.items():
            said = [(add, None if step.without & found else step.say(utterance, found)) for add, step in metric]
            shares[name] = [0.0 if each is None else each[0].amount / add for add, each in said]
        return shares

    return strengths
