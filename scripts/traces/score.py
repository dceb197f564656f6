"""The sequence: begun or resumed, seen once, drawn, read, scored, judged, summed up, written back where asked for."""

import argparse
import asyncio
from dataclasses import dataclass
from pathlib import Path

from evaluation.commands import write_command, write_flags
from evaluation.errors import EndpointRefused, UsageError
from evaluation.production.summary import ScoredTurn
from evaluation.suites.loaded import LoadedSuite
from scripts.given.arguments import given_again
from scripts.run.output import print_report
from scripts.shell import DONE, INCOMPLETE, note, note_each, notes_now_and_then, sigterm_interrupts
from scripts.traces.asked import Asked, begin, resumed
from scripts.traces.judging import Judged, check_judge, draw_for_judge, judge_turns, judged_run_id, queue_judged
from scripts.traces.reading import draw_sample, scored_turns, summary_of
from scripts.traces.sample_report import SampleReport, leave_files
from scripts.traces.steps import Done, Steps, begun, read_steps
from scripts.traces.write_back import WrittenBack, write_back
from services.journal import hold_run
from services.langfuse.asking import LangfuseRefuses, ask_langfuse, need_keys
from services.langfuse.delivery import LangfuseAway
from services.langfuse.masking import outgoing
from services.langfuse.observations import ObservationReader
from services.langfuse.rest import KeysRefused, LangfuseRest
from services.langfuse_access import LangfuseAccess
from services.run_folder import run_folder
from services.settings import Settings


def score_traces(options: argparse.Namespace, settings: Settings) -> int:
    """Prints what the sample says; the files of the sample lie in the folder of runs."""
    access = need_keys(settings.langfuse, "there is no production to read")
    if options.write_back and not settings.tracing_enabled:
        raise UsageError("LANGFUSE_TRACING_ENABLED is false: nothing is written there; leave out --write-back")
    check_judge(options, settings)
    if options.resume:
        asked, loaded = resumed(options.resume, settings)
    else:
        asked, loaded = asyncio.run(begin(options, settings))
    if options.judge and loaded.suite.judge is None:
        raise UsageError(f"--judge: rubric {loaded.rubric.name!r} asks no judge: name another with --rubric")
    work = _Work(options, settings, asked, loaded, run_folder(settings.runs_dir, asked.sample_id))
    with hold_run(settings.runs_dir, asked.sample_id), sigterm_interrupts():
        try:
            code = asyncio.run(work.run(access))
            if options.queue and code == DONE:
                return queue_judged(asked.sample_id, options, settings, work.again)
            return code
        except KeyboardInterrupt:
            note(f"stopped; go on with {work.again}")
            raise


@dataclass(frozen=True, slots=True)
class _Work:
    """One sample while it is worked on."""

    options: argparse.Namespace
    settings: Settings
    asked: Asked
    loaded: LoadedSuite
    folder: Path

    @property
    def again(self) -> str:
        """The command that goes on, with all that the sample does not hold yet."""
        options, sample_id = self.options, self.asked.sample_id
        begun = run_folder(self.settings.runs_dir, judged_run_id(sample_id)).exists()
        judge = given_again(options) if options.judge and not begun else []
        more = write_flags(queue=options.queue, queue_size=options.queue_size, write_back=options.write_back)
        return write_command("score-traces", "--resume", sample_id, *judge, *more)

    async def run(self, access: LangfuseAccess) -> int:
        """Returns the exit code. Raises LangfuseAway when Langfuse does not answer."""
        try:
            async with ask_langfuse(access, check="the filters and its version") as rest:
                return await self._run(rest)
        except LangfuseAway as away:
            raise LangfuseAway(f"{away}: go on with {self.again}") from None
        except (LangfuseRefuses, KeysRefused) as refused:
            raise UsageError(f"{refused}{self._then}") from None
        except EndpointRefused as refused:
            raise EndpointRefused(f"{refused}{self._then}", model=refused.model) from None

    @property
    def _then(self) -> str:
        """How to go on once a refusal is mended; empty where nothing was read yet."""
        return f"; then go on with {self.again}" if begun(self.folder) else ""

    async def _run(self, rest: LangfuseRest) -> int:
        done = read_steps(self.folder, self.asked)
        reader = ObservationReader(rest, self.options.requests_per_minute)
        fit = outgoing(self.settings)
        say = notes_now_and_then(quiet=self.options.quiet)
        with Steps(self.folder) as steps:
            sample = await draw_sample(self.asked, self.loaded.suite, reader, fit, done, steps, say)
            turns = scored_turns(sample, done)
            judged = await self._judge(turns, done, steps)
            report = self._report(turns, done, judged, rest.base_url)
            print_report(*leave_files(report), as_json=self.options.json)
            if judged is not None and judged.outcome.exit_code:
                note(f"go on with {self.again}")
                return judged.outcome.exit_code
            written = WrittenBack()
            if self.options.write_back:
                written = await write_back(sample, self.loaded, judged, rest, fit, done, steps, say)
        return self._close(written, done)

    async def _judge(self, turns: list[ScoredTurn], done: Done, steps: Steps) -> Judged | None:
        """What the judge says of the turns that are drawn for it; None where it is not asked."""
        asked, loaded, settings = self.asked, self.loaded, self.settings
        phase = draw_for_judge(self.options.judge, asked, loaded, settings, turns, done, steps)
        if phase is None:
            return None
        return await judge_turns(phase, asked, loaded, self.options, settings, self.folder, turns)

    def _report(self, turns: list[ScoredTurn], done: Done, judged: Judged | None, base_url: str) -> SampleReport:
        worst = self.options.worst
        summary = summary_of(self.loaded.suite, turns, done, worst)
        return SampleReport(
            *(self.asked, self.loaded, self.settings, self.folder, turns, summary, judged, base_url),
            by_judge=None if judged is None else judged.summary(worst),
            notes=self._notes(done),
        )

    def _notes(self, done: Done) -> list[str]:
        own = self.asked.own_environment
        if done.seen and not done.draw.sizes and done.left_out["in the environment of evaluations"]:
            return [f"all lies in {own!r}, where evaluations lie: name that environment with --environment {own}"]
        return []

    def _close(self, written: WrittenBack, done: Done) -> int:
        if not self.options.quiet:
            for each in written.notes:
                note(each)
        note_each(written.problems, "scores that were not confirmed")
        if written.problems:
            note(f"go on with {self.again}")
            return INCOMPLETE
        if self.options.write_back and not self.options.quiet:
            judged = f", and a judge's of {len(done.judged_sent):,}" if done.judged_sent else ""
            note(f"scores of {len(done.sent):,} responses{judged} are in Langfuse, confirmed")
        return DONE
