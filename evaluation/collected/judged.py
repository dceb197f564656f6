"""What a judge says of the rows that were drawn of a collection, and what that means for all of its rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from evaluation.collected.drawing import BUCKETS, Drawn, DrawnRow
from evaluation.collected.tally import Group, bucket_of
from evaluation.production.judged import SHARE, JudgedSample, JudgedTurn, coverage_of, item_failures, of_conversation
from evaluation.production.summary import means_json
from evaluation.records import Json, Scenario, Source
from evaluation.statistics.clusters import Scale, WeightedEstimate
from evaluation.statistics.two_phase import TwoPhaseValue

MOST_GROUPS = 30
"""Values of one column that have means of the judge, those with the most judged rows."""


@dataclass(frozen=True, slots=True)
class JudgedRows(JudgedSample[DrawnRow]):
    """The rows that were drawn of a collection.

    All rows are the first phase, of one stratum in which each stands for itself. Those that were not drawn are put
    together by group of clusters and stratum, which changes no sum of the formulas; where all were drawn, clusters are
    taken as they are.
    """

    drawn: Drawn

    def first_phase(self) -> Iterator[tuple[str, DrawnRow | None, TwoPhaseValue]]:
        for row in self.drawn.rows:
            cluster = row.cluster if self.drawn.is_whole else str(bucket_of(row.cluster) % BUCKETS)
            yield row.key, row, TwoPhaseValue("", cluster, 1.0, row.stratum, True, None)
        for (bucket, stratum), number in self.drawn.rest.items():
            yield "", None, TwoPhaseValue("", str(bucket), float(number), stratum, False, None)


def summarise_rows(
    rows: JudgedRows,
    scenarios: Sequence[Scenario],
    metrics: Sequence[str],
    overall: str,
    scales: Mapping[Source, Scale],
    worst: int,
) -> dict[str, Json]:
    """The entry `judge` of summary.json but for the judge itself; `worst` says how many rows are named."""
    pairs = rows.pairs()
    source = list(scales)[-1]
    conversations = dict.fromkeys(name for _, judged in pairs for name in judged.conversation)
    failures = item_failures(
        ((row.identity, judged) for row, judged in pairs),
        scenarios,
        lambda value_of: rows.estimate(lambda _, judged: value_of(judged), SHARE),
    )
    strata = Counter(row.stratum for row in rows.drawn.rows)
    judged_strata = {row.stratum for row, _ in pairs}
    coverage = coverage_of(rows.drawn.sizes, rows.drawn.candidates, len(rows.drawn.rows), rows.judged.values())
    return {
        "source": source,
        "sampled": not rows.drawn.is_whole,
        "coverage": asdict(coverage),
        "strata": {name: {"rows": size, "drawn": strata[name]} for name, size in rows.drawn.sizes.items()},
        "rows_of_no_say": sum(size for name, size in rows.drawn.sizes.items() if name not in judged_strata),
        "metrics": {each: means_json(_means(rows, each, metrics, scales[each])) for each in scales},
        "by": _groups(rows, pairs, source, metrics, scales[source]),
        "conversations": means_json(
            {name: rows.estimate(partial(of_conversation, name), scales["judge"]) for name in conversations}
        ),
        "expectations": {
            "met": asdict(rows.estimate(lambda _, judged: judged.met, SHARE)),
            "failing": [each.to_json() for each in failures],
        },
        "worst": _worst(pairs, source, overall)[:worst],
    }


def _means(
    rows: JudgedRows, source: Source, metrics: Sequence[str], scale: Scale, group: Group | None = None
) -> dict[str, WeightedEstimate]:
    return {metric: rows.estimate(partial(_score, source, metric, group), scale) for metric in metrics}


def _groups(
    rows: JudgedRows,
    pairs: Sequence[tuple[DrawnRow, JudgedTurn]],
    source: Source,
    metrics: Sequence[str],
    scale: Scale,
) -> dict[str, Json]:
    """Column -> value -> means, of the values that were met most."""
    met: dict[str, Counter[str]] = {}
    for row, _ in pairs:
        for column, value in row.groups:
            met.setdefault(column, Counter())[value] += 1
    return {
        column: {
            value: means_json(_means(rows, source, metrics, scale, (column, value)))
            for value in sorted(value for value, _ in values.most_common(MOST_GROUPS))
        }
        for column, values in met.items()
    }


def _score(source: Source, metric: str, group: Group | None, row: DrawnRow, judged: JudgedTurn) -> float | None:
    return judged.scores[source].get(metric) if group is None or group in row.groups else None


def _worst(pairs: Sequence[tuple[DrawnRow, JudgedTurn]], source: Source, overall: str) -> list[Json]:
    """The lowest first."""
    valued = [
        (judged.scores[source][overall], row, judged) for row, judged in pairs if overall in judged.scores[source]
    ]
    valued.sort(key=lambda each: (each[0], each[1].key))
    return [
        {
            "id": row.identity,
            "score": value,
            "failed": [name for name, outcome in judged.items.items() if outcome == "fails"],
            "reasoning": judged.words,
        }
        for value, row, judged in valued
    ]


def judged_line(row: DrawnRow, weight: float, judged: JudgedTurn | None) -> dict[str, Json]:
    """The line of judged.jsonl on a drawn row."""
    return {
        "id": row.identity,
        "stratum": row.stratum,
        "weight": weight,
        "rules": row.score,
        "state": "open" if judged is None else judged.state,
        "scores": {} if judged is None else {source: dict(values) for source, values in judged.scores.items()},
        "expectations": {} if judged is None else dict(judged.items),
        "conversation": {} if judged is None else dict(judged.conversation),
        "reasoning": "" if judged is None else judged.words,
    }
