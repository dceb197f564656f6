"""A mix from the files of a sample of production: its messages held beside the scenarios, and a file written."""

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.mix.form import mix_text
from evaluation.mix.measure import Response, meet, mix_of
from evaluation.mix.mix import Origin
from evaluation.moments import iso_seconds
from evaluation.records import Json, Scenario
from evaluation.reports.found_mix import describe_found_mix
from evaluation.request import EvaluationRequest
from evaluation.scenarios.nearest import Nearest
from scripts.run.load import find_suite, load_suite, parse_sets, read_sets
from scripts.run.output import print_report
from scripts.run.samples import KIND, LINES, newest_sample
from scripts.shell import DONE
from services.record_files import BrokenLine, read_records
from services.run_folder import MANIFEST, read_json, run_folder, why_unread, write_text
from services.settings import Settings
from services.text_files import show_path
from services.workspace import find_workspace

LAST = "last"
EXAMPLES = 5
"""Messages that are like no scenario and are shown."""


def write_mix(options: argparse.Namespace, settings: Settings) -> int:
    """Writes the mix of a sample and prints it. Raises UsageError where there is no sample, or a mix is there."""
    path = find_workspace().mix if options.file is None else Path(options.file).expanduser()
    if path.exists() and not options.force:
        raise UsageError(f"{show_path(path)}: is there already, and may have been edited: --force writes over it")
    sample = _newest(settings) if options.run == LAST else options.run
    folder = run_folder(settings.runs_dir, sample)
    manifest = _manifest(folder / MANIFEST)
    suite = manifest["suite"]
    responses = list(_responses(folder / LINES))
    if not responses:
        raise UsageError(f"{folder / LINES}: no line is a scored response: draw another sample with a longer time")
    scenarios = _scenarios(suite, tuple(options.scenarios), settings)
    met = meet(responses, Nearest(scenarios))
    wanted = manifest["wanted"]
    mix = mix_of(met, suite, Origin(sample, _what(wanted), wanted["since"], wanted["until"], iso_seconds(time.time())))
    write_text(path, mix_text(mix))
    unlike = dict.fromkeys(each.message for each, found in zip(responses, met, strict=True) if not found.category)
    document = describe_found_mix(mix, scenarios, list(unlike)[:EXAMPLES], show_path(path))
    print_report(document, {"file": str(path), **asdict(mix)}, as_json=options.json)
    return DONE


def _newest(settings: Settings) -> str:
    """The id of the newest sample. Raises UsageError where there is none."""
    found = newest_sample(settings.runs_dir)
    if found is None:
        raise UsageError(f"there is no sample of production yet: draw one with {write_command('score-traces')}")
    return found.name


def _manifest(path: Path) -> dict[str, Json]:
    try:
        manifest: dict[str, Json] = read_json(path)
        if manifest["kind"] != KIND:
            raise ValueError("it is something else")
    except (OSError, ValueError, KeyError, TypeError) as error:
        again = write_command("score-traces")
        raise UsageError(
            f"{path}: there is no sample of production ({why_unread(error)}): draw one with {again}"
        ) from None
    return manifest


def _responses(path: Path) -> Iterator[Response]:
    """Those that were scored. Raises UsageError where the file cannot be read, or a line is none of a sample."""
    for number, line in enumerate(read_records(path, checked=False), start=1):
        if isinstance(line, BrokenLine):
            raise UsageError(f"{path}:{line.number}: {line.problem}: go on with the sample, which writes it once more")
        try:
            if line["state"] == "scored":
                cluster = line.get("cluster") or line.get("session_id") or line["trace_id"]
                yield Response(str(line["stratum"]), str(cluster), float(line["weight"]), str(line["user_input"]))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{path}:{number}: is no line of a sample of production ({why_unread(error)})") from None


def _scenarios(suite: str, sets: tuple[str, ...], settings: Settings) -> tuple[Scenario, ...]:
    """Those that an evaluation of the suite plays, or those of the named sets."""
    loaded, definition = load_suite(suite), find_suite(suite)
    request = EvaluationRequest(suite=suite, scenarios=sets)
    return parse_sets(read_sets(request, definition, settings), loaded.rubric, definition.parse)


def _what(wanted: dict[str, Json]) -> str:
    version = "" if wanted["prompt_version"] is None else f" v{wanted['prompt_version']}"
    name = f"{wanted['prompt_name']}{version}" if wanted["prompt_name"] else "all prompts"
    return ", ".join([name, *wanted["environments"], *([wanted["tag"]] if wanted["tag"] else [])])
