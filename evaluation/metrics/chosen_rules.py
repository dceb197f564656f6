"""The rules that an exchange is scored by: those of the rubric, or those that its profile makes of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from evaluation.metrics.profiles.chosen import rubrics_by_prompt
from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.records import Exchange
from evaluation.rubrics.rubric import Rubric

RulesFor: TypeAlias = Callable[[Exchange], RubricRules]
"""The rules for an exchange, prepared once for all that share them."""


def rules_lookup(rubric: Rubric) -> RulesFor:
    """The rubric's own rules for every exchange; with a profile those of the profile, for `auto` of each prompt's."""
    choose = rubrics_by_prompt(rubric)
    prepared: dict[tuple[str, ...], RubricRules] = {}

    def rules_for(exchange: Exchange) -> RubricRules:
        chosen = choose(exchange.user_input)
        rules = prepared.get(chosen.key)
        if rules is None:
            rules = prepared[chosen.key] = rubric_rules(chosen.rubric)
        return replace(rules, note=chosen.note) if chosen.note else rules

    return rules_for
