"""A comparison as it was asked for, and its sides: the runs, their terms, names and scores, and notes on them."""

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.commands import write_command
from evaluation.comparison.compare import MARGIN, check_share
from evaluation.comparison.gate import RegressionRules, parse_regression_rules
from evaluation.comparison.runs import RunScores, agree_on_terms, terms
from evaluation.errors import UsageError
from evaluation.judging.panel import with_formats
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.argument_values import positive, temperature
from scripts.arguments import LIMITS
from scripts.compare.bridge import check_can_be_bridged, is_bridged
from scripts.compare.head_to_head import check_can_be_paired
from scripts.run.announce import note_opening
from scripts.run.finish import Outcome
from scripts.run.page import moment
from scripts.run.stored import LAST, find_stored, open_stored, stored_run
from scripts.scoring.patches import under_latest_patch
from scripts.scoring.rescore import score_again
from services.journal import Journal, StoredRun
from services.prompt_versions import CHAT_SUFFIXES, TEXT_SUFFIXES
from services.settings import Settings
from services.workspace import GATE_RULES, read_named

_DATED = re.compile(r"\d{6,}T\d{4,}", re.IGNORECASE)
"""A date and a time, as every run id holds."""
VARIABLE: Mapping[str, Callable[[str], Any]] = {"model": str, "temperature": temperature, "max_tokens": positive}
"""The parts that --values may vary, and what reads a value."""
FRESH = "--fresh"
SIDES = ("--base", "--prompt", "--values", FRESH)
"""Flags that say what the sides are."""
SCORER, RUBRIC, JUDGE = "scorer", "rubric", "judge"
OF_APPLICATIONS = ("endpoint", "parameters")
"""All that identifies an application: its address and defects, its version and mapping."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The arguments of a comparison."""

    references: tuple[str, ...]
    """Prompts, or stored runs (see `names_run`); the first is the base."""
    run: EvaluationRequest
    """The evaluation of the sides that are prompts."""
    by: tuple[str, ...] = ()
    """Empty means what is usual: the prompt, or the application's address, defects and version."""
    values: tuple[str, ...] = ()
    """Of the one part in `by`: every prompt is evaluated with each."""
    reuse_days: float | None = None
    margin: float = MARGIN
    effect: float | None = None
    force: bool = False
    gate: str | None = None
    rules: str | None = None
    head_to_head: bool = False
    """True where a judge is asked which of both answers is better, pair by pair."""
    bridge: bool = False
    """True where a base that another judge scored is carried over to the candidate's, which is asked for that."""
    flags: tuple[str, ...] = ()
    """The flag behind each reference, for messages."""
    typed: tuple[str, ...] = ()
    """The arguments as they were typed."""

    def command(self, runs: Sequence[Run]) -> str:
        """The command that compares these runs as was asked, and so goes on with what was answered of them."""
        words, of_side = list[str](), False
        for word in self.typed:
            flag, given, _ = word.partition("=")
            if not of_side and flag not in SIDES:
                words.append(word)
            of_side = not of_side and flag in SIDES and not given and flag != FRESH
        base, candidate = runs
        return write_command("compare", "--base", base.run_id, "--prompt", candidate.run_id, *words)

    @property
    def of_stored_runs(self) -> bool:
        """True where every side is a run of the journal, so that nothing has to be evaluated."""
        return all(map(names_run, self.references))


def names_run(reference: str) -> bool:
    """True where a reference means a stored run, whether there is one or not: `last`, or what holds a date and a time.

    Such a one is a prompt all the same where it says so itself: as name@version, or as a file.
    """
    if reference == LAST or not _DATED.search(reference):
        return reference == LAST
    return not ("@" in reference or reference.endswith(TEXT_SUFFIXES + CHAT_SUFFIXES) or Path(reference).is_file())


def stored_ids(asked: ComparisonRequest, settings: Settings) -> ComparisonRequest:
    """The request with its stored runs by their ids. Raises UsageError for one that there is not, and for nothing."""
    found, flags = [], asked.flags or ("--base", *["--prompt"] * (len(asked.references) - 1))
    for reference, flag in zip(asked.references, flags, strict=True):
        if not reference.strip():
            raise UsageError(f"{flag} {reference!r}: name a prompt (v3, a label, name@v3, a file) or a run (id, last)")
        found.append(stored_id(reference, flag, settings) if names_run(reference) else reference)
    return replace(asked, references=tuple(found))


def stored_id(reference: str, flag: str, settings: Settings) -> str:
    """The id of a stored run, by id or as `last`. Raises UsageError where there is none."""
    with open_stored(settings, reference, flag) as journal:
        return find_stored(journal, reference, flag).run_id


