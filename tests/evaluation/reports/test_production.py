"""What is said first of a sample of production: people's view of it, the judge's, and the rules'."""

from dataclasses import replace
from typing import Any

from evaluation.production.judged import SecondSample, summarise_judged
from evaluation.production.sampling import SampledTurn
from evaluation.production.second_phase import SecondPhase
from evaluation.production.summary import ScoredTurn, summarise
from evaluation.records import Json, Source
from evaluation.reports.entries import entry_of_sample
from evaluation.reports.markdown import to_markdown
from evaluation.reports.production import answers, describe_production
from evaluation.statistics.clusters import Scale
from evaluation.statistics.prediction import CorrectedMean, MeanInterval
from evaluation.summary.human_units import HumanMetric, HumanUnits
from tests.evaluation.production.rows import observation
from tests.evaluation.production.test_judged import judged

SCALES: dict[Source, Scale] = {"judge": (0.0, 1.0), "combined": (0.0, 1.0)}


def people(labels: int = 39, ci95: tuple[float, float] | None = (0.7, 0.73)) -> HumanUnits:
    corrected = MeanInterval(0.714, None if ci95 is None else 0.01, ci95)
    found = CorrectedMean(0.68, corrected, corrected, 0.5, labels, 12, 60)
    return HumanUnits({"overall": HumanMetric("combined", found)}, labels=labels, situations=12, drawn=labels)


def a_sample() -> tuple[Any, Any]:
    turns = [ScoredTurn(SampledTurn(observation(n), "all", 10.0), {"overall": 0.5 + n / 100}) for n in range(40)]
    keys = [each.drawn.observation.key for each in turns]
    sample = SecondSample(dict.fromkeys(keys, judged(0.6)), turns, SecondPhase(dict.fromkeys(keys, "low"), tuple(keys)))
    by_judge = summarise_judged(sample, {}, ["overall"], "overall", SCALES, run_id="run", worst=2)
    by_rules = summarise(turns, ["overall"], "overall", (0.0, 1.0), seen=40, left_out={}, frame=40, worst=2)
    return by_rules, by_judge


def test_what_people_would_rate_is_said_first() -> None:
    by_rules, by_judge = a_sample()
    said = [sentence for sentence, _ in answers(by_rules, by_judge, people())]
    assert said[0] == "overall 0.71 [0.70, 0.73], as people would rate it, from 39 labels and 60 judged"
    assert [
        next(words for words in ("as people", "rules and judge together", "as the rules") if words in each)
        for each in said
    ] == ["as people", "rules and judge together", "as the rules"]
    text = to_markdown(describe_production(by_rules, ("a",), links={}, judged=by_judge, human=people()))
    assert text.index("as people would rate it") < text.index("rules and judge together score it")


def test_versions_have_the_means_that_people_would_give() -> None:
    by_rules, by_judge = a_sample()
    version = by_rules.by_version[0].name
    corrected = MeanInterval(0.65, 0.02, (0.61, 0.69))
    units = replace(people(), by_tag={version: CorrectedMean(0.6, corrected, corrected, 0.5, 14, 9, 22)})
    text = to_markdown(describe_production(by_rules, ("a",), links={}, judged=by_judge, human=units))
    assert "overall as people would rate it" in text
    assert "| 0.65 | [0.61, 0.69] | 14 | 22 |" in text


def test_few_labels_say_so_and_one_situation_says_nothing() -> None:
    by_rules, by_judge = a_sample()
    (first, tone), *_ = answers(by_rules, by_judge, people(labels=12))
    assert first.endswith("from 12 labels and 60 judged: too few to decide on: 18 more labels (of 30)")
    assert tone == "warning"
    assert "people" not in next(answers(by_rules, by_judge, people(ci95=None)))[0]
    assert "people" not in next(answers(by_rules, by_judge))[0]


def test_the_line_in_the_list_of_runs_has_the_same_figure() -> None:
    mean: Json = {"mean": 0.5, "ci95": [0.4, 0.6], "clusters": 7}
    judge: dict[str, Json] = {"source": "judge", "metrics": {"judge": {"overall": mean}}}
    document: dict[str, Json] = {
        "run_id": "id", "suite": "s", "created_at": 1.0, "wanted": {}, "overall": "overall", "metrics": {},
    }  # fmt: skip
    entry = entry_of_sample({**document, "judge": {**judge, "human": people().to_json()}})
    assert (entry.figure, entry.ci95, entry.situations) == (0.714, (0.7, 0.73), 12)
    entry = entry_of_sample({**document, "judge": {**judge, "human": people(ci95=None).to_json()}})
    assert (entry.figure, entry.ci95, entry.situations) == (0.5, (0.4, 0.6), 7)
