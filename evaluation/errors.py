"""The error tree. Each branch fixes the exit code; messages name the file, the item, the value and the next step.

EvaluationError
├── UsageError          2  wrong argument, unknown prompt, missing variable, broken file: the user mends it
│   └── ParseError      2  a YAML, JSON or prompt text that cannot be read; carries its place
├── JudgeUnfit          2  the judge fails on exchanges of known quality, and a fit one was asked for
├── EndpointRefused     2  bad key, unknown model: every further call would fail the same way
├── JournalError        2  the journal is locked, damaged, full, or of another version
│   └── JournalGone     2  its file was deleted or moved while it was in use: what it was given is lost with it
├── StopRequested     130  no new call may start (a signal; a run that reached its cost limit ends with 3)
├── LimitReached        3  the cost limit ended a command before it had anything to report
├── LabelUnconfirmed    3  Langfuse has not confirmed that a label moved, or what was said of it
├── LinesNotScored      3  a process that scored lines of a file was ended from outside
├── SampleIncomplete    3  the sample that a bridge between judges rests on was not judged to its end
└── JudgeGivenUp        3  the judge brings no verdict: the command ended before it paid for more of them
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class EvaluationError(Exception):
    """An error that the user reads in one line, without a traceback."""

    exit_code = 2


class UsageError(EvaluationError):
    """An argument, setting or file that the user must change before anything can run."""


class ParseError(UsageError):
    """A text that is not what its format asks for; `str()` starts with where: "file: item: what".

    It is about the first thing that is wrong, and carries the others that its parser found in the same text.
    """

    def __init__(self, place: str, problem: str, further: Sequence["ParseError"] = ()) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem
        self.further = tuple(further)

    @property
    def all(self) -> tuple["ParseError", ...]:
        """This one and the others."""
        return (self, *self.further)

    @classmethod
    def joined(cls, problems: Sequence["ParseError"]) -> "ParseError":
        """The first of one or more problems, with all others as its further ones."""
        first, *others = [each for problem in problems for each in problem.all]
        return cls(first.place, first.problem, others)


class Problems:
    """Gathers what is wrong with a text while its parser goes on, so that one reading names all of it."""

    def __init__(self) -> None:
        self._found: list[ParseError] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Keeps a ParseError of the block, whose rest is left out."""
        try:
            yield
        except ParseError as error:
            self._found.append(error)

    def raise_found(self) -> None:
        """Raises ParseError where there was any."""
        if self._found:
            raise ParseError.joined(self._found)


class JudgeUnfit(EvaluationError):
    """The judge failed on exchanges of known quality where a fit one was asked for: nothing else was asked."""


class EndpointRefused(EvaluationError):
    """The endpoint refuses every call alike (401, 403, 404): the run stops, no further call is made."""

    def __init__(self, message: str, *, model: str = "") -> None:
        super().__init__(message)
        self.model = model
        """That was asked; empty where none was, or where it is not known."""


class JournalError(EvaluationError):
    """The journal cannot be opened, locked, read or written."""


class JournalGone(JournalError):
    """The journal's path no longer leads to the file that is written: nothing may be called kept."""


class StopRequested(EvaluationError):
    """Raised to whoever asks for a new call after the run was stopped; never recorded as a failure."""

    exit_code = 130


class LimitReached(EvaluationError):
    """The cost limit ended the work; what was answered is kept, and the message says how to go on."""

    exit_code = 3


class SampleIncomplete(EvaluationError):
    """A sample was not judged to its end; what was judged is kept, and the message says how to go on."""

    exit_code = 3


class LinesNotScored(EvaluationError):
    """A process that scored lines of a file was ended from outside; the lines before are written."""

    exit_code = 3


class LabelUnconfirmed(EvaluationError):
    """Langfuse has not confirmed a label's move, or the comment on it: the same command goes on."""

    exit_code = 3


class JudgeGivenUp(EvaluationError):
    """No verdict of the judge could be read; what was answered is kept, and the message says how to go on."""

    exit_code = 3
