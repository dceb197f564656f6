"""The rules of a rubric held against people's ratings, over every file of a folder."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evaluation.calibration.on_record import of_validity
from evaluation.calibration.ratings import rated_units
from evaluation.calibration.spread import Spread, cues_of, measure_spread
from evaluation.calibration.validity import (
    BotOf,
    PairValidity,
    RatedSet,
    Validity,
    bot_by,
    measure_pairs,
    measure_validity,
    parse_pairs,
)
from evaluation.errors import UsageError
from evaluation.metrics.explained import Explained
from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.mutations.base import parse_bases
from evaluation.mutations.changes import plain_reply
from evaluation.records import Exchange, Json, Score
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from evaluation.reports.validity import describe_validity
from evaluation.suites.loaded import LoadedSuite
from scripts.calibration.agreement import Ratings, read_ratings
from scripts.run.agreement import measured_by, shipped_text
from scripts.run.load import chosen_rubric, find_suite, load_suite
from scripts.run.output import print_report
from scripts.shell import DONE, INCOMPLETE, need, note
from scripts.validity.material import read_material
from services.run_folder import write_documents, write_text
from services.settings import Settings
from services.text_files import read_text
from services.workspace import AGREEMENT, RATED_PAIRS, read_named

TOGETHER, BASES = "all together", "mutation bases"
"""Sets of their own: the good replies of the mutation test, and these with all rated responses."""
END = "<!-- end -->"


@dataclass(slots=True)
class Validation:
    """What was found of a rubric, file by file."""

    rubric: str
    """Name and version."""
    base: str
    ranks: list[Validity] = field(default_factory=list)
    pairs: list[PairValidity] = field(default_factory=list)
    spreads: dict[str, Sequence[Spread]] = field(default_factory=dict)
    unread: int = 0

    def report(self) -> Document:
        return describe_validity(self.rubric, self.base, self.ranks, self.pairs, self.spreads)

    def to_json(self, seed: int) -> Json:
        return {
            "schema_version": 1,
            "rubric": self.rubric,
            "base": self.base,
            "seed": seed,
            "ranks": [asdict(row) for row in self.ranks],
            "pairs": [asdict(row) for row in self.pairs],
            "spread": {name: [asdict(row) for row in rows] for name, rows in self.spreads.items()},
        }


def validate_rubric(options: argparse.Namespace, settings: Settings) -> int:
    """Scores every rated response by both rubrics and says how far each agrees; 3 where lines could not be read."""
    need("scipy")
    check_seed(options.seed)
    named = chosen_rubric(options.suite, options.rubric, settings)
    looked_at = load_suite(options.suite, named)
    page = Path(options.into) if options.into else None
    place = None if page is None else place_in(page, named or find_suite(options.suite).rubric_file)
    base = load_suite(options.suite, options.base)
    found = _validate(rating_files(options.folder), looked_at, base, options)
    stem = Path(named or find_suite(options.suite).rubric_file).stem
    folder = Path(options.output) if options.output else settings.runs_dir / "validity" / stem
    figures = found.to_json(options.seed)
    print_report(found.report(), figures, as_json=options.json)
    # Below what is printed: where a folder cannot be written, the figures are not lost.
    files = write_documents(folder, {"validity.md": to_markdown(found.report()), "validity.json": figures})
    if page is not None and place is not None:
        write_between(page, place, to_markdown(found.report()))
        files = (*files, str(page))
    if options.record:
        files = (*files, _record(found, looked_at, stem))
    for file in files:
        note(f"written: {file}")
    return INCOMPLETE if found.unread else DONE


def _record(found: Validation, loaded: LoadedSuite, stem: str) -> str:
    """Writes what reports of runs say of the rules; the file's name."""
    rubric, suite = loaded.rubric, loaded.suite
    by = measured_by(suite, (rubric.name, rubric.version, rubric.sha256), "")
    path = AGREEMENT / f"{stem}.yaml"
    write_text(path, shipped_text(suite.name, of_validity(found.ranks, rubric.overall, by)))
    return str(path)


