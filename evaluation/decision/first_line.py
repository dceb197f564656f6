"""The first line of every output: what may be said of a run, or of runs held against one another.

The order is the same everywhere, and the first that applies is the code:

1. incomplete or interrupted; at `FLOOR_COVERAGE` or more of the exchanges the rest stands behind it;
2. no verdict: the judge is unfit, or nothing has a value;
3. too few scenarios: below `FEW_CLUSTERS` situations nothing is decided; then too few labels, where people's values
   decide;
4. the verdict.

A rule or a person whose answer to a critical expectation holds a version back comes between 1 and 2: that needs neither
judge nor ten situations. A judge that does comes between 3 and 4.
"""

from dataclasses import dataclass, replace

from evaluation.decision.critical import count_check_failures, count_failures
from evaluation.decision.decide import FEW_CLUSTERS, TOO_FEW_LABELS, Decision, lacking_labels, too_few
from evaluation.scenarios.shards import Shard
from evaluation.summary.counts import Counts
from evaluation.summary.summary import Summary
from evaluation.text import numbers

TITLES = {"deploy": "DEPLOY", "ab_test": "A/B TEST", "needs_revision": "NEEDS REVISION", "held_back": "HELD BACK"}


@dataclass(frozen=True, slots=True)
class FirstLine:
    """A line that begins an output, and the code of its beginning."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """All that may keep a verdict from standing."""

    lacking: str = ""
    """Says what is missing of an evaluation that did not come to its end; empty for one that did."""
    interrupted: bool = False
    short: bool = False
    """True where so much is missing that nothing is decided."""
    unfit: bool = False
    """True where the judge failed on exchanges of known quality, and had a part in it."""
    nothing: str = ""
    """Why there is no value to decide on; empty where there is one."""
    situations: int | None = None
    """That the verdict rests on; None where it rests on none."""
    about: str = ""
    """Names what is held against what; empty for one run."""
    held_by_rule: bool = False
    """True where a rule or a person shows that critical expectations fail."""


def first_line(standing: Standing, verdict: FirstLine) -> FirstLine:
    """The first line, in the order of this module; `verdict` is what stands at its end, if nothing is before it."""
    behind = _behind(standing, verdict)
    if not standing.lacking:
        return behind
    code = "interrupted" if standing.interrupted else "incomplete"
    return FirstLine(code, f"{code.upper()} ({standing.lacking}): {behind.text}")


def _behind(standing: Standing, verdict: FirstLine) -> FirstLine:
    none = f"NO VERDICT on {standing.about}" if standing.about else "NO VERDICT"
    if standing.held_by_rule:
        return verdict
    if standing.unfit:
        return FirstLine("judge_unfit", f"{none}: the judge is unfit")
    if standing.nothing:
        return FirstLine("no_verdicts", f"{none}: {standing.nothing}")
    if standing.short:
        return FirstLine("incomplete", none)
    if standing.situations is not None and standing.situations < FEW_CLUSTERS:
        # Its figures stay as they are written, in words that are seen.
        words, bracket, figures = too_few(standing.situations).partition(" (")
        about = f": {standing.about}" if standing.about else ""
        return FirstLine("too_few_scenarios", f"{words.upper()}{bracket}{figures}{about}")
    return verdict


def describe_lack(counts: Counts, *, half_checked: bool = False, given_up: bool = False) -> str:
    """Says how much of a plan was evaluated; empty where all of it was, and its judge was not given up."""
    if not counts.failed and not counts.skipped and not given_up:
        return "the judge's check did not end" if half_checked else ""
    have = "has" if counts.planned == 1 else "have"
    failed = f", {counts.failed} failed" if counts.failed else ""
    return f"{counts.scored} of {numbers.times(counts.planned, 'exchange')} {have} a score{failed}"


def of_shard(decision: Decision, shard: Shard, counts: Counts, planned: int) -> Decision:
    """The decision on a share of a run: none, as its means are not those of the whole."""
    have = "has" if planned == 1 else "have"
    return replace(
        decision,
        verdict=None,
        code="shard",
        headline=f"SHARD {shard}: {counts.scored} of its {numbers.times(planned, 'exchange')} {have} a score",
    )


def with_first_line(
    decision: Decision,
    summary: Summary,
    *,
    interrupted: bool = False,
    half_checked: bool = False,
    given_up: bool = False,
) -> Decision:
    """The decision on a run with its code and headline.

    `half_checked` says that the judge's check did not end, `given_up` that the run ended as it brought no verdict.
    """
    deciding = summary.deciding()
    standing = Standing(
        lacking=describe_lack(summary.counts, half_checked=half_checked, given_up=given_up),
        interrupted=interrupted,
        unfit=decision.judge_fit is False and decision.verdict is None,
        nothing="the judge cannot be read" if given_up else "nothing was scored" * (decision.code == "no_verdicts"),
        short=decision.code == "incomplete",
        situations=deciding.estimate.clusters if decision.code == "too_few_scenarios" and deciding else None,
        held_by_rule=decision.held_by == "rule",
    )
    by_checks = summary.checks.cases and decision.verdict is None
    verdict = _checks_line(summary) if by_checks else _verdict_line(decision, summary)
    line = first_line(standing, verdict)
    if standing.unfit and summary.checks.cases:
        line = replace(line, text=f"{line.text}; {verdict.text}")
    return replace(decision, code=line.code, headline=line.text)


def _verdict_line(decision: Decision, summary: Summary) -> FirstLine:
    if decision.code == TOO_FEW_LABELS:
        return FirstLine(decision.code, f"NO VERDICT: labels are missing: {'; '.join(lacking_labels(summary))}")
    if decision.verdict is None:
        return FirstLine(decision.code, "NO VERDICT")
    if decision.verdict == "held_back" and summary.checks.critical_failures:
        return FirstLine("held_back", f"HELD BACK: {count_check_failures(summary)}")
    if decision.verdict == "held_back" and summary.expectations is not None:
        failures = count_failures(summary.expectations.critical, decision.judge_fit)
        return FirstLine("held_back", f"HELD BACK: {failures}")
    unchecked = " (judge not checked)" if decision.judged and decision.judge_fit is None else ""
    stable = "stable" if decision.stable else "not stable"
    return FirstLine(decision.verdict, f"{TITLES[decision.verdict]} ({stable}){unchecked}")


def _checks_line(summary: Summary) -> FirstLine:
    """Where nothing is decided and something was checked: how the checks ended. That is no verdict on a version."""
    failing, cases = len(summary.checks.failed), numbers.times(summary.checks.cases, "case")
    doubts = len(summary.checks.open)
    if failing:
        more = f", cannot tell in {doubts}" if doubts else ""
        return FirstLine("checks_fail", f"CHECKS FAIL in {failing} of {cases}{more}")
    if doubts:
        return FirstLine("checks_open", f"CHECKS CANNOT TELL in {doubts} of {cases}, and fail in none")
    return FirstLine("checks_pass", f"ALL CHECKS PASS in {cases}")
