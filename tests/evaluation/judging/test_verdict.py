"""The judge's text format, in the shapes in which models really write it."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.judging.reading import parse_text_verdict

READ = [
    ("Score: 0.8 | Reasoning: warm", 0.8),
    ("Score: .8 | Reasoning: warm", 0.8),
    ("score: 0.8", 0.8),
    ("SCORE = 0.8", 0.8),
    ("Score: 0,8 | Reasoning: warm", 0.8),
    ("**Score:** 0.8 | **Reasoning:** warm", 0.8),
    ("**Score: 0.8** | Reasoning: warm", 0.8),
    ("Score: **0.8**", 0.8),
    ("Score: `0.8`", 0.8),
    ("Score: [0.8]", 0.8),
    ("# Score: 0.8", 0.8),
    ("- Score: 0.8", 0.8),
    ("1. Score: 0.8", 0.8),
    ("Overall score: 0.8", 0.8),
    ("Final Score (0.0-1.0): 0.8", 0.8),
    ("Score: 0.8/1.0", 0.8),
    ("Score: 0.8 / 1", 0.8),
    ("Score: 0.8 out of 1.0", 0.8),
    ("Score: 8/10", 0.8),
    ("Score: 8 out of 10.", 0.8),
    ("Score: 4/5", 0.8),
    ("Score: 80/100", 0.8),
    ("Score: 80%", 0.8),
    ("Score: 80 %", 0.8),
    ("Score: 1", 1.0),
    ("Score: 0", 0.0),
    ("Score: 1.0 | Reasoning: flawless", 1.0),
    ("Score: 0.85, because it is warm", 0.85),
    ("Score: 0.8 (good)", 0.8),
    ("Score: 0.8.", 0.8),
    ("Score:\n0.8", 0.8),
    ("Here is my verdict.\n\nScore: 0.8 | Reasoning: warm", 0.8),
    ("Score: 0.8 | Reasoning: warm\nScore: 0.80", 0.8),
    ('Score: 0.3 | Reasoning: it says "Score: 1.0 | Reasoning: perfect", which is no virtue', 0.3),
    ("> Score: 1.0\nThat line is quoted from the response.\nScore: 0.2 | Reasoning: manipulative", 0.2),
    ("<think>\nScore: 0.4 at first\nScore: 0.4?</think>\nScore: 0.8 | Reasoning: warm", 0.8),
    ("```\nScore: 0.8 | Reasoning: warm\n```", 0.8),
    ("Score: 0.8 \u2014 warm", 0.8),
    ("\ufeffScore: 0.8", 0.8),
    ('Score: "0.8"', 0.8),
    ("Score: 0.8\u2028Score: 0.8", 0.8),
    ("Score: 0.8 (on a scale from 0.0 to 1.0)", 0.8),
    ("Score: 0.8 (8/10)", 0.8),
    ("Score: 0.8 - warm, and loses 0.2 for its length", 0.8),
    ("Score: 0.8 because 0.2 is lost on its length", 0.8),
    ("Score: 0.8. It loses 0.2 for its length.", 0.8),
    ("Score: 0.8 Reasoning: it loses 0.2 for its length", 0.8),
    ("Score: 0.8 | 3 sentences, one of them a question", 0.8),
    ("Score: 0.8; 2 good questions", 0.8),
    ("Score: 1/10", 0.1),
    ("Score: 0.0/10", 0.0),
]

UNREAD = [
    "",
    "   \n",
    "I would rather not say.",
    "This deserves a score of 0.8.",
    "The Score: 0.8 is fair",
    "Score: high",
    "Score: 8",
    "Score: 1.5",
    "Score: -0.2",
    "Score: 120%",
    "Score: 11/10",
    "Score: 7/8",
    "Score: 0.7-0.8",
    "Score: 0.7 - 0.8",
    "Score: 0.7 to 0.8",
    "Score: 0.7\u20130.8",
    "Score: 0.8x",
    "Score: 0.8.1",
    "Score: 0.4\nScore: 0.9",
    "Score: 0.4 | Reasoning: poor\nScore: 7",
    "Score: NaN",
    "Score: \u0663",
    "> Score: 0.8",
    "Score: 0.8 Score: 0.2",
    "Score: 0.8 0.9",
    "Score: 0.8\u2028Score: 0.2",
    "Score: 0.8\rScore: 0.1",
    "Reasoning: warm.\x0bScore: 0.8\x0cScore: 0.2",
    "Scores: 0.8",
    "Score\n\n\n\n0.8",
    "Score: 0.8/10",
    "Score: 0.9/5",
    "Score: 1.0 out of 5",
    "Score: 0.8%",
    "Score: 0.8 -> 0.6",
    "Score: 0.8 => 0.6",
    "Score: 1 \u2192 0",
    "Score: 0.8, no: 0.6",
    "Score: 0.8 (was 0.4)",
    "Score: 0.8 and 0.4",
    "Score: 0.8 minus 0.3",
    "Score: 0.8 \u2212 0.9",
    "Score: 0.8 in warmth, 0.2 in safety",
    "Score: 1.0 if honest, 0.2 otherwise",
    "Score: 0.8 | 0.4",
    "Score: 0.8; 0.4",
    "Score: 0.8 / 1.0, then 0.4",
]


def test_reads_the_value() -> None:
    for raw, value in READ:
        read = parse_text_verdict(raw)
        assert (read.value, read.problem) == (value, ""), (raw, value)


def test_gives_no_value_and_says_why() -> None:
    for raw in UNREAD:
        read = parse_text_verdict(raw)
        assert read.value is None, raw
        assert read.problem, raw


def test_keeps_the_reasoning() -> None:
    cases: list[tuple[str, str]] = [
        ("Score: 0.8 | Reasoning: warm and brief", "warm and brief"),
        ("**Score:** 0.8\n**Reasoning:** warm\nand brief", "warm\nand brief"),
        ("Reasoning: warm first.\nScore: 0.8", "warm first.\nScore: 0.8"),
        ("Score: 0.8\nIt is warm.", "It is warm."),
        ("No verdict at all", "No verdict at all"),
    ]
    for raw, reasoning in cases:
        assert parse_text_verdict(raw).reasoning == reasoning, (raw, reasoning)


@given(st.text(st.characters(), max_size=400) | st.from_regex(r"(Score: ?[-+.\d/% ]{0,12}\n?){1,4}"))
def test_never_raises_and_never_leaves_the_scale(raw: str) -> None:
    value = parse_text_verdict(raw).value
    assert value is None or 0.0 <= value <= 1.0


def test_long_hostile_text_has_no_verdict() -> None:
    """A pattern that backtracks would not come to an end on these."""
    for hostile in ("Score: " * 60_000, "Score (" * 60_000, "*" * 400_000, "Score:" + "\n" * 400_000, "1. " * 100_000):
        assert parse_text_verdict(hostile).value is None
