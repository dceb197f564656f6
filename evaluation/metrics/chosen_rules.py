"""The rules that an exchange is scored by: those of the rubric, or those that its profile makes of it."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from evaluation.metrics.explained import excerpt
from evaluation.metrics.profiles import AUTO, OF_FORMS
from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.records import Exchange
from evaluation.rubrics.rubric import Rubric

RulesFor: TypeAlias = Callable[[Exchange], RubricRules]
"""The rules for an exchange, prepared once for all that share them."""


def rules_lookup(rubric: Rubric) -> RulesFor:
    """The rubric's own rules for every exchange; with a profile those of the profile, for `auto` of each prompt's."""
    if rubric.profile is None:
        rules = rubric_rules(rubric)
        return lambda _: rules
    return _by_profile(rubric, rubric.profile)


def _by_profile(rubric: Rubric, named: str) -> RulesFor:
    from evaluation.metrics.profiles.choosing import Choice, choose_profile
    from evaluation.metrics.profiles.profile import under_profile
    from evaluation.metrics.text.asked import describe_request, read_request

    prepared: dict[tuple[str, str | None], RubricRules] = {}

    def rules_of(profile: str, form: str | None) -> RubricRules:
        if (profile, form) not in prepared:
            prepared[profile, form] = rubric_rules(under_profile(rubric, profile, form))
        return prepared[profile, form]

    @lru_cache(maxsize=256)
    def rules_for(prompt: str) -> RubricRules:
        choice = choose_profile(prompt) if named == AUTO else Choice(named)
        asked = read_request(prompt)
        seen = f': "{excerpt(choice.seen)}"' if choice.seen else ""
        wanted = describe_request(asked)
        note = f"profile {choice.profile}{seen}{f'; asked for {wanted}' if wanted else ''}"
        form = asked.form if asked.form in OF_FORMS else None
        return replace(rules_of(choice.profile, form), note=note)

    return lambda exchange: rules_for(exchange.user_input)
