"""The outcome of a run: its figures, what they lead to, and what people are to know beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evaluation.commands import write_command
from evaluation.decision.decide import Decision
from evaluation.decision.gate import GateResult, decision_document
from evaluation.decision.mix import MixOutcome
from evaluation.delivered import LangfuseReport
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.giving_up import GivenUp
from evaluation.records import Json
from evaluation.run import Run
from evaluation.summary.agreement import Agreement
from evaluation.summary.disagreement import Disagreement
from evaluation.summary.summary import Summary

TRACE_OF = "trace of "
"""The beginning of the title of a link to one response."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the calls of one run or several came to their end."""

    wall_seconds: float | None = None
    """None where it is not known, or no longer."""
    stop_reason: str = ""
    """Why they ended early; empty where they did not."""
    interrupted: bool = False
    """True where a person or a signal ended them."""
    given_up: GivenUp | None = None
    """The judge for whose sake they ended; None where none was given up."""

    @property
    def judge_was_heard(self) -> bool:
        """True where no more is to be heard of the judge: its check came to its end, or it was given up."""
        return not self.stop_reason or self.given_up is not None


ENDED = Ending()
"""Of calls that came to their end, in a time that nobody knows."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """All that terminal, files and pages say of one run. Every text in it may be hostile."""

    run: Run
    summary: Summary
    decision: Decision
    directory: str
    """Where the files of the run are."""
    gate: GateResult | None = None
    """None where no gate was asked for."""
    short_of_coverage: bool = False
    """True when missing data alone keep the gate shut."""
    canaries: CanaryReport | None = None
    """The judge's results on exchanges of known quality; None where it was not asked."""
    given_up: GivenUp | None = None
    """The judge that brought no verdict, so that the run ended; None where none was given up."""
    disagreements: tuple[Disagreement, ...] = ()
    """Where rules and judge differ, largest gap first."""
    files: tuple[str, ...] = ()
    """Names of the run's files."""
    notes: tuple[str, ...] = ()
    """One line each: self-preference of the judge, an interrupted run, what was not delivered, ..."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Title -> address."""
    next_command: str = ""
    """The command that continues the run, where something is left to do."""
    langfuse: LangfuseReport | None = None
    agreement: Agreement = field(default_factory=dict)
    """How far each source is known to agree with people; without an entry it was not looked for."""
    mix: MixOutcome | None = None
    """The run under its users' mix; None without one."""
    stored: bool = False
    """True for an earlier run that was taken instead of a new one."""

    @property
    def state(self) -> Literal["finished", "incomplete"]:
        """Finished when all that it plays was answered, canaries included; deliveries are the outbox's business."""
        unfinished = is_unfinished(self.run, self.summary, self.canaries, self.given_up)
        return "incomplete" if unfinished else "finished"

    @property
    def incomplete(self) -> bool:
        """True when an exchange failed after its retries, was never played, or Langfuse has not confirmed all of it."""
        return self.state == "incomplete" or (self.langfuse is not None and not self.langfuse.complete)

    @property
    def prompt(self) -> str:
        """The prompt as people name it; empty where none is under test."""
        return "" if self.run.spec.prompt is None else self.run.spec.prompt.title

    @property
    def application(self) -> str:
        """The application that answered, where no model did."""
        return self.run.spec.endpoint if self.run.of_application else ""

    @property
    def judge_model(self) -> str:
        """Empty without a judge."""
        return "" if self.run.spec.judge is None else self.run.spec.judge.model

    def to_json(self) -> dict[str, Json]:
        """The content of summary.json."""
        found = self.summary.to_json(
            decision=self.decision.in_summary(),
            langfuse=None if self.langfuse is None else self.langfuse.to_json(),
            canaries=None if self.canaries is None else self.canaries.to_json(),
        )
        known = {source: None if each is None else each.to_json() for source, each in self.agreement.items()}
        given_up = None if self.given_up is None else self.given_up.to_json()
        mix = {} if self.mix is None else {"mix": self.mix.to_json()}
        return {**found, "agreement": known, "given_up": given_up, **mix}

    def decision_json(self) -> dict[str, Json]:
        """The content of decision.json."""
        found = decision_document(self.decision, self.summary, self.gate)
        return found if self.mix is None else {**found, "mix": self.mix.in_decision()}

    def with_langfuse(self, report: LangfuseReport) -> "RunOutcome":
        """The same with what Langfuse holds of the run, and where."""
        links = {f"experiment r{repeat}": url for repeat, url in enumerate(report.experiments, start=1)}
        links |= {} if report.comparison_url is None else {"beside the previous version": report.comparison_url}
        if page := report.traces_at:
            weakest = [each.result.exchange.cell for each in self.summary.weakest]
            shown = {cell: report.trace_ids[cell] for cell in weakest if cell in report.trace_ids}
            links |= {f"{TRACE_OF}{cell.scenario_id} r{cell.repeat}": f"{page}{trace}" for cell, trace in shown.items()}
        return replace(
            self,
            langfuse=report,
            notes=(*self.notes, report.line(), *report.problems),
            links=links,
            next_command=self.next_command or (write_command("sync") if report.waiting else ""),
        )


def lacks_results(run: Run, summary: Summary) -> bool:
    """True where an exchange that the run plays failed or has no result; a shard plays its share alone."""
    elsewhere = run.planned_exchanges - run.played_exchanges
    return bool(summary.counts.failed or summary.counts.skipped > elsewhere)


def is_unfinished(run: Run, summary: Summary, canaries: CanaryReport | None, given_up: GivenUp | None) -> bool:
    """True where anything of the run is still to be asked; a shard hears of no conversation but those in it."""
    half_checked = canaries is not None and canaries.fit is None
    conversations = summary.conversations
    unjudged = conversations is not None and conversations.incomplete and run.shard is None
    return lacks_results(run, summary) or half_checked or unjudged or given_up is not None
