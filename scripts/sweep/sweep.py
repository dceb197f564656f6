"""A sweep from what was typed to its report: every setting is a run, all of them are played in one interleaved pass."""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from math import prod
from typing import Any, TypeAlias

from evaluation.commands import write_command
from evaluation.comparison.runs import agree_on_terms
from evaluation.errors import UsageError
from evaluation.outcome import RunOutcome
from evaluation.records import Json, Reply
from evaluation.reports.markdown import to_markdown
from evaluation.reports.sweep import describe_sweep, headline
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import Suite
from evaluation.sweep.effects import PROMPT, Setting, setting_name
from evaluation.sweep.expected import Expectations
from evaluation.sweep.sweep import Sweep, analyse, sweep_document, sweep_rows
from scripts.argument_values import positive, temperature, within
from scripts.run.finish import Outcome
from scripts.run.index import note_sweep, write_index
from scripts.run.load import load_expectations, load_suite
from scripts.run.output import JointAnswer
from scripts.run.scores import run_scores
from scripts.run.suites import check_is_of_prompts
from scripts.run.texts import chosen_rubric
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.run_folder import run_folder, write_documents
from services.settings import Settings, read_settings
from services.tables import write_csv
from services.workspace import EXPECTATIONS, shipped_names

Grid: TypeAlias = tuple[tuple[str, tuple[Any, ...]], ...]
"""Parameters, each with its values."""


DEFAULT: Grid = (("temperature", (0.3, 0.7, 1.2)),)
"""Where nothing else varies."""


MOST_SETTINGS = 24
"""More take `--large`: they are seldom meant, and always paid for."""


FILES = ("report.html", "sweep.md", "sweep.csv", "sweep.json")


SENT_AS = {"max_tokens": ("max_tokens", "max_completion_tokens")}
"""Parameters that endpoints know under several names."""


probability = within(float, math.ulp(0.0), 1, "above 0 and at most 1")
penalty = within(float, -2, 2, "a number from -2 to 2")

PARAMETERS: Mapping[str, Callable[[str], Any]] = {
    "temperature": temperature,
    "top_p": probability,
    "max_tokens": positive,
    "frequency_penalty": penalty,
    "presence_penalty": penalty,
    "reasoning_effort": str,
    "model": str,
}
"""The parameters that may vary, and what reads a value of each."""


