"""Wrong arguments of every command: one line, the nearest name, exit code 2."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.scripts.commands import ROOT, run

COMMANDS = sorted(path.stem for path in (ROOT / "scripts").glob("*.py") if "build_parser()" in path.read_text("utf-8"))
"""Every script that reads arguments."""


def complaint(tmp_path: Path, module: str, *arguments: str) -> str:
    done = run(*arguments, runs=tmp_path, module=f"scripts.{module}")
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\n", done.err), done.err
    return done.err.removeprefix("error: ").rstrip("\n")


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("evaluate_prompts", ["--temprature", "0.3"],
         "--temprature is not a flag of evaluate_prompts: did you mean --temperature?"),
        ("evaluate_prompts", ["--prompt", "v3", "--temprature=0.3", "--limt", "5"],
         "--temprature is not a flag of evaluate_prompts: did you mean --temperature?; "
         "--limt is not a flag of evaluate_prompts: did you mean --limit?"),
        ("evaluate_prompts", ["--qqqqqq"],
         '--qqqqqq is not a flag of evaluate_prompts (see make eval ARGS="--help")'),
        ("evaluate_prompts", ["--limit"], '--limit needs a value (see make eval ARGS="--help")'),
        ("evaluate_prompts", ["--limit", "few"],
         "--limit: 'few' is not a whole number from 1 up "
         '(see make eval ARGS="--help")'),
        ("evaluate_prompts", ["--temperature", "7"],
         "--temperature: '7' is not a temperature from 0 to 2 "
         '(see make eval ARGS="--help")'),
        ("evaluate_prompts", ["--seed", "1.5"], "--seed: '1.5' is not a whole number "
         '(see make eval ARGS="--help")'),
        ("evaluate_prompts", ["--gate", "deplyo"],
         "--gate 'deplyo' is none of deploy, ab_test, none: did you mean deploy?"),
        ("evaluate_prompts", ["v3"],
         "'v3' belongs to no flag: write it behind one, or leave it out "
         '(see make eval ARGS="--help")'),
        ("manage_runs", ["lst"],
         "'lst' is none of list, show, report, diff, export, prune, merge, index, recover: did you mean list?"),
        # The misspelt flag is named, and not the one that is missing because of it.
        ("manage_runs", ["prune", "--kep", "3"], "--kep is not a flag of manage_runs prune: did you mean --keep?"),
        # A flag of an action is not its own neighbour.
        ("manage_runs", ["--limit", "5"],
         '--limit is a flag of list: write it behind that (see make runs ARGS="--help")'),
        # Two dashes make no flag like another.
        ("evaluate_prompts", ["--frobnicate"],
         '--frobnicate is not a flag of evaluate_prompts (see make eval ARGS="--help")'),
        ("manage_runs", ["export", "last", "--csv", "a", "--records", "b"],
         '--records does not go with --csv: leave out one of them (see make runs ARGS="export --help")'),
        ("score_responses", [], 'FILE is missing (see make score ARGS="--help")'),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_line_with_the_nearest_name(
    tmp_path: Path, module: str, arguments: list[str], said: str
) -> None:
    assert complaint(tmp_path, module, *arguments) == said


@pytest.mark.parametrize("module", COMMANDS)
def test_no_command_prints_its_usage_for_a_flag_that_it_lacks(tmp_path: Path, module: str) -> None:
    assert "--no-such-flag is not a flag of" in complaint(tmp_path, module, "--no-such-flag")


def test_values_that_look_like_flags_or_actions_reach_the_command() -> None:
    parser = import_module("scripts.evaluate_prompts").build_parser()
    options = parser.parse_args(["--prompt=--odd", "--tag", "a --b", "--temp", "0.5"])
    assert (options.prompts, options.tags, options.temperature) == (["--odd"], ["a --b"], 0.5)
    runs = import_module("scripts.manage_runs").build_parser()
    assert runs.parse_args(["show", "--", "--odd"]).run == "--odd"


def test_a_comparison_without_sides_says_what_is_missing(tmp_path: Path) -> None:
    assert "name two sides" in complaint(tmp_path, "compare_prompts", "--by", "temperature")
