"""The inputs of runs: rubric, suite and scenarios from their files, and the prompts, each pinned once."""

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.applications.mapping import APPLICATION
from evaluation.commands import write_command
from evaluation.errors import ParseError, UsageError
from evaluation.plan import FLAGGED, Inputs, Leg
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest, variants
from evaluation.rubrics.extension import EXTENDS, Layer, join, with_profile
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import merge_scenarios
from evaluation.suites import SUITES, Suites
from evaluation.suites.loaded import LoadedSuite, build_suite, check_rubric, with_judge_prompt
from evaluation.suites.own import (
    NAME,
    SuiteForm,
    inline_rubric,
    inline_sets,
    own_suite,
    read_form,
    suite_of_run,
    with_canaries,
)
from evaluation.suites.suite import ParseScenarios, SuiteDefinition, conversations
from evaluation.text.forms import SourceText
from evaluation.text.yaml_parts import as_whole
from scripts.run.criteria import find_criteria
from scripts.run.own_cues import load_own_cues
from scripts.run.own_packs import load_own_packs
from scripts.shell import note
from services.prompt_service import open_prompts, parse_reference
from services.settings import Settings, read_settings
from services.text_files import read_text
from services.workspace import (
    EXPECTATIONS,
    RUBRICS,
    find_suite_file,
    own_suite_names,
    read_named,
    read_scenarios,
    suite_name,
)

if TYPE_CHECKING:
    from evaluation.sweep.expected import Expectations

CANARIES = "canaries.yaml"
"""Beside the file of a suite: taken where it lies there and no other is named."""
RUBRICS_OWN = "rubric"
"""The reference that leaves a setting aside."""


async def read_inputs(
    request: EvaluationRequest, settings: Settings, suites: Suites = SUITES, legs: Sequence[Leg] = ()
) -> Inputs:
    """Everything is read before anything is parsed. `legs` take the place of the request's prompts and variants."""
    definition = suite_of_request(request, suites, settings)
    if definition.target == "application":
        _check_application(request)
    else:
        _check_model(request)
    bare = bool(legs) or definition.target == "application" or not (request.prompts or definition.needs_prompt)
    own, prompts = await pin_prompts(request, settings, bare=bare)
    named = chosen_rubric(definition.name, request.rubric, settings)
    rubric = with_profile(rubric_of(definition, named), request.profile)
    files = read_sets(request, definition, settings)
    loaded = build_suite(definition, rubric)
    loaded = with_judge_prompt(loaded, own)
    scenarios = parse_sets(files, loaded.rubric, definition.parse)
    legs = legs or [Leg(prompt, variant) for prompt in prompts for variant in variants(request)]
    return Inputs(loaded, legs, scenarios)


def find_suite(name: str, suites: Suites = SUITES, settings: Settings | None = None) -> SuiteDefinition:
    """A suite by name, or one without code by name, folder or file. Raises UsageError for one that does not exist."""
    if name in suites:
        return suites[name]
    found = settings or read_settings()
    path = find_suite_file(name, found.suites_dir)
    if path is None and suite_name(Path(found.suite)) == name:
        path = find_suite_file(found.suite, found.suites_dir)
    if path is not None:
        return read_suite(path)
    known = (*suites, *own_suite_names(found.suites_dir))
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    elsewhere = "" if near else "; one of your own elsewhere is named by its folder or file (./support)"
    raise UsageError(f"there is no suite {name!r}: {hint}there are {', '.join(known)}{elsewhere}")


def _check_application(request: EvaluationRequest) -> None:
    """Raises UsageError for what means something to a model alone: an application has its own prompt and parameters."""
    named = {"prompts": "prompt", "model": "model", "moderation": "moderation", **{name: name for name in FLAGGED}}
    if given := [flag for name, flag in named.items() if getattr(request, name) not in (None, ())]:
        flags = ", ".join(f"--{flag.replace('_', '-')}" for flag in given)
        raise UsageError(f"{flags}: an application answers, with a prompt and a model of its own: leave that out")


def _check_model(request: EvaluationRequest) -> None:
    """Raises UsageError for what means something to an application alone: it would be played on none."""
    named = {"mapping": "mapping", "app_version": "app-version", "retry_429": "retry-429"}
    if given := [f"--{flag}" for name, flag in named.items() if getattr(request, name) not in (None, False)]:
        raise UsageError(
            f"{', '.join(given)}: a model answers under a prompt: name the address of the application with --url, or "
            "leave that out"
        )


