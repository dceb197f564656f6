"""The file of the weights, as the cue reads it."""

import textwrap
from pathlib import Path

from evaluation.metrics.cues.learnt import Weights

TABLES = Path(__file__).parents[2] / "evaluation" / "metrics" / "cues"
HEAD = """\
# Written by `make fit-words` from the examples in benchmarks/fitted_words: nobody edits it. The weight of each word,
# pair of words (a_b) and sign, as log-odds: positive ones speak for {}.
"""
WIDTH = 120


def write_table(name: str, weights: Weights, examples: str) -> None:
    """Replaces the file by these weights, in order, so that what a new fit changes can be read."""
    lines = [
        HEAD.format(name) + f"examples: {examples}",
        f"base: {weights.base}",
        f"longer: {weights.longer}",
        f"enough: {weights.enough}",
        "words:",
    ]
    for amount in sorted(set(weights.words.values()), reverse=True):
        words = sorted(word for word, its in weights.words.items() if its == amount)
        lines += [f"  {amount}: >-", *_folded(words)]
    lines.append("signs:" if weights.signs else "signs: {}")
    lines += [f"  {_quoted(sign)}: {weights.signs[sign]}" for sign in sorted(weights.signs)]
    (TABLES / f"{name}_words.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _folded(words: list[str]) -> list[str]:
    return textwrap.wrap(
        " ".join(words),
        WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _quoted(sign: str) -> str:
    return sign if sign.isidentifier() else f'"{sign}"'
