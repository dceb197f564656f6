"""The suite of records, which bear its name alone: that of its file, or as the newest run of it keeps it."""

from dataclasses import replace

from evaluation.errors import UsageError
from evaluation.rubrics.extension import with_profile
from evaluation.suites.loaded import LoadedSuite, build_suite
from evaluation.suites.own import INPUT
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.forms import SourceText
from scripts.run.suites import definition_of, find_suite
from scripts.run.texts import chosen_rubric, rubric_of
from services.journal import Journal, StoredRun, journal_file
from services.settings import Settings


def suite_of_records(name: str, reference: str | None, settings: Settings, profile: str | None = None) -> LoadedSuite:
    """The suite under the rubric that is named, or else that of the settings or its own, and a profile where one is
    named. Raises UsageError."""
    definition = definition_of_records(name, settings)
    rubric = rubric_of(definition, chosen_rubric(name, reference, settings))
    return build_suite(definition, with_profile(rubric, profile))


def definition_of_records(name: str, settings: Settings) -> SuiteDefinition:
    """The suite under any rubric.

    One that was named by its path is found in no folder: then its newest run says what it was. Raises UsageError where
    there is none either.
    """
    try:
        return find_suite(name, settings=settings)
    except UsageError:
        run = _newest_run(name, settings)
        if run is None:
            raise
    kept = SourceText(run.inputs["rubric"], f"rubric of run {run.run_id}")
    return replace(definition_of(name, run.inputs), source=kept)


def _newest_run(name: str, settings: Settings) -> StoredRun | None:
    """The newest run of a suite without code; None where there is none."""
    if not journal_file(settings.runs_dir).exists():
        return None
    with Journal.in_folder(settings.runs_dir) as journal:
        return next((run for run in journal.runs() if run.spec.suite == name and INPUT in run.inputs), None)
