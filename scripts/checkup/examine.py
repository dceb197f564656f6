"""The whole checkup, in the order in which things depend on one another, and the data of the suite that is set."""

import asyncio
import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from evaluation.errors import EvaluationError, UsageError
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, build_suite, with_judge_prompt
from evaluation.text.numbers import times
from scripts.checkup.application import check_application
from scripts.checkup.check import Check, all_work, describe, ok, to_json, unchecked, wrong
from scripts.checkup.embedding import check_embedding
from scripts.checkup.endpoint import Asked, check_models
from scripts.checkup.langfuse import SERVER, check_langfuse, check_prompt
from scripts.checkup.machine import check_disk, check_python, check_runs_folder
from scripts.run.load import chosen_rubric, find_suite, parse_sets, pin_judge_prompt, read_sets, rubric_of
from scripts.run.wiring import choose_endpoint, judges_for, named_model
from scripts.shell import DONE, USAGE, printable
from services.model.errors import without_secrets
from services.model.pricing import load_prices
from services.prompt_versions import FoundPrompt
from services.rehearsal import GENERATION_MODEL
from services.settings import Settings, read_settings

SETTINGS = "settings"


def check_rubric(request: EvaluationRequest, settings: Settings) -> tuple[Check, LoadedSuite | None]:
    """The rubric, with the suite as it is scored by it; without one where it cannot be read."""
    try:
        definition = find_suite(request.suite, SUITES, settings)
        loaded = build_suite(definition, rubric_of(definition, chosen_rubric(request.suite, request.rubric, settings)))
    except EvaluationError as error:
        return wrong("rubric", str(error)), None
    own = loaded.rubric
    judged = "with a judge" if loaded.suite.judge is not None else "without a judge"
    return ok("rubric", f"{own.name} {own.version}, {times(len(own.weights), 'metric')}, {judged}"), loaded


def check_scenarios(request: EvaluationRequest, rubric: Rubric | None, settings: Settings) -> Check:
    """Every file of the sets, read and parsed."""
    if rubric is None:
        return unchecked("scenarios", "they are read under the rubric, which is wrong")
    try:
        definition = find_suite(request.suite, SUITES, settings)
        files = read_sets(request, definition, settings)
        scenarios = parse_sets(files, rubric, definition.parse)
    except EvaluationError as error:
        return wrong("scenarios", str(error))
    expected = sum(len(scenario.expect) for scenario in scenarios)
    critical = sum(item.critical for scenario in scenarios for item in scenario.expect)
    held = f"{times(expected, 'expectation')}, {critical} critical"
    return ok("scenarios", f"{times(len(scenarios), 'scenario')} in {times(len(files), 'file')}, {held}")


def examine(options: Namespace) -> int:
    """Prints every check; DONE where all that is set works, else USAGE."""
    try:
        settings = read_settings()
    except UsageError as error:
        checks = [check_python(), wrong(SETTINGS, str(error)), unchecked("all else", "it follows from the settings")]
        secrets: tuple[str, ...] = ()
    else:
        checks, secrets = asyncio.run(_examine(options, settings)), settings.secrets()
    shown = [_without(each, secrets) for each in checks]
    if options.json:
        print(json.dumps(to_json(shown), ensure_ascii=False, indent=2))
    else:
        print("\n".join(describe(shown)))
    return DONE if all_work(shown) else USAGE


async def _examine(options: Namespace, settings: Settings) -> list[Check]:
    request = EvaluationRequest(suite=settings.suite)
    rubric, loaded = check_rubric(request, settings)
    checks = [
        check_python(),
        _check_settings(settings),
        check_runs_folder(settings.runs_dir),
        check_disk(settings.runs_dir),
        rubric,
        check_scenarios(request, loaded.rubric if loaded else None, settings),
        *await check_application(request, settings, options.timeout),
    ]
    langfuse = await check_langfuse(settings, loaded.suite if loaded else None, options.timeout)
    reachable = langfuse[0].state != "wrong"
    prompt, found = await check_prompt(settings, reachable=reachable, timeout_s=options.timeout)
    if loaded is not None and loaded.suite.target == "application":
        prompt, found = unchecked("prompt", "an application answers, with a prompt of its own"), None
    checks += [*langfuse, prompt]
    if loaded is not None and settings.judge_prompt is not None:
        own, loaded = await _judge_prompt(loaded, settings, reachable=reachable, timeout_s=options.timeout)
        checks.append(own)
    try:
        asked = _asked(options, request, settings, found)
        return [*checks, *await check_models(asked, loaded), *await check_embedding(asked)]
    except EvaluationError as error:
        return [*checks, wrong("endpoint", str(error))]


def _check_settings(settings: Settings) -> Check:
    file = settings.workspace.file
    read = [str(place) for place in (settings.env_file, None if file is None else file.path) if place is not None]
    return ok(SETTINGS, f"from the environment{''.join(f', {place}' for place in read)}{'' if read else ' alone'}")


def _asked(options: Namespace, request: EvaluationRequest, settings: Settings, found: FoundPrompt | None) -> Asked:
    choice = choose_endpoint(settings)
    model = named_model(None if found is None else found.prompt, request, settings)
    model = GENERATION_MODEL if choice.rehearsal else model
    judges = judges_for(settings.judge_models or ((model,) if model else ()), choice, settings)
    return Asked(choice, settings, request, model, judges, load_prices(), options.timeout, options.calls)


async def _judge_prompt(
    loaded: LoadedSuite, settings: Settings, *, reachable: bool, timeout_s: float
) -> tuple[Check, LoadedSuite | None]:
    """The team's own words for the judge, and the suite that is judged by them; none where they cannot be used."""
    name = "judge prompt"
    if not reachable:
        return unchecked(name, f"it comes from {SERVER}, which is wrong"), None
    try:
        async with asyncio.timeout(timeout_s):
            own = await pin_judge_prompt(None, settings, quiet=True)
            loaded = with_judge_prompt(loaded, own)
    except EvaluationError as error:
        return wrong(name, str(error)), None
    except TimeoutError:
        return wrong(name, f"it did not come within {timeout_s:g} s", "check LANGFUSE_BASE_URL, or try later"), None
    return ok(name, str(settings.judge_prompt)), loaded


def _without(check: Check, secrets: Sequence[str]) -> Check:
    """The check in printable lines, with every secret blotted out: a server may repeat what it was sent."""
    found, remedy = (printable(without_secrets(text, secrets)) for text in (check.found, check.remedy))
    return replace(check, found=found, remedy=remedy)
