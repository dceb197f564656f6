"""`prompt-eval` as it is started: its help, its version, what it says of a name that it does not have."""

import re
from pathlib import Path

import pytest

from prompt_evaluation import __version__
from prompt_evaluation.subcommands import IN_TWO_WORDS, SUBCOMMANDS
from tests.package.installation import Installation
from tests.scripts.commands import run_apart

pytestmark = pytest.mark.slow

SLOW_TO_IMPORT = {"aiohttp", "asyncio", "httpx", "jinja2", "langfuse", "numpy", "openai", "pydantic", "rich", "yaml"}


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_help_comes_at_once(installed: Installation, tmp_path: Path, name: str) -> None:
    words = [name] if name else []
    done = installed.run("python", "-X", "importtime", str(installed.program), *words, "--help", cwd=tmp_path)
    imported = set(re.findall(r"\| +(\w+)$", done.stderr, re.MULTILINE))
    assert "argparse" in imported or not name
    assert imported & SLOW_TO_IMPORT == set()


def test_help_names_every_subcommand_within_80_columns(installed: Installation, tmp_path: Path) -> None:
    page = installed.run("prompt-eval", "--help", cwd=tmp_path).stdout
    assert installed.run("prompt-eval", cwd=tmp_path).stdout == page
    assert re.findall(r"^  ([a-z-]+) ", page, re.MULTILINE) == list(SUBCOMMANDS)
    assert [line for line in page.splitlines() if len(line) > 80] == []


def test_the_version_is_that_of_the_package(installed: Installation, tmp_path: Path) -> None:
    assert installed.run("prompt-eval", "--version", cwd=tmp_path).stdout == f"prompt-eval {__version__}\n"
    assert list(installed.packages.glob(f"prompt_evaluation-{__version__}.dist-info"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("evl", "error: there is no subcommand 'evl': did you mean eval?\n"),
        ("--verson", "error: there is no subcommand '--verson' (see prompt-eval --help)\n"),
        ("z\x1bz", "error: there is no subcommand 'z?z' (see prompt-eval --help)\n"),
    ],
)
def test_an_unknown_subcommand_is_one_line(installed: Installation, tmp_path: Path, given: str, said: str) -> None:
    done = installed.run("prompt-eval", given, cwd=tmp_path, code=2)
    assert (done.stdout, done.stderr) == ("", said)


def test_a_wrong_flag_is_said_with_the_subcommand_that_was_typed(installed: Installation, tmp_path: Path) -> None:
    assert installed.run("prompt-eval", "eval", "--qqqqqq", cwd=tmp_path, code=2).stderr == (
        "error: --qqqqqq is not a flag of prompt-eval eval (see prompt-eval eval --help)\n"
    )
    usage = installed.run("prompt-eval", "review", "walk", "--help", cwd=tmp_path).stdout
    assert usage.startswith("usage: prompt-eval review walk ")


def test_some_subcommands_may_be_typed_in_two_words(installed: Installation, tmp_path: Path) -> None:
    for name in IN_TWO_WORDS.values():
        assert name in SUBCOMMANDS
    page = installed.run("prompt-eval", "traces", "score", "--help", cwd=tmp_path).stdout
    assert page.startswith("usage: prompt-eval score-traces ")


def test_python_runs_it_as_a_module(installed: Installation, tmp_path: Path) -> None:
    named = installed.run("python", "-m", "prompt_evaluation", "xyzzy", cwd=tmp_path, code=2).stderr
    assert named == "error: there is no subcommand 'xyzzy' (see python -m prompt_evaluation --help)\n"


def test_where_path_does_not_have_it_its_place_is_named(installed: Installation, tmp_path: Path) -> None:
    done = installed.run(str(installed.program), "xyzzy", cwd=tmp_path, more={"PATH": "/usr/bin:/bin"}, code=2)
    assert f"(see {installed.program} --help)" in done.stderr


def test_an_exit_code_of_a_script_is_that_of_the_command(installed: Installation, tmp_path: Path) -> None:
    assert "there is no run yet" in installed.run("prompt-eval", "runs", "show", "gone", cwd=tmp_path, code=2).stderr


def test_the_clone_is_started_in_the_same_way(tmp_path: Path) -> None:
    done = run_apart("eval", "--help", runs=tmp_path, module="prompt_evaluation")
    assert done.code == 0
    assert re.match(r"usage: \S*python\S* -m prompt_evaluation eval\s", done.out)
