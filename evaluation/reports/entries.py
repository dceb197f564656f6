"""The lines of the index: what it says of a run, comparison, night or sweep, kept so that no file has to be opened.

A line is made from the documents that the tool leaves (decision.json, comparison.json, night.json, sweep.json), when
they are written or later. Raises ValueError (pydantic's) for a document that the tool did not write.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter

from evaluation.decision.gate import StoredDecision, StoredGate, StoredMean
from evaluation.records import Json
from evaluation.runspec import RunSpec, digest
from evaluation.text.names import in_words

Kind: TypeAlias = Literal["run", "comparison", "night", "sweep", "production sample"]
Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]

NO_VERDICT = "no verdict"
WORDS = {"ab_test": "A/B test", "no_rule": "measured", "no_effect": "no effect", "no_baseline": "no baseline"}
"""Verdicts that are not read as they are written."""
WITHOUT = ("judge_unfit", "no_verdicts", "too_few_scenarios", "too_few_labels", "incomplete", "interrupted", "none")
"""Codes behind which no verdict stands."""
VARIES = ("prompt", "repeats", "seed")
"""Parts in which runs of a trend may differ and be compared all the same: more repeats narrow the interval alone."""

UNFINISHED = "not finished"
NOT_NOTED = "not noted"
"""Of a run that an earlier version of the tool made, and of one that a recovered journal holds."""
OF_PRODUCTION = ", in production"
"""Behind the name of a prompt whose responses users had."""
PART = "part of a run"
"""Of a sample that another judge scored: no evaluation of its own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the index. Every text in it may be hostile."""

    kind: Kind
    name: str
    """The id of the run, of a comparison's candidate, of the night, of a sweep's group."""
    made_at: Finite
    """Seconds since the epoch, UTC."""
    subject: str
    """Name of the prompt; of an application its address, and where there is neither the suite."""
    version: str = ""
    suite: str = ""
    model: str = ""
    verdict: str = ""
    """In a word or two."""
    headline: str = ""
    page: str = ""
    """Path below the folder of the runs; empty where there is no page."""
    figure: Finite | None = None
    """The deciding mean of a run or of a sweep's best setting; of a comparison or night the difference."""
    ci95: tuple[Finite, Finite] | None = None
    situations: int | None = None
    """That the figure rests on, where it is a run's."""
    scale: tuple[Finite, Finite] | None = None
    """Lowest and highest value of a run's figure."""
    marks: tuple[str, ...] = ()
    """What a reader must know beside the verdict: rehearsal, judge unfit, held back, interrupted, ..."""
    terms: str = ""
    """Of a run: SHA-256 of all that it was measured with but the prompt, so that means under one compare."""

    @property
    def is_difference(self) -> bool:
        """True where the figure is one, and not a mean."""
        return self.kind in ("comparison", "night")

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


_ENTRY = TypeAdapter(Entry)


def entry_from_json(value: Json) -> Entry:
    """The inverse of `to_json`; fields that a later version adds are passed over. Raises ValueError."""
    return _ENTRY.validate_python(value)


def entry_of_run(
    spec: RunSpec,
    run_id: str,
    made_at: float,
    decision: Mapping[str, Json] | None,
    *,
    page: str = "",
    scale: tuple[float, float] | None = None,
    part: bool = False,
) -> Entry:
    """The line of a run by its decision.json; `decision` is None where it is not known."""
    prompt = spec.prompt
    found = StoredDecision.model_validate(decision or {})
    overall = found.overall or StoredMean()
    return Entry(
        kind="run",
        name=run_id,
        made_at=made_at,
        subject=_subject(spec),
        version="" if prompt is None else prompt.version_title,
        suite=spec.suite,
        model=spec.answerer,
        verdict="" if decision is None else _verdict(found.verdict or found.code),
        headline=found.headline,
        page=page,
        figure=overall.mean,
        ci95=overall.ci95,
        situations=overall.clusters or None,
        scale=None if overall.mean is None else scale,
        marks=(*_marks_of_run(spec, found), *([PART] if part else [])),
        terms=terms_of(spec),
    )