def evaluation_request(asked: ComparisonRequest) -> EvaluationRequest:
    """The evaluation of the sides that are prompts; every one under each value of what varies. It has no gate."""
    prompts = tuple(reference for reference in asked.references if not names_run(reference))
    request = replace(asked.run, prompts=prompts, reuse_days=asked.reuse_days, gate=None)
    request = replace(request, min_overall=None, max_failure_rate=None, max_fallback_rate=None)
    if not asked.values:
        return request
    part = asked.by[0]
    if len(asked.by) != 1 or part not in VARIABLE:
        raise UsageError(f"--values goes with --by {', --by '.join(VARIABLE)}, not {', '.join(asked.by)!r}")
    try:
        values = tuple(VARIABLE[part](value) for value in asked.values)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--values {','.join(asked.values)}: {error}") from None
    except ValueError:
        raise UsageError(f"--values {','.join(asked.values)}: {part} takes numbers") from None
    if len(set(values)) < 2:
        raise UsageError(f"--values {','.join(asked.values)}: name at least two that differ")
    return replace(request, vary=((part, values),))


def decision_request(run: Run, asked: ComparisonRequest) -> EvaluationRequest:
    """The terms on which the candidate itself is decided: by this command's gate, under its own limits."""
    limits = {name: getattr(asked.run, name) for name in (*LIMITS, "strict", "judge_fallback")}
    own = run.request
    return replace(
        own, gate=asked.gate, waivers=asked.run.waivers or own.waivers, mix=asked.run.mix or own.mix, **limits
    )


def regression_rules(asked: ComparisonRequest) -> RegressionRules:
    """The margins and limits of the no-regression gate; flags go before the file."""
    file = read_named("gate", asked.rules or "no_regression", GATE_RULES)
    rules = parse_regression_rules(file.text, file.place)
    return rules.model_copy(update={name: limit for name in LIMITS if (limit := getattr(asked.run, name)) is not None})


def usual_terms(asked: ComparisonRequest, settings: Settings, suites: Suites) -> tuple[str, ...]:
    """The parts that are compared where none is named: of stored runs of an application all that identifies it."""
    if asked.of_stored_runs:
        with Journal.in_folder(settings.runs_dir) as journal:
            if stored_run(journal, asked.references[0], suites).of_application:
                return OF_APPLICATIONS
    return ("prompt",)


def find_sides(asked: ComparisonRequest, evaluated: Sequence[Run], journal: Journal, suites: Suites) -> list[Run]:
    """The runs in the order in which they were named."""
    if asked.values:
        return list(evaluated)
    rest = iter(evaluated)
    return [
        stored_run(journal, reference, suites) if names_run(reference) else next(rest) for reference in asked.references
    ]


def check_sides(runs: Sequence[Run], asked: ComparisonRequest) -> None:
    """Raises UsageError for runs that differ in more than what is compared, unless forced, and in the judge where no
    bridge is asked for.

    The code that scored them is left out of account: where it differs, they are scored again.
    """
    check_share("margin", asked.margin)
    check_share("effect", asked.margin if asked.effect is None else asked.effect)
    if asked.head_to_head:
        check_can_be_paired(runs)
    if asked.bridge and len(runs) != 2:
        raise UsageError(f"--bridge holds one candidate against one base, and {len(runs)} runs are named")
    ids = [run.run_id for run in runs]
    if twice := [run_id for run_id in ids if ids.count(run_id) > 1]:
        raise UsageError(f"run {twice[0]} is named twice: a run compared with itself says nothing")
    first, *others = _scored_alike(runs, asked)
    for run in others:
        bridged = is_bridged(first, run, asked.by, (SCORER,))
        alone = bridged and terms(first.spec, run.spec, asked.by, (SCORER, JUDGE)).refusal == ""
        also = "carry the base over with --bridge, " if alone and len(runs) == 2 else ""
        aside = (SCORER, JUDGE) if bridged and asked.bridge else (SCORER,)
        agree_on_terms(first, run, asked.by, aside=aside, force=asked.force, also=also)
    if asked.bridge and is_bridged(first, others[0], asked.by, (SCORER,)):
        check_can_be_bridged(runs[0], runs[1], stored=names_run(asked.references[0]))


