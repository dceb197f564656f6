"""Where these tests run: against the double always, and against a real Langfuse when its address and keys are given.

LANGFUSE_TEST_URL, LANGFUSE_TEST_PUBLIC_KEY and LANGFUSE_TEST_SECRET_KEY name a project of its own for tests; the names
differ from the tool's, so that nobody's real project is written to by mistake.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.langfuse_double import LangfuseDouble

VARIABLES = ("LANGFUSE_TEST_URL", "LANGFUSE_TEST_PUBLIC_KEY", "LANGFUSE_TEST_SECRET_KEY")
GIVEN = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
"""Read once, before any test: what a test's process sees is cleaned of settings."""


@dataclass(frozen=True)
class LiveProject:
    """A Langfuse project that tests may write to."""

    base_url: str
    public_key: str
    secret_key: str

    @property
    def settings(self) -> dict[str, str]:
        return {
            "LANGFUSE_BASE_URL": self.base_url,
            "LANGFUSE_PUBLIC_KEY": self.public_key,
            "LANGFUSE_SECRET_KEY": self.secret_key,
            "LANGFUSE_TRACING_ENVIRONMENT": "live-test",
        }


@pytest.fixture(params=["double", "server"])
def project(request: pytest.FixtureRequest) -> Iterator[LiveProject]:
    if request.param == "double":
        with LangfuseDouble() as double:
            yield LiveProject(double.base_url, double.public_key, double.secret_key)
        return
    missing = [name for name in VARIABLES if name not in GIVEN]
    if missing:
        pytest.skip(f"no real server: {', '.join(missing)} not set")
    yield LiveProject(*(GIVEN[name] for name in VARIABLES))
