"""An approved sample of production as one file: means, how they vary, and kinds of messages; no text and no user."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.commands import write_command
from evaluation.errors import ParseError
from evaluation.nightly.production import Sample
from evaluation.records import Json

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ApprovedSample:
    """One side of every later comparison of production."""

    approved_at: str
    """ISO 8601, UTC."""
    sample: Sample


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    schema_version: Literal[1]
    kind: Literal["production"]
    approved_at: str
    sample: Sample


def sample_text(approved: ApprovedSample) -> str:
    """The file, as indented JSON."""
    document: Json = {
        "schema_version": SCHEMA_VERSION,
        "kind": "production",
        "approved_at": approved.approved_at,
        "sample": asdict(approved.sample),
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def parse_sample(text: str, place: str) -> ApprovedSample:
    """Reads the file. Raises ParseError for a wrong form, and for a sample without the mean that decides."""
    try:
        form = _Form.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise ParseError(place, f"{where}: {first['msg']}: {_renew()}") from None
    found = form.sample.means.get(form.sample.overall)
    if found is None or found.mean is None or found.se is None:
        raise ParseError(place, f"sample.means: there is no {form.sample.overall} with its error: {_renew()}")
    return ApprovedSample(form.approved_at, form.sample)


def _renew() -> str:
    return f"make it again with {write_command('approve-baseline', RUN='SAMPLE_ID')}"
