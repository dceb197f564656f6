"""Runs that are made once for all tests of promotions, and a Langfuse that holds the prompts of each test."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluation.rubrics.canary import Canary
from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import run
from tests.scripts.judges import Judging, settings
from tests.scripts.promotion.promoting import Place
from tests.services.scripted_endpoint import scripted_endpoint

SCENARIOS = "category: small_talk\nscenarios:\n" + "".join(
    f'  - {{id: talk-{number}, turns: ["Tell me about the number {number}."], tags: [t], note: n}}\n'
    for number in range(12)
)
RULES = "margins: {default: 0.2}\nlargest_fall: {scores: 0.3}\nmin_clusters: 10\n"
SHORT = ("--quiet", "--judge-format", "json", "--conversations", "none")


def kind(quality: float, canary: Canary | None, _number: int) -> float:
    """Right about every canary, and full of praise for the model."""
    return 0.95 if canary is None else quality


def evaluated(folder: Path, opinion: Callable[[float, Canary | None, int], float], *arguments: str) -> Path:
    """A workspace with the runs of one command, answered by a model that is no rehearsal."""
    (folder / "talk.yaml").write_text(SCENARIOS)
    (folder / "rules.yaml").write_text(RULES)
    module = "scripts.compare_prompts" if "--base" in arguments else "scripts.evaluate_prompts"
    with scripted_endpoint(Judging(opinion=opinion)) as endpoint:
        given = {**settings(endpoint.url), "EVAL_SCENARIOS": str(folder / "talk.yaml")}
        done = run(*arguments, *SHORT, runs=folder / "runs", module=module, **given)
    assert done.code in (0, 1), done.err
    return folder


@pytest.fixture(scope="session")
def proved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluated(tmp_path_factory.mktemp("proved"), kind, "--prompt", "v3")


@pytest.fixture
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        yield double


@pytest.fixture
def empty(tmp_path: Path, langfuse: LangfuseDouble) -> Place:
    """A workspace without a run, whose prompts are in Langfuse."""
    (tmp_path / "talk.yaml").write_text(SCENARIOS)
    return Place(tmp_path, langfuse).published()


@pytest.fixture
def proved(tmp_path: Path, langfuse: LangfuseDouble, proved_once: Path) -> Place:
    """A workspace with a run of v3 that may be deployed; `production` is on version 2."""
    shutil.copytree(proved_once, tmp_path, dirs_exist_ok=True, symlinks=True)
    return Place(tmp_path, langfuse).published()
