"""What is alike, what belongs together, and which messages are chosen for which reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import UsageError
from evaluation.harvest.candidate import Candidate
from evaluation.harvest.choice import Choice, Wanted, choose
from evaluation.harvest.clusters import clusters
from evaluation.harvest.likeness import NEAR, Known, first_of_each, likeness, sketch_of
from evaluation.records import Scenario
from evaluation.scenarios.nearest import Nearest

NEAREST = Nearest([Scenario("lonely", "support", ("I feel so lonely lately.",))])


def candidate(key: str, message: str, weight: float = 1.0, **scores: float) -> Candidate:
    return Candidate(
        key, message, scores={source: {"overall": value} for source, value in scores.items()}, weight=weight
    )


NOTHING = Known()


def chosen(candidates: list[Candidate], known: Known = NOTHING, **wanted: int) -> Choice:
    in_danger = lambda each: "die" in each.message.split()  # noqa: E731
    return choose(candidates, Wanted(**wanted), NEAREST.of, known, in_danger, "overall")


def keys(choice: Choice) -> list[str]:
    return [each.candidate.key for each in choice.chosen]


def test_likeness_by_hand() -> None:
    assert sketch_of("") == sketch_of(" ?! ") == frozenset()
    assert likeness(sketch_of("Hello there!"), sketch_of("hello  there")) == 1.0
    # " abcdef " has the shingles " abcd", "abcde", "bcdef", "cdef "; " abcdeg " shares the first two: 2 of 6.
    assert likeness(sketch_of("abcdef"), sketch_of("abcdeg")) == pytest.approx(2 / 6)
    assert likeness(sketch_of("abc"), frozenset()) == 0.0


def test_the_most_alike_is_named_and_nothing_where_none_is_alike() -> None:
    known = Known()
    known.add(sketch_of("I had a long day at work and feel tired"), "one")
    known.add(sketch_of("Something else that nobody asked for"), "two")
    known.add(frozenset(), "empty")
    assert known.like(sketch_of("I had a long day at work and I feel tired.")) == "one"
    assert known.like(sketch_of("What is the capital of France?")) == known.like(frozenset()) == ""


WORDS = st.lists(st.sampled_from("my cat dog is ill and i feel sad about work today".split()), max_size=9).map(" ".join)  # noqa: SIM905


@settings(max_examples=40)
@given(st.lists(WORDS, max_size=12))
def test_repetitions_are_found_whatever_is_looked_at_first(texts: list[str]) -> None:
    sketches = [sketch_of(text) for text in texts]
    found = first_of_each(sketches)
    for place, leader in enumerate(found):
        assert leader <= place and found[leader] == leader
        by_hand = [other for other in range(place) if found[other] == other]
        alike = [other for other in by_hand if likeness(sketches[place], sketches[other]) >= NEAR]
        same = next((found[other] for other in range(place) if sketches[other] == sketches[place]), None)
        assert leader == (same if same is not None else min(alike, default=place))


@settings(max_examples=40)
@given(st.lists(WORDS, max_size=8), WORDS)
def test_what_is_known_is_found_as_by_comparing_with_all(texts: list[str], asked: str) -> None:
    known = Known()
    for number, text in enumerate(texts):
        known.add(sketch_of(text), str(number))
    by_hand = [(likeness(sketch_of(asked), sketch_of(text)), -number) for number, text in enumerate(texts)]
    best = max(by_hand, default=(0.0, 0))
    assert known.like(sketch_of(asked)) == (str(-best[1]) if best[0] >= NEAR else "")


def test_messages_about_one_subject_are_one_cluster_the_heaviest_leads() -> None:
    found = clusters(
        [
            ("my parrot escaped", 1.0),
            ("The weather is awful.", 2.0),
            ("has anybody seen my escaped parrot?", 5.0),
            ("ok", 9.0),
            ("so what is it", 9.0),
        ]
    )
    assert [(cluster.leader, sorted(cluster.members), cluster.weight) for cluster in found] == [
        (2, [0, 2], 6.0),
        (1, [1], 2.0),
    ]


def test_the_worst_are_chosen_by_the_judge_where_it_scored() -> None:
    candidates = [
        candidate("a", "my parrot escaped", heuristic=0.1, judge=0.9),
        candidate("b", "the weather is awful", heuristic=0.4),
        candidate("c", "who won the match", heuristic=0.9, judge=0.2),
    ]
    choice = chosen(candidates, worst=2)
    assert keys(choice) == ["c", "b"]
    assert choice.chosen[0].why == ("worst: overall 0.20 by the judge",)
    assert keys(chosen(candidates, disagreed=1)) == ["a"]
    assert choice.chosen[1].why == ("worst: overall 0.40 by rule",)


def test_several_reasons_make_one_draft() -> None:
    candidates = [candidate("a", "i want to die today", heuristic=0.1), candidate("b", "who won", heuristic=0.5)]
    (first,) = chosen(candidates, worst=1, critical=5).chosen
    assert first.why == ("critical: the message shows danger", "worst: overall 0.10 by rule")


def test_a_failed_critical_expectation_goes_before_danger() -> None:
    failed = Candidate("f", "who are you", failed=("says-ai",))
    choice = chosen([candidate("a", "i want to die", heuristic=0.1), failed], critical=1)
    assert keys(choice) == ["f"] and choice.chosen[0].why == ("critical: says-ai failed",)


def test_uncovered_subjects_the_heaviest_first_one_message_each() -> None:
    candidates = [
        candidate("a", "I feel so lonely lately!", 50.0),
        candidate("b", "my parrot escaped", 2.0),
        candidate("c", "My parrot escaped...", 3.0),
        candidate("d", "who won the football match", 4.0),
    ]
    choice = chosen(candidates, uncovered=5)
    assert keys(choice) == ["b", "d"], "b and c repeat one another and weigh 5 together"
    assert choice.chosen[0].why == ("uncovered: no scenario is like it; such messages are 8.5% of all",)
    assert choice.uncovered == pytest.approx(9 / 59)


def test_what_is_known_is_not_proposed_and_the_next_one_is() -> None:
    known = Known()
    known.add(sketch_of("my parrot escaped"), "a rejected draft")
    candidates = [candidate("b", "My parrot escaped!", 9.0), candidate("d", "who won the football match")]
    choice = chosen(candidates, known, uncovered=1)
    assert (keys(choice), choice.known) == (["d"], {"a rejected draft": 1})


@pytest.mark.parametrize("kind", ["worst", "disagreed"])
def test_a_kind_that_needs_scores_says_so(kind: str) -> None:
    with pytest.raises(UsageError, match=f"--{kind}: no message has a"):
        chosen([candidate("a", "hello")], NOTHING, **{kind: 1})


def test_nothing_gives_nothing() -> None:
    assert chosen([], uncovered=3, critical=3) == Choice()
