"""The judge's part of a suite: what its rubric says to the judge, and how an exchange is shown."""

from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.judging.material import NOTHING_SAID, ShowMaterial, reply_material
from evaluation.records import Turn
from evaluation.rubrics.rubric import Metric, Rubric


@dataclass(frozen=True)
class JudgeRubric:
    """All that a judge's question and answer depend on, but for the exchange."""

    template: str
    """Holds each of the `fields` in double braces."""
    dimensions: tuple[str, ...]
    """Metric names that a structured verdict scores."""
    overall: str
    fallback: float
    low: float
    high: float
    guides: tuple[Metric, ...] = ()
    """The dimensions with their criteria, for the structured formats; the text format is the template's own."""
    role: str = ""
    """Who the judge is, in the structured formats."""
    considerations: tuple[str, ...] = ()
    """What the judge is to bear in mind beside the criteria, in the structured formats."""
    fields: tuple[str, ...] = ("user_message", "assistant_response", "context_summary")
    """What the template is filled with."""
    subject: str = "response"
    """What of the assistant's is scored, in the structured formats."""
    rationales: bool = False
    """Whether each score has a rationale of its own, in the structured formats."""
    prompt: tuple[Turn, ...] = ()
    """The team's own messages in the place of role, criteria, considerations and template; empty without one."""
    show: ShowMaterial = reply_material

    @classmethod
    def of(cls, rubric: Rubric, show: ShowMaterial = reply_material) -> "JudgeRubric | None":
        """The judge's part of a rubric; None for a rubric without one. Raises UsageError for a field not shown."""
        if rubric.judge is None:
            return None
        known = show(NOTHING_SAID, None).fields()
        for field in rubric.judge.fields:
            if field not in known:
                raise UsageError(
                    f"rubric {rubric.name!r}: judge.fields names {field!r}, and its suite shows {', '.join(known)}"
                )
        return cls(
            **dict(rubric.judge),
            overall=rubric.overall,
            low=rubric.low,
            high=rubric.high,
            guides=tuple(rubric.metrics[name] for name in rubric.judge.dimensions),
            show=show,
        )
