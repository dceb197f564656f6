"""Files that a team writes, read as an evaluation would read them: every problem of each, one line a problem."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from evaluation.applications.mapping import parse_conversation_mapping
from evaluation.chat_flow.mapping import is_of_recipes, parse_mapping
from evaluation.comparison.gate import parse_regression_rules
from evaluation.errors import ParseError, UsageError
from evaluation.expectations.waivers import parse_waivers
from evaluation.harvest.drafts_file import read_drafts
from evaluation.languages.pack import parse_pack
from evaluation.mix.form import parse_mix
from evaluation.plan import check_prompt
from evaluation.text.forms import SourceText
from scripts.own_files.kinds import READ, WORKSPACES, Kind, kind_of
from scripts.own_files.scenario_sets import ScenarioSets
from scripts.own_files.suite_files import check_canaries, check_criteria, check_suite
from scripts.own_files.workspaces import check_workspace
from scripts.run.load import load_rubric
from scripts.shell import DONE, USAGE, note, printable
from services.prompt_versions import DirectoryPrompts, prompt_from_file, version_number
from services.settings import Settings, read_settings
from services.text_files import TextFile, read_text, show_path
from services.workspace import SUITE_FILE

_PATTERN = frozenset("*?[")
"""Characters of a pattern of file names."""


def _check_mapping(file: TextFile) -> None:
    """Raises ParseError for a mapping that no suite can use."""
    value = SourceText(file.text, file.place).value()
    (parse_mapping if is_of_recipes(value) else parse_conversation_mapping)(file.text, file.place)


_CHECKS: Mapping[Kind, Callable[[TextFile], object]] = {
    "suite": check_suite,
    "canaries": check_canaries,
    "drafts": lambda file: read_drafts(file.text, file.place),
    "workspace": check_workspace,
    "waivers": lambda file: parse_waivers(SourceText(file.text, file.place)),
    "criteria": check_criteria,
    "mix": lambda file: parse_mix(SourceText(file.text, file.place)),
    "gate": lambda file: parse_regression_rules(file.text, file.place),
    "mapping": _check_mapping,
    "language": lambda file: parse_pack(SourceText(file.text, file.place)),
}
"""Kind -> what raises UsageError for a file that is wrong, where it needs that file alone."""


def validate_files(options: argparse.Namespace) -> int:
    """Prints what is wrong with the files, and how many there are; 2 where anything is."""
    found = {given: tuple(_paths(given)) for given in options.files}
    settings = _settings([path for inside in found.values() for path in inside])
    paths = list(dict.fromkeys(path for given, inside in found.items() for path in _written(given, inside, settings)))
    sets = ScenarioSets(options.suite, options.rubric, settings, [path for path in paths if path.name == SUITE_FILE])
    problems: list[str] = []
    for path in paths:
        problems += _problems_of(path, sets, settings)
    problems += [str(error) for error in sets.clashes()]
    problems = list(dict.fromkeys(problems))
    if options.json:
        print(json.dumps({"files": [show_path(path) for path in paths], "problems": problems}, ensure_ascii=False))
    else:
        for problem in problems:
            print(printable(problem))
    if problems:
        note(f"{_count(len(problems), 'problem')} in {_count(len(paths), 'file')}")
        return USAGE
    if not options.json:
        print(f"{_count(len(paths), 'file')}, nothing wrong")
    return DONE


def _settings(paths: Sequence[Path]) -> Settings:
    """The settings; where the workspace's own file is wrong and among those to be read, those without a workspace."""
    try:
        return read_settings()
    except UsageError:
        if not any(path.name in WORKSPACES for path in paths):
            raise
        return Settings()


def _written(given: str, inside: Sequence[Path], settings: Settings) -> Iterator[Path]:
    """The files but those that commands leave and nobody writes; one that is named itself is among them."""
    left_in = (settings.runs_dir, settings.night.baselines_dir, settings.certificates_dir)
    folders = [folder.resolve() for folder in left_in]
    for path in inside:
        left = any(path.resolve().is_relative_to(folder) for folder in folders)
        if not left or path == Path(given).expanduser():
            yield path


def _paths(given: str) -> Iterator[Path]:
    """The files that an argument stands for: a file, those of a folder that may be of a kind, or those of a pattern."""
    path = Path(given).expanduser()
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file() and _may_be_ours(each, path))
        if not inside:
            raise UsageError(f"{show_path(path)}: holds no YAML, JSON or prompt file: name another folder or a file")
        yield from inside
        return
    matching = sorted(_matching(path)) if _PATTERN.intersection(given) and not path.exists() else []
    yield from matching or [path]


def _matching(pattern: Path) -> Iterator[Path]:
    root = Path(pattern.anchor)
    try:
        yield from root.glob(str(pattern.relative_to(root)))
    except ValueError:
        return  # "**" beside other letters: no file has such a name either


def _may_be_ours(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    ours = path.suffix in READ or path.name in WORKSPACES or version_number(path) is not None
    return not hidden and ours


def _problems_of(path: Path, sets: ScenarioSets, settings: Settings) -> list[str]:
    try:
        file = read_text(path)
        _read(file, kind_of(file), sets, settings)
    except ParseError as error:
        return [str(each) for each in error.all]
    except UsageError as error:
        return [str(error)]
    return []


def _read(file: TextFile, kind: Kind, sets: ScenarioSets, settings: Settings) -> None:
    """Raises UsageError for what is wrong with a file."""
    match kind:
        case "rubric":
            load_rubric(str(file.path))
        case "scenarios" | "cases":
            sets.read(file, kind)
        case "prompt":
            _read_prompt(file, settings)
        case "labels":
            _read_labels(file)
        case _:
            _CHECKS[kind](file)


def _read_labels(file: TextFile) -> None:
    folder = file.path.parent
    if not DirectoryPrompts(folder.parent).versions(folder.name):
        raise ParseError(file.place, "stands beside no version of a prompt: write v1.md there, or remove it")
    DirectoryPrompts(folder.parent).labels(folder.name)


def _read_prompt(file: TextFile, settings: Settings) -> None:
    """A prompt by itself, and where its name says a version, beside the others of its folder."""
    number = version_number(file.path)
    prompt = prompt_from_file(file, file.path.parent.name if number else file.name, number, None, "file")
    try:
        check_prompt(prompt, settings.ignored_config)
    except UsageError as error:
        raise ParseError(file.place, str(error)) from None
    if number:
        DirectoryPrompts(file.path.parent.parent).versions(file.path.parent.name)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
