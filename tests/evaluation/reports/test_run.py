"""The report of a run: what it says, and that no text from outside steers it."""

import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len

from evaluation.reports.markdown import MOST_BYTES, to_markdown
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from evaluation.text.safe_text import width
from tests.evaluation.made_runs import JUDGED, failed, made_outcome, scenario, scored, summary_of, unparsed
from tests.evaluation.reports.hostile import hostile_run


def report() -> str:
    plan = [scenario(f"s{number}", turns=2, category=("calm", "upset")[number % 2]) for number in range(12)]
    results = [scored(item.id, 0.8, turn=turn, judge=0.7) for item in plan[:10] for turn in (1, 2)]
    results += [failed("s10"), unparsed("s11", 0.4)]
    run = summary_of(results, plan, sources=JUDGED)
    outcome = made_outcome(run, plan, files=("summary.json", "decision.json"), next_command="make eval PROMPT=v3")
    return to_terminal(describe_run(outcome))


def test_the_verdict_comes_first_then_its_reasons() -> None:
    plan = [scenario(f"s{number}") for number in range(40)]
    results = [scored(item.id, 0.8, judge=0.6 + 0.006 * place) for place, item in enumerate(plan)]
    run = summary_of(results, plan, sources=JUDGED)
    lines = to_terminal(describe_run(made_outcome(run, plan))).splitlines()
    assert lines[0] == "DEPLOY (stable): combined overall quality 0.76 [0.75, 0.77], good"
    assert lines[1].startswith("  - overall quality 0.76 is at least 0.70, what deploy asks")
    assert any(line.startswith("  - stable: the same verdict") for line in lines)


def test_what_is_missing_comes_before_the_verdict_and_takes_it_away_below_the_floor_of_coverage() -> None:
    lines = report().splitlines()
    assert lines[0] == "INCOMPLETE (20 of 24 exchanges have a score, 1 failed): NO VERDICT"
    assert lines[1] == "  - no verdict: 83% of the planned exchanges count, 98% are needed"
    assert lines[2].startswith("  - so far: combined overall quality 0.75, 95% interval [0.40, 0.93] over 10")
    assert "deploy" not in report().lower()
    plan = [scenario(f"s{number}") for number in range(100)]
    for missing, said in ((2, "DEPLOY (stable): combined"), (3, "NO VERDICT")):
        results = [scored(item.id, 0.9, judge=0.9) for item in plan[missing:]]
        run = summary_of([*(failed(item.id) for item in plan[:missing]), *results], plan, sources=JUDGED)
        first = to_terminal(describe_run(made_outcome(run, plan)), columns=200).splitlines()[0]
        assert first.startswith(f"INCOMPLETE ({100 - missing} of 100 exchanges have a score, {missing} failed): {said}")


def test_every_part_is_there() -> None:
    text = report()
    assert "prompt penpal v3 (from directory), model m, judge j" in text
    assert re.search(
        r"^overall quality +0\.\d\d \[0\.\d\d, 0\.\d\d\] +0\.70 \[0\.\d\d, 0\.\d\d\] +0\.75 \[", text, re.M
    )
    said = " ".join(text.split())
    # 21 of 24 by rule, 20 of 24 judged.
    assert (
        "83% of the exchanges could be scored (heuristic 88%); the figures rest on these, and with the others" in said
    )
    assert "the combined overall quality lies within [0.62, 0.79]; where another share could, it stands with" in said
    # What means something in later turns alone has a share of its own: 10 of 12.
    assert re.search(r"^personalization +0\.80 \[\S+ \S+\n +83% \[0\.67, 0\.83\]$", text, re.M)
    assert re.search(r"^calm +0\.", text, re.M)
    assert "5 weakest responses (combined)" in text
    assert "    - helpfulness 0.80: base 0.8" in text
    assert "    - judge: 0.70: Kind." in text
    assert "24 planned exchanges: 20 scored, 1 failed, 1 unparsed, 2 skipped" in text
    assert "timeout x 1, first in s10: no answer in 60 s" in text
    assert "1 judge verdict could not be read: outside the means" in text
    assert "finish reasons: stop 21" in text
    assert "files in runs/r1 (summary.json, decision.json)" in text
    assert "to go on:\nmake eval PROMPT=v3\n" in text
    assert "rehearsal" not in text.lower()


