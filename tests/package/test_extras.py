"""What an installation leaves out is said in one line, with the command that adds it."""

import shlex
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import prompt_evaluation.extras
from evaluation.errors import UsageError
from prompt_evaluation.adding import how_to_add
from prompt_evaluation.extras import EXTRAS
from prompt_evaluation.subcommands import STARTED_AS
from scripts.shell import USAGE, need, run_command
from tests.pages import text_of
from tests.scripts.commands import run


def without(*packages: str) -> Callable[[str], Any]:
    return lambda name: None if name in packages else find_spec(name)


def test_each_extra_is_one_of_the_package() -> None:
    asked = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    extras = dict.fromkeys(EXTRAS.values())
    assert {package.partition(">")[0]: extra for extra in extras for package in asked[extra]} == EXTRAS
    assert asked["all"] == [f"prompt-evaluation[{','.join(extras)}]"]


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_package_is_one_line_with_the_command(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)

    assert run_command(command) == USAGE
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: this needs {package} (prompt-evaluation[{EXTRAS[package]}]): ")
    assert shlex.split(line.split("]): ")[1])[:4] == [sys.executable, "-m", "pip", "install"]


def test_another_missing_module_is_a_fault_of_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        raise ModuleNotFoundError("No module named 'gone'", name="gone")

    run_command(command)
    assert "fault of the tool" in capsys.readouterr().err


def test_uv_installs_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_evaluation.extras, "find_spec", without("pip", "scipy"))
    with pytest.raises(UsageError) as said:
        need("scipy")
    assert f": uv pip install --python {sys.executable} " in str(said.value)


def test_uvx_starts_the_same_command_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STARTED_AS, "uvx --from /files/tool.whl prompt-eval")
    monkeypatch.setattr(sys, "argv", ["/home/ana/.cache/uv/archive-v0/abc/bin/prompt-eval", "sweep", "--limit", "1"])
    asked = "this needs scipy (prompt-evaluation[stats]): "
    assert how_to_add(["scipy"]) == f"{asked}uvx --from '/files/tool.whl[stats]' prompt-eval sweep --limit 1"


def test_a_calibration_says_so_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_evaluation.extras, "find_spec", without("scipy", "matplotlib"))
    done = run("gone.jsonl", runs=tmp_path, module="scripts.calibrate")
    assert done.code == USAGE
    assert done.err.startswith("error: this needs scipy and matplotlib (prompt-evaluation[stats,plots]): ")
    assert len(done.err.splitlines()) == 1


def test_a_sweep_says_so_before_anything_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_evaluation.extras, "find_spec", without("scipy"))
    done = run("--limit", "1", runs=tmp_path, module="scripts.sweep_parameters")
    assert done.code == USAGE
    assert done.err.startswith("error: this needs scipy (prompt-evaluation[stats]): ")
    assert list(tmp_path.iterdir()) == []
