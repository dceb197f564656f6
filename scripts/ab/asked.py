"""A test's plan: written before its first look, and held against the flags of every later one."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluation.ab.plan import LOWER_IS_BETTER, WINDOW, Plan, Version
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.moments import iso, moment
from evaluation.records import Json
from scripts.argument_values import moment_of
from services.prompt_service import open_prompts
from services.run_folder import read_json, run_folder, why_unread, write_json
from services.settings import Settings

TESTS, PLAN = "ab", "plan.json"
MEASURE, ALPHA = "rules.overall_quality", 0.05
_DAYS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:d|days?)?")
_NUMBER = re.compile(r"v?\d+")
_OF_VERSIONS = {"base": "--base", "candidate": "--prompt"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The test that is looked at."""

    plan: Plan
    notes: tuple[str, ...] = ()
    """What has changed around it since it was planned."""
    is_new: bool = False
    """True where its plan is not on disk yet."""


async def asked_test(options: argparse.Namespace, settings: Settings, now: str) -> Asked:
    """The planned test of that name; where there is none, it is planned now: `keep_plan` writes it.

    `now` is ISO 8601, UTC. Raises UsageError for flags that contradict the plan, and where a plan lacks something.
    """
    name = _name(options)
    path = folder_of(name, settings) / PLAN
    if not path.exists():
        return Asked(await _begin(name, options, settings, now), is_new=True)
    plan = _read(path)
    for field, flag, given in _given(options, plan.start):
        if getattr(plan, field) != given:
            raise UsageError(
                f"test {name!r} was planned with {_said(plan, field, flag)}, and a plan that changes on the way keeps "
                f"no error rate: leave {flag} out, or begin another test with --name"
            )
    return Asked(plan, await _check_versions(plan, options, settings))


def keep_plan(plan: Plan, settings: Settings) -> None:
    """Writes the plan of a new test: once production was read, and before anything of it is shown.

    Raises UsageError where another command has planned a test of that name meanwhile.
    """
    path = folder_of(plan.name, settings) / PLAN
    if path.exists():
        raise UsageError(f"{path}: was planned by another command meanwhile: give the same command again")
    write_json(path, plan.to_json())


def folder_of(name: str, settings: Settings) -> Path:
    """Where the files of the test lie."""
    return run_folder(settings.runs_dir / TESTS, name)


def _name(options: argparse.Namespace) -> str:
    if options.name:
        return str(options.name)
    if not (options.base and options.prompt):
        raise UsageError(f"say which versions are compared: {write_command('ab', BASE='v2', PROMPT='v3')}")
    words = re.findall(r"[A-Za-z0-9._]+", f"{options.base} vs {options.prompt}")
    return "-".join(words)[:100].strip(".-_")


async def _begin(name: str, options: argparse.Namespace, settings: Settings, now: str) -> Plan:
    for flag, given, why in (
        ("--base", options.base, "the version that is held against"),
        ("--prompt", options.prompt, "the version that is tried"),
        ("--since", options.since, "when the test began"),
        ("--margin", options.margin, "the largest difference that does not matter"),
    ):
        if given is None:
            raise UsageError(f"test {name!r} has no plan yet: say with {flag} {why}")
    prompt, base = await _pinned(options.base, "--base", settings)
    of_candidate, candidate = await _pinned(options.prompt, "--prompt", settings)
    if prompt != of_candidate:
        raise UsageError(f"--base is of {prompt!r} and --prompt of {of_candidate!r}: name two versions of one prompt")
    if base.version == candidate.version:
        raise UsageError(f"--base and --prompt are both v{base.version} of {prompt!r}: name two versions")
    start = iso(moment_of("--since", options.since))
    plan = _planned(name, options, start, prompt, base, candidate)
    if moment(start) > moment(now):
        raise UsageError(f"--since {options.since}: is in the future: say when the test began, or look once it has")
    return plan