def _validate(
    files: Sequence[Path], looked_at: LoadedSuite, base: LoadedSuite, options: argparse.Namespace
) -> Validation:
    chosen = read_named("set of pairs", options.pairs, RATED_PAIRS)
    pairs, bot_of = parse_pairs(chosen.text, chosen.place), bot_pattern(options.bot)
    rules, overall, cues = rubric_rules(looked_at.rubric), looked_at.rubric.overall, cues_of(looked_at.rubric)
    found = Validation(title_of(looked_at), title_of(base))
    exchanges: list[Exchange] = []
    for path in files:
        note(f"reading {path.name}")
        ratings = read_ratings(str(path), looked_at)
        found.unread += ratings.unread
        own = [line.exchange for line, scores in ratings.scored if _has_value(scores)]
        if ratings.scored:
            rated = _rated_set(path, ratings, base)
            found.ranks += measure_validity(rated, pairs, overall, bot_of, seed=options.seed)
            found.pairs += measure_pairs(rated, pairs, overall, seed=options.seed)
            found.spreads[rated.name] = measure_spread(_explained(map(_spoken, own), rules), cues)
            exchanges += own
    if not exchanges:
        raise UsageError(f"{options.folder}: no line of its files could be used: docs/calibration.md has the form")
    bases = _good_replies()
    found.spreads[BASES] = measure_spread(_explained(bases, rules), cues)
    found.spreads[TOGETHER] = measure_spread(_explained((*map(_spoken, exchanges), *bases), rules), cues)
    return found


def title_of(loaded: LoadedSuite) -> str:
    return f"{loaded.rubric.name} {loaded.rubric.version}"


def rating_files(folder: str) -> list[Path]:
    """Every file of ratings in a folder, or the one that is named."""
    path = Path(folder)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{folder}: holds no .jsonl file of ratings: name another folder")
    return files


def check_seed(seed: int) -> None:
    """Raises UsageError for what is no seed."""
    if seed < 0:
        raise UsageError(f"--seed {seed}: give a whole number from 0")


def bot_pattern(pattern: str) -> BotOf:
    example = "give one with a group, as --bot='-(\\w+)$'"
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UsageError(f"--bot {pattern!r} is no pattern ({error}): {example}") from None
    if pattern and not groups:
        raise UsageError(f"--bot {pattern!r} has no group: {example}")
    return bot_by(pattern)


def _has_value(scores: Sequence[Score]) -> bool:
    """False for an exchange in a language that the rubric does not read: no figure counts it."""
    return not scores or any(score.value is not None for score in scores)


def _rated_set(path: Path, ratings: Ratings, base: LoadedSuite) -> RatedSet:
    units = rated_units(ratings.scored)
    scored = ((line, base.suite.score(line.exchange)) for line, _ in ratings.scored)
    return RatedSet(path.name.removesuffix(".jsonl"), units, {unit.id: unit.scores for unit in rated_units(scored)})


def _spoken(exchange: Exchange) -> Utterance:
    return Utterance(exchange.user_input, exchange.response, exchange.context)


def _good_replies() -> list[Utterance]:
    """The bases of the mutation test with their good replies."""
    bases = parse_bases(*read_material("bases"))
    return [Utterance(base.user, plain_reply(base), base.turns()) for base in bases]


def _explained(utterances: Iterable[Utterance], rules: RubricRules) -> Iterator[Mapping[str, Explained]]:
    """Each exchange's metrics that have cues, with their terms, without those that mean nothing in it."""
    for utterance in utterances:
        missing = {rules.overall} if utterance.context else {rules.overall, *rules.contextual}
        yield {metric: each for metric, each in rules.explain(utterance).items() if metric not in missing}


def place_in(page: Path, rubric: str) -> re.Pattern[str]:
    """The place of a rubric's agreement with people on a page. Raises UsageError for a page that has none, or two."""
    begin = f"<!-- agreement: {rubric} -->"
    # What stands there holds no comment: past one that has no end, the pattern would reach into the next place.
    pattern = re.compile(rf"(?P<begin>{re.escape(begin)}\n)(?:(?!<!-- ).)*(?P<end>{re.escape(END)})", re.DOTALL)
    places = len(pattern.findall(read_text(page).text))
    if places != 1:
        how_many = "two places" if places else "no place"
        raise UsageError(
            f"--into {page}: has {how_many} for the tables: write {begin} and {END} once, on lines of their own"
        )
    return pattern


def write_between(page: Path, place: re.Pattern[str], tables: str) -> None:
    """Puts the tables there, in the place of what stood there. The page keeps its line ends and its permissions.

    Raises UsageError for a page that cannot be written.
    """
    text = place.sub(lambda found: f"{found['begin']}\n{tables}\n{found['end']}", read_text(page).text)
    try:
        newline = "\r\n" if b"\r\n" in page.read_bytes() else "\n"
        page.write_text(text, encoding="utf-8", newline=newline)
    except OSError as error:
        raise UsageError(f"--into {page}: cannot be written ({error.strerror}): check its permissions") from None
