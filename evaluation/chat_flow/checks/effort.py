"""Checks of what a flow costs the user: its whole time, and how often they have to answer."""

from evaluation.chat_flow.checks.outcome import CheckResult, CheckSubject, amount, fail_with, not_applicable, pass_with
from evaluation.chat_flow.flow_run import TURN_PATH

UNANSWERED = ("timeout", "connection")
ENDLESS = ("loop", "too_many_turns")


def flow_time(subject: CheckSubject) -> CheckResult:
    run, case = subject.run, subject.case
    if run.fault is not None and run.fault.kind in UNANSWERED:
        return not_applicable(f"the flow broke off: {run.fault.kind}")
    answered = [call.latency_ms for call in run.calls if call.status is not None]
    if not answered:
        return not_applicable("no call was answered")
    if max(answered) > case.max_latency_ms:
        return not_applicable("a single call took too long already")
    total = sum(answered)
    found = f"{len(answered)} calls took {amount(total)} ms together; at most {amount(case.max_flow_ms)} ms"
    return pass_with(found) if total <= case.max_flow_ms else fail_with(found)


def turn_count(subject: CheckSubject) -> CheckResult:
    run, most = subject.run, subject.case.max_turns
    if run.fault is not None and run.fault.kind in ENDLESS:
        return not_applicable(f"the flow broke off: {run.fault.kind}")
    turns = sum(call.path == TURN_PATH for call in run.calls)
    if not turns:
        return not_applicable("no call was made")
    found = f"{turns} turn{'' if turns == 1 else 's'} until the end of the conversation; at most {most}"
    return pass_with(found) if turns <= most else fail_with(found)