def _planned(
    name: str, options: argparse.Namespace, start: str, prompt: str, base: Version, candidate: Version
) -> Plan:
    given: dict[str, Json] = {field: value for field, _, value in _given(options, start)}
    horizon, measure = given.get("horizon"), str(given.get("measure", MEASURE))
    if horizon is None and given.get("unit") == "session":
        raise UsageError("--unit session needs --horizon: without one each user counts once, so users are assigned")
    if horizon is not None and options.window is not None:
        raise UsageError("--window does not go with --horizon: leave out one of them")
    if horizon is not None and moment(str(horizon)) <= moment(start):
        raise UsageError(f"--horizon {options.horizon}: is not after --since {options.since}")
    return Plan(
        name=name,
        created_at=iso(datetime.now(UTC)),
        prompt=prompt,
        base=base,
        candidate=candidate,
        measure=measure,
        lower_is_better=bool(options.lower_is_better) or measure in LOWER_IS_BETTER,
        unit=options.unit or "user",
        split=options.split or (50.0, 50.0),
        margin=options.margin,
        alpha=options.alpha or ALPHA,
        start=start,
        horizon=None if horizon is None else str(horizon),
        users=options.users,
        window=None if horizon is not None else options.window or WINDOW,
        environments=tuple(options.environment or ()),
    )


def _given(options: argparse.Namespace, start: str) -> Iterator[tuple[str, str, Json]]:
    """(field of a plan, flag, its value) of everything that was said about a test, but its versions."""
    if options.measure is not None:
        yield "measure", "--measure", options.measure
    if options.lower_is_better:
        yield "lower_is_better", "--lower-is-better", True
    for field in ("unit", "split", "margin", "alpha", "window"):
        if getattr(options, field) is not None:
            yield field, f"--{field}", getattr(options, field)
    if options.since is not None:
        yield "start", "--since", iso(moment_of("--since", options.since))
    if options.horizon is not None:
        yield "horizon", "--horizon", _horizon(options.horizon, start)
    if options.users is not None:
        yield "users", "--users", options.users
    if options.environment:
        yield "environments", "--environment", tuple(options.environment)


def _said(plan: Plan, field: str, flag: str) -> str:
    value = getattr(plan, field)
    if value is None or value == () or value is False:
        return f"no {flag}"
    return f"{flag} {' '.join(map(str, value)) if isinstance(value, tuple) else value}"


async def _pinned(reference: str, flag: str, settings: Settings) -> tuple[str, Version]:
    """Name of the prompt and the version that a reference means now."""
    pin = (await open_prompts(settings).load(reference)).prompt.pin
    if pin.source != "langfuse" or pin.version is None:
        raise UsageError(f"{flag} {reference}: is a file, and traces name versions that are kept in Langfuse")
    return pin.name, Version(reference, pin.version)


async def _check_versions(plan: Plan, options: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """What became of the labels of a planned test. Raises UsageError where other versions are asked for."""
    notes = []
    for field, flag in _OF_VERSIONS.items():
        planned: Version = getattr(plan, field)
        given = options.base if field == "base" else options.prompt
        if given in (None, planned.reference) and _NUMBER.fullmatch(planned.reference):
            continue
        prompt, now = await _pinned(given or planned.reference, flag, settings)
        if (prompt, now.version) == (plan.prompt, planned.version):
            continue
        if given not in (None, planned.reference):
            raise UsageError(f"test {plan.name!r} was planned with {flag} {planned.title}: begin another with --name")
        notes.append(
            f"label {planned.reference} was at v{planned.version} when the test was planned and is at v{now.version} "
            f"now: the test is about v{planned.version}"
        )
    return tuple(notes)


def _read(path: Path) -> Plan:
    try:
        return Plan.from_json(read_json(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path}: is no plan of a test ({why_unread(error)}): restore it, or begin another with --name"
        ) from None


def _horizon(text: str, start: str) -> str:
    if days := _DAYS.fullmatch(text.strip()):
        try:
            return iso(moment(start) + timedelta(days=float(days[1])))
        except OverflowError:
            raise UsageError(f"--horizon {text}: is after all calendars") from None
    return iso(moment_of("--horizon", text))