def suite_of_request(
    request: EvaluationRequest, suites: Suites = SUITES, settings: Settings | None = None
) -> SuiteDefinition:
    """The suite that is asked for; played on an application where the request names the address of one."""
    definition = find_suite(request.suite, suites, settings)
    return definition if request.url is None else definition.at_application()


def read_suite(path: Path) -> SuiteDefinition:
    """The suite without code in a file, with its rubric and canaries. Raises UsageError for what is wrong with it."""
    file = read_text(path)
    name = suite_name(path)
    if name in SUITES or not re.fullmatch(NAME, name):
        problem = "is that of a shipped suite" if name in SUITES else "is none for a suite"
        raise ParseError(file.place, f"the name {name!r} {problem}: use a small letter, then up to 15 of a-z 0-9 _ -")
    source = SourceText(file.text, file.place)
    form = read_form(source)
    folder = path.parent
    missing = [
        (key, f"there is no {given[:200]!r} beside the file: write it, or correct the path")
        for key, given in form.paths().items()
        if not (folder / given).exists()
    ]
    if missing:
        raise source.first_of(missing)
    rubric = with_canaries(_rubric_of_file(source, form, path), *_canaries_of_file(source, form, folder))
    sets = tuple(str(folder / each) if isinstance(each, str) else each for each in inline_sets(source, form))
    tagged = {tag: str(folder / each) for tag, each in form.tagged.items()}
    shown = str(folder / form.rubric) if isinstance(form.rubric, str) else str(path)
    return replace(own_suite(name, form.plays, sets, tagged), source=rubric, rubric_file=shown)


def _rubric_of_file(source: SourceText, form: SuiteForm, path: Path) -> SourceText:
    if isinstance(form.rubric, str):
        return read_rubric(str(path.parent / form.rubric))
    rubric = _joined(inline_rubric(source), path)
    return replace(rubric, text=as_whole(rubric.text))


def _canaries_of_file(source: SourceText, form: SuiteForm, folder: Path) -> tuple[SourceText | None, list[Json] | None]:
    """The text in which canaries stand, and they themselves where it is that of the suite."""
    if isinstance(form.canaries, list):
        return source, form.canaries
    path = folder / (form.canaries or CANARIES)
    if not path.is_file():
        return None, None
    canaries = read_text(path)
    return SourceText(canaries.text, canaries.place), None


def definition_of(name: str, inputs: Mapping[str, str], suites: Suites = SUITES) -> SuiteDefinition:
    """The suite of a stored run: the one that it keeps, or a shipped one. Raises KeyError for one that is unknown."""
    definition = suite_of_run(name, inputs) or suites[name]
    return definition.at_application() if APPLICATION in inputs else definition


def rubric_of(definition: SuiteDefinition, reference: str | None) -> SourceText:
    """The text of the rubric that is named, or else of the suite's own."""
    if reference is None and definition.source is not None:
        return definition.source
    return read_rubric(reference or definition.rubric_file)


def chosen_rubric(suite: str, named: str | None, settings: Settings) -> str | None:
    """The rubric that a flag names, or else the setting, which is for one suite alone; None for the suite's own."""
    usual = suite_name(Path(suite)) == suite_name(Path(settings.suite))
    return named or (settings.rubric if usual else None)


def load_suite(
    name: str, rubric: str | None = None, suites: Suites = SUITES, profile: str | None = None
) -> LoadedSuite:
    """A suite by name, under its own rubric or another, and a profile where one is named."""
    definition = find_suite(name, suites)
    return build_suite(definition, with_profile(rubric_of(definition, rubric), profile))


def check_plays_prompts(name: str, suites: Suites = SUITES, then: str = "") -> None:
    """Raises UsageError for a suite that evaluates an application: its runs have no prompt and no parameters.

    `then` says what to do after its runs are made, with a comma in front.
    """
    definition = suites.get(name)
    if definition is not None and definition.make_target != "eval":
        raise UsageError(f"suite {name!r} evaluates an application: run {write_command(definition.make_target)}{then}")


def check_is_of_prompts(name: str, suites: Suites = SUITES, then: str = "") -> None:
    """The same for suites of one's own too, which `eval` plays on an application: for commands that vary prompts."""
    check_plays_prompts(name, suites, then)
    if find_suite(name, suites).target == "application":
        raise UsageError(
            f"suite {name!r} is played on an application: run {write_command('eval', '--suite', name)}{then}"
        )


