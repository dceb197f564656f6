"""The sequence of a harvest: read, chosen, masked, proposed for, and written as drafts."""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.commands import write_command
from evaluation.harvest.candidate import Candidate
from evaluation.harvest.choice import Wanted, choose
from evaluation.harvest.draft import Draft, make_draft
from evaluation.harvest.drafts_file import drafts_text, read_drafts
from evaluation.harvest.likeness import sketch_of
from evaluation.metrics.cues import CUES
from evaluation.metrics.utterance import Utterance
from evaluation.reports.harvest import Harvested, describe_harvest
from evaluation.request import EvaluationRequest
from evaluation.scenarios.nearest import Nearest
from evaluation.suites.loaded import LoadedSuite
from scripts.arguments import usual_suite
from scripts.harvest.judging import Proposed, propose
from scripts.harvest.known import A_DRAFT, KnownTexts, drafts_folder, known_texts
from scripts.harvest.sets import Sets, read_loaded_sets
from scripts.harvest.sources import Source, read_source
from scripts.run.load import chosen_rubric, load_rubric, load_suite
from scripts.run.output import print_report
from scripts.shell import DONE, INCOMPLETE, INTERRUPTED, note, note_each
from services.journal.access import hold
from services.run_folder import make_private_directory, write_text
from services.settings import Settings
from services.text_files import read_text, show_path

USUAL = Wanted(critical=10, uncovered=20)
"""Without a flag that says otherwise."""
DANGER, DANGER_RUBRIC = "in_danger", "companion-v3"
"""The cue, and the shipped rubric that has its words where the own one has none."""


def harvest(options: argparse.Namespace, settings: Settings) -> int:
    """Prints what was found; the drafts lie in a file. Returns the exit code."""
    request = EvaluationRequest(
        suite=usual_suite(options.suite),
        rubric=options.rubric,
        scenarios=tuple(options.scenarios),
        judge_models=tuple(options.judge_model),
        judge_format=options.judge_format,
        max_cost=options.max_cost,
        prices=options.prices,
        quiet=options.quiet,
    )
    loaded = load_suite(request.suite, chosen_rubric(request.suite, request.rubric, settings))
    sets = read_loaded_sets(request, loaded, settings)
    critical = {item.id for scenario in sets.scenarios for item in scenario.expect if item.critical}
    source = read_source(options.source, options.dataset, settings, critical)
    path = Path(options.output) if options.output else drafts_folder(settings) / f"{source.stem}.yaml"
    make_private_directory(path.parent)
    with hold(path.with_name(f".{path.name}.lock"), show_path(path)):
        known = known_texts(sets.scenarios, path.parent)
        harvested = _draft(source, sets, known, _wanted(options), loaded)
        proposed = None
        if options.judge and harvested.drafts:
            proposed = propose(harvested.drafts, loaded, sets.scenarios, request, settings)
            harvested = _with(harvested, proposed)
        if proposed is None or not proposed.reason:
            _write(path, harvested.drafts)
    return _tell(harvested, proposed, path, options)


def _draft(source: Source, sets: Sets, known: KnownTexts, wanted: Wanted, loaded: LoadedSuite) -> Harvested:
    nearest = Nearest(sets.scenarios)
    danger, overall = _danger(loaded), loaded.suite.overall
    choice = choose(source.candidates, wanted, nearest.of, known.likeness, danger, overall, known.drafted)
    by_id = {scenario.id: scenario for scenario in sets.own}
    passed, drafts = Counter(choice.known), list[Draft]()
    for each in choice.chosen:
        url = source.url(each.candidate)
        draft = make_draft(each, source.shown, url, by_id.get(each.guess.scenario_id))
        sketch = sketch_of(draft.turns[0])
        if like := known.likeness.like(sketch):  # alike once names are masked
            passed[like] += 1
            continue
        known.likeness.add(sketch, A_DRAFT)
        drafts.append(draft)
    return Harvested(
        source=source.shown,
        messages=len(source.candidates),
        unread=source.unread,
        known=passed,
        repeated=choice.repeated,
        uncovered=choice.uncovered,
        drafts=drafts,
    )


def _wanted(options: argparse.Namespace) -> Wanted:
    given = Wanted(options.worst or 0, options.disagreed or 0, options.critical or 0, options.uncovered or 0)
    return given if given != Wanted() else USUAL


def _danger(loaded: LoadedSuite) -> Callable[[Candidate], bool]:
    """Whether a message shows danger, by the rubric's own words or else the shipped ones."""
    rubric = loaded.rubric
    settings = rubric.guide_settings_of(DANGER) or load_rubric(DANGER_RUBRIC).guide_settings_of(DANGER)
    detect = CUES[DANGER].prepare(settings)
    return lambda candidate: bool(detect(Utterance(candidate.message, "", candidate.context)))


def _with(harvested: Harvested, proposed: Proposed) -> Harvested:
    said = []
    if proposed.unread:
        said.append(
            f"{len(proposed.unread)} answers of the judge could not be read: those drafts have no proposal of it"
        )
    if proposed.failed:
        said.append(f"{len(proposed.failed)} questions to the judge got no answer: those drafts have no proposal of it")
    return replace(harvested, drafts=proposed.drafts, notes=tuple(said))


def _write(path: Path, drafts: Sequence[Draft]) -> None:
    """The drafts behind those that the file holds."""
    if not drafts:
        return
    before = read_text(path).text if path.exists() else ""
    taken = f"taken over by: {_accept(path)}"
    text = drafts_text(drafts, before, taken)
    read_drafts(text, show_path(path))
    write_text(path, text)


def _accept(path: Path) -> str:
    return write_command("accept-drafts", DRAFTS=show_path(path), INTO="FILE")


def _tell(harvested: Harvested, proposed: Proposed | None, path: Path, options: argparse.Namespace) -> int:
    unfinished = proposed is not None and bool(proposed.reason)
    if unfinished and proposed is not None:
        note(f"{proposed.reason}: nothing was written; what was answered is kept and not paid for twice: type it again")
        return INTERRUPTED if proposed.interrupted else INCOMPLETE
    document = describe_harvest(harvested, show_path(path), _accept(path))
    print_report(document, _to_json(harvested, path), as_json=options.json)
    if proposed is not None and not options.quiet:
        note_each([*proposed.unread, *proposed.failed], "drafts without a proposal")
    return INCOMPLETE if proposed is not None and proposed.failed else DONE


def _to_json(harvested: Harvested, path: Path) -> dict[str, object]:
    return {
        "schema_version": 1,
        "source": harvested.source,
        "messages": harvested.messages,
        "unread": dict(harvested.unread),
        "known": dict(harvested.known),
        "repeated": harvested.repeated,
        "uncovered": harvested.uncovered,
        "file": show_path(path) if harvested.drafts else None,
        "drafts": [draft.to_json() for draft in harvested.drafts],
    }
