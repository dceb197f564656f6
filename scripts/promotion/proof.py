"""The proof that a prompt may carry a label: a stored run that passed its gate, or a comparison that passed its own.

Both are looked for among the runs of exactly this text, on the terms of today, and concluded once more from their
files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from evaluation.commands import write_command
from evaluation.comparison.certified import comparison_figures
from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionRules, no_regression, parse_regression_rules
from evaluation.decision.certificate import CertifiedRun
from evaluation.errors import EvaluationError, UsageError
from evaluation.expectations.waivers import Waiver
from evaluation.outcome import RunOutcome
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.suites import Suites
from evaluation.text import numbers
from scripts.promotion.files import (
    COMPARISON,
    BrokenFile,
    GateOfRun,
    RunFiles,
    gated,
    missing_files,
    read_run_files,
)
from scripts.promotion.today import Lack, Today, differences_from
from scripts.run.conclude import conclude_run
from scripts.run.stored import restore_run
from scripts.run.terms import read_waivers
from services.journal import Journal, StoredRun
from services.run_folder import read_json, run_folder
from services.settings import Settings
from services.workspace import GATE_RULES, read_named

MOST_CONCLUDED = 5
"""Runs, newest first, that are concluded once more to find one that proves something."""
NO_REGRESSION: Final = "no_regression"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a certificate rests on."""

    kind: Literal["decision", "comparison"]
    gate: Literal["deploy", "ab_test", "no_regression"]
    verdict: str
    said: str
    """The first line of the run or of the comparison."""
    runs: tuple[CertifiedRun, ...]
    """The candidate first."""
    terms: dict[str, Json] = field(default_factory=dict)
    figures: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """What is to be proved, and where it is looked for."""

    prompt: PromptVersion
    today: Today
    gate: GateOfRun
    label: str
    base: PromptVersion | None
    """What the candidate may be held against: what was named, or else what carries the label; None without either."""
    base_reference: str
    """As a command names the base."""
    only_comparison: bool
    """True where a base was named, so that a comparison alone counts."""
    rules: str | None
    """File of the rules of the no-regression gate; None for the shipped ones."""
    run_id: str | None
    """The only run that counts, where one is named."""
    journal: Journal
    settings: Settings
    suites: Suites

    def compare_command(self) -> str:
        """The command that holds the candidate against the base."""
        gate = ("--gate", NO_REGRESSION, *(("--rules", self.rules) if self.rules else ()))
        flags = (*self.today.flags(), *gate)
        return write_command("compare", *flags, BASE=self.base_reference, PROMPT=self.today.reference)


def find_proof(search: Search) -> Proof | list[Lack]:
    """The newest proof there is, or what is missing of it: of the run that comes nearest."""
    stored = [run for run in search.journal.runs(inputs=False) if _is_of(run, search)]
    if not stored:
        return [_no_run(search)]
    lacks = {run.run_id: list(_lacks_of(run, search)) for run in stored}
    fitting = [run for run in stored if not lacks[run.run_id]]
    if not fitting:
        return min(lacks.values(), key=len)
    found: list[Lack] = []
    for run in fitting[:MOST_CONCLUDED] if not search.only_comparison else ():
        answer = _by_decision(run, search)
        if isinstance(answer, Proof):
            return answer
        found = found or answer
    for run in fitting[:MOST_CONCLUDED]:
        compared = _by_comparison(run, search)
        if isinstance(compared, Proof):
            return compared
        found += compared
    if search.only_comparison and not found:
        return [Lack(f"no comparison with {search.base_reference} is stored", search.compare_command())]
    return found


def _is_of(run: StoredRun, search: Search) -> bool:
    """True for an evaluation of exactly this text, under this suite; no sample of one, and no calls alone."""
    pin = run.spec.prompt
    named = search.run_id in (None, run.run_id)
    sample = run.parent_run_id is not None and run.arguments.get("only")
    same = pin is not None and pin.sha256 == search.prompt.pin.sha256
    return bool(named and same and not sample and run.spec.suite == search.today.suite)


