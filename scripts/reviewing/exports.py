"""People's reviews, written where judge and calibration find them."""

import argparse
import json
from pathlib import Path

from evaluation.calibration.reviews import rating_line
from evaluation.errors import UsageError
from evaluation.review.review import judge_examples
from scripts.reviewing.stored import all_reviews, reviews_folder
from scripts.shell import DONE, INCOMPLETE
from services.record_files import review_files
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
