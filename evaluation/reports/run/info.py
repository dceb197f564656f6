"""What a report says of a run besides its figures: who answered, what was asked, where things lie."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.judging.canaries import CanaryReport
from evaluation.judging.disagreement import Disagreement
from evaluation.suites.suite import ShowResponse

REHEARSAL = "rehearsal model: a scripted stand-in, not a language model"
REHEARSAL_JUDGE = "rehearsal judge: a scripted stand-in, its scores say nothing about quality"
SAMPLE = "sample assistant: the embedded demonstration, not an application of yours"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Given by whoever starts the report; every text may be hostile."""

    prompt: str
    """The prompt as people name it: "penpal-companion v3"; empty where none is under test."""
    prompt_source: str
    """langfuse, directory, or file."""
    model: str
    judge_model: str | None
    """None without a judge."""
    directory: str
    """Where the files of the run are."""
    files: tuple[str, ...] = ()
    scenarios: int = 0
    repeats: int = 1
    rehearsal: bool = False
    """Whether the answers came from the rehearsal model."""
    application: str = ""
    """The application that answered, where no model did."""
    sample: bool = False
    """Whether it is the embedded sample."""
    rehearsal_judge: bool = False
    """Whether the rehearsal model judged."""
    show: ShowResponse | None = None
    """How a response that is no plain text is shown; None shows its text."""
    notes: tuple[str, ...] = ()
    """One line each: self-preference of the judge, an interrupted run, what was not delivered, ..."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Title -> address."""
    disagreements: tuple[Disagreement, ...] = ()
    """Where rules and judge differ, largest gap first."""
    canaries: CanaryReport | None = None
    """How the judge did on exchanges of known quality; None where it was not asked."""
    next_command: str = ""
    """How to go on, where something is left to do."""
