"""What a person said in the page of a run or of a comparison, line by line as the page exports it, and as reviews.

Such a file comes from a browser, so a line of it is believed only as far as it fits what the run holds: the same
response by the digest of its content, rated by the rubric whose grades the page showed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import Field, ValidationError

from evaluation.commands import write_command
from evaluation.eval_records.record import Item
from evaluation.records import Json
from evaluation.review.form import ReviewForm
from evaluation.review.pair_answers import Said
from evaluation.review.review import Judgement, Review, in_parts
from evaluation.rubrics.rubric import Rubric
from evaluation.text.forms import Form, complaint, dotted_path

LONGEST_COMMENT = 10_000
"""Characters; the box in the page takes no more."""
MOMENT = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$"
SHA256 = r"^[0-9a-f]{64}$"
AGAIN = "export from the page once more, or leave the line out"


class _Given(Form):
    """What both kinds of lines have."""

    schema_version: Literal[1]
    scenario_id: str = Field(min_length=1, max_length=500)
    repeat: int = Field(ge=1)
    comment: str = Field(max_length=LONGEST_COMMENT)
    blind: bool
    """Whether scores, names and verdicts were hidden when this was said."""
    at: str = Field(pattern=MOMENT)
    """ISO 8601, UTC."""


class GivenJudgement(_Given):
    """One response as a person judged it in the page of its run."""

    kind: Literal["judgement"]
    run_id: str = Field(min_length=1, max_length=500)
    turn: int = Field(ge=1)
    content_sha256: str = Field(pattern=SHA256)
    rubric_sha256: str = Field(pattern=SHA256)
    judgement: Judgement
    rating: str | None = Field(max_length=20)
    """The key of a grade of the overall; None where none was given."""

    @property
    def run_ids(self) -> tuple[str, ...]:
        return (self.run_id,)


class GivenPreference(_Given):
    """Which of two responses, or of two whole conversations, a person preferred in the page of a comparison."""

    kind: Literal["preference"]
    base: str = Field(min_length=1, max_length=500)
    """Id of the run."""
    candidate: str = Field(min_length=1, max_length=500)
    base_sha256: str = Field(pattern=SHA256)
    """Of the content of the last response of the conversation."""
    candidate_sha256: str = Field(pattern=SHA256)
    shown_first: Literal["base", "candidate"]
    answer: Said

    @property
    def run_ids(self) -> tuple[str, ...]:
        return (self.base, self.candidate)


Given: TypeAlias = GivenJudgement | GivenPreference
KINDS: Mapping[str, type[Given]] = {"judgement": GivenJudgement, "preference": GivenPreference}


def is_given(row: Json) -> bool:
    """True for a line that says it is from a page, whether or not the rest of it can be read."""
    return isinstance(row, dict) and row.get("kind") in KINDS


def read_given(row: Json) -> Given:
    """Reads one line of an export. Raises ValueError, in one line, for whatever is none."""
    if not is_given(row) or not isinstance(row, dict):
        raise ValueError(f"kind: is neither {' nor '.join(KINDS)}: {AGAIN}")
    try:
        given = KINDS[str(row["kind"])].model_validate(row)
    except ValidationError as error:
        path, problem = complaint(error)
        raise ValueError(f"{dotted_path(path)}: {problem}: {AGAIN}") from None
    if isinstance(given, GivenJudgement) and given.judgement == "neither" and not (given.rating or given.comment):
        raise ValueError(f"judgement: 'neither' without a rating or a comment says nothing: {AGAIN}")
    return given


def commonest_runs(given: Iterable[Given]) -> tuple[str, ...] | None:
    """The run, or base and candidate, that most lines are of; None without any line."""
    counts: dict[tuple[str, ...], int] = {}
    for each in given:
        counts[each.run_ids] = counts.get(each.run_ids, 0) + 1
    return max(counts, key=lambda runs: counts[runs]) if counts else None


def check_runs(given: Given, runs: tuple[str, ...]) -> None:
    """Raises ValueError where a line is of other runs."""
    for name, found, wanted in zip(_names(given), given.run_ids, runs, strict=True):
        if found != wanted:
            raise ValueError(f"{name} {found[:80]!r}: this file is taken for {wanted}: take that run's page by itself")


def _names(given: Given) -> tuple[str, ...]:
    return ("run_id",) if isinstance(given, GivenJudgement) else ("base", "candidate")


def check_content(name: str, found: str, held: str, run_id: str) -> None:
    """Raises ValueError where a response is not the one that the page showed."""
    if found != held:
        again = write_command("runs", "report", run_id)
        raise ValueError(
            f"{name} {found[:12]!r}...: run {run_id} holds another response there ({held[:12]}...): "
            f"judge it in a page written by {again}"
        )


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One judgement with the response that it is of."""

    given: GivenJudgement
    item: Item

    def check(self, rubric: Rubric) -> None:
        """Raises ValueError where response or rubric are not those that the page showed."""
        check_content("content_sha256", self.given.content_sha256, self.item.content_sha256, self.given.run_id)
        if self.given.rubric_sha256 != rubric.sha256:
            raise ValueError(
                f"rubric_sha256 {self.given.rubric_sha256[:12]!r}...: the run is reviewed by rubric {rubric.name} "
                f"{rubric.version} ({rubric.sha256[:12]}...): leave out --rubric, or judge in that rubric's page"
            )

    def review(self, form: ReviewForm, reviewer: str, before: Review | None) -> Review:
        """The review that it becomes. `before` is the reviewer's earlier one: what that says in parts stays.

        Raises ValueError for a rating that is no grade.
        """
        given, overall = self.given, form.rubric.overall
        try:
            rated = None if given.rating is None else form.whole.value_of(given.rating)
        except ValueError as problem:
            raise ValueError(f"rating: {problem}: {AGAIN}") from None
        whole = Review(
            reviewer=reviewer,
            reviewed_at=given.at,
            scores={} if rated is None else {overall: rated},
            notes=given.comment.strip(),
            blind=given.blind,
            judgement=given.judgement,
        )
        if before is None or not in_parts(before, form.rubric):
            return whole
        parts = {name: value for name, value in before.scores.items() if name != overall}
        scored = any(value is not None for value in parts.values())
        return replace(
            before,
            reviewed_at=given.at,
            scores=parts if scored else whole.scores,
            notes=whole.notes or before.notes,
            blind=given.blind and before.blind,
            judgement=given.judgement,
        )
