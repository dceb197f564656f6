"""What people are shown before runs are played: who answers, who judges, and what is left unmeasured."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.applications.mapping import ConversationMapping
from evaluation.run import Run
from evaluation.runspec import PRODUCTION
from evaluation.suites import DEFAULT_SUITE
from evaluation.summary.columns import deciding_source
from evaluation.text.numbers import times
from evaluation.unoffered import note_on_tools
from scripts.run.texts import chosen_rubric
from scripts.run.wiring import Wiring
from scripts.shell import note

if TYPE_CHECKING:
    from evaluation.comparison.gate import RegressionRules

HELD_AGAINST_PEOPLE = "companion-v3"
"""The shipped rubric whose rules look at more than the default's."""


def announce(runs: Sequence[Run], wiring: Wiring) -> None:
    """Model, judge and the number of exchanges, on stderr."""
    if wiring.request.quiet or not runs:
        return
    spec = runs[0].spec
    if runs[0].of_application:
        _announce_application(runs[0], rehearsal=wiring.choice.rehearsal)
        _announce_history(runs[0], wiring)
    elif spec.of_production:
        _announce_production(runs[0], rehearsal=wiring.choice.rehearsal)
    elif wiring.choice.rehearsal:
        note("model: the embedded rehearsal model, a scripted stand-in and not a language model (no endpoint is set)")
    else:
        models = dict.fromkeys(run.spec.model for run in runs)
        note(f"{'models' if len(models) > 1 else 'model'}: {', '.join(models)} at {spec.endpoint}")
    if spec.suite == DEFAULT_SUITE and not chosen_rubric(spec.suite, wiring.request.rubric, wiring.settings):
        held = f"--rubric {HELD_AGAINST_PEOPLE} (EVAL_RUBRIC) has rules that agree more with people: docs/validity.md"
        note(f"rules: {spec.rubric.name} {spec.rubric.version}; {held}")
    if spec.judge is not None and spec.judge.model in {run.spec.model for run in runs}:
        note("judge: the model under test judges itself and prefers its own words; set EVAL_JUDGE_MODEL")
    _announce_seen(runs[0])
    for line in dict.fromkeys(line for run in runs for line in note_on_tools(run)):
        note(line)
    exchanges = sum(run.played_exchanges for run in runs)
    part = "" if runs[0].shard is None else f" of shard {runs[0].shard}"
    note(f"{times(exchanges, 'exchange')}{part} in {times(len(runs), 'run')}: {', '.join(r.run_id for r in runs)}")


def _announce_seen(run: Run) -> None:
    """Says which models see each response beside the judge, and what is left unmeasured without one."""
    spec = run.spec
    if spec.moderation is not None:
        note(f"moderation: each response goes to {spec.moderation} at the same endpoint")
    if spec.embedding is not None:
        note(f"meaning: measured by {spec.embedding.title}, at {spec.embedding.endpoint}")
    elif by_vectors := run.suite.by_vectors:
        note(f"meaning: not measured, so that {', '.join(by_vectors)} has no value: set EVAL_EMBEDDING_MODEL")


def _announce_production(run: Run, *, rehearsal: bool) -> None:
    """Says that nobody is asked for a response, and who judges those that there are."""
    note(f"responses: of production, kept at {run.spec.endpoint.removeprefix(PRODUCTION)}; none is asked for")
    _announce_judge(run, rehearsal=rehearsal)


def _announce_application(run: Run, *, rehearsal: bool) -> None:
    """Says which application is evaluated, and who judges it."""
    spec = run.spec
    where = f"the embedded sample assistant, {spec.endpoint}" if spec.embedded else spec.endpoint
    note(f"application: {where}{' (CHAT_FLOW_URL is not set)' if spec.embedded else ''}")
    _announce_judge(run, rehearsal=rehearsal)


def _announce_judge(run: Run, *, rehearsal: bool) -> None:
    spec = run.spec
    if spec.judge is None:
        alone = "checks" if run.suite.checks else "rules"
        note(f"judge: none, {alone} alone{' (no endpoint is set)' if rehearsal else ''}")
    elif rehearsal:
        note("judge: the embedded rehearsal model, a scripted stand-in whose scores say nothing about quality")
    else:
        note(f"judge: {spec.judge.model} at {spec.judge.endpoint}")


def _announce_history(run: Run, wiring: Wiring) -> None:
    """Says how many scenarios begin in the middle of a conversation that the application is not sent."""
    mapping = None if wiring.target is None else wiring.target.mapping
    begun = sum(bool(scenario.history) for scenario in run.scenarios)
    if begun and isinstance(mapping, ConversationMapping) and not mapping.sends_history:
        note(
            f"{times(begun, 'scenario')} of {len(run.scenarios)} begin after turns that the mapping does not send "
            '("{messages}" would): the application cannot know them'
        )


def note_opening(run: Run, rules: "RegressionRules") -> None:
    """Notes, before anything is paid for, what the no-regression gate can show of the run's scenarios."""
    from evaluation.comparison.opening import describe_opening

    source = deciding_source(run.sources)
    if said := describe_opening(run.scenarios, run.spec.repeats, rules, run.suite, source):
        note(said)