def _subject(spec: RunSpec) -> str:
    """Whose trend a run belongs to: what production says of a prompt is no point of that of its evaluations."""
    if spec.prompt is None:
        return spec.answerer or spec.suite
    return f"{spec.prompt.name}{OF_PRODUCTION * spec.of_production}"


def terms_of(spec: RunSpec) -> str:
    """SHA-256 of the parts in which runs of a trend may not differ."""
    return digest({name: value for name, value in spec.digests.items() if name not in VARIES})


def _marks_of_run(spec: RunSpec, found: StoredDecision) -> Iterator[str]:
    yield from ["production"] if spec.of_production else []
    yield from ["rehearsal"] if spec.embedded or spec.rehearsed else []
    # Under rules whose verdict is that of the means, what holds a prompt back stands beside it and shuts every gate.
    yield from ["held back"] if "held_back" in (found.verdict, found.code) or found.aside else []
    yield from [remark] if (remark := found.remark()) else []
    yield from [found.code] if found.code in ("interrupted", "incomplete") else []
    yield from _gate(found.gate)


def _gate(gate: StoredGate | None) -> list[str]:
    return [] if gate is None else ["gate passed" if gate.passed else "gate failed"]


def _verdict(code: str) -> str:
    return NO_VERDICT if not code or code in WITHOUT else WORDS.get(code, in_words(code))


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Judge(_Document):
    fit: bool | None = None


class _Difference(_Document):
    difference: FiniteFloat | None = None
    ci95: tuple[FiniteFloat, FiniteFloat] | None = None


class _Side(_Document):
    name: str
    run_id: str
    judge: _Judge = _Judge()


class _Compared(_Document):
    """comparison.json, of two sides or of more."""

    headline: str = ""
    verdict: str = ""
    code: str = ""
    rehearsal: bool = False
    overall: _Difference | None = None
    base: _Side | None = None
    candidate: _Side | None = None
    runs: tuple[_Side, ...] = ()
    gate: StoredGate | None = None

    @property
    def sides(self) -> tuple[_Side, ...]:
        return tuple(each for each in (self.base, self.candidate) if each is not None) or self.runs


def entry_of_comparison(spec: RunSpec, run_id: str, made_at: float, document: Json, page: str) -> Entry:
    """The line of a comparison by its comparison.json; `spec` and `run_id` are those of the candidate."""
    found = _Compared.model_validate(document)
    overall = found.overall or _Difference()
    names = [side.name for side in found.sides]
    held = found.code == "held_back"
    return replace(
        entry_of_run(spec, run_id, made_at, None),
        kind="comparison",
        version=" → ".join(names) if len(names) == 2 else ", ".join(names),
        verdict=_verdict("held_back" if held else found.verdict or found.code),
        headline=found.headline,
        page=page,
        figure=overall.difference,
        ci95=overall.ci95,
        marks=(
            *(["rehearsal"] if found.rehearsal else []),
            *(["held back"] if held else []),
            *(["judge unfit"] if any(side.judge.fit is False for side in found.sides) else []),
            *([found.code] if found.code in ("interrupted", "incomplete") else []),
            *_gate(found.gate),
        ),
        terms="",
    )


class _NightGate(_Document):
    checks: tuple[_Difference, ...] = ()
    lost: tuple[Any, ...] = ()


class _Night(_Document):
    """night.json."""

    night_id: str
    prompt: str
    state: str
    arguments: dict[str, Any] = {}
    headline: str = ""
    version: str | None = None
    difference: FiniteFloat | None = None
    rehearsal: bool = False
    gate: _NightGate | None = None


