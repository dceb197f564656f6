"""The responses of 200 words that the text quality suite scores in a second, and the growth of time with length."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from evaluation.metrics.scoring import RubricRules, check_rules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.loader import parse_rubric
from evaluation.text.forms import SourceText

RUBRIC = Path(__file__).parent.parent / "evaluation" / "rubrics" / "text_quality.yaml"
VOCABULARY = """
the the of and a to in it is that for you was with on as are they be at this have from or one had by but not what
all were when we there can an your which their said if do will each about how up out them then she many some so
these would other into has more her two like him see time could no make than first been its who now people my
made over did down only way find use may water long little very after words called just where most know however
therefore furthermore exercise regular activity improves cardiovascular function strengthens muscles enhances
mental balance reduces stress habits benefits essential overall health routine research suggests evidence
"""
WORDS = VOCABULARY.split()
TARGET = 5_000
ROUNDS = 7
RESPONSES = 400


def response(words: int, chance: random.Random) -> str:
    """Running text of about so many words, in paragraphs of four sentences, one of them a list."""
    sentences: list[str] = []
    count = 0
    while count < words:
        size = min(chance.randint(7, 22), max(words - count, 3))
        sentences.append(" ".join(chance.choice(WORDS) for _ in range(size)).capitalize() + ".")
        count += size
    paragraphs = [" ".join(sentences[start : start + 4]) for start in range(0, len(sentences), 4)]
    if len(paragraphs) > 2:
        paragraphs[1] = "\n".join(f"{place}. {item}" for place, item in enumerate(sentences[4:8], start=1))
    return "\n\n".join(paragraphs)


def per_second(score: Callable[[Utterance], object], texts: list[str]) -> float:
    """Of processor time; the best round."""
    best = 0.0
    for _ in range(ROUNDS):
        started = time.process_time()
        for text in texts:
            score(Utterance("", text))
        best = max(best, len(texts) / (time.process_time() - started))
    return best


def main() -> None:
    rules = rubric_rules(parse_rubric(SourceText(RUBRIC.read_text(encoding="utf-8"), str(RUBRIC)), check_rules))
    formulas: RubricRules = replace(rules, measures={})
    chance = random.Random(0)
    texts = [response(200, chance) for _ in range(RESPONSES)]
    rate = per_second(formulas.scores, texts)
    verdict = "above" if rate >= TARGET else "BELOW"
    print(
        f"{rate:,.0f} responses/s (6 formulas and overall with explanations, 200 words, one core): {verdict} {TARGET:,}"
    )
    print(f"{per_second(rules.scores, texts):,.0f} responses/s with the 5 indices as well")
    for kind, unit in (("prose", response(2_000, chance)), ("no end", "word " * 2_000), ("quotes", "«a. " * 2_500)):
        for characters in (10_000, 100_000, 1_000_000):
            text = (unit * (characters // len(unit) + 1))[:characters]
            started = time.process_time()
            rules.scores(Utterance("", text))
            print(f"{kind:<8} {characters:>9,} characters: {(time.process_time() - started) * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