def load_rubric(reference: str) -> Rubric:
    """A rubric by name or file."""
    with _nothing_collected():
        return parse_rubric(read_rubric(reference), check_rubric)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """All that is read is kept: the collector would look through it again and again, for a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def read_rubric(reference: str) -> SourceText:
    """The text of a rubric by name or file, joined with those of the rubrics that it extends.

    A path after `extends` is seen from the folder of its file. Raises UsageError for an unknown name and for a circle.
    """
    file = read_named("rubric", reference, RUBRICS)
    return _joined(SourceText(file.text, file.place), file.path)


def _joined(source: SourceText, path: Path) -> SourceText:
    """A rubric that stands in a file, joined with those that it extends. The team's own cues are at hand for it."""
    load_own_cues()
    load_own_packs()
    read = {path: Layer.of(source)}
    while (name := (last := read[path]).extends) is not None:
        try:
            file = read_named("rubric", name, RUBRICS, path.parent)
        except UsageError as error:
            raise last.source.error((EXTENDS,), str(error)) from None
        path = file.path
        if path in read:
            raise last.source.error(
                (EXTENDS,), f"{name!r} extends this rubric in turn: let one of them stand for itself"
            )
        read[path] = Layer.of(SourceText(file.text, file.place))
    return join(tuple(read.values()))


def load_expectations(reference: str, metrics: Sequence[str]) -> "Expectations":
    """The expected ranges of a sweep by name or file; `metrics` are those that they may speak of."""
    from evaluation.sweep.expected import parse_expectations

    file = read_named("set of expected ranges", reference, EXPECTATIONS)
    return parse_expectations(file.text, file.place, metrics)


def read_sets(request: EvaluationRequest, definition: SuiteDefinition, settings: Settings) -> tuple[SourceText, ...]:
    """The texts of the sets that a request names, or else, for the default suite, the setting.

    Without either, the suite's own. Beside the last two those that its tags stand for.
    """
    if request.scenarios:
        return texts_of(request.scenarios)
    usual = definition.scenarios
    if definition.name == suite_name(Path(settings.suite)):
        usual = settings.scenarios or usual
    beside = [definition.tagged[tag] for tag in request.tags if tag in definition.tagged]
    return (*texts_of(usual), *(texts_of(beside) if beside else ()))


def texts_of(sets: Sequence[str | SourceText]) -> tuple[SourceText, ...]:
    """The texts of sets by name or file, and those that are given; the shipped ones where there is none."""
    named = [each for each in sets if isinstance(each, str)]
    files = read_scenarios(named) if named or not sets else ()
    given = [each for each in sets if isinstance(each, SourceText)]
    return (*(SourceText(file.text, file.place) for file in files), *given)


def parse_sets(files: Sequence[SourceText], rubric: Rubric, parse: ParseScenarios) -> tuple[Scenario, ...]:
    """The scenarios of all files; ids are unique across them."""
    find_set = find_criteria()
    return merge_scenarios([(file.place, parse(file.text, file.place, rubric, find_set)) for file in files])


def load_scenarios(
    references: Sequence[str], rubric: Rubric, parse: ParseScenarios = conversations
) -> tuple[Scenario, ...]:
    """The scenarios of the named sets, or of the default one."""
    return parse_sets(texts_of(references), rubric, parse)


async def pin_judge_prompt(
    reference: str | None, settings: Settings, *, use_langfuse: bool = True, quiet: bool = False
) -> PromptVersion | None:
    """The judge's prompt that a flag or else the setting names, resolved once; None for the rubric's own words.

    Raises UsageError for a reference without a name: a bare version belongs to the prompt under test.
    """
    named = reference or settings.judge_prompt
    if named is None or named == RUBRICS_OWN:
        return None
    parsed = parse_reference(named, "")
    if not isinstance(parsed, Path) and not parsed[0]:
        raise UsageError(
            f"judge prompt {named[:80]!r}: name it as name@v3, name@label or a file; "
            f"{RUBRICS_OWN} means the rubric's own words"
        )
    found = await open_prompts(settings, use_langfuse=use_langfuse).load(named)
    if not quiet:
        note(f"judge prompt: {found.resolution}, from {found.prompt.pin.source}")
    return found.prompt


async def pin_prompts(
    request: EvaluationRequest, settings: Settings, *, bare: bool
) -> tuple[PromptVersion | None, Sequence[PromptVersion | None]]:
    """The judge's own prompt, and each prompt of the request, resolved once, uncached; with `bare` none is sent."""
    own = None
    if request.judge:
        own = await pin_judge_prompt(request.judge_prompt, settings, use_langfuse=request.langfuse, quiet=request.quiet)
    if bare:
        return own, (None,)
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (settings.prompt_reference,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return own, [prompt.prompt for prompt in found]
