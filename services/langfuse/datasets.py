"""The items of a dataset, as somebody filled it in Langfuse: read, and nothing else."""

from collections.abc import AsyncIterator
from typing import Any

from evaluation.errors import UsageError
from services.langfuse.rest import FIRST_PAGE, LangfuseRest, Rejected


async def dataset_items(rest: LangfuseRest, name: str) -> AsyncIterator[dict[str, Any]]:
    """Active items, newest first, page by page. Raises UsageError for a dataset that is not there."""
    try:
        async for item in rest.rows("dataset-items", datasetName=name, **FIRST_PAGE):
            if isinstance(item, dict):
                yield item
    except Rejected as rejected:
        if rejected.status != 404:
            raise
        raise UsageError(
            f"{rest.where} has no dataset {name[:80]!r}: take its name from the list of datasets there"
        ) from None
