"""The judge's section of a rubric: its questions on responses and on whole conversations, and what checks it."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.rubrics.canary import Canary
from evaluation.rubrics.conversation_canary import ConversationCanary
from evaluation.rubrics.values import Band, Items, Name, Number, Said, Some
from evaluation.text.forms import Form

ConversationName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
"""Short enough for a score's name in Langfuse, behind `judge.conversation.`."""
JudgeField: TypeAlias = Literal[
    "user_message",
    "assistant_response",
    "context_summary",
    "messages",
    "fridge_input",
    "options",
    "selected",
    "errors",
    "note",
]
"""Fields of a judge's template: the first three of a reply, the others of a flow."""


class ConversationDimension(Form):
    """One thing that only a whole conversation shows."""

    title: Said
    definition: Said
    bands: Some[Band] = Field(alias="criteria")
    absent: str = ""
    """In which conversations there is nothing of it to score; empty where there always is."""


class ConversationSection(Form):
    """The judge's question about a whole conversation."""

    role: Said = "You judge how an assistant conducts a conversation with its user."
    """The judge's role."""
    dimensions: dict[ConversationName, ConversationDimension] = Field(min_length=1)
    """Metric -> what it means, in the order of every table; names of their own, apart from those of responses."""
    considerations: Items[Said] = ()
    """Points to bear in mind beside the criteria."""
    canaries: Items[ConversationCanary] = ()
    """Conversations of known quality on which the judge is checked; without any it is not checked on conversations."""


class PartItem(Form):
    """One observable thing of a dimension, as a question that yes or no answers."""

    id: Said
    ask: Said | None = None
    """A yes is wanted."""
    never: Said | None = None
    """A yes is a fault."""
    weight: Number | None = None
    """What it adds to the log-odds of a good value where it holds; None where every item counts alike."""

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        if (self.ask is None) == (self.never is None):
            raise ValueError(f"item {self.id!r} has one of ask and never")
        return self


class DimensionParts(Form):
    """The items of one dimension, and how they come to its value."""

    items: Annotated[Items[PartItem], Field(min_length=3, max_length=5)]
    bias: Number | None = None
    """Log-odds of a good value where no item holds; None for the share of items that hold."""

    @model_validator(mode="after")
    def _weighs_all_or_none(self) -> Self:
        weighed = [item.weight is not None for item in self.items]
        if any(weighed) != all(weighed) or any(weighed) != (self.bias is not None):
            raise ValueError("give a bias and a weight for every item, or neither")
        return self


class JudgeSection(Form):
    """The judge's part: its template, what it scores, and what stands for an unreadable verdict."""

    template: Said
    """Holds each of the `fields` in double braces."""
    dimensions: Some[Name]
    """Metric names that a structured verdict scores."""
    fallback: Number
    fields: Items[JudgeField] = ("user_message", "assistant_response", "context_summary")
    """The fields that the template is filled with."""
    role: Said = "You judge what an assistant says to its users."
    """The judge's role, in the structured formats."""
    subject: Said = "response"
    """The thing of the assistant's that is scored, in the structured formats."""
    rationales: bool = False
    """True where each score has a rationale of its own, in the structured formats."""
    form: Said = "reasoned"
    """The form of its question, by its name in `evaluation.judging.forms`, unless a run names another."""
    guidance: bool = False
    """True where the structured formats show the indicators of each dimension, the focus of the scenario's category and
    what its group of users needs."""
    parts: dict[Name, DimensionParts] = Field(default_factory=dict)
    """Dimension -> its items, for the forms that ask for parts; empty, or with every dimension."""
    considerations: Items[Said] = ()
    """Points to bear in mind beside the criteria, in the structured formats."""
    canaries: Items[Canary] = ()
    """Exchanges of known quality on which the judge is checked; without any it is not."""
    conversation: ConversationSection | None = None
    """The question about conversations as a whole; without it none is asked."""