def entry_of_night(document: Json, page: str = "") -> Entry:
    """The line of a night by its night.json."""
    from evaluation.nightly.night import started_at

    found = _Night.model_validate(document)
    gate = found.gate or _NightGate()
    return Entry(
        kind="night",
        name=found.night_id,
        made_at=started_at(found.night_id),
        subject=found.prompt,
        version=found.version or "",
        suite=str(found.arguments.get("suite") or ""),
        model=str(found.arguments.get("model") or ""),
        verdict=WORDS.get(found.state, in_words(found.state)),
        headline=found.headline,
        page=page,
        figure=found.difference,
        ci95=gate.checks[0].ci95 if gate.checks else None,
        marks=(
            *(["rehearsal"] if found.rehearsal else []),
            *(["critical lost"] if gate.lost else []),
            *(["judge unfit"] if found.state == "judge_unfit" else []),
            *([UNFINISHED] if found.state == "running" else []),
            *([found.state] if found.state in ("interrupted", "incomplete") else []),
        ),
    )


class _Setting(_Document):
    name: str
    metrics: dict[str, StoredMean] = {}


class _Best(_Document):
    outcome: str
    leaders: tuple[str, ...] = ()


class _Sweep(_Document):
    """sweep.json."""

    group_id: str
    overall: str
    rehearsal: bool = False
    settings: tuple[_Setting, ...] = ()
    best: dict[str, _Best] = {}


class _ByPeople(_Document):
    corrected: StoredMean | None = None
    situations: int | None = None


class _OfPeople(_Document):
    metrics: dict[str, _ByPeople] = {}


class _OfJudge(_Document):
    source: str
    metrics: dict[str, dict[str, StoredMean]]
    human: _OfPeople | None = None
    stand_in: bool = False
    unfit: bool = False
    incomplete: bool = False


class _Wanted(_Document):
    prompt_name: str = ""
    prompt_version: int | None = None


class _Sample(_Document):
    """summary.json of a sample of production."""

    run_id: str
    suite: str
    created_at: FiniteFloat
    wanted: _Wanted
    overall: str
    scale: tuple[FiniteFloat, FiniteFloat] | None = None
    headline: str = ""
    metrics: dict[str, StoredMean]
    judge: _OfJudge | None = None


def entry_of_sample(document: Json, page: str = "") -> Entry:
    """The line of a sample of production by its summary.json."""
    found = _Sample.model_validate(document)
    judge, version = found.judge, found.wanted.prompt_version
    metrics = found.metrics if judge is None else judge.metrics[judge.source]
    people = None if judge is None or judge.human is None else judge.human.metrics.get(found.overall)
    overall = metrics.get(found.overall, StoredMean())
    if people is not None and people.corrected is not None and people.corrected.ci95 is not None:
        overall = people.corrected.model_copy(update={"clusters": people.situations})
    return Entry(
        kind="production sample",
        name=found.run_id,
        made_at=found.created_at,
        subject=found.wanted.prompt_name or "production",
        version="" if version is None else f"v{version}",
        suite=found.suite,
        verdict="" if overall.mean is None else WORDS["no_rule"],
        headline=found.headline,
        page=page,
        figure=overall.mean,
        ci95=overall.ci95,
        situations=overall.clusters or None,
        scale=None if overall.mean is None else found.scale,
        marks=(
            "production",
            *(["rehearsal"] if judge is not None and judge.stand_in else []),
            *(["judge unfit"] if judge is not None and judge.unfit else []),
            *(["incomplete"] if judge is not None and judge.incomplete else []),
        ),
    )


OF_SWEEP = {"best": "a best setting", "leaders": "several lead", "untested": NO_VERDICT}


def entry_of_sweep(spec: RunSpec, made_at: float, document: Json, page: str, headline: str) -> Entry:
    """The line of a sweep by its sweep.json; `spec` is that of one of its runs."""
    found = _Sweep.model_validate(document)
    best = found.best.get(found.overall, _Best(outcome="untested"))
    first = best.leaders[0] if best.outcome == "best" and best.leaders else ""
    means = [each.metrics.get(found.overall) for each in found.settings if each.name == first]
    mean = next(filter(None, means), StoredMean())
    return replace(
        entry_of_run(spec, found.group_id, made_at, None),
        kind="sweep",
        version=f"{len(found.settings)} settings",
        verdict=OF_SWEEP.get(best.outcome, _verdict(best.outcome)),
        headline=headline,
        page=page,
        figure=mean.mean,
        ci95=mean.ci95,
        marks=("rehearsal",) if found.rehearsal else (),
        terms="",
    )
