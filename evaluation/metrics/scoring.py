"""From a rubric to the function that scores an exchange by rule, and the checks that code is there for what it names.

A metric of kind `adjustments` has the value that `adjustments.py` works out, one of kind `formula` that of its formula,
and the overall is the weighted sum of the others.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from pydantic import ValidationError

from evaluation.errors import UsageError
from evaluation.languages.pack import Pack
from evaluation.languages.packs import pack_of
from evaluation.languages.speech import USUAL, Speech
from evaluation.metrics.adjustments import RubricCues, adjustment_rule, cue_key
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Cue, Formula, Rule
from evaluation.metrics.cues.own import unknown_cue
from evaluation.metrics.explained import (
    DECIMALS,
    Explained,
    Term,
    clamp,
    number,
    term_text,
)
from evaluation.metrics.in_language import Lacking, constants_with, settings_with, speech_of
from evaluation.metrics.profiles import CHOICES
from evaluation.metrics.utterance import Utterance
from evaluation.records import Json, Score
from evaluation.rubrics.from_pack import in_language
from evaluation.rubrics.rubric import CueUse, Measure, Metric, Rubric
from evaluation.text.forms import SourceText, complaint, did_you_mean
from evaluation.text.yaml_text import ValuePath

WeightedSum: TypeAlias = Callable[[Mapping[str, Explained]], Explained]
"""From the weighted metrics, explained, to the overall."""
MEANS_NOTHING = Explained(None, (), "", "means nothing without an earlier conversation")


def weighted_sum(weights: Mapping[str, float], low: float = 0.0, high: float = 1.0) -> WeightedSum:
    """Prepares the sum of weight x value, explained as "0.15 x 0.8 appropriateness + 0.2 x 1.0 helpfulness".

    Weights that add up to 1 keep the sum within the scale but for its last decimals, which are then a term. Metrics
    without a value take no part: the sum of the others is divided by their weights, and the explanation says so.
    """
    shares = tuple(weights.items())

    @lru_cache(maxsize=4096)
    def add_up(values: tuple[float | None, ...]) -> Explained:
        pairs = tuple((share, value) for share, value in zip(shares, values, strict=True) if value is not None)
        if len(pairs) < len(shares):
            return _over_the_rest(
                pairs, [name for (name, _), value in zip(shares, values, strict=True) if value is None]
            )
        terms = [Term(round(weight * value, DECIMALS), name) for (name, weight), value in pairs]
        texts = [f"{number(weight)} x {number(value)} {name}" for (name, weight), value in pairs]
        total = round(math.fsum(term.amount for term in terms), DECIMALS)
        if not low <= total <= high:
            total, limit = clamp(total, low, high)
            terms.append(limit)
            texts.append(term_text(limit))
        return Explained(total, tuple(terms), " + ".join(texts))

    def rule(explained: Mapping[str, Explained]) -> Explained:
        return add_up(tuple([explained[name].value for name in weights]))

    return rule


def _over_the_rest(pairs: Sequence[tuple[tuple[str, float], float]], absent: Sequence[str]) -> Explained:
    if not pairs:
        return Explained(None, (), "", "no metric has a value")
    total = math.fsum(weight for (_, weight), _ in pairs)
    terms = tuple(Term(round(weight * value / total, DECIMALS), name) for (name, weight), value in pairs)
    texts = [f"{number(weight)} x {number(value)} {name}" for (name, weight), value in pairs]
    low, high = min(value for _, value in pairs), max(value for _, value in pairs)
    value = min(high, max(low, round(math.fsum(term.amount for term in terms), DECIMALS)))
    rest = f"re-weighted over {number(round(total, DECIMALS))} of 1: no value for {', '.join(absent)}"
    return Explained(value, terms, f"{' + '.join(texts)}, {rest}")


@dataclass(frozen=True, slots=True)
class RubricRules:
    """The rules of a rubric, prepared once."""

    rubric: str
    """Its name."""
    rules: Mapping[str, Rule]
    """Metric -> rule, in rubric order, for the metrics that code can score by themselves."""
    overall: str
    overall_rule: WeightedSum | None
    """None when some weighted metric has no rule, so that code has no overall either."""
    contextual: frozenset[str]
    """Metrics that mean nothing without an earlier conversation."""
    left_out: Mapping[str, Explained]
    """Those of them that the overall leaves out then, and what stands for them in it."""
    measures: Mapping[str, Rule] = field(default_factory=dict)
    """Measure -> rule, in rubric order."""
    note: str = ""
    """What the explanation of the overall says of how these rules were chosen."""
    speech: Speech = USUAL
    """How the texts are counted that they read."""

    def explain(self, utterance: Utterance) -> dict[str, Explained]:
        """Metric -> value and explanation, in rubric order, the overall last."""
        explained = {name: rule(utterance) for name, rule in self.rules.items()}
        if self.overall_rule is not None:
            counted = explained if utterance.context else {**explained, **self.left_out}
            explained[self.overall] = _noted(self.overall_rule(counted), self.note)
        return explained

    def scores(self, utterance: Utterance) -> tuple[Score, ...]:
        """The same as scores of source `heuristic`, and the measures as source `measure`.

        Without context the contextual ones are marked not applicable, and so is what has nothing to measure.
        """
        out_of_place = frozenset() if utterance.context else self.contextual
        scores = [
            Score(name, "heuristic", value, explanation, value is not None and name not in out_of_place, missing)
            for name, (value, _, explanation, missing) in self.explain(utterance).items()
        ]
        for name, rule in self.measures.items():
            value, _, explanation, missing = rule(utterance)
            scores.append(Score(name, "measure", value, explanation, value is not None, missing))
        return tuple(scores)

    def score(self, metric: str, utterance: Utterance) -> Score:
        """The score of one metric, for use outside a run. Raises UsageError where the rubric has no rule for it."""
        scores = {score.metric: score for score in self.scores(utterance)}
        if metric not in scores:
            raise UsageError(f"rubric {self.rubric!r} has no rule for metric {metric!r}; it has {', '.join(scores)}")
        return scores[metric]


def rubric_rules(rubric: Rubric, language: str = "") -> RubricRules:
    """Prepares a rubric's cues and formulas for its own language or another.

    Metrics that only people or a judge score have no rule; those that lack something in the language have no value.
    """
    is_own = language in ("", rubric.language)
    pack = pack_of(language or rubric.language)
    lacking = None if is_own else Lacking(rubric, language, pack)
    spoken = rubric if is_own or pack is None else in_language(rubric, pack)
    builder = _Builder(spoken, pack, lacking)
    rules = {
        name: builder.rule(each) for name, each in spoken.metrics.items() if each.kind in ("adjustments", "formula")
    }
    weights = rubric.weights
    return RubricRules(
        rubric=rubric.name,
        rules=rules,
        overall=rubric.overall,
        overall_rule=weighted_sum(weights, rubric.low, rubric.high) if weights.keys() <= rules.keys() else None,
        contextual=frozenset(name for name, metric in rubric.metrics.items() if metric.needs_context),
        left_out={name: MEANS_NOTHING for name, metric in rubric.metrics.items() if metric.leaves_overall},
        measures={name: builder.of_formula(measure) for name, measure in spoken.measures.items()},
        speech=speech_of(language or rubric.language),
    )


def _noted(overall: Explained, note: str) -> Explained:
    if not note:
        return overall
    if overall.value is None:
        return overall._replace(missing=f"{overall.missing}; {note}")
    return overall._replace(explanation=f"{overall.explanation}; {note}")


class _Builder:
    """Prepares the rules of a rubric whose lists are those of a language."""

    def __init__(self, rubric: Rubric, pack: Pack | None, lacking: Lacking | None) -> None:
        self._rubric, self._pack, self._lacking = rubric, pack, lacking
        self._cues = RubricCues(settings_with(pack, rubric))

    def rule(self, metric: Metric) -> Rule:
        """The rule of a metric that has one."""
        if metric.kind == "formula":
            return self.of_formula(metric)
        reason = self._lacking.of_metric(metric) if self._lacking else ""
        return _without(reason) if reason else adjustment_rule(metric, self._cues, self._rubric.low, self._rubric.high)

    def of_formula(self, entry: Metric | Measure) -> Rule:
        """The rule of a metric or measure that a formula scores."""
        formula, constants = _formulas_of(entry)[entry.formula], entry.constants or {}
        reason = self._lacking.of_formula(formula, constants) if self._lacking else ""
        if reason:
            return _without(reason)
        return formula.prepare(constants_with(self._pack, constants, formula.needs) if self._lacking else constants)


def _without(reason: str) -> Rule:
    nothing = Explained(None, (), "", reason)
    return lambda _: nothing


def _formulas_of(entry: Metric | Measure) -> dict[str, Formula]:
    from evaluation.metrics.formulas import FORMULAS, INDICES  # for rubrics that have any; others start sooner

    return FORMULAS if isinstance(entry, Metric) else INDICES


def check_rules(rubric: Rubric, source: SourceText) -> None:
    """Raises ParseError with the place of the first cue, setting, formula or constant that is none."""
    for cue in rubric.cues:
        if cue not in CUES:
            raise source.error(("cues", cue), unknown_cue(cue))
    _check_profile(rubric, source)
    _check_shared_settings(rubric, source)
    checked: set[str] = set()
    for name, metric in rubric.metrics.items():
        if metric.kind == "formula":
            _check_formula(metric, ("metrics", name), source)
        elif metric.kind == "adjustments":
            _check_adjustments(metric, rubric, ("metrics", name), source, checked)
    for name, measure in rubric.measures.items():
        _check_formula(measure, ("measures", name), source)
    used = {use.when for metric in rubric.metrics.values() for each in metric.adjustments for use in each.uses}
    used |= {lender for guide in rubric.cues.values() for lender in guide.with_settings_of}
    for cue, guide in rubric.cues.items():
        if guide.settings and cue not in used:
            raise source.error(("cues", cue, "settings"), "no adjustment uses this cue")


def _check_profile(rubric: Rubric, source: SourceText) -> None:
    if rubric.profile is None:
        return
    if rubric.profile not in CHOICES:
        hint = did_you_mean(rubric.profile, CHOICES)
        raise source.error(("profile",), f"unknown profile {rubric.profile!r}{hint}")
    if not any(metric.kind == "formula" for metric in rubric.metrics.values()):
        raise source.error(
            ("profile",),
            f"rubric {rubric.name!r} has no formula that a profile could change: leave "
            "--profile out, or name --suite text_quality",
        )


def _check_shared_settings(rubric: Rubric, source: SourceText) -> None:
    for cue, guide in rubric.cues.items():
        for place, other in enumerate(guide.with_settings_of):
            if other not in rubric.cues:
                known = did_you_mean(other, tuple(rubric.cues))
                raise source.error(("cues", cue, "with_settings_of", place), f"no cue {other!r} stands here{known}")


def _check_formula(metric: Metric | Measure, path: ValuePath, source: SourceText) -> None:
    known = _formulas_of(metric)
    formula = known.get(metric.formula)
    if formula is None:
        problem = f"unknown formula {metric.formula!r}{did_you_mean(metric.formula, tuple(known)) or '; none is known'}"
        raise source.error((*path, "formula"), problem)
    _check_build(formula, metric.constants or {}, "", (*path, "constants"), source)


def _check_build(
    entry: Cue | Formula,
    settings: Mapping[str, Json],
    name: str,
    path: ValuePath,
    source: SourceText,
    elsewhere: Mapping[str, ValuePath] = MappingProxyType({}),
) -> None:
    """`path` is where the settings stand, but for those of `elsewhere`, which says where."""
    try:
        entry.prepare(settings)
    except ValidationError as error:
        where, reason = complaint(error)
        place = elsewhere.get(str(where[0]), path) if where else path
        raise source.error((*place, *where), f"{name}{reason}") from error
    except ValueError as error:
        raise source.error(path, f"{name}{error}") from error


def _check_adjustments(metric: Metric, rubric: Rubric, path: ValuePath, source: SourceText, checked: set[str]) -> None:
    """Checks what stands there for the first time: `checked` are the cues that were, with their settings."""
    used: set[str] = set()
    for index, adjustment in enumerate(metric.adjustments):
        here: ValuePath = (*path, "adjustments", index)
        if adjustment.add == 0:
            raise source.error((*here, "add"), "0 would change nothing")
        uses: list[tuple[CueUse, ValuePath]] = [(adjustment, here)]
        for key, conditions in (("requires", adjustment.requires), ("unless", adjustment.unless)):
            uses += [(condition, (*here, key, place)) for place, condition in enumerate(conditions)]
        for use, its_path in uses:
            if "list" not in use.parameters:
                if (known := cue_key(use, metric)) in checked:
                    continue
                checked.add(known)
            used |= _check_cue(use, metric, rubric, its_path, source)
    for unused in metric.lists.keys() - used:
        raise source.error((*path, "lists", unused), "no adjustment uses this list")


def _check_cue(use: CueUse, metric: Metric, rubric: Rubric, path: ValuePath, source: SourceText) -> set[str]:
    """Checks the cue and its settings; the names of the lists that it uses."""
    cue = CUES.get(use.when)
    if cue is None:
        raise source.error((*path, "when"), unknown_cue(use.when))
    settings, used = use.parameters, set[str]()
    if "list" in cue.settings.model_fields and isinstance(settings.get("list"), str):
        name = settings["list"]
        if "phrases" in settings:
            raise source.error((*path, "phrases"), "stands beside `list`: give one of them")
        if name not in metric.lists:
            raise source.error((*path, "list"), f"unknown list {name!r}{did_you_mean(name, tuple(metric.lists))}")
        used.add(name)
    guide = rubric.cues[cue.name].settings if cue.name in rubric.cues else {}
    of_guide: ValuePath = ("cues", cue.name, "settings")
    elsewhere = {key: of_guide for key in guide if key not in metric.settings_of(use)}
    _check_build(cue, rubric.settings_of(use, metric), f"cue {cue.name!r}: ", path, source, elsewhere)
    return used
