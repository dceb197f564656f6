"""Running the commands as their users do: in this process or as one of its own, always with a folder of its own."""

import atexit
import gc
import importlib
import json
import marshal
import os
import subprocess
import sys
import urllib.request
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evaluation.expectations.criteria import CriteriaSet, FindSet
from evaluation.records import Json, Scenario
from evaluation.scenarios.parser import parse_scenarios
from evaluation.text import yaml_text
from evaluation.text.yaml_text import ValuePath
from services import provenance
from services.processes import run_server
from services.rehearsal.options import RehearsalOptions
from services.workspace import read_page_assets
from tests.loopback import in_thread, rehearsing
from tests.scripts.forked import Forked, can_be_forked, interruptible

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str


def run(
    *arguments: str,
    runs: Path,
    module: str = "scripts.evaluate_prompts",
    folder: str = "",
    stdin: str = "",
    **settings: str,
) -> Finished:
    """A command's `main` in this process, with no setting but those given: most of a process's time goes into imports.

    It is typed in `folder`, or else in that of the project.

    What an earlier command read is not parsed once more. A test whose subject is a process (signals, pipes, locks, a
    fresh start) takes `run_apart` or `started`.
    """
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    thresholds = gc.get_threshold()
    with (
        chdir(folder or ROOT),
        patch.dict(os.environ, environment(runs, settings), clear=True),
        embedded_servers_kept(),
        read_once(),
        patch("sys.stdin", TextIOWrapper(BytesIO(stdin.encode()), "utf-8")),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code = importlib.import_module(module).main(list(arguments))
        except SystemExit as left:
            code = left.code
        finally:
            gc.set_threshold(*thresholds)
    return Finished(code, *(_written(stream) for stream in (out, err)))


def _written(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@contextmanager
def read_once() -> Iterator[None]:
    """Inside, what all commands of this process read alike is read once.

    A text of YAML, of which each has a copy of its value; a file of scenarios that names no criteria; the commit at
    which git says that the project is; and the parts of its pages.
    """
    with (
        patch("evaluation.text.yaml_text._read", _read_once),
        patch("evaluation.suites.suite.parse_scenarios", _scenarios_once),
        patch("services.provenance.head_commit", _commit_once),
        patch("scripts.run.page.read_page_assets", _assets_once),
    ):
        yield


def _read_once(text: str, place: str, lines: dict[ValuePath, int] | None = None) -> Json:
    return _READ(text, place, lines) if lines is not None else marshal.loads(_read_value(text, place))


_READ = yaml_text._read


@lru_cache(maxsize=64)
def _read_value(text: str, place: str) -> bytes:
    return marshal.dumps(_READ(text, place))


_KNOWN_FILES: dict[tuple[str, str, frozenset[str]], tuple[Scenario, ...]] = {}
_MOST_FILES = 64


def _scenarios_once(text: str, place: str, categories: Collection[str], find_set: FindSet) -> tuple[Scenario, ...]:
    key = (text, place, frozenset(categories))
    if key not in _KNOWN_FILES:
        named: list[str] = []

        def find(name: str) -> CriteriaSet:
            named.append(name)
            return find_set(name)

        scenarios = parse_scenarios(text, place, categories, find)
        if named or len(_KNOWN_FILES) == _MOST_FILES:
            return scenarios
        _KNOWN_FILES[key] = scenarios
    return _KNOWN_FILES[key]


_HEAD_COMMIT = provenance.head_commit
_commit_of_project = lru_cache(maxsize=1)(_HEAD_COMMIT)


def _commit_once(folder: Path) -> dict[str, Json] | None:
    return _commit_of_project(folder) if folder == ROOT else _HEAD_COMMIT(folder)


_assets_once = lru_cache(maxsize=1)(read_page_assets)


_SERVERS = ExitStack()
_KEPT: dict[tuple[str, ...], str] = {}
atexit.register(_SERVERS.close)


@contextmanager
def embedded_servers_kept() -> Iterator[None]:
    """Inside, an embedded server serves all commands of this process and not one alone."""
    with (
        patch("services.rehearsal.process.run_server", _kept_running),
        patch("services.application.sample.run_server", _kept_running),
    ):
        yield


@contextmanager
def _kept_running(
    module: str, arguments: Sequence[str], what: str, *deadline: float, own: bool = True
) -> Iterator[str]:
    """An embedded server that is started once and serves all commands of this process; code of a team's is not kept."""
    if not own:
        with run_server(module, arguments, what, *deadline, own=False) as url:
            yield url
        return
    key = (module, *arguments)
    if key not in _KEPT:
        _KEPT[key] = _SERVERS.enter_context(run_server(module, arguments, what, *deadline))
    yield _KEPT[key]


def run_apart(
    *arguments: str,
    runs: Path,
    module: str = "scripts.evaluate_prompts",
    prefix: Sequence[str] = (),
    stdin: str = "",
    **settings: str,
) -> Finished:
    """A command as its own process, with no setting but those given; `prefix` goes before it.

    It is a fork of one that has imported what it needs, unless it has a prefix, or such a fork would not be the same.
    """
    given = environment(runs, settings)
    if not prefix and can_be_forked(module, given):
        process = Forked(module, arguments, given, stdin)
        try:
            out, err = process.communicate(timeout=120)
        finally:
            process.close()
        return Finished(process.wait(), out, err)
    done = subprocess.run(
        [*prefix, sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=given,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=interruptible,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(*arguments: str, runs: Path, module: str = "scripts.evaluate_prompts", **settings: str) -> Iterator[Forked]:
    """A command in the background, forked as `run_apart` does; killed when the block ends before it does."""
    process = Forked(module, arguments, environment(runs, settings))
    try:
        yield process
    finally:
        process.close()


def environment(runs: Path, settings: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(runs), "EVAL_RUNS_DIR": str(runs), "LANG": "C.UTF-8", **settings}


@dataclass(frozen=True)
class Server:
    """A rehearsal server that outlives the commands that call it."""

    base_url: str

    @property
    def settings(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.base_url, "EVAL_MODEL": "rehearsal", "EVAL_JUDGE_MODEL": "rehearsal-judge"}

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + "/stats", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


@contextmanager
def server(options: RehearsalOptions | None = None) -> Iterator[Server]:
    with in_thread(lambda: rehearsing(options or RehearsalOptions())) as port:
        yield Server(f"http://127.0.0.1:{port}/v1")


def only_run(runs: Path) -> Path:
    """The folder of the one run there is."""
    folders = [path for path in runs.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(folders) == 1, folders
    return folders[0]


def lines(folder: Path) -> list[dict[str, Any]]:
    """Of results.jsonl, those of responses."""
    return [line for line in all_lines(folder) if line["scope"] == "response"]


def all_lines(folder: Path) -> list[dict[str, Any]]:
    """Those of conversations as a whole too."""
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def document(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def uncritical_scenarios(folder: Path) -> str:
    """A file of scenarios without a critical expectation: one that nobody answers keeps a gate shut by itself."""
    return str(_without_critical(ROOT / "evaluation/scenarios/small_talk.yaml", folder / "uncritical.yaml"))


def uncritical_set(folder: Path) -> str:
    """A folder with the shipped set, of which no expectation is critical."""
    own = folder / "uncritical"
    own.mkdir()
    for shipped in sorted((ROOT / "evaluation/scenarios").glob("*.yaml")):
        _without_critical(shipped, own / shipped.name)
    return str(own)


def _without_critical(shipped: Path, path: Path) -> Path:
    path.write_text(shipped.read_text(encoding="utf-8").replace("critical: true", "critical: false"), encoding="utf-8")
    return path
