"""A comparison whose base another judge scored: where a bridge may carry it over, what that costs, and the bridge."""

from dataclasses import replace

from evaluation.commands import write_command
from evaluation.comparison.bridge import Bridge
from evaluation.comparison.carried import Instead, lacking_in_sample, name_judges
from evaluation.comparison.runs import terms
from evaluation.errors import SampleIncomplete, StopRequested, UsageError
from evaluation.estimate import Estimate, with_bridge
from evaluation.request import EvaluationRequest, arguments_of
from evaluation.run import Run
from evaluation.suites import Suites
from scripts.run.scores import fallback_of
from scripts.scoring.bridge import estimate_sample, estimate_whole, judge_sample, read_bridge
from scripts.scoring.rescore import JUDGE
from scripts.shell import note
from services.journal import Journal
from services.settings import Settings, read_settings

PART = "judge"
"""The part of a run's specification in which the sides may differ."""


def is_bridged(base: Run, candidate: Run, by: tuple[str, ...], aside: tuple[str, ...]) -> bool:
    """True where two judges scored the runs, and what is compared is not the judges."""
    return (
        None not in (base.spec.judge, candidate.spec.judge)
        and PART in terms(base.spec, candidate.spec, by, aside).parts
    )


def check_can_be_bridged(base: Run, candidate: Run, *, stored: bool) -> None:
    """Raises UsageError for a base that no bridge can carry over; `stored` says that its run was named."""
    if not stored:
        raise UsageError("--bridge carries a stored run over to the judge of the other side: name that run as --base")
    situations = len({scenario.cluster for scenario in base.scenarios})
    if missing := lacking_in_sample(base.planned_exchanges, situations):
        raise UsageError(
            f"--bridge: run {base.run_id} holds too little for a bridge: {missing} are missing; have all of it judged "
            f"again, and compare with the run that this makes: {_instead_command(base, candidate, read_settings())}"
        )


def estimate_bridge(
    base: Run, candidate: Run, request: EvaluationRequest, before: Estimate, suites: Suites, settings: Settings
) -> Estimate:
    """The estimate with what is left to be asked for the bridge."""
    return with_bridge(before, estimate_sample(base.run_id, candidate, request, suites, settings))


def judge_base_again(
    base: Run,
    candidate: Run,
    request: EvaluationRequest,
    command: str,
    suites: Suites,
    settings: Settings,
    spent: float = 0.0,
) -> Bridge:
    """The bridge from the judge of the base to that of the candidate.

    The cost limit is one for all: `spent` is what the command has paid so far, in US dollars; `command` goes on with
    it. Raises StopRequested and SampleIncomplete where the sample was not judged to its end.
    """
    limit = request.max_cost
    if limit is not None and spent >= limit:
        raise SampleIncomplete(_incomplete(f"the cost limit of {limit:g} USD is reached: {spent:.4f} paid", command))
    if not request.quiet:
        _, now = name_judges(base.spec.judge, candidate.spec.judge)
        note(f"bridge: {now} judges a sample of {base.run_id} again")
    asked = replace(request, quiet=True, max_cost=None if limit is None else limit - spent)
    sample = judge_sample(base.run_id, candidate, asked, suites, settings)
    if not isinstance(sample, Run):
        if sample.stop.interrupted:
            raise StopRequested(_incomplete(sample.stop.reason, command))
        raise SampleIncomplete(_incomplete(sample.stop.reason or "the judge did not answer all of it", command))
    whole = estimate_whole(base.run_id, candidate, request, suites)
    calls = whole.judge_calls + whole.canary_calls + whole.expectation_calls + whole.conversation_calls
    instead = Instead(_instead_command(base, candidate, settings), calls, whole.cost_usd)
    with Journal.in_folder(settings.runs_dir) as journal:
        return read_bridge(sample, base.scenarios, fallback_of(request), journal, settings, instead)


def _incomplete(why: str, command: str) -> str:
    return (
        f"the sample of the base that the other judge has to judge is not complete ({why}): what was judged is kept; "
        f"go on with: {command}"
    )


def _instead_command(base: Run, candidate: Run, settings: Settings) -> str:
    """The command that has the whole base judged like the candidate."""
    pin, before = candidate.spec.judge, base.spec.judge
    assert pin is not None and before is not None, "runs without a judge are not bridged"
    asked = candidate.request
    wanted = replace(
        replace(EvaluationRequest(), **{name: getattr(asked, name) for name in JUDGE}),
        judge_models=asked.judge_models or settings.judge_models or (pin.model,),
        judge_form=pin.form if pin.form != before.form else asked.judge_form,
        judge_samples=pin.samples,
    )
    flags = arguments_of(wanted)
    if pin.samples != before.samples and pin.samples == EvaluationRequest().judge_samples:
        flags += ["--judge-samples", str(pin.samples)]
    return write_command("rescore", *flags, RUN=base.run_id)
