"""Fixtures: a running double, and a journal in an empty folder."""

from collections.abc import Iterator

import pytest

from tests.langfuse_double import LangfuseDouble


@pytest.fixture
def double() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as running:
        yield running
