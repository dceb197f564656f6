"""What stands before a subcommand in printed commands: the words that start the tool again, whoever started it."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

import prompt_evaluation.extras
import prompt_evaluation.launcher
from evaluation.commands import split_commands, start_with, write_command
from prompt_evaluation.adding import how_to_add
from prompt_evaluation.launcher import started_as, with_extras
from prompt_evaluation.subcommands import STARTED_AS
from tests.package.installation import Installation

UV = "/opt/uv/uv"
WHEEL = "/files/prompt_evaluation-0.2.0-py3-none-any.whl"
GIT = "git+https://example.org/x"
REVISION = {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "v1"}


@pytest.fixture(autouse=True)
def _unstarted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV", "VIRTUAL_ENV", STARTED_AS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(prompt_evaluation.launcher, "_words_of_parent", list)
    monkeypatch.setattr(prompt_evaluation.launcher, "installed_extras", list)


def in_environment(monkeypatch: pytest.MonkeyPatch, folder: Path, *given: str) -> None:
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "argv", [str(folder / "bin" / "prompt-eval"), *given])


def typed_to_uv(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    """As if uv had been started with these words, and had started this process with those after `prompt-eval`."""
    at = words.index("prompt-eval")
    in_environment(monkeypatch, Path("/home/ana/.cache/uv/archive-v0/abc"), *words[at + 1 :])
    monkeypatch.setenv("UV", UV)
    monkeypatch.setattr(prompt_evaluation.launcher, "_words_of_parent", lambda: [UV, *words])


def with_programs(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    """PATH holds these programs alone."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (f"tool uvx --from {WHEEL} prompt-eval eval --prompt v2", f"uvx --from {WHEEL} prompt-eval"),
        (f"tool run --from {GIT} prompt-eval", f"uvx --from {GIT} prompt-eval"),
        (
            f"tool uvx --with scipy --from '{WHEEL}[tables]' prompt-eval runs",
            f"uvx --with scipy --from '{WHEEL}[tables]' prompt-eval",
        ),
        (
            "tool uvx --from git+https://ana:secret@example.org/tool prompt-eval eval",
            "uvx --from git+https://example.org/tool prompt-eval",
        ),
        (
            "tool uvx --from git+ssh://git@example.org/tool prompt-eval eval",
            "uvx --from git+ssh://git@example.org/tool prompt-eval",
        ),
    ],
)
def test_uvx_is_shown_as_it_was_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: str, shown: str) -> None:
    with_programs(monkeypatch, tmp_path / "bin", "uvx", "uv")
    typed_to_uv(monkeypatch, *shlex.split(typed))
    assert started_as() == shown


def test_a_file_that_was_typed_is_shown_with_its_whole_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with_programs(monkeypatch, tmp_path / "bin", "uvx")
    (tmp_path / "a.whl").touch()
    monkeypatch.chdir(tmp_path)
    typed_to_uv(monkeypatch, *shlex.split("tool uvx --from=./a.whl[stats] -p 3.11 --with rich prompt-eval eval"))
    assert started_as() == f"uvx '--from={tmp_path}/a.whl[stats]' -p 3.11 --with rich prompt-eval"


def test_where_path_has_no_uvx_uv_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with_programs(monkeypatch, tmp_path / "bin")
    typed_to_uv(monkeypatch, "tool", "uvx", "--from", WHEEL, "prompt-eval")
    assert started_as() == f"{UV} tool run --from {WHEEL} prompt-eval"


def test_where_the_words_are_not_shown_the_origin_and_the_extras_that_are_here_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_programs(monkeypatch, tmp_path / "bin", "uvx")
    in_environment(monkeypatch, Path("/home/ana/.cache/uv/archive-v0/abc"), "eval")
    monkeypatch.setattr(prompt_evaluation.launcher, "direct_url", lambda: {"url": f"file://{WHEEL}"})
    monkeypatch.setattr(prompt_evaluation.launcher, "installed_extras", lambda: ["stats", "plots"])
    assert started_as() == f"uvx --from '{WHEEL}[plots,stats]' prompt-eval"


@pytest.mark.parametrize(
    ("noted", "shown"),
    [
        ({}, "prompt-evaluation"),
        ({"url": "file:///a%20b/x.whl"}, "/a b/x.whl"),
        ({"url": "https://example.org/x.whl"}, "https://example.org/x.whl"),
        ({"url": "https://example.org/x", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}, f"{GIT}@c0ffee"),
        ({"url": "https://example.org/x", "vcs_info": REVISION}, f"{GIT}@v1"),
    ],
)
def test_the_origin_is_what_the_installer_noted(
    monkeypatch: pytest.MonkeyPatch, noted: dict[str, object], shown: str
) -> None:
    monkeypatch.setattr(prompt_evaluation.launcher, "direct_url", lambda: noted)
    assert prompt_evaluation.launcher.origin() == shown


