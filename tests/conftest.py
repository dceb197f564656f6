"""For all tests: no setting of the developer's machine reaches them, and no `.env` either."""

import gc
import os
from collections.abc import Generator, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scripts.shell import OBJECTS_BETWEEN_COLLECTIONS

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("whole", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("whole"), max_examples=10)
settings.load_profile("whole")

PREFIXES = ("OPENAI_", "LANGFUSE_", "EVAL_", "CHAT_FLOW_", "OTEL_")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m long` imports the files alone that have such a test: to import all takes each process ten seconds."""
    if config.option.markexpr != "long" or collection_path.suffix != ".py":
        return None
    return "mark.long" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests live to the end: to look for garbage among them, now or later, takes seconds and finds none.

    What tests make is looked through as seldom as in a command.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--most-cases", type=int, default=0, help="of each test function, this many of its cases (0: all)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`--most-cases 3` keeps the first case of a function, the last and the one between; every function still runs."""
    most = config.getoption("--most-cases")
    if most < 2:
        return
    kept: list[pytest.Item] = []
    for _, group in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        places = {round(step * (len(cases) - 1) / (most - 1)) for step in range(most)}
        kept += [cases[place] for place in sorted(places)]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


@pytest.fixture(scope="session", autouse=True)
def synchronous_as_shipped() -> Iterator[str]:
    """Journals that this process opens leave it to the system when a commit reaches the disk, which no test can see.

    To wait for it is most of the time of a test that makes a journal. Gives what journals do otherwise.
    """
    from services.journal import access  # most of what a first test would import, and the main process has none

    shipped = access.SYNCHRONOUS
    access.SYNCHRONOUS = "OFF"
    yield shipped
    access.SYNCHRONOUS = shipped


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes every variable that the tool reads."""
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            monkeypatch.delenv(name)


@pytest.fixture
def runs_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the journal and the files of runs."""
    folder = tmp_path / "runs"
    monkeypatch.setenv("EVAL_RUNS_DIR", str(folder))
    return folder
