"""Whether a run may take over what the judge of another one said."""

from collections.abc import Sequence
from functools import partial

from evaluation.expectations.canaries import checks_of_items, errors_by_judge
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.canaries import first_half, questions_of
from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.judging.conversations.canaries import check_of_answers, checks_of_conversations
from evaluation.judging.fitness import ENOUGH
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.panel import AnyJudge, judge_of
from evaluation.judging.panel_check import RepliesOf, panel_report
from evaluation.records import Purpose
from evaluation.request import request_of
from evaluation.rubrics.canary import Question, without_items
from evaluation.rubrics.loader import parse_rubric
from evaluation.run import Run
from evaluation.runspec import RunSpec
from evaluation.text.forms import SourceText
from services.journal import Journal


def may_lend_verdicts(run_id: str, borrower: Run, journal: Journal, purpose: Purpose = "judge") -> bool:
    """True where another run may take over what the judge of this one said for a purpose.

    Of conversations nothing is taken from a judge that failed on those of known quality.
    Its judge must have passed its check, to the end and on the canaries of the borrower. A borrower that leaves the
    check out, and so says that its judge is not checked, takes those of unchecked runs as well. A calibration goes on
    as a new run, which takes what an interrupted one was given by a judge that had passed so far.
    """
    if run_id not in journal.run_ids():
        return False  # lost with a damaged journal: nobody knows any more how its judge was checked
    lender, ours = journal.run(run_id), borrower.suite.judge
    pin = lender.spec.judge
    if pin is None or ours is None:
        return False
    source = SourceText(lender.inputs["rubric"], f"rubric of run {run_id}")
    rubric = JudgeRubric.of(parse_rubric(source, lambda *_: None), ours.show, ours.ask_parts)
    questions = questions_of(rubric) if request_of(lender.arguments).canaries else []
    judge = None if rubric is None else judge_of(pin, rubric, lender.spec.seed)
    replies_of = partial(journal.answers, run_id, "canary")
    items = _item_errors(lender.spec, judge, questions, replies_of)
    whole = panel_report(judge, questions, replies_of, heard=True, ended=lender.state == "finished", items=items)
    if whole is not None and whole.fit is False:
        return False
    ended, checked = lender.state == "finished", bool(questions)
    if purpose == "conversation" and not _lends_conversations(
        judge, replies_of, borrower, checked=checked, ended=ended
    ):
        return False
    if whole is None or rubric is None or without_items(rubric.canaries) != without_items(ours.canaries):
        return not borrower.canaries
    if whole.fit is not None:
        return whole.fit
    begun = panel_report(judge, first_half(questions), replies_of, heard=True, ended=False, items=items)
    if begun is None or begun.fit is False:
        return False
    goes_on = borrower.spec.suite != borrower.suite.name and lender.spec.digests == borrower.spec.digests
    return (goes_on and begun.answered >= ENOUGH * begun.asked) or not borrower.canaries


def _item_errors(
    spec: RunSpec, judge: AnyJudge | None, questions: Sequence[Question], replies_of: RepliesOf
) -> dict[str, ItemErrors]:
    """How a lender's judges did on the questions that yes or no answers; nothing where none was asked."""
    if judge is None or not questions or spec.expectations is None or spec.expectations.name != "judge":
        return {}
    return errors_by_judge(checks_of_items(judge.pin, judge.rubric, judge.seed), replies_of, judge.pin.model)


def _lends_conversations(
    judge: AnyJudge | None, replies_of: RepliesOf, borrower: Run, *, checked: bool, ended: bool
) -> bool:
    """True where a lender's judge may be believed about conversations by the canaries that the borrower has."""
    question = None if judge is None else ConversationQuestion.of(judge.rubric)
    ours = ConversationQuestion.of(borrower.suite.judge)
    if judge is None or question is None or ours is None or not ours.section.canaries or not borrower.canaries:
        return True
    if question.section.canaries != ours.section.canaries or not checked:
        return False
    found = check_of_answers(checks_of_conversations(judge.pin, question, judge.seed), replies_of, ended=ended)
    return found is not None and found.fit is True
