"""A person's preference between two answers, as the line that is stored: bound to what was said, not to a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, ValidationError

from evaluation.judging.pair_asking import Pair
from evaluation.records import Json
from evaluation.runspec import digest
from evaluation.text.forms import Form

Said: TypeAlias = Literal["first", "second", "tie"]
POINTS: Mapping[Said, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""Of the answer that was shown first."""


class PairAnswer(Form):
    """One reviewer on one pair."""

    schema_version: Literal[1] = 1
    kind: Literal["pair"] = "pair"
    pair: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Hash of what both have in common and of both answers, in no order."""
    reviewer: str
    reviewed_at: str
    """ISO 8601, UTC."""
    suite: str
    scenario_id: str
    situation: str
    category: str
    repeat: int
    base: str
    """What the runs were called; for people."""
    candidate: str
    base_said: Annotated[tuple[str, ...], Field(strict=False)]
    candidate_said: Annotated[tuple[str, ...], Field(strict=False)]
    shown_first: Literal["base", "candidate"]
    answer: Said
    remark: str = ""
    rehearsal: bool = False
    blind: bool = True
    """Whether neither version nor score was shown; a terminal and a sheet show none."""

    @property
    def candidate_points(self) -> float:
        """1 where the candidate is preferred, 0 where the base is, 0.5 for a tie."""
        points = POINTS[self.answer]
        return points if self.shown_first == "candidate" else 1 - points

    def points_of(self, pair: Pair) -> float:
        """The same for the candidate of a pair, which may have been the base when it was reviewed."""
        return self.candidate_points if self.answers[1] == pair.answers[1] else 1 - self.candidate_points

    @property
    def answers(self) -> tuple[str, str]:
        """Hashes of what base and candidate said."""
        return digest(list(self.base_said)), digest(list(self.candidate_said))


def read_pair_answer(record: Json) -> PairAnswer:
    """Raises ValueError, in one line, for what is no such record."""
    try:
        return PairAnswer.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "record"
        raise ValueError(f"{place}: {first['msg']}") from None


def peoples_points(answers: Iterable[PairAnswer], pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Identity of a pair -> person -> points of its candidate; the newest answer of a person counts."""
    known = {pair.identity: pair for pair in pairs}
    found: dict[str, dict[str, float]] = {}
    for answer in answers:
        if (pair := known.get(answer.pair)) is not None:
            found.setdefault(answer.pair, {})[answer.reviewer] = answer.points_of(pair)
    return found