def _no_run(search: Search) -> Lack:
    pin = search.prompt.pin
    what = f"no run of {pin.title} is stored that played exactly this text (hash {pin.sha256[:12]})"
    if search.run_id is not None:
        known = search.run_id in search.journal.run_ids()
        what = f"run {search.run_id} {'played another text' if known else 'is not stored'}: it proves nothing here"
    for run in search.journal.runs(inputs=False):
        theirs = run.spec.prompt
        if theirs is not None and (theirs.name, theirs.version) == (pin.name, pin.version):
            what += f"; run {run.run_id} of that version played another (hash {theirs.sha256[:12]})"
            break
    return Lack(what, search.today.eval_command())


def _lacks_of(run: StoredRun, search: Search) -> Iterator[Lack]:
    """What keeps a run from proving anything, whatever its figures are."""
    again = search.today.eval_command()
    if run.spec.rehearsed or run.spec.embedded:
        yield Lack(f"run {run.run_id} is of the rehearsal model, which proves nothing: set a model, then", again)
        return
    if run.arguments.get("shard"):
        yield Lack(f"run {run.run_id} is of a shard, which proves nothing: merge the shards, or play it whole:", again)
        return
    if run.state != "finished":
        go_on = write_command("eval", "--resume", run.run_id)
        yield Lack(f"run {run.run_id} is not complete ({run.state})", go_on)
        return
    folder = run_folder(search.settings.runs_dir, run.run_id)
    if lost := missing_files(folder):
        yield Lack(f"run {run.run_id} has lost its {', '.join(lost)}", again)
        return
    yield from differences_from(search.today, run.spec, run.run_id)


def _by_decision(stored: StoredRun, search: Search) -> Proof | list[Lack]:
    """The run as its files conclude it, and as the journal does with people's answers: both have to pass."""
    waivers, _ = read_waivers(None)
    run_id, again = stored.run_id, search.today.eval_command()
    try:
        files = read_run_files(run_folder(search.settings.runs_dir, run_id), search.suites)
        outcome = files.concluded(search.gate, waivers)
        if faults := files.faults(outcome):
            return [Lack(f"run {run_id}: {fault}", again) for fault in faults[:MOST_CONCLUDED]]
    except BrokenFile as error:
        return [Lack(f"run {run_id}: {error}", again)]
    assert outcome.gate is not None
    if not outcome.gate.passed:
        return [_lack_of_gate(reason, outcome, search, stored) for reason in outcome.gate.reasons]
    run = restore_run(search.journal.run(run_id), search.suites)
    with_people = conclude_run(run, search.journal, search.settings, gated(run, search.gate))
    if with_people.gate is None or not with_people.gate.passed:
        reasons = () if with_people.gate is None else with_people.gate.reasons
        return [_lack_of_gate(f"with people's answers, {reason}", with_people, search, stored) for reason in reasons]
    return Proof(
        kind="decision",
        gate=search.gate,
        verdict=outcome.decision.verdict or "none",
        said=_said(outcome),
        runs=(files.certified("candidate", outcome),),
        terms={"min_overall": run.request.min_overall, "strict": run.request.strict},
    )


def _said(outcome: RunOutcome) -> str:
    """The first line of a run, with the mean that it rests on."""
    summary, deciding = outcome.summary, outcome.summary.deciding()
    if deciding is None:
        return outcome.decision.headline
    mean = f"{numbers.score(deciding.estimate.mean)} {numbers.interval(deciding.estimate.ci95)}"
    return f"{outcome.decision.headline}: {summary.source} {summary.overall} {mean}"


def _lack_of_gate(reason: str, outcome: RunOutcome, search: Search, stored: StoredRun) -> Lack:
    """One reason of a gate that stays shut, with what would open it."""
    run_id = outcome.run.run_id
    checked = outcome.canaries
    if outcome.run.judge is not None and (checked is None or not checked.passed):
        command = write_command("rescore", "--judge-model", "NAME", RUN=run_id)
    elif outcome.decision.code == "too_few_scenarios":
        command = search.today.eval_command()
    elif outcome.decision.code == "held_back" or search.base is None or _comparison(stored, search) is not None:
        command = write_command("open", RUN=run_id)
    else:
        command = search.compare_command()
    return Lack(f"run {run_id} did not pass its gate: {reason}", command)


