"""Fixtures: a running double and the SDK's generated client for it."""

from collections.abc import Iterator

import pytest
from langfuse.api.client import LangfuseAPI

from tests.langfuse_double import LangfuseDouble
from tests.langfuse_double.sending import api_client


@pytest.fixture
def double() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as running:
        yield running


@pytest.fixture
def api(double: LangfuseDouble) -> Iterator[LangfuseAPI]:
    with api_client(double) as client:
        yield client
