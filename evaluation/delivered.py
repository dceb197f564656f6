"""The state of a run's evidence in Langfuse: counted in scores and traces, with the addresses where it can be seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.records import Cell, Json


@dataclass(frozen=True, slots=True)
class Tally:
    """The number in each state."""

    pending: int = 0
    acknowledged: int = 0
    verified: int = 0
    rejected: int = 0
    unconfirmed: int = 0

    @property
    def delivered(self) -> int:
        """Taken by the server, read back or not."""
        return self.acknowledged + self.verified

    @property
    def total(self) -> int:
        return self.delivered + self.pending + self.rejected + self.unconfirmed


@dataclass(frozen=True, slots=True)
class LangfuseReport:
    """The outcome of delivery for one run."""

    scores: Tally
    traces: Tally
    url: str | None = None
    """Of the first experiment; None as long as the server was not reached."""
    experiments: tuple[str, ...] = ()
    """One address per repeat."""
    comparison_url: str | None = None
    """Beside the run of the previous prompt version."""
    trace_ids: Mapping[Cell, str] = field(default_factory=dict)
    """The trace that each cell is shown as, where that is known."""
    problems: tuple[str, ...] = ()

    @property
    def traces_at(self) -> str:
        """Where its traces are shown, up to their id; empty as long as the server was not reached."""
        return trace_page(self.url)

    @property
    def complete(self) -> bool:
        """True when everything was read back; otherwise the command ends with 3."""
        open_ones = self.scores.total - self.scores.verified + self.traces.total - self.traces.verified
        return not open_ones and not self.problems

    @property
    def waiting(self) -> bool:
        """True when `make sync` has something to do; what was refused for good is not sent again."""
        return any(tally.pending + tally.acknowledged + tally.unconfirmed for tally in (self.scores, self.traces))

    def line(self) -> str:
        """For the terminal: "1,240 of 1,240 scores verified"."""
        scores, traces = self.scores, self.traces
        parts = [f"{scores.verified:,} of {scores.total:,} scores verified"]
        parts.append(f"{traces.verified:,} of {traces.total:,} traces verified")
        for state in ("pending", "rejected", "unconfirmed"):
            count = getattr(scores, state) + getattr(traces, state)
            if count:
                parts.append(f"{count:,} {state}")
        return "Langfuse: " + ", ".join(parts)

    def to_json(self) -> dict[str, Json]:
        """The `langfuse` block of summary.json; its counts are scores, those of traces stand below `traces`."""
        return {
            "url": self.url,
            **_counts(self.scores),
            "traces": _counts(self.traces),
            "experiments": list(self.experiments),
            "comparison_url": self.comparison_url,
            "complete": self.complete,
            "problems": list(self.problems),
        }


def _counts(tally: Tally) -> dict[str, Json]:
    return {
        "delivered": tally.delivered,
        "pending": tally.pending,
        "rejected": tally.rejected,
        "verified": tally.verified,
        "unconfirmed": tally.unconfirmed,
    }


def trace_page(experiment: str | None) -> str:
    """Where traces are shown, up to their id, from the address of an experiment of the same project; else nothing."""
    project, found, _ = (experiment or "").partition("/experiments/")
    return f"{project}/traces/" if found else ""
