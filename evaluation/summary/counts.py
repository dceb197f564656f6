"""What is counted of a run: exchanges by how they ended, tokens, kinds of failure."""

from dataclasses import asdict, dataclass

from evaluation.records import Json, Usage


@dataclass(frozen=True, slots=True)
class Counts:
    """The planned exchanges, counted by how they ended: the last four add up to `planned`."""

    planned: int
    scored: int
    failed: int
    unparsed: int
    skipped: int
    """Planned, but without a result: not reached, or behind a failed turn of the same conversation."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Of the answered calls that this run paid for; cached answers are left out."""

    calls: int
    input_tokens: int
    output_tokens: int
    uncounted: int
    """Calls whose endpoint named no token counts: with any, the two sums are lower bounds."""
    cached_input_tokens: int = 0
    """Of the input, those from the provider's own cache."""
    saved_usd: float = 0.0
    """What that saved, by the prices of cached input that are known."""

    def plus(self, usage: Usage, saved_usd: float) -> "Tokens":
        """With one more call."""
        known = usage.input_tokens is not None and usage.output_tokens is not None
        return Tokens(
            self.calls + 1,
            self.input_tokens + (usage.input_tokens or 0),
            self.output_tokens + (usage.output_tokens or 0),
            self.uncounted + (not known),
            self.cached_input_tokens + (usage.cached_input_tokens or 0),
            self.saved_usd + saved_usd,
        )


NO_TOKENS = Tokens(0, 0, 0, 0)
_SUMMED = ("input_tokens", "output_tokens", "cached_input_tokens", "saved_usd")


@dataclass(frozen=True, slots=True)
class RunTokens:
    """The tokens of everything that a run asked, by what the calls were for."""

    generation: Tokens = NO_TOKENS
    judge: Tokens = NO_TOKENS
    expectations: Tokens = NO_TOKENS
    """Of the calls that ask the judge about expectations."""
    conversations: Tokens = NO_TOKENS
    """Of those that ask it about conversations."""
    checks: Tokens = NO_TOKENS
    """Of those that check it: its format, and exchanges of known quality."""
    moderation: Tokens = NO_TOKENS
    embedding: Tokens = NO_TOKENS
    """Of texts that were embedded, each counted as a call."""

    def to_json(self) -> dict[str, Json]:
        """`usage` of summary.json: the sums, then each part."""
        parts = asdict(self)
        return {**{name: sum(part[name] for part in parts.values()) for name in _SUMMED}, **parts}


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One kind of failed call: how often, and the first one in plan order as an example."""

    kind: str
    count: int
    message: str
    scenario_id: str
