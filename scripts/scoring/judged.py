"""A collection under a judge: some of its rows, or all, become a run whose responses are given.

What is drawn is written down, with the name of the run, before anything is asked: the same command goes on with it.
"""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evaluation.collected.drawing import Drawn, DrawnRow, Survey
from evaluation.collected.judged import JudgedRows, judged_line, summarise_rows
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.given import GivenReplies, GivenReply
from evaluation.production.as_run import given_scenario, scenario_id
from evaluation.production.judged import SOURCES
from evaluation.records import Exchange, Json, Reply, Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin, PromptPin, digest
from evaluation.suites.loaded import LoadedSuite
from evaluation.text.numbers import count
from scripts.given.judging import (
    GivenJudged,
    GivenRun,
    category_guesser,
    estimate_given,
    judge_given,
    named_judges,
    plan_given,
    said_of,
    stored_given,
)
from scripts.run.finish import Outcome
from scripts.run.plan import run_identifier
from scripts.run.wiring import choose_endpoint
from scripts.scoring.drawing import draw_rows, survey
from scripts.scoring.part import Job
from scripts.shell import note
from services.collected.addresses import shown
from services.collected.output import OutputFolder
from services.collected.parts import Part
from services.journal import Journal
from services.json_text import json_object, to_line
from services.langfuse.masking import Outgoing, outgoing
from services.run_folder import json_bytes, run_folder, text_bytes, why_unread
from services.settings import Settings

DRAW, LINES = "judge.json", "judged.jsonl"
"""Files of the output: what was drawn for the judge, and what it said of each row."""
SEED = 1
MOST = 50_000
"""Rows that a judge may be given: their texts lie in memory."""
PILOT = 200
"""Rows by which it is estimated what one costs."""
RESERVE = 0.1
"""Of the money, what is kept for answers that are longer than the estimate and for questions that are put again."""
WORST = 10


def check_judge(options: argparse.Namespace, loaded: LoadedSuite, settings: Settings) -> None:
    """Raises UsageError for a judge that cannot be had, before anything is scored."""
    if not asks_judge(options):
        return
    if loaded.suite.judge is None:
        raise UsageError(f"--judge: rubric {loaded.rubric.name!r} asks no judge: name another with --rubric")
    if (options.judge or 0) > MOST:
        raise UsageError(f"--judge {options.judge}: at most {count(MOST)} rows are judged at a time, which say enough")
    named_judges(options, settings, choose_endpoint(settings))


