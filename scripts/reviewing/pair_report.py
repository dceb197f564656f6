"""What people preferred side by side, from their files, beside the judge's answers where a comparison has them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation.comparison.head_to_head import JudgedPair, PairPlace, peoples_pairs, tally
from evaluation.judging.pair_reading import POINTS
from evaluation.records import Json
from evaluation.reports.markdown import to_markdown
from evaluation.reports.pair_review import PairReview, describe_pair_reviews
from evaluation.reports.terminal import to_terminal
from evaluation.review.pair_answers import PairAnswer
from evaluation.statistics.clusters import average
from scripts.run.output import use_color
from services.run_folder import read_json, write_documents


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """What a judge preferred, as a comparison keeps it."""

    judge: str
    candidate: str
    """Hash of the answer that was the candidate's there."""
    points: float

    def points_of(self, answer: str) -> float:
        """Of one of both answers, by its hash."""
        return self.points if answer == self.candidate else 1 - self.points


def report_pairs(answers: Iterable[PairAnswer], runs: Path, output: Path, seed: int) -> tuple[str, Json]:
    """Writes what was preferred, and gives it for a terminal and as figures."""
    reviews = pair_reviews(answers, runs, seed)
    figures = {"schema_version": 1, "pairs": [asdict(review) for review in reviews]}
    documents = {"pairs.md": to_markdown(describe_pair_reviews(reviews)), "pairs.json": figures}
    files = write_documents(output, documents)
    return to_terminal(describe_pair_reviews(reviews, files), color=use_color()), json.loads(json.dumps(figures))


def pair_reviews(answers: Iterable[PairAnswer], runs: Path, seed: int) -> list[PairReview]:
    """A report for each two versions that were compared, whichever of them was called the base."""
    groups: dict[tuple[str, str, str], list[PairAnswer]] = {}
    for answer in answers:
        key, turned = (answer.suite, answer.base, answer.candidate), (answer.suite, answer.candidate, answer.base)
        groups.setdefault(turned if turned in groups else key, []).append(answer)
    judged = judges_answers(runs) if groups else {}
    return [_review(key, group, judged, seed) for key, group in groups.items()]


def judges_answers(runs: Path) -> dict[str, JudgeSaid]:
    """Identity of a pair -> what the judge of the newest comparison preferred, by the files of the runs."""
    found: dict[str, JudgeSaid] = {}
    for path in sorted(runs.glob("*Z-*/comparison.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            said = read_json(path)["head_to_head"] or {}
            for pair in said.get("pairs", ()):
                if pair["asked"] == "read":
                    members = list(pair.get("members", {}).values())
                    points = average(members) if members else POINTS[pair["winner"]]
                    found[pair["pair"]] = JudgeSaid(said["judge"], pair["answers"]["candidate"], points)
    return found


def _review(
    key: tuple[str, str, str], group: Sequence[PairAnswer], judged: Mapping[str, JudgeSaid], seed: int
) -> PairReview:
    suite, base, candidate = key
    people: dict[str, dict[str, float]] = {}
    pairs: dict[str, JudgedPair] = {}
    for answer in group:
        turned = answer.candidate != candidate
        points = 1 - answer.candidate_points if turned else answer.candidate_points
        people.setdefault(answer.pair, {})[answer.reviewer] = points
        pairs.setdefault(answer.pair, _pair(answer, judged.get(answer.pair), turned=turned))
    found = peoples_pairs(list(pairs.values()), people, seed)
    assert found is not None, "a group has answers"
    means = [(pair.place, average(list(people[name].values()))) for name, pair in pairs.items()]
    categories = dict.fromkeys(place.category for place, _ in means)
    return PairReview(
        suite=suite,
        base=base,
        candidate=candidate,
        people=found,
        categories={name: tally([each for each in means if each[0].category == name]) for name in categories},
        judge=next((judged[name].judge for name in pairs if name in judged), ""),
        remarks=list(_remarks(group)),
        rehearsal=any(answer.rehearsal for answer in group),
        not_blind=sum(not answer.blind for answer in group),
    )


def _pair(answer: PairAnswer, said: JudgeSaid | None, *, turned: bool) -> JudgedPair:
    """The pair with what the judge said of it; `turned` where base and candidate had changed their places."""
    first, second = (
        max(1, sum(len(text.split()) for text in texts)) for texts in (answer.base_said, answer.candidate_said)
    )
    base, candidate = answer.answers
    place = PairPlace(
        identity=answer.pair,
        scenario_id=answer.scenario_id,
        cluster=answer.situation,
        category=answer.category,
        repeat=answer.repeat,
        words=(second, first) if turned else (first, second),
        answers=(candidate, base) if turned else (base, candidate),
    )
    if said is None:
        return JudgedPair(place, "open")
    points = said.points_of(place.answers[1])
    return JudgedPair(place, "read", "tie", members={said.judge: points})


def _remarks(group: Iterable[PairAnswer]) -> Iterator[tuple[str, str, str]]:
    for answer in group:
        if answer.remark:
            points = answer.candidate_points
            preferred = "a tie" if points == POINTS["tie"] else answer.candidate if points else answer.base
            yield answer.scenario_id, preferred, answer.remark
