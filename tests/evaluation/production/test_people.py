"""What people would rate of production, from some sixty labels: a simulation with a known quality of each version."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from evaluation.production.observation import Observation, read_observation
from evaluation.production.sampling import Draw
from evaluation.production.second_phase import Candidate, draw_again
from evaluation.review.drawing import mixed_rates, probabilities
from evaluation.statistics.prediction import Response, corrected_mean
from evaluation.statistics.two_phase import TwoPhaseValue, second_weights
from tests.evaluation.production.rows import row

VERSIONS = {1: (1200, 0.62), 2: (500, 0.55), 3: (240, 0.45)}
"""Prompt version -> generations of two weeks, and the quality that people would see in them."""
CATEGORIES = {"advice": 0.09, "chat": 0.03, "grief": -0.03, "health": -0.09}


def on_scale(value: float) -> float:
    return min(1.0, max(0.0, value))


def judged(
    chance: random.Random, trial: int
) -> tuple[list[tuple[Observation, float]], dict[str, float], dict[str, float]]:
    """Judged turns with what each stands for, what people would give, and what the rules gave: 200 of 400 drawn.

    Users return and differ, and a fifth of the generations is no chat.
    """
    moods = [chance.gauss(0, 0.08) for _ in range(150)]
    draw, true, ruled, kinds = Draw(trial, 400), dict[str, float](), dict[str, float](), dict[str, str]()
    for version, (count, quality) in VERSIONS.items():
        for number in range(count):
            user, second = chance.randrange(len(moods)), number * 14 * 86_400 // count
            seen = read_observation(row(second, id=f"{version}-{number}", promptVersion=version, userId=str(user)))
            draw.offer(seen)
            if chance.random() < 0.8:
                kinds[seen.key] = chance.choice(list(CATEGORIES))
                met = quality + moods[user] + CATEGORIES[kinds[seen.key]] + chance.gauss(0, 0.1)
                true[seen.key] = on_scale(met)
                ruled[seen.key] = round(on_scale(0.3 + 0.5 * true[seen.key] + chance.gauss(0, 0.07)), 2)
    sample = draw.sample(400)
    chats = [each.observation for each in sample if each.observation.key in true]
    again = draw_again(
        [Candidate(each.key, each.version, kinds[each.key], ruled[each.key]) for each in chats], 200, trial
    )
    values = [
        TwoPhaseValue(
            each.stratum,
            each.observation.cluster,
            each.weight,
            again.strata.get(each.observation.key),
            each.observation.key in again.drawn,
            true.get(each.observation.key),
        )
        for each in sample
    ]
    weights = second_weights(values)
    return [(each.observation, weight) for each, weight in zip(sample, weights, strict=True) if weight > 0], true, ruled


def simulated(trial: int) -> Iterator[tuple[str, bool]]:
    """(what is estimated, whether its interval holds what people would give on average).

    The judge is too low by a quarter and moves less than people do; sixty labels are expected, more where rules and
    judge lie apart, and people differ from each other.
    """
    chance = random.Random(trial)
    turns, true, ruled = judged(chance, trial)
    by_judge = {each.key: on_scale(0.25 + 0.6 * true[each.key] + chance.gauss(0, 0.06)) for each, _ in turns}
    apart = [abs(by_judge[each.key] - ruled[each.key]) for each, _ in turns]
    chances = probabilities(mixed_rates([weight for _, weight in turns], apart), 60)
    labelled = [
        (
            each.version[-2:],
            Response(
                *(each.cluster, each.key, 1, 1, by_judge[each.key]),
                people=on_scale(true[each.key] + chance.gauss(0, 0.1)) if chance.random() < share else None,
                probability=share,
                stands_for=weight,
            ),
        )
        for (each, weight), share in zip(turns, chances, strict=True)
    ]
    total = sum(count for count, _ in VERSIONS.values())
    whole = sum(count * quality for count, quality in VERSIONS.values()) / total
    for name, expected in {"all": whole, **{f"v{each}": quality for each, (_, quality) in VERSIONS.items()}}.items():
        found = corrected_mean([response for version, response in labelled if name in ("all", version)], (0.0, 1.0))
        if found is not None and found.corrected.ci95 is not None:
            yield name, found.corrected.ci95[0] <= expected <= found.corrected.ci95[1]


@pytest.mark.long
def test_sixty_labels_hold_the_quality_of_all_and_of_each_version() -> None:
    """Of 120 trials, as many as take some seconds; the standard error of a share is about 2 points."""
    covered, trials = Counter[str](), Counter[str]()
    for trial in range(120):
        for name, holds in simulated(trial):
            covered[name] += holds
            trials[name] += 1
    shares = {name: covered[name] / trials[name] for name in sorted(trials)}
    assert set(shares) == {"all", "v1", "v2", "v3"} and min(trials.values()) > 115
    assert all(0.9 <= share <= 0.995 for share in shares.values()), shares
    assert 0.92 <= sum(shares.values()) / 4 <= 0.98, shares
