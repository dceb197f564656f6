"""The text that a rubric comes from, for the places of its errors."""

from dataclasses import dataclass

from evaluation.errors import ParseError
from evaluation.text.yaml_text import ValuePath, located


@dataclass(frozen=True, slots=True)
class SourceText:
    """A rubric file's text and its name."""

    text: str
    place: str

    def error(self, path: ValuePath, problem: str) -> ParseError:
        """The problem with its file, line and key path, on one line."""
        where = located(self.text, self.place, path)
        return ParseError(f"{where}: {dotted(path)}" if path else where, " ".join(problem.split()))


def dotted(path: ValuePath) -> str:
    """A key path as people write it: metrics.helpfulness.adjustments[2].add (list positions count from 0)."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
