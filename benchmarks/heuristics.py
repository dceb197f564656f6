"""The speed of the companion's rules: responses per second on one core, and time by length of the response.

python -m benchmarks.heuristics
"""

import time
from pathlib import Path

from evaluation.metrics.scoring import RubricRules, check_rules, rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.rubrics.loader import parse_rubric
from evaluation.text.forms import SourceText

RUBRIC = Path(__file__).parent.parent / "evaluation" / "rubrics" / "companion.yaml"
EXCHANGES = (
    (
        "I'm feeling stressed about work.",
        "I'm sorry work is stressful. That sounds hard, and it makes sense that you feel so. What would help you most?",
    ),
    (
        "What's the weather like?",
        "I can't look outside, but I hope it is sunny where you are. Do you have plans for the afternoon, by the way?",
    ),
    (
        "I'm worried about my relationship.",
        "It sounds as if that is on your mind a lot lately. Would you like to tell me what happened this week?",
    ),
    (
        "Tell me something interesting.",
        "Octopuses have three hearts, and two of them stop when they swim, which is why they would rather crawl along.",
    ),
)
ROUNDS = 20


def responses_per_second(rules: RubricRules) -> float:
    """All metrics with explanations, on responses of about twenty words, each text folded afresh; the best round."""
    best = 0.0
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(250):
            for user_input, response in EXCHANGES:
                rules.scores(Utterance(user_input, response))
        best = max(best, 250 * len(EXCHANGES) / (time.process_time() - started))
    return best


def seconds_for(rules: RubricRules, characters: int) -> float:
    """One response of this length."""
    response = ("The afternoon went on and nobody said much about it. " * (characters // 53 + 1))[:characters]
    started = time.perf_counter()
    rules.scores(Utterance(EXCHANGES[0][0], response))
    return time.perf_counter() - started


def main() -> None:
    rules = rubric_rules(parse_rubric(SourceText(RUBRIC.read_text(encoding="utf-8"), str(RUBRIC)), check_rules))
    print(f"{responses_per_second(rules):,.0f} responses/s (7 metrics with explanations, 20 words, one core)")
    for characters in (1_000, 10_000, 100_000, 1_000_000):
        print(f"{characters:>9,} characters: {seconds_for(rules, characters) * 1000:8.2f} ms")


if __name__ == "__main__":
    main()
