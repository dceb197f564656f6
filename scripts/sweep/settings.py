"""The settings of a sweep: its runs as points of the grid, and what makes them no whole grid."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

from evaluation.comparison.terms import agree_on_terms
from evaluation.errors import UsageError
from evaluation.records import Json, Reply
from evaluation.run import Run
from evaluation.sweep.effects import PROMPT, Setting, setting_name
from scripts.run.scores import run_scores
from services.journal import Journal

SENT_AS = {"max_tokens": ("max_tokens", "max_completion_tokens")}
"""Parameters that endpoints know under several names."""


def check_settings(runs: Sequence[Run]) -> None:
    """Raises UsageError for runs that are no whole sweep, and for settings that differ in more than what varies."""
    request = runs[0].request
    if not request.sweep:
        raise UsageError(f"run {runs[0].run_id} is no sweep's: go on with {runs[0].resume_command()}")
    planned = prod(len(values) for _, values in request.vary) * max(1, len(request.prompts))
    if len(runs) < planned:
        raise UsageError(
            f"only {len(runs)} of {planned} settings of this sweep are in the journal: it ended before a call or "
            "runs were removed since: start it again"
        )
    by = tuple(factor_values(runs[0], runs))
    for a, b in combinations(runs, 2):
        agree_on_terms(a, b, by)


def factor_values(run: Run, runs: Sequence[Run]) -> dict[str, Json]:
    """The factors that vary between the runs, with their values in this one; the prompt goes first where it varies."""
    request = run.request
    several = len({_prompt_order(each) for each in runs}) > 1
    values: dict[str, Json] = {PROMPT: _prompt_name(run)} if several else {}
    return values | {name: getattr(request, name) for name, given in request.vary if len(given) > 1}


def _prompt_name(run: Run) -> str:
    """A prompt in a setting's name."""
    return "no prompt" if run.spec.prompt is None else run.spec.prompt.title


def read_points(runs: Sequence[Run], journal: Journal) -> list[Setting]:
    """The runs as settings, in the order of the grid: whatever order the journal gives them in."""
    found = []
    for run in sorted(runs, key=_grid_order):
        values = factor_values(run, runs)
        found.append(Setting(values, run_scores(run, setting_name(values), journal)))
    return found


def _grid_order(run: Run) -> tuple[object, ...]:
    request = run.request
    return (_prompt_order(run), *(list(given).index(getattr(request, name)) for name, given in request.vary))


def _prompt_order(run: Run) -> tuple[str, int, str]:
    pin = run.spec.prompt
    return ("", 0, "") if pin is None else (pin.name, pin.version or 0, pin.sha256)


def note_unsent(runs: Sequence[Run], journal: Journal) -> Iterator[str]:
    """Parameters that vary and were not sent, since the endpoint refuses them: the settings do not really differ."""
    left_out = {}
    for run in runs:
        replies = (result.exchange.outcome for result in journal.results(run.run_id, run.scenario_ids))
        sent = next((reply.parameters for reply in replies if isinstance(reply, Reply)), None)
        if sent is None:
            continue
        for name in set(factor_values(run, runs)) & set(run.spec.parameters):
            if all(sent.get(form) is None for form in SENT_AS.get(name, (name,))):
                left_out[name] = run.spec.model
    for name, model in sorted(left_out.items()):
        yield f"{name} was not sent: the endpoint refuses it for {model}, so that these settings do not really differ"
