"""What is known of how far a run's sources agree with people: shipped figures, and the team's own calibrations."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml

from evaluation.calibration.on_record import read_measurement
from evaluation.errors import UsageError
from evaluation.run import Run
from evaluation.suites.suite import ANSWERED_BY, JUDGED_BY, Suite
from evaluation.summary.agreement import Agreement, MeasuredBy, Measurement, find_agreement
from evaluation.text.yaml_text import load_yaml
from services.provenance import scorer_digest
from services.record_files import REVIEWS
from services.run_folder import read_json
from services.settings import Settings
from services.text_files import read_text
from services.workspace import AGREEMENT

MOST = 50
"""The newest calibrations that are looked at."""
KEY = "measurement"
"""Where calibration.json, and a report of reviews, hold the record."""


def agreement_of(run: Run, settings: Settings) -> Agreement:
    """For each source of the run what is known of its overall."""
    spec = run.spec
    judge = "" if spec.judge is None else spec.digests["judge"]
    by = measured_by(run.suite, (spec.rubric.name, spec.rubric.version, spec.rubric.sha256), judge)
    return find_agreement(run.sources, run.suite.overall, by, _measured(run.suite.name, settings))


def measured_by(suite: Suite, rubric: tuple[str, str, str], judge: str) -> MeasuredBy:
    """The rubric (name, version, hash), rules and code as they are now, and a judge's digest."""
    of_rules = tuple(module for module in suite.scored_by if module not in (*JUDGED_BY, *ANSWERED_BY))
    rules = suite.digest_rules(scorer_digest(of_rules))
    return MeasuredBy(*rubric, rules=rules, scorer=scorer_digest(suite.scored_by), judge=judge)


def _measured(suite: str, settings: Settings) -> Iterator[Measurement]:
    """Whatever lies there and can be read; a file that cannot says nothing."""
    calibrations = sorted(settings.runs_dir.glob("calibration/*/calibration.json"), key=_age, reverse=True)
    for path in calibrations[:MOST]:
        with suppress(OSError, ValueError, UsageError):
            document = read_json(path)
            found = read_measurement(document.get(KEY), "calibration")
            if found is not None and document.get("suite") == suite:
                yield found
    with suppress(OSError, ValueError, UsageError, AttributeError):
        document = read_json(settings.runs_dir / REVIEWS / "report" / f"{suite}.json")
        found = read_measurement((document.get("calibration") or {}).get(KEY), "reviews")
        if found is not None:
            yield found
    for path in sorted(AGREEMENT.glob("*.yaml")):
        document = load_yaml(read_text(path).text, path.name)
        found = read_measurement(document, "shipped") if document.get("suite") == suite else None
        if found is not None:
            yield found


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def shipped_text(suite: str, measurement: Measurement) -> str:
    """The file of one rubric's figures, as it is shipped."""
    from dataclasses import asdict

    value = json.loads(json.dumps({"suite": suite, **asdict(measurement)}))
    head = "# How far the rules agree with people, by validate_rubric --record; do not edit.\n"
    return head + yaml.safe_dump(value, sort_keys=False, width=120)