def _by_comparison(stored: StoredRun, search: Search) -> Proof | list[Lack]:
    """The comparison with the base that lies with the run; nothing where there is none of these two prompts."""
    runs, candidate_id = search.settings.runs_dir, stored.run_id
    document = _comparison(stored, search)
    if document is None or search.base is None:
        return []
    again = search.compare_command()
    base_id = str(document["base"]["run_id"])
    base = next((run for run in search.journal.runs(inputs=False) if run.run_id == base_id), None)
    if base is None or (lost := missing_files(run_folder(runs, base_id))):
        gone = "is no longer stored" if base is None else f"has lost its {', '.join(lost)}"
        return [Lack(f"run {base_id}, which {candidate_id} was compared with, {gone}", again)]
    if base.spec.rehearsed or base.spec.embedded or not base.is_complete:
        state = "is not complete" if not base.is_complete else "is of the rehearsal model"
        return [Lack(f"run {base_id}, which {candidate_id} was compared with, {state}", again)]
    if document.get("forced") or document.get("bridge"):
        how = "was forced" if document.get("forced") else "was carried over between two judges"
        return [Lack(f"the comparison of {candidate_id} with {base_id} {how}", again)]
    said = f"the comparison of {candidate_id} with {base_id} did not pass {NO_REGRESSION}"
    opened, gate = write_command("open", RUN=candidate_id), document.get("gate") or {}
    if gate.get("gate") == NO_REGRESSION and not gate.get("passed"):
        return [Lack(f"{said}: {reason}", opened) for reason in gate.get("reasons", ())]
    waivers, _ = read_waivers(None)
    rules = read_rules(search.rules)
    try:
        sides = [read_run_files(run_folder(runs, each), search.suites) for each in (base_id, candidate_id)]
        return compare_files(sides[0], sides[1], waivers, rules)
    except (BrokenFile, UsageError) as error:
        return [Lack(f"the comparison of {candidate_id} with {base_id} does not stand: {error}", again)]
    except NotPassed as refused:
        return [Lack(f"{said}: {reason}", opened) for reason in refused.reasons]


class NotPassed(EvaluationError):
    """The gate of a comparison stays shut."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)


def compare_files(base: RunFiles, candidate: RunFiles, waivers: Sequence[Waiver], rules: RegressionRules) -> Proof:
    """The comparison of two runs, made from their files, as a proof.

    Raises NotPassed where the gate stays shut, UsageError for runs that may not be compared, BrokenFile.
    """
    concluded = [each.concluded(None, waivers) for each in (base, candidate)]
    for files, outcome in zip((base, candidate), concluded, strict=True):
        if faults := files.faults(outcome):
            raise BrokenFile(f"run {files.run.run_id}: {faults[0]}")
    scores = [each.scores(waivers) for each in (base, candidate)]
    suite = candidate.run.suite
    found = compare(scores[0], scores[1], suite=suite, largest_fall=rules.fall)
    gate = no_regression(found, suite, rules)
    if not gate.passed:
        raise NotPassed(gate.reasons)
    return Proof(
        kind="comparison",
        gate=NO_REGRESSION,
        verdict=found.verdict or "none",
        said=gate.reasons[0],
        runs=(candidate.certified("candidate", concluded[1]), base.certified("base", concluded[0])),
        terms={"rules": rules.model_dump(mode="json")},
        figures=comparison_figures(found, gate),
    )


def _comparison(stored: StoredRun, search: Search) -> dict[str, Any] | None:
    """comparison.json of a run, where it holds exactly these two prompts against one another."""
    try:
        found = read_json(run_folder(search.settings.runs_dir, stored.run_id) / COMPARISON)
        sides = [found[side]["prompt"]["sha256"] for side in ("base", "candidate")]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    fits = search.base is not None and sides == [search.base.pin.sha256, search.prompt.pin.sha256]
    return found if fits and found.get("kind") == "comparison" else None


def read_rules(file: str | None) -> RegressionRules:
    """The rules of the no-regression gate, of a file or as shipped."""
    text = read_named("gate", file or NO_REGRESSION, GATE_RULES)
    return parse_regression_rules(text.text, text.place)


def waivers_of(waivers: Sequence[Waiver]) -> list[dict[str, Json]]:
    """Waivers as a certificate keeps them."""
    return [{**asdict(each), "expiry": each.expiry.isoformat()} for each in waivers]
