"""The estimated cost of calls: dated list prices, which a file of the user's own may add to."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evaluation.errors import ParseError
from evaluation.records import Json, Usage
from evaluation.text.yaml_text import load_yaml

BUILT_IN = Path(__file__).with_name("prices.yaml")
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")
_PER_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per 1,000,000 tokens, both >= 0."""

    input: float
    output: float

    def of(self, usage: Usage) -> float | None:
        """US dollars; None when the endpoint did not count its tokens."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _PER_TOKENS


@dataclass(frozen=True, slots=True)
class Prices:
    """A price list."""

    as_of: str
    """The ISO date of the list, to be shown beside every estimate."""
    models: Mapping[str, Price]

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
    place = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ParseError(place, f"cannot be read ({type(error).__name__}): name a readable UTF-8 file") from None
    listing = load_yaml(text, place)
    models = listing.get("models") if isinstance(listing, dict) else None
    if not isinstance(models, dict):
        raise ParseError(place, "has no mapping 'models'; expected for example gpt-5-mini: {input: 1, output: 2}")
    version = listing.get("schema_version", 1)
    if version != 1:
        raise ParseError(place, f"has schema_version {version!r}; this version reads 1")
    return Prices(
        as_of=_day(place, listing.get("as_of")),
        models={str(name).lower(): _price(f"{place}: {name!r}", entry) for name, entry in models.items()},
    )


def _day(place: str, value: Json) -> str:
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ParseError(place, f"has as_of {value!r}; expected the day of the prices, like 2026-01-31") from None


def _price(place: str, entry: Json) -> Price:
    sides = (entry.get("input"), entry.get("output")) if isinstance(entry, dict) else (None, None)
    if not all(_is_price(side) for side in sides):
        raise ParseError(place, f"is {entry!r}; expected input and output in USD per 1M tokens, 0 or more")
    return Price(*(float(side) for side in sides if side is not None))


def _is_price(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