@pytest.mark.parametrize(
    ("source", "with_stats"),
    [
        ("prompt-evaluation", "prompt-evaluation[stats]"),
        ("prompt-evaluation==0.2.0", "prompt-evaluation[stats]==0.2.0"),
        ("prompt-evaluation[tables]>=0.2", "prompt-evaluation[stats,tables]>=0.2"),
        (f"prompt-evaluation[tables] @ {GIT}", f"prompt-evaluation[stats,tables] @ {GIT}"),
        (WHEEL, f"{WHEEL}[stats]"),
        (f"{WHEEL}[stats]", f"{WHEEL}[stats]"),
        (GIT, f"prompt-evaluation[stats] @ {GIT}"),
        ("prompt-evaluation/", "prompt-evaluation/[stats]"),
    ],
)
def test_an_extra_is_added_to_any_source(source: str, with_stats: str) -> None:
    assert with_extras(source, ["stats"]) == with_stats
    assert with_extras(source, []) == source


def pipx_environment(monkeypatch: pytest.MonkeyPatch, folder: Path, beside: tuple[str, ...] = ()) -> None:
    folder.mkdir(parents=True)
    injected = {name: {"package_or_url": name} for name in beside}
    noted = {"main_package": {"package_or_url": f"{WHEEL}[tables]"}, "injected_packages": injected}
    (folder / "pipx_metadata.json").write_text(json.dumps(noted))
    in_environment(monkeypatch, folder, "sweep", "--limit", "1")


def test_pipx_run_is_shown_with_what_it_was_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pipx_environment(monkeypatch, tmp_path / ".cache" / "pipx" / "0a1b", ("rich",))
    assert started_as() == f"pipx run --with rich --spec '{WHEEL}[tables]' prompt-eval"
    assert how_to_add(["scipy"]).endswith(
        f"): pipx run --with rich --spec '{WHEEL}[stats,tables]' prompt-eval sweep --limit 1"
    )


def test_what_pipx_installed_is_a_command_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "venvs" / "prompt-evaluation"
    pipx_environment(monkeypatch, folder)
    assert started_as() == str(folder / "bin" / "prompt-eval")
    assert "): pipx inject prompt-evaluation scipy" in how_to_add(["scipy"])


def test_uv_run_is_shown_as_it_was_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with_programs(monkeypatch, tmp_path / "bin")
    typed_to_uv(monkeypatch, "run", "--no-project", "--with", WHEEL, "prompt-eval", "sweep", "--limit", "1")
    assert started_as() == f"{UV} run --no-project --with {WHEEL} prompt-eval"
    added = how_to_add(["scipy"]).partition("): ")[2]
    assert added.startswith(f"{UV} run --with scipy")
    assert added.endswith(f" --no-project --with {WHEEL} prompt-eval sweep --limit 1")


def test_a_program_that_uv_run_started_starts_the_tool_through_uv_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_environment(monkeypatch, tmp_path / ".venv", "eval")
    monkeypatch.setenv("UV", UV)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(prompt_evaluation.launcher, "_words_of_parent", lambda: ["python", "-m", "pytest"])
    assert started_as() == f"{UV} run prompt-eval"
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "prompt_evaluation" / "__main__.py"), "eval"])
    assert started_as() == f"{UV} run python -m prompt_evaluation"


@pytest.mark.parametrize(
    "launcher", ["prompt-eval", f"uvx --from '{WHEEL}[tables]' prompt-eval", "pipx run --spec 'a b.whl' prompt-eval"]
)
def test_commands_of_every_launcher_are_found_in_a_sentence(launcher: str) -> None:
    start_with(launcher)
    try:
        command = write_command("review", "--next", RUN="last", REVIEWER="ana")
        text = f"label them: {command}; then ({write_command('runs')})"
        assert [part for part, is_command in split_commands(text) if is_command] == [command, f"{launcher} runs"]
        assert "".join(part for part, _ in split_commands(text)) == text
    finally:
        start_with("")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="this system shows no process's words")
def test_the_words_are_those_that_a_real_uv_was_given(installed: Installation, tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    folder = tmp_path / "folder"
    folder.mkdir()
    more = {"VIRTUAL_ENV": str(installed.folder), "PATH": os.pathsep.join((str(uv.parent), os.environ["PATH"]))}
    done = installed.run("uv", "run", "--no-project", "--offline", "prompt-eval", "xyzz", cwd=folder, more=more, code=2)
    assert "(see uv run --no-project --offline prompt-eval --help)" in done.stderr, done.stderr
