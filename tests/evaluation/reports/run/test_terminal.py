import re

import pytest
from rich.cells import cell_len

from evaluation.reports.run.terminal import render_summary
from evaluation.text.safe_text import width
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, scenario, scored, summary_of, unparsed
from tests.evaluation.reports.hostile import hostile_run


def report() -> str:
    plan = [scenario(f"s{number}", turns=2, category=("calm", "upset")[number % 2]) for number in range(12)]
    results = [scored(item.id, 0.8, turn=turn, judge=0.7) for item in plan[:10] for turn in (1, 2)]
    results += [failed("s10"), unparsed("s11", 0.4)]
    run = summary_of(results, plan, sources=JUDGED)
    return render_summary(
        made_outcome(run, plan, files=("summary.json", "decision.json"), next_command="make eval PROMPT=v3")
    )


def test_the_verdict_comes_first_then_its_reasons() -> None:
    lines = report().splitlines()
    assert lines[0] == "DEPLOY (not stable): combined overall_quality 0.75 [0.75, 0.75], good"
    assert lines[1].startswith("  - overall_quality 0.75 >= 0.70 (deploy)")
    assert any(line.startswith("  - not stable: ab_test at the lower ends") for line in lines)


def test_every_part_is_there() -> None:
    text = report()
    assert "prompt penpal v3 (from directory), model m, judge j" in text
    assert re.search(r"^overall_quality +0\.\d\d \[0\.\d\d, 0\.\d\d\] +0\.70 \[0\.70, 0\.70\] +0\.75 \[", text, re.M)
    assert re.search(r"coverage \[worst, best\] +88% \[.*83% \[", text)  # 21 of 24 by rule, 20 of 24 judged
    assert re.search(r"^calm +0\.", text, re.M)
    assert "5 weakest responses (combined)" in text
    assert "why       helpfulness 0.80: base 0.8" in text
    assert "judge     0.70: Kind." in text
    assert "24 planned exchanges: 20 scored, 1 failed, 1 unparsed, 2 skipped" in text
    assert "timeout x 1, first in s10: no answer in 60 s" in text
    assert "1 judge verdict could not be read: outside the means" in text
    assert "finish reasons: stop 21" in text
    assert "files in runs/r1 (summary.json, decision.json)" in text
    assert "to go on:\nmake eval PROMPT=v3\n" in text
    assert "rehearsal" not in text.lower()


def test_a_rehearsal_says_so_before_anything_else() -> None:
    first = render_summary(hostile_run()).splitlines()[0]
    assert first == "!! REHEARSAL MODEL: A SCRIPTED STAND-IN, NOT A LANGUAGE MODEL"


@pytest.mark.parametrize("text", [report(), render_summary(hostile_run())])
def test_no_line_is_wider_than_80_columns_but_what_is_to_be_copied(text: str) -> None:
    assert text.endswith("\n")
    before = ""
    for line in text.split("\n"):
        copied = before.endswith(":") and not before.startswith(" ")
        assert max(width(line), cell_len(line)) <= (400 if copied else 80), line
        before = line


def test_hostile_text_steers_nothing() -> None:
    text = render_summary(hostile_run())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", text)
    assert "\\x1b[2J" in text
    assert "[red]markup[/red]" in text  # not taken for the styling of the report


def test_colour_is_asked_for() -> None:
    run = summary_of([scored(str(number), 0.9) for number in range(12)])
    plain, coloured = (render_summary(made_outcome(run, ()), color=color) for color in (False, True))
    assert "\x1b[" not in plain
    assert "\x1b[1;32mDEPLOY (stable)" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_a_run_without_values_still_reports() -> None:
    run = summary_of([failed("a")], sources=JUDGED)
    assert render_summary(made_outcome(run, ())).startswith("NO VERDICT\n  - no verdict: not one of 1 planned")
