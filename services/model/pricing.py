"""The estimated cost of calls: dated list prices, which a file of the user's own may add to."""

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from evaluation.records import Usage
from evaluation.text.forms import SourceText
from services.text_files import read_text

BUILT_IN = Path(__file__).with_name("prices.yaml")
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")
_PER_TOKENS = 1_000_000
BEGIN = "as_of and, under models, for example gpt-5-mini: {input: 1, output: 2}"
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Day = Annotated[str, AfterValidator(lambda text: date.fromisoformat(text).isoformat())]


class Price(BaseModel):
    """US dollars per 1,000,000 tokens, all >= 0. What else a list says of a model is passed over."""

    model_config = ConfigDict(strict=True, frozen=True)

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    """Of input that the provider has in its cache; None where it is not known, which counts as any input."""

    def of(self, usage: Usage) -> float | None:
        """US dollars; None when the endpoint did not count its tokens."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = 0 if self.cached_input is None else usage.cached_input_tokens or 0
        whole = (usage.input_tokens - cached) * self.input + usage.output_tokens * self.output
        return (whole + cached * (self.cached_input or 0.0)) / _PER_TOKENS


class Prices(BaseModel):
    """A price list."""

    model_config = ConfigDict(strict=True, frozen=True)

    as_of: Day
    """The ISO date of the list, to be shown beside every estimate."""
    models: Mapping[Annotated[str, StringConstraints(to_lower=True)], Price]
    schema_version: Literal[1] = 1

    def find(self, model: str) -> Price | None:
        """The price of a model, of a dated snapshot of it ("gpt-5-mini-2026-01-01"), or of it with a provider before
        it ("openai/gpt-5-mini"). None when unknown: a name that merely begins alike is another model."""
        name = model.strip().lower()
        for candidate in (name, name.rpartition("/")[2]):
            price = self.models.get(candidate) or self.models.get(_SNAPSHOT.sub("", candidate))
            if price is not None:
                return price
        return None

    def price_of(self, model: str, usage: Usage) -> float | None:
        """Estimated US dollars of one call; None when the model or its tokens are unknown."""
        price = self.find(model)
        return None if price is None else price.of(usage)


def load_prices(own: Path | None = None) -> Prices:
    """The built-in list, with the entries of the user's `own` file put over it. Raises ParseError."""
    built_in = _load(BUILT_IN)
    if own is None:
        return built_in
    theirs = _load(own)
    return Prices(as_of=theirs.as_of, models={**built_in.models, **theirs.models})


def _load(path: Path) -> Prices:
    file = read_text(path)
    return SourceText(file.text, file.place).read(Prices, BEGIN)
