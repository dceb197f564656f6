"""Checks of the flow itself: that nothing broke, and how long the application took."""

from evaluation.chat_flow.checks.options import OF_OPTIONS
from evaluation.chat_flow.checks.outcome import Check, CheckResult, Subject, amount, failed, not_applicable, passed
from evaluation.metrics.quoting import shown

UNANSWERED = ("timeout", "connection")


def no_fault(subject: Subject) -> CheckResult:
    run = subject.run
    if run.fault is not None and run.fault.kind not in OF_OPTIONS:
        return failed(f"{run.fault.kind} at {shown(run.fault.where)}: {shown(run.fault.message)}")
    for number, call in enumerate(run.calls, start=1):
        if call.status is None or call.status >= 400:
            what = "got no answer" if call.status is None else f"was answered {call.status}"
            return failed(f"call {number}, {shown(call.path)}, {what}")
    return passed(f"{len(run.calls)} call{'' if len(run.calls) == 1 else 's'} answered")


def latency(subject: Subject) -> CheckResult:
    run, most = subject.run, subject.case.max_latency_ms
    if run.fault is not None and run.fault.kind in UNANSWERED:
        return not_applicable(f"the flow broke off: {run.fault.kind} at {shown(run.fault.where)}")
    answered = [call for call in run.calls if call.status is not None]
    if not answered:
        return not_applicable("no call was answered")
    slowest = max(answered, key=lambda call: call.latency_ms)
    found = f"the slowest call, {shown(slowest.path)}, took {amount(slowest.latency_ms)} ms; at most {amount(most)} ms"
    return passed(found) if slowest.latency_ms <= most else failed(found)


NO_FAULT = Check(
    "no_fault",
    "No fault",
    "Every call was answered with status 200 to 399 and readable JSON, and the conversation came to an end: no "
    "time-out, refused connection, loop, dead end or surplus of turns.",
    "Always.",
    no_fault,
)
LATENCY = Check(
    "latency",
    "Latency",
    "Every answered call took at most the case's max_latency_ms.",
    "A call was answered, and the flow did not end in a time-out or a refused connection.",
    latency,
)