def parse_grid(typed: Sequence[str], prompts: Sequence[str], fixed: Sequence[str], *, large: bool) -> Grid:
    """The parameters of a grid, each with its values in the order given; one value fixes a parameter.

    `prompts` vary too; `fixed` are parameters that have a flag of their own already. Raises UsageError for a
    parameter that does not exist or comes twice, a value that is out of range or comes twice, a grid of one setting,
    and one of more than `MOST_SETTINGS` unless `large`.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for text in typed:
        name, values = _axis(text)
        if name in found or name in fixed:
            raise UsageError(f"--vary {text}: {name} is given twice: name all its values at once")
        found[name] = values
    grid: Grid = tuple(found.items())
    varies = any(len(values) > 1 for values in found.values()) or len(prompts) > 1
    if not varies and not typed and "temperature" not in fixed:
        grid = DEFAULT
    elif not varies:
        raise UsageError(
            "nothing varies: name at least two values, as in --vary temperature=0.3,0.7,1.2, or two --prompt"
        )
    count = prod(len(values) for _, values in grid) * max(1, len(prompts))
    if count > MOST_SETTINGS and not large:
        raise UsageError(f"the grid has {count} settings, and each is a run of its own: vary less, or add --large")
    return grid


def _axis(text: str) -> tuple[str, tuple[Any, ...]]:
    name, given, listed = (part.strip() for part in text.partition("="))
    if name not in PARAMETERS:
        near = get_close_matches(name, PARAMETERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(PARAMETERS)}, and prompts with --prompt"
        raise UsageError(f"--vary {text}: there is no parameter {name!r} to vary: {hint}")
    words = [word.strip() for word in listed.split(",")]
    if not given or not all(words):
        raise UsageError(f"--vary {text}: give values after '=', with commas between them: --vary {name}=0.3,0.7")
    values = tuple(_value(name, word, text) for word in words)
    twice = [word for place, word in enumerate(words) if values[place] in values[:place]]
    if twice:
        raise UsageError(f"--vary {text}: {twice[0]} is given twice: two runs alike say nothing, use --repeats")
    return name, values


def _value(name: str, word: str, text: str) -> Any:
    try:
        return PARAMETERS[name](word)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--vary {text}: {error}") from None
    except ValueError:
        kind = "whole number" if PARAMETERS[name] is positive else "number"
        raise UsageError(f"--vary {text}: {word!r} is no {kind}, and {name} takes {kind}s") from None


def run_sweep(request: EvaluationRequest, suites: Suites = SUITES) -> JointAnswer | Outcome:
    """Plays the settings that are not played yet and analyses them; the outcome of a dry run as it is.

    Raises UsageError for what the user must mend.
    """
    settings = read_settings()
    if request.resume is None:
        check_is_of_prompts(request.suite, suites)
        expectations_of(request, settings, suites)

    def check(planned: Sequence[Run], _journal: Journal) -> None:
        check_ruled(planned[0].suite, request)
        check_settings(planned)

    evaluation = run_evaluation(request, suites, check)
    if evaluation.estimate is not None:
        return evaluation
    stored = evaluation.runs[0].run.request
    expectations = expectations_of(replace(stored, expected=request.expected or stored.expected), settings, suites)
    with Journal.in_folder(settings.runs_dir) as journal:
        runs = [outcome.run for outcome in evaluation.runs]
        result = analyse(read_points(runs, journal, settings), suite=runs[0].suite, expectations=expectations)
        same = (found.note for found in result.identical if found.note)
        notes = (*same, *note_unsent(runs, journal), *note_incomplete(evaluation.runs))
        data = sweep_document(result, runs[0].group_id, notes)
        files = write_sweep(result, data, runs, notes, journal, settings)
        note_sweep(runs[0], data, headline(result), journal)
        write_index(journal, settings)
    return JointAnswer(data, describe_sweep(result, notes=notes, files=files), files, evaluation.exit_code)


def check_ruled(suite: Suite, request: EvaluationRequest) -> None:
    """Raises UsageError for a suite without a rule, of whose runs a sweep would have nothing to say."""
    if suite.rules == "heuristic" and not suite.metrics_of("heuristic"):
        judged = write_command("compare", "--suite", request.suite, "--by", "temperature", "--values", "0.3,1.2")
        raise UsageError(f"suite {suite.name!r} has no rule, and a sweep asks no judge: compare two settings: {judged}")


def expectations_of(request: EvaluationRequest, settings: Settings, suites: Suites) -> Expectations | None:
    """The ranges that were named, else those that are shipped for the suite; None where there are none."""
    if request.expected is None and request.suite not in shipped_names(EXPECTATIONS):
        return None
    rubric = chosen_rubric(request.suite, request.rubric, settings)
    metrics = load_suite(request.suite, rubric, suites).suite.metrics
    return load_expectations(request.expected or request.suite, metrics)


def note_incomplete(outcomes: Sequence[RunOutcome]) -> Iterator[str]:
    """The command that completes what is missing: one command goes on with the whole group."""
    open_ones = [outcome for outcome in outcomes if outcome.incomplete]
    if open_ones:
        command = open_ones[0].next_command or open_ones[0].run.resume_command()
        yield f"{len(open_ones)} of {len(outcomes)} settings are incomplete; go on with all of them: {command}"


def write_sweep(
    result: Sweep, data: Json, runs: Sequence[Run], notes: Sequence[str], journal: Journal, settings: Settings
) -> tuple[str, ...]:
    """The files of the group, in a folder of its own beside the folders of its runs."""
    from scripts.run.page import sweep_page

    folder = run_folder(settings.runs_dir, runs[0].group_id)
    documents = {
        "sweep.json": data,
        "sweep.md": to_markdown(describe_sweep(result, notes=notes)),
        "report.html": sweep_page(result, {run.run_id: run for run in runs}, journal, settings, notes),
    }
    write_documents(folder, documents)
    write_csv(folder / "sweep.csv", *sweep_rows(result))
    return tuple(str(folder / name) for name in FILES)


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


def read_points(runs: Sequence[Run], journal: Journal, settings: Settings) -> list[Setting]:
    """The runs as settings, in the order of the grid: whatever order the journal gives them in."""
    found = []
    for run in sorted(runs, key=_grid_order):
        values = factor_values(run, runs)
        found.append(Setting(values, run_scores(run, setting_name(values), journal, settings)))
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