def test_markdown_says_the_same() -> None:
    plan = [scenario(f"s{number}", category=("calm", "upset")[number % 2]) for number in range(12)]
    run = summary_of([scored(item.id, 0.8, judge=0.7) for item in plan[1:]] + [failed("s0")], plan, sources=JUDGED)
    text = to_markdown(describe_run(made_outcome(run, plan)))
    assert text.startswith("## INCOMPLETE (11 of 12 exchanges have a score, 1 failed): NO VERDICT\n")
    assert "- so far: combined overall quality 0.75, 95% interval [0.42, 0.93] over 11 situations" in text
    assert "| mean [95% interval] | heuristic | judge | combined |\n| --- | --- | --- | --- |\n" in text
    # 11 of 12: worst 11 * 0.75 / 12 = 0.6875, best (8.25 + 1) / 12 = 0.771.
    assert "92% of the exchanges could be scored; the figures rest on these, and with the others the combined" in text
    assert "overall quality lies within [0.69, 0.77]" in text
    assert "| **overall quality** | 0.80 [0.46, 0.95] |" in text
    assert "| `calm` | 0.80 [0.26, 0.98], 83% [" in text
    assert "- **0.75 `s1, repeat 1, turn 1`**" in text
    assert "- `timeout` x 1, first in `s0`: `no answer in 60 s`" in text
    assert "rehearsal" not in text


def test_hostile_text_has_no_effect_on_a_terminal() -> None:
    text = to_terminal(describe_run(hostile_run()))
    assert text.startswith("!! REHEARSAL MODEL: A SCRIPTED STAND-IN, NOT A LANGUAGE MODEL\n")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", text)
    assert "\\x1b[2J" in text
    assert "[red]markup[/red]" in text  # not taken for the styling of the report


def test_hostile_text_stays_inside_code_spans() -> None:
    text = to_markdown(describe_run(hostile_run()))
    bare = re.sub(r"`[^`\n]*`", "", text)
    assert "`" not in bare
    for sign in ("<script", "</td", "@", "](", "http", "www.", "#1", "evil", "javascript", "alert", "\x1b", "\u202e"):
        assert sign not in bare, sign
    assert "rehearsal model: a scripted stand-in, not a language model" in bare
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 15
    assert {row.count("|") for row in rows} == {5}


@pytest.mark.parametrize("shown", [report, lambda: to_terminal(describe_run(hostile_run()))], ids=["plain", "hostile"])
def test_no_line_is_wider_than_80_columns_but_what_is_to_be_copied(shown: Callable[[], str]) -> None:
    text = shown()
    assert text.endswith("\n")
    before = ""
    for line in text.split("\n"):
        copied = before.endswith(":") and not before.startswith(" ")
        assert max(width(line), cell_len(line)) <= (400 if copied else 80), line
        before = line


@pytest.mark.slow
def test_it_stays_under_its_size() -> None:
    assert len(to_markdown(describe_run(hostile_run())).encode()) < MOST_BYTES
    wide = "漢" * 10_000
    plan = [scenario(f"{number}{wide}", category=f"{number}{wide}") for number in range(300)]
    run = summary_of([failed(item.id) for item in plan], plan, sources=JUDGED)
    links = {f"{number}{wide}": wide for number in range(500)}
    outcome = made_outcome(run, plan, spec={"model": wide}, directory=wide, notes=(wide,) * 500, links=links)
    text = to_markdown(describe_run(outcome))
    assert len(text.encode()) < MOST_BYTES
    assert text.endswith("the files of the run hold the rest.*\n")


def test_the_verdict_has_its_colour() -> None:
    run = summary_of([scored(str(number), 0.9 + number / 1000) for number in range(12)])
    assert "\x1b[1;32mDEPLOY (stable)" in to_terminal(describe_run(made_outcome(run, ())), color=True)


def test_a_run_without_values_still_reports() -> None:
    run = summary_of([failed("a")], sources=JUDGED)
    text = to_terminal(describe_run(made_outcome(run, ())))
    assert text.startswith("INCOMPLETE (0 of 1 exchange has a score, 1 failed): NO VERDICT: nothing was")
    assert "\n  - no verdict: not one of 1 planned" in text
