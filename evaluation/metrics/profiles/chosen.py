"""The rubric for an exchange: as it is, or as the profile of the exchange's prompt makes it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from evaluation.metrics.explained import excerpt
from evaluation.metrics.profiles import AUTO, OF_FORMS
from evaluation.rubrics.rubric import Rubric

REMEMBERED = 256
"""Prompts of which the choice is kept: the repeats and settings of a run ask the same."""


@dataclass(frozen=True, slots=True)
class ChosenRubric:
    """A rubric, and why it is this one."""

    key: tuple[str, ...]
    """Equal for equal rubrics: the profile and, where it changes the rubric, the form that is asked for."""
    rubric: Rubric
    note: str
    """For the explanation of the overall; empty where the rubric has no profile."""


def rubrics_by_prompt(rubric: Rubric) -> Callable[[str], ChosenRubric]:
    """From a prompt to the rubric for it. Each rubric is made once."""
    if rubric.profile is None:
        own = ChosenRubric((), rubric, "")
        return lambda _: own
    return _by_profile(rubric, rubric.profile)


def _by_profile(rubric: Rubric, named: str) -> Callable[[str], ChosenRubric]:
    # Many patterns, for rubrics with a profile alone: the others start sooner.
    from evaluation.metrics.profiles.choosing import Choice, choose_profile
    from evaluation.metrics.profiles.profile import under_profile
    from evaluation.metrics.text.asked import describe_request, read_request

    under = lru_cache(maxsize=None)(lambda profile, form: under_profile(rubric, profile, form))

    @lru_cache(maxsize=REMEMBERED)
    def choose(prompt: str) -> ChosenRubric:
        choice = choose_profile(prompt) if named == AUTO else Choice(named)
        asked = read_request(prompt)
        form = asked.form if asked.form in OF_FORMS else ""
        seen = f': "{excerpt(choice.seen)}"' if choice.seen else ""
        wanted = describe_request(asked)
        note = f"profile {choice.profile}{seen}{f'; asked for {wanted}' if wanted else ''}"
        return ChosenRubric((choice.profile, form), under(choice.profile, form), note)

    return choose
