"""The document for people holds everything that the rubric says."""

from evaluation.metrics.scoring import check_rules
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Metric
from evaluation.text.forms import SourceText
from scripts.documents.inputs import rubric_document
from scripts.documents.markdown import cell, code
from tests.evaluation.metrics.shipped import companion_rubric
from tests.evaluation.rubrics.made import OWN


def flat(text: str) -> str:
    return " ".join(text.split())


def test_everything_is_in_the_document() -> None:
    rubric = companion_rubric()
    document = flat(rubric_document(rubric))
    wanted = [rubric.title, rubric.introduction, rubric.version, flat(rubric.judge.template if rubric.judge else "")]
    for metric in rubric.metrics.values():
        wanted += [metric.title, metric.definition, *metric.positive, *metric.negative]
        wanted += [band.text for band in metric.bands]
        wanted += [f"`{phrase}`" for phrases in metric.lists.values() for phrase in phrases]
    wanted += [text for guide in rubric.categories.values() for text in (guide.title, guide.focus, *guide.criteria)]
    wanted += [guide.definition for guide in rubric.cues.values()]
    wanted += [example for guide in rubric.cues.values() for example in (*guide.counts, *guide.spares)]
    wanted += [level.meaning for level in rubric.levels]
    wanted += [text for title, items in rubric.notes.items() for text in (title, *items)]
    wanted += [text for entry in rubric.history for text in (entry.version, entry.date, *entry.changes)]
    assert [text for text in wanted if flat(text) not in document] == []


ROWS = {
    "| length | `word_count`: at_least 10, at_most 30 | +0.2 |",
    "| too long for voice | `word_count`: at_least 51 | -0.2 |",
    "| toxic positivity | `response_says` `toxic_phrases`, and `user_says` `emotional_keywords` | -0.4 |",
    "| Emotional Intelligence | 0.25 |",
    "| 0.7 to below 0.9 | good | Ready for production, small improvements possible |",
    "| 0.9 and above | excellent | Ready for production, of exemplary quality |",
}


def test_tables_show_the_arithmetic() -> None:
    assert set(rubric_document(companion_rubric()).splitlines()) >= ROWS


def test_the_document_is_the_same_each_time_and_changes_with_a_weight() -> None:
    rubric = companion_rubric()
    assert rubric_document(rubric) == rubric_document(rubric)
    metrics = dict(rubric.metrics)
    metrics["helpfulness"] = metrics["helpfulness"].model_copy(update={"weight": 0.21})
    assert rubric_document(rubric.model_copy(update={"metrics": metrics})) != rubric_document(rubric)


def test_a_rubric_without_the_optional_parts_makes_a_document() -> None:
    rubric = parse_rubric(SourceText(OWN, "own.yaml"), check_rules)
    bare = rubric.model_copy(update={"levels": (), "decision": None, "judge": None})
    document = rubric_document(bare)
    assert "Not at all: it is scored by the judge and by people." in document
    assert "## Scoring thresholds" not in document
    assert "## LLM as judge" not in document


def test_a_formula_is_shown_with_its_constants() -> None:
    rubric = parse_rubric(SourceText(OWN, "own.yaml"), check_rules)
    constants = {"limit": 0.5, "words": 20}
    formula = Metric.model_validate(
        {"title": "F", "kind": "formula", "definition": "d", "weight": 1.0, "formula": "ratio", "constants": constants}
    )
    metrics = {"f": formula, "total": rubric.metrics["total"]}
    document = rubric_document(rubric.model_copy(update={"judge": None, "metrics": metrics}))
    assert "| `limit` | `0.5` |" in document.splitlines()
    assert "By the formula `ratio`." in document


def test_markdown_of_odd_cells() -> None:
    assert (cell("a|b"), cell("c\nd")) == ("a\\|b", "c d")
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