def check_candidate(asked: ComparisonRequest, planned: Sequence[Run], journal: Journal) -> None:
    """Raises UsageError, before anything is paid for, where what is planned may not be held against the base.

    Notes what the gate can show of its scenarios.
    In which form a judge answers is settled later, by asking it: it is left out of account.
    """
    base = stored_run(journal, asked.references[0], SUITES)
    specs = [run.spec for run in planned]
    if (judge := base.spec.judge) is not None:
        formats = {pin.model: pin.format for pin in judge.judges}
        specs = [replace(spec, judge=spec.judge and with_formats(spec.judge, formats)) for spec in specs]
    check_sides([base, *(replace(run, spec=spec) for run, spec in zip(planned, specs, strict=True))], asked)
    if not asked.run.quiet:
        note_opening(planned[0], regression_rules(asked))


async def score_alike(runs: Sequence[Run], asked: ComparisonRequest, journal: Journal, settings: Settings) -> list[Run]:
    """The runs as one code and one patch of the rubric score them: the others are scored again, without a call.

    They stay as they are where the scorer or the rubric itself is compared.
    """
    alike = _scored_alike(runs, asked)
    patched = any(run.spec.rubric != under.spec.rubric for run, under in zip(runs, alike, strict=True))
    # A sample that is judged again is scored by the code of today, and so are the runs that it is held against.
    one_scorer = len({run.spec.scorer for run in runs}) == 1 and not asked.bridge
    if SCORER in asked.by or (one_scorer and not patched):
        return list(runs)
    return [await score_again(run, journal, settings, under) for run, under in zip(runs, alike, strict=True)]


def _scored_alike(runs: Sequence[Run], asked: ComparisonRequest) -> Sequence[Run]:
    """The runs under the latest patch of their rubric, unless scorer or rubric are what is compared."""
    return runs if {SCORER, RUBRIC} & {part.split(".")[0] for part in asked.by} else under_latest_patch(runs)


def name_side(run: Run, by: Sequence[str]) -> str:
    """A side's name for people: its version, or the value of what is compared."""
    prompt = run.spec.prompt
    if run.of_application and set(OF_APPLICATIONS) & set(by):
        return " ".join([run.spec.endpoint, str(run.spec.parameters.get("version", ""))]).strip()
    named = [] if prompt is None or "prompt" not in by else [prompt.short_title]
    if named and "model" in by:
        named, by = [f"{named[0]} on {run.spec.model}"], [part for part in by if part != "model"]
    return ", ".join([*named, *(f"{part} {_value(run, part)}" for part in by if part != "prompt")]) or run.run_id


def _value(run: Run, part: str) -> str:
    """One part of the run's specification, in its name."""
    if part in run.spec.parameters:
        return str(run.spec.parameters[part])
    value = getattr(run.spec, part, None)
    return str(getattr(value, "version", None) or getattr(value, "model", None) or value)


def note_runs(asked: Sequence[Run], runs: Sequence[Run], evaluation: Outcome | None, journal: Journal) -> Iterator[str]:
    """Earlier runs among the sides, those that were scored again, and version numbers that held another text before.

    `asked` are the sides as they were evaluated, `runs` as they are compared.
    """
    fresh = set() if evaluation is None else {each.run.run_id for each in evaluation.runs if not each.stored}
    for run in asked:
        if run.run_id not in fresh:
            yield f"{run.run_id} is an earlier run, of {moment(run.created_at)}"
    for before, run in zip(asked, runs, strict=True):
        if before.run_id != run.run_id:
            own = before.spec.rubric
            by = "other code" if own == run.spec.rubric else f"rubric {own.name} {own.version}"
            yield f"{before.run_id} was scored by {by}: it was scored again, without a call, as {run.run_id}"
    stored = list(journal.runs())
    for run in runs:
        yield from _note_other_text(run, stored)


def _note_other_text(run: Run, stored: Sequence[StoredRun]) -> Iterator[str]:
    """The newest other run of the same prompt version, where that was of another text."""
    pin = run.spec.prompt
    if pin is None or pin.version is None:
        return
    others = ((other, other.spec.prompt) for other in stored if other.run_id != run.run_id)
    same = ((other, its) for other, its in others if its and (its.name, its.version) == (pin.name, pin.version))
    for other, its in islice(same, 1):
        if its.sha256 != pin.sha256:
            yield f"{pin.title} held another text in run {other.run_id}, of {moment(other.created_at)}"


def note_conversations(sides: Sequence[RunScores]) -> Iterator[str]:
    """A line on each side whose judge is not fit for whole conversations: they are held against nothing."""
    for side in sides:
        found = side.summary.conversations
        if found is not None and not found.counted:
            yield f"{side.name}: the judge is not fit for them: whole conversations are not compared"


def note_incomplete(runs: Sequence[Run]) -> Iterator[str]:
    """The commands that complete what is missing."""
    for run in runs:
        yield f"{run.run_id} is incomplete; go on with: {run.resume_command()}"
