"""Checks of what the assistant asks."""

from collections.abc import Iterator

from evaluation.chat_flow.case import Constraints
from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    amount,
    fail_with,
    list_findings,
    not_applicable,
    pass_with,
)
from evaluation.chat_flow.questions import Question, read_questions
from evaluation.chat_flow.scripted_user import fits
from evaluation.metrics.explained import excerpt


def asks_nothing_twice(subject: CheckSubject) -> CheckResult:
    run = subject.run
    if run.fault is not None and run.fault.kind == "loop":
        return not_applicable("the flow broke off: loop")
    asked = 0
    found: list[str] = []
    for place in range(len(run.opening), len(run.messages)):
        turn = run.messages[place]
        answered = any(later.role == "user" for later in run.messages[place:])
        if turn.role != "assistant" or not answered:
            continue
        known = subject.case.constraints_after(run.messages[:place])
        questions = read_questions(turn.content, subject.lexicon)
        asked += len(questions)
        for question in questions:
            # A case that has an answer for it expects the question.
            if any(fits(answer, question) for answer in subject.case.user_answers):
                continue
            if said := list(_said_before(question, known)):
                found.append(f'asked "{excerpt(question.text)}" although the user had said {", ".join(said)}')
    if found:
        return fail_with(list_findings(found))
    if not asked:
        return not_applicable("the assistant asked nothing")
    return pass_with(f"{asked} question{'' if asked == 1 else 's'}, none about what had been said")


def _said_before(question: Question, known: Constraints) -> Iterator[str]:
    """What was said of the subjects of an open question; a yes or no makes sure, and is no fault."""
    if not question.is_open or question.asks_for_more:
        return
    if "time" in question.subjects and known.time_budget_minutes is not None:
        yield f"{amount(known.time_budget_minutes)} minutes"
    if "servings" in question.subjects and known.servings is not None:
        yield f"for {amount(known.servings)}"
    if "diet" in question.subjects and known.diet:
        yield ", ".join(map(excerpt, known.diet))
    if "allergies" in question.subjects and known.allergies:
        yield f"allergic to {', '.join(map(excerpt, known.allergies))}"
