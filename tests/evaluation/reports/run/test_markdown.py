import re

from evaluation.reports.markdown import MOST_BYTES
from evaluation.reports.run.markdown import summary_markdown
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, scenario, scored, summary_of
from tests.evaluation.reports.hostile import hostile_run


def outside_code(text: str) -> str:
    """The document without its code spans: what a renderer reads as markup."""
    return re.sub(r"`[^`\n]*`", "", text)


def test_verdict_table_and_weakest() -> None:
    plan = [scenario(f"s{number}", category=("calm", "upset")[number % 2]) for number in range(12)]
    run = summary_of([scored(item.id, 0.8, judge=0.7) for item in plan[1:]] + [failed("s0")], plan, sources=JUDGED)
    text = summary_markdown(made_outcome(run, plan))
    assert text.startswith("## DEPLOY (not stable)\n")
    assert "- `overall_quality` 0.75 >= 0.70 (deploy); 95% interval [0.75, 0.75] over 11 situations" in text
    assert "| metric | heuristic | judge | combined |\n| --- | --- | --- | --- |\n" in text
    # 11 of 12: worst 11 * 0.8 / 12 = 0.733, best (8.8 + 1) / 12 = 0.817.
    assert "| **`overall_quality`** | 0.80 [0.80, 0.80], 92% [0.73, 0.82] |" in text
    assert "| `calm` | 0.80 [0.80, 0.80], 83% [" in text
    assert "- **0.75** `s1, repeat 1, turn 1`" in text
    assert "- `timeout` x 1, first in `s0`: `no answer in 60 s`" in text
    assert "rehearsal" not in text


def test_hostile_text_stays_inside_code_spans() -> None:
    text = summary_markdown(hostile_run())
    bare = outside_code(text)
    assert "`" not in bare
    for sign in ("<script", "</td", "@", "](", "http", "www.", "#1", "evil", "javascript", "alert", "\x1b", "\u202e"):
        assert sign not in bare, sign
    assert "rehearsal model: a scripted stand-in, not a language model" in bare


def test_every_table_row_has_the_same_number_of_cells() -> None:
    rows = [line for line in summary_markdown(hostile_run()).splitlines() if line.startswith("|")]
    assert len(rows) > 15
    assert {row.count("|") for row in rows} == {5}


def test_it_stays_under_its_size() -> None:
    assert len(summary_markdown(hostile_run()).encode()) < MOST_BYTES
    wide = "漢" * 10_000
    plan = [scenario(f"{number}{wide}", category=f"{number}{wide}") for number in range(300)]
    run = summary_of([failed(item.id) for item in plan], plan, sources=JUDGED)
    links = {f"{number}{wide}": wide for number in range(500)}
    text = summary_markdown(
        made_outcome(run, plan, spec={"model": wide}, directory=wide, notes=(wide,) * 500, links=links)
    )
    assert len(text.encode()) < MOST_BYTES
    assert text.endswith("the files of the run hold the rest.*\n")
