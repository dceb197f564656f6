"""Head to head in comparison.json: all figures, and pair by pair what the judge said."""

from collections.abc import Mapping
from dataclasses import asdict

from evaluation.comparison.head_to_head import HeadToHead, JudgedPair, Tally
from evaluation.records import Json

MOST = 2000
"""Pairs that the file holds."""


def head_to_head_document(found: HeadToHead, verdict: str | None) -> Json:
    """`verdict` is that of the comparison."""
    people = found.people
    return {
        "judge": found.judge,
        "bearing": found.bearing(verdict),
        "favours": found.favours,
        "by_length": found.by_length,
        "planned": found.planned,
        "paired": len(found.pairs),
        "asked": {way: found.asked(way) for way in ("read", "identical", "unread", "failed", "open")},
        **_tally(found.tally),
        "at_equal_length": asdict(found.equal_length),
        "order": {
            "flips": found.count("order"),
            "half": found.count("partly"),
            "share": found.order_share,
            "first_shown_preferred": found.first_shown,
        },
        "withheld": found.count("withheld"),
        "by_category": {name: _tally(each) for name, each in found.categories.items()},
        "check": found.check.to_json(),
        "people": None
        if people is None
        else {
            "people": people.people,
            "answers": people.answers,
            **_tally(people.tally),
            "at_equal_length": asdict(people.equal_length),
            "shared": people.shared,
            "alpha": people.alpha,
            "with_judge": people.with_judge,
            "kappa_with_judge": asdict(people.kappa),
            "agreed_with_judge": asdict(people.agreed),
        },
        "calls": found.calls,
        "cost_usd": found.cost_usd,
        "stopped": found.stopped,
        "pairs": [_pair(pair) for pair in found.pairs[:MOST]],
        "pairs_left_out": max(0, len(found.pairs) - MOST),
    }


def _tally(found: Tally) -> Mapping[str, Json]:
    return {
        "pairs": found.pairs,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "win_rate": found.rate.mean,
        "ci95": found.rate.ci95,
        "se": found.rate.se,
        "situations": found.rate.clusters,
    }


def _pair(pair: JudgedPair) -> Json:
    place = pair.place
    return {
        "pair": place.identity,
        "answers": {"base": place.answers[0], "candidate": place.answers[1]},
        "scenario_id": place.scenario_id,
        "repeat": place.repeat,
        "category": place.category,
        "words": {"base": place.words[0], "candidate": place.words[1]},
        "addresses_judge": place.addresses_judge,
        "asked": pair.asked,
        "winner": pair.winner,
        "members": dict(pair.members),
        "kind": pair.kind if pair.asked == "read" else None,
        "first_shown_preferred": pair.first_shown if pair.asked == "read" else None,
        "said": [{"base": asdict(base), "candidate": asdict(candidate)} for base, candidate in pair.assessments],
        "problem": pair.problem,
    }
