"""What people said, written where judge and calibration find it."""

import argparse
import json
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.review.exports import judge_examples, rating_line
from scripts.reviewing.items import tell_broken
from scripts.reviewing.session import reviews_folder
from scripts.shell import DONE, INCOMPLETE
from services.record_schema import record_problem
from services.reviews import read_reviews, review_files
from services.run_folder import write_jsonl, write_text
from services.settings import Settings


def write_examples(options: argparse.Namespace, settings: Settings) -> int:
    """The exemplary reviews as a YAML list."""
    import yaml

    records, broken = all_reviews(review_files(reviews_folder(options, settings)))
    examples = json.loads(json.dumps(judge_examples(records)))
    text = yaml.safe_dump(examples, allow_unicode=True, sort_keys=False, width=120)
    write_text(
        Path(options.output), f"# Responses that reviewers marked as exemplary, with their scores and words.\n{text}"
    )
    print(f"{len(examples)} examples in {options.output}")
    return INCOMPLETE if broken else DONE


def write_ratings(options: argparse.Namespace, settings: Settings) -> int:
    """Every review of a suite, in one file that make calibrate reads."""
    records, broken = all_reviews(review_files(reviews_folder(options, settings)))
    chosen = [record for record in records if record.get("suite") == options.suite]
    if not chosen:
        raise UsageError(
            f"there is no review of suite {options.suite!r}: review some responses, or name another --suite"
        )
    rated = [record for record in chosen if any(value is not None for value in record["scores"].values())]
    count = write_jsonl(Path(options.output), map(rating_line, rated))
    print(f"{count} reviews in {options.output}; compare tool and people with:")
    print(f'make calibrate FILE={options.output} ARGS="--suite {options.suite}"')
    return INCOMPLETE if broken else DONE


def all_reviews(paths: list[Path]) -> tuple[list[dict[str, Json]], int]:
    """The reviews of several files and how many lines were broken; these are told and kept aside."""
    problem_of = record_problem()
    found: dict[Json, dict[str, Json]] = {}
    unread = 0
    for path in paths:
        records, broken = read_reviews(path, problem_of)
        tell_broken(path, broken)
        unread += len(broken)
        found.update({record["eval_id"]: record for record in records})
    return list(found.values()), unread
