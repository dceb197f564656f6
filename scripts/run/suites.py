"""The suite that is meant: a shipped one, one without code in a file of the team's own, or as a run keeps it."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from evaluation.applications.mapping import APPLICATION
from evaluation.commands import write_command
from evaluation.errors import ParseError, UsageError
from evaluation.request import EvaluationRequest
from evaluation.suites import SUITES, Suites
from evaluation.suites.own import NAME, SuiteForm, SuiteTexts, inline_rubric, read_form, suite_from_texts, suite_of_run
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.forms import SourceText
from scripts.run.texts import join_extended, read_rubric
from services.settings import Settings, read_settings
from services.text_files import read_text
from services.workspace import find_suite_file, own_suite_names, suite_name

CANARIES = "canaries.yaml"
"""Beside the file of a suite: taken where it lies there and no other is named."""


def suite_of_request(
    request: EvaluationRequest, suites: Suites = SUITES, settings: Settings | None = None
) -> SuiteDefinition:
    """The suite that is asked for; played on an application where the request names the address of one."""
    definition = find_suite(request.suite, suites, settings)
    return definition if request.url is None else definition.at_application()


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


def read_suite(path: Path) -> SuiteDefinition:
    """The suite without code in a file, with its rubric and canaries. Raises UsageError for what is wrong with it."""
    file = read_text(path)
    name = suite_name(path)
    if name in SUITES or not re.fullmatch(NAME, name):
        problem = "is that of a shipped suite" if name in SUITES else "is none for a suite"
        raise ParseError(file.place, f"the name {name!r} {problem}: use a small letter, then up to 15 of a-z 0-9 _ -")
    source = SourceText(file.text, file.place)
    form = read_form(source)
    missing = [
        (key, f"there is no {given[:200]!r} beside the file: write it, or correct the path")
        for key, given in form.paths().items()
        if not (path.parent / given).exists()
    ]
    if missing:
        raise source.first_of(missing)
    if isinstance(form.rubric, str):
        rubric_file = str(path.parent / form.rubric)
        rubric = read_rubric(rubric_file)
    else:
        rubric_file = str(path)
        rubric = join_extended(inline_rubric(source), path)
    texts = SuiteTexts(source, rubric, rubric_file, _read_canaries(form, path.parent))
    return suite_from_texts(name, form, texts, lambda given: str(path.parent / given))


def _read_canaries(form: SuiteForm, folder: Path) -> SourceText | None:
    """The file of canaries; None where there is none, and where they stand in the suite's."""
    if isinstance(form.canaries, list):
        return None
    path = folder / (form.canaries or CANARIES)
    if not path.is_file():
        return None
    file = read_text(path)
    return SourceText(file.text, file.place)


def definition_of(name: str, inputs: Mapping[str, str], suites: Suites = SUITES) -> SuiteDefinition:
    """The suite of a stored run: the one that it keeps, or a shipped one. Raises KeyError for one that is unknown."""
    definition = suite_of_run(name, inputs) or suites[name]
    return definition.at_application() if APPLICATION in inputs else definition


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
