"""Runs under rubrics of one series: each under its latest patch, where that asks a judge the same."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from evaluation.judging.material import NOTHING_SAID
from evaluation.judging.panel import judge_of, judges_of
from evaluation.rubrics.canary import without_items
from evaluation.run import Run

_PATCHED = re.compile(r"(\d+\.\d+)(?:\.(\d+))?")
"""The series of a rubric's version, and its patch."""


def under_latest_patch(runs: Sequence[Run]) -> list[Run]:
    """The runs under the latest patch of their rubric, where that asks a judge the same; others as they are.

    Versions 2.0 and 2.0.1 are patches of one series, 2.0 and 2.1 are not. What a run holds is still by its own.
    """
    return [max(map(partial(_patched, run), runs), key=_patch) for run in runs]


def _patch(run: Run) -> int:
    found = _PATCHED.fullmatch(run.spec.rubric.version)
    return int(found[2] or 0) if found else 0


def _patched(run: Run, by: Run) -> Run:
    """The run under the rubric of another; as it is where that is no later patch of its own."""
    own, later = (_PATCHED.fullmatch(each.spec.rubric.version) for each in (run, by))
    alike = own and later and own[1] == later[1] and run.spec.rubric.name == by.spec.rubric.name
    if run.suite.name != by.suite.name or not alike or _patch(by) <= _patch(run) or _asked(run) != _asked(by, run):
        return run
    spec = replace(run.spec, rubric=by.spec.rubric)
    return replace(run, suite=by.suite, spec=spec, inputs={**run.inputs, "rubric": by.inputs["rubric"]})


def _asked(run: Run, like: Run | None = None) -> object:
    """All that the run's judge is asked, but for the exchange, in the form of `like`; None without a judge."""
    judge, pin = run.suite.judge, (like or run).spec.judge
    if judge is None or pin is None:
        return None
    asked = [request for each in judges_of(judge_of(pin, judge, 0)) for request in each.requests(NOTHING_SAID)]
    return [request.messages for request in asked], judge.categories, judge.groups, without_items(judge.canaries)
