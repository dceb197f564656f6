"""The page of the text quality metrics: its generated parts follow the rubric, and nothing else is touched."""

from evaluation.sweep.expected import Expectations
from scripts.documents.profiles import TABLES
from scripts.documents.quality_metrics import quality_document, quality_picture
from scripts.run.load import load_expectations, load_rubric
from tests.pages import text_of

PAGE = "docs/quality-metrics.md"
TABLE_TEXTS = {name: text_of(f"docs/{name}.yaml") for name in TABLES}


def ranges() -> Expectations:
    return load_expectations("text_quality", tuple(load_rubric("text_quality").metrics))


def test_page_and_picture_are_up_to_date() -> None:
    rubric = load_rubric("text_quality")
    assert text_of(PAGE) == quality_document(
        text_of(PAGE), rubric, text_of("docs/quality-examples.yaml"), ranges(), TABLE_TEXTS
    ), "run make docs"
    assert text_of("docs/images/text-quality-curves.svg") == quality_picture(rubric), "run make docs"


def test_a_changed_constant_changes_tables_examples_and_picture() -> None:
    rubric = load_rubric("text_quality")
    metric = rubric.metrics["length_appropriateness"]
    assert metric.constants is not None
    points = [{**point, "score": point["score"] / 2} for point in metric.constants["points"]]
    changed = metric.model_copy(update={"constants": {**metric.constants, "points": points}})
    own = rubric.model_copy(update={"metrics": {**rubric.metrics, "length_appropriateness": changed}})
    page = quality_document(text_of(PAGE), own, text_of("docs/quality-examples.yaml"), ranges(), TABLE_TEXTS)
    assert "| 150 | 0.5 |" in page
    assert "| Too verbose | 0.6 | 0.200 |" in page
    assert quality_picture(own) != quality_picture(rubric)
    assert page.partition("## Limits")[2].partition("## History")[0] in text_of(PAGE)


def test_every_metric_and_measure_is_documented() -> None:
    rubric = load_rubric("text_quality")
    named = [name for name in (*rubric.metrics, *rubric.measures) if name != rubric.overall]
    assert [name for name in named if f"`{name}`" not in text_of(PAGE)] == []