def asks_judge(options: argparse.Namespace) -> bool:
    """True where the command asks for a judge."""
    return bool(options.judge or options.judge_cost)


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge of one collection."""

    job: Job
    parts: Sequence[Part]
    loaded: LoadedSuite
    named: tuple[str, str | None]
    """Suite and rubric as they were named."""
    options: argparse.Namespace
    settings: Settings
    rows_digest: str
    """Of the scored rows."""

    @property
    def folder(self) -> OutputFolder:
        """Of the output."""
        return OutputFolder(self.job.folder)

    @property
    def where(self) -> str:
        """The folder, for people."""
        return shown(self.job.folder)

    @property
    def name(self) -> str:
        """Of the collection, for people."""
        return self.where.rstrip("/").rpartition("/")[2]

    def run(self) -> tuple[dict[str, Json], int] | None:
        """Judges what is open: the entry `judge` of summary.json, and the exit code; None where no judge was asked for.

        Without a judge among the arguments what was judged before is shown, and nothing is asked.
        """
        stored = self._stored()
        if stored is None and not asks_judge(self.options):
            return None
        with Journal.in_folder(self.settings.runs_dir) as journal:
            if not asks_judge(self.options):
                if stored is None or stored["run_id"] not in journal.run_ids():
                    return None
                return self._said(stored, *stored_given(stored["run_id"], self.settings, journal), journal)
            texts: Sequence[Exchange] = ()
            if stored is not None:
                self._refuse_lost(stored, journal)
            if stored is None or stored["run_id"] not in journal.run_ids():
                stored, texts = self._draw(stored, journal)
            if not stored["draw"]["rows"]:
                return None
            plan = partial(self._plan, stored, texts)
            asked = (stored["run_id"], plan, self.named, self.loaded, self._asking, self.settings, journal)
            return self._said(stored, *asyncio.run(judge_given(*asked)), journal)

    @property
    def _asking(self) -> argparse.Namespace:
        """The arguments, with the money for the judge as a limit that no call leads over."""
        limits = [each for each in (self.options.max_cost, self.options.judge_cost) if each is not None]
        return argparse.Namespace(**{**vars(self.options), "max_cost": min(limits, default=None)})

    def _stored(self) -> dict[str, Any] | None:
        """What was drawn before. Raises UsageError where it was drawn of other rows, or otherwise."""
        content = self.folder.read(DRAW)
        if content is None:
            return None
        try:
            found: dict[str, Any] = json_object(content)
            Drawn.from_json(found["draw"])
            of, asked, _ = found["of"], found["judge"], str(found["run_id"] + found["runs"])
        except (ValueError, LookupError, TypeError) as error:
            raise UsageError(
                f"{self.where}/{DRAW}: is not readable ({why_unread(error)}): choose another --output"
            ) from None
        if of != self._of(found["seed"]):
            raise UsageError(
                f"{self.where}: a judge was asked about other rows, columns or rules: choose another --output"
            )
        if asks_judge(self.options) and (self.options.judge, self._seed) != (asked, found["seed"]):
            before = f"--judge {asked}" if asked else "--judge-cost alone"
            raise UsageError(
                f"{self.where}: a judge was given rows by {before} and --seed {found['seed']}: give the same, "
                "or choose another --output"
            )
        return found

    def _refuse_lost(self, stored: Mapping[str, Any], journal: Journal) -> None:
        """Raises UsageError where the run was begun and this journal does not know it: it would be paid for again."""
        run_id, runs = stored["run_id"], str(self.settings.runs_dir.resolve())
        if run_id in journal.run_ids():
            return
        if stored["runs"] != runs:
            raise UsageError(f"{self.where}: its judge was asked from {stored['runs']}: set EVAL_RUNS_DIR to that")
        if run_folder(self.settings.runs_dir, run_id).exists():
            raise UsageError(
                f"{self.where}: the journal has lost run {run_id}, which judges it: get it back with "
                f"{write_command('runs', 'recover')}, or choose another --output"
            )

    @property
    def _seed(self) -> int:
        return SEED if self.options.seed is None else int(self.options.seed)

    def _of(self, seed: int) -> str:
        """Names what is drawn from."""
        job = self.job
        return digest([self.rows_digest, list(job.by), job.time, job.cluster, seed, job.scored_by])

    def _draw(self, stored: Mapping[str, Any] | None, journal: Journal) -> tuple[dict[str, Any], Sequence[Exchange]]:
        """Draws, and writes down what was drawn and the run that it becomes."""
        counted = survey(self.job, self.parts, self.options)
        number = self._number(counted, journal) if stored is None else int(stored["count"])
        drawn, texts = draw_rows(self.job, self.parts, counted, number, self._seed, self.options)
        found = {
            "schema_version": 1,
            "of": self._of(self._seed),
            "judge": self.options.judge,
            "seed": self._seed,
            "count": number,
            "run_id": stored["run_id"] if stored else run_identifier(time.time(), f"{self.name}-judged"),
            "runs": str(self.settings.runs_dir.resolve()),
            "draw": drawn.to_json(),
        }
        self.folder.write(DRAW, json_bytes(found))
        return found, texts

    def _number(self, counted: Survey, journal: Journal) -> int:
        """How many rows the judge is given: as many as were asked for, and as the money allows."""
        most = min(self.options.judge or MOST, counted.rows)
        usd = self.options.judge_cost
        if usd is None or not counted.rows:
            return most
        drawn, texts = draw_rows(self.job, self.parts, counted, min(PILOT, most), self._seed, self.options)
        pilot = {"run_id": run_identifier(time.time(), "pilot"), "seed": self._seed, "draw": drawn.to_json()}
        plan, options = partial(self._plan, pilot, texts), argparse.Namespace(**{**vars(self.options), "quiet": True})
        whole, rest = asyncio.run(estimate_given(plan, self.named, self.loaded, options, self.settings, journal))
        if whole.cost_usd is None or rest.cost_usd is None:
            raise UsageError(
                f"--judge-cost: no price is known for {', '.join(whole.models)}: give one with --prices FILE, or say "
                "how many rows with --judge"
            )
        return _affordable(usd, most, len(texts), whole.cost_usd, rest.cost_usd, quiet=self.options.quiet)

    def _plan(
        self,
        stored: Mapping[str, Any],
        texts: Sequence[Exchange],
        loaded: LoadedSuite,
        judge: JudgePin,
        request: EvaluationRequest,
    ) -> Run:
        """The run of what was drawn, as `judge_given` has it made."""
        drawn = Drawn.from_json(stored["draw"])
        fit, guess = outgoing(self.settings), category_guesser(self.named[0], loaded, self.settings)
        scenarios, replies = list[Scenario](), dict[str, GivenReply]()
        for row, exchange in zip(drawn.rows, texts, strict=True):
            scenarios.append(_scenario(row, exchange, guess(fit(exchange.user_input)), fit))
            replies[scenarios[-1].id] = GivenReply(
                *(fit(_response(exchange)), row.at, row.at, row.identity, row.key),
            )
        weights = {scenario_id(key): weight for key, weight in JudgedRows({}, drawn).weights().items()}
        given = GivenRun(
            run_id=stored["run_id"],
            prompt=PromptPin(self.name, None, None, digest(self.rows_digest), "production"),
            kept_at=self.name,
            scenarios=scenarios,
            replies=GivenReplies(self.name, replies),
            seed=stored["seed"],
            weights=None if drawn.is_whole else weights,
        )
        return plan_given(given, loaded, judge, request, self.settings)

    def _said(
        self, stored: Mapping[str, Any], run: Run, outcome: Outcome, journal: Journal
    ) -> tuple[dict[str, Json], int]:
        """What the judge said, with a line for each drawn row left in its file."""
        drawn = Drawn.from_json(stored["draw"])
        keys = {scenario_id(row.key): row.key for row in drawn.rows}
        rows = JudgedRows({keys[name]: said for name, said in said_of(run, outcome, journal, self.settings)}, drawn)
        weights = rows.weights()
        lines = [judged_line(row, weights[row.key], rows.judged.get(row.key)) for row in drawn.rows]
        self.folder.write(LINES, text_bytes("".join(f"{to_line(line)}\n" for line in lines)))
        if outcome.exit_code:
            why = f" ({outcome.stop.reason})" if outcome.stop.reason else ""
            note(f"not all was judged{why}: the same command goes on, where the money is spent with a higher limit")
        suite, played = run.suite, GivenJudged(run, outcome)
        scales = {source: suite.scale(source) for source in run.sources if source in SOURCES}
        data = {
            "run_id": run.run_id,
            "model": None if run.spec.judge is None else run.spec.judge.model,
            "seed": stored["seed"],
            "stand_in": played.is_stand_in,
            "unfit": played.is_unfit,
            "incomplete": bool(outcome.exit_code),
            "banners": played.banners,
            **summarise_rows(rows, run.scenarios, suite.metrics, suite.overall, scales, WORST),
        }
        return data, outcome.exit_code


def _affordable(usd: float, most: int, pilot: int, whole: float, rest: float, *, quiet: bool) -> int:
    """How many rows fit: `whole` is what the pilot would cost, `rest` all of it but one row and the judge's check."""
    each = rest / (pilot - 1) if pilot > 1 else whole
    check = max(0.0, whole - pilot * each)
    if not each:
        return most
    number = min(most, int((usd * (1 - RESERVE) - check) / each))
    if number < min(2, most):
        raise UsageError(
            f"--judge-cost {usd:g}: is not enough: the judge's check takes about {check:.4f} USD, and each row "
            f"{each:.4f}"
        )
    if not quiet:
        note(f"--judge-cost {usd:g}: about {count(number)} rows, at {each:.4f} USD each and {check:.4f} for the check")
    return number


def _scenario(row: DrawnRow, exchange: Exchange, category: str, fit: Outgoing) -> Scenario:
    history = [replace(said, content=fit(said.content)) for said in exchange.context]
    tags = [fit(f"{column} {value}") for column, value in row.groups]
    return given_scenario(row.key, category, fit(exchange.user_input), history, row.cluster, tags)


def _response(exchange: Exchange) -> str:
    assert isinstance(exchange.outcome, Reply), "a row holds its response"
    return exchange.outcome.text
