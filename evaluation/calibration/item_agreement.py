"""Agreement on expectations, item by item: people with people, and rule and judge with people.

An item is its id with one wording of its question. What people say of a response is the answer that most of them give;
tool and people are compared where both answer yes or no. Shares have Wilson's interval, clustered as every other one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.expectations.human import Said, question_digest, what_most_say
from evaluation.statistics.agreement import krippendorff_alpha, quadratic_kappa
from evaluation.statistics.clusters import clustered_mean

TOOLS = ("rule", "judge")
"""In the order of every table."""
FEW = 10
"""Responses: below, shares are rough."""
REWRITE = 0.2
"""Share of responses on which people differ from which on an item is to be written otherwise."""
FEWEST_DIFFERENT = 2
"""Responses on which people must differ for that: one may be a slip."""
NUMBERS: Mapping[Said, float] = {"no": 0.0, "yes": 1.0, "not_shown": 2.0}


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """One item at one response: what people answered, and what rule and judge did."""

    item: str
    kind: str
    question: str
    cluster: str
    people: Sequence[Said] = ()
    tools: Mapping[str, Said] = field(default_factory=dict)
    """rule and judge, where they answered."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; the interval is None with fewer than two situations."""

    count: int
    of: int
    ci95: tuple[float, float] | None

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class PeopleOnItem:
    """People with people, over the responses on which at least two of them answered."""

    same: Share
    """Responses on which all of them gave the same of the three answers."""
    alpha: float | None
    """Krippendorff's, nominal, on the three answers; None where all answers are alike."""

    @property
    def differ(self) -> int:
        """Responses on which they did not all say the same."""
        return self.same.of - self.same.count

    @property
    def few(self) -> bool:
        return self.same.of < FEW

    @property
    def rewrite(self) -> bool:
        """True where people differ so often that the question is at fault."""
        return self.differ >= FEWEST_DIFFERENT and self.differ >= REWRITE * self.same.of


@dataclass(frozen=True, slots=True)
class ToolOnItem:
    """A rule or a judge with people, over the responses on which both say yes or no."""

    source: str
    same: Share
    kappa: float | None
    """Cohen's; None where one of the two gives the same answer throughout."""
    wrong_yes: Share
    """Of the responses on which people say no."""
    wrong_no: Share
    """Of those on which people say yes."""
    undecided: int
    """Responses left out: people or the tool did not find it shown."""

    @property
    def few(self) -> bool:
        return self.same.of < FEW


@dataclass(frozen=True, slots=True)
class ItemAgreement:
    """Everything that is known of one item, or of all together."""

    item: str
    """Empty for all together."""
    kind: str
    question: str
    responses: int
    """That at least one person answered it on."""
    people: PeopleOnItem
    tools: tuple[ToolOnItem, ...]


def item_agreements(answered: Iterable[AnsweredItem]) -> tuple[ItemAgreement, ...]:
    """Each item that a person answered, by id and then by wording; more than one come after all together."""
    groups: dict[tuple[str, str], list[AnsweredItem]] = {}
    for each in answered:
        if each.people:
            groups.setdefault((each.item, question_digest(each.kind, each.question)), []).append(each)
    found = [_agreement(name, groups[name, wording]) for name, wording in sorted(groups)]
    together = [_agreement("", [each for members in groups.values() for each in members])] if len(found) > 1 else []
    return (*together, *found)


def _agreement(item: str, members: Sequence[AnsweredItem]) -> ItemAgreement:
    first = members[0] if item else AnsweredItem("", "", "", "")
    tools = (_tool(source, members) for source in TOOLS)
    return ItemAgreement(
        item, first.kind, first.question, len(members), _people(members), tuple(tool for tool in tools if tool)
    )


def _people(members: Sequence[AnsweredItem]) -> PeopleOnItem:
    shared = [each for each in members if len(each.people) > 1]
    alpha = krippendorff_alpha([[NUMBERS[said] for said in each.people] for each in shared], "nominal")
    return PeopleOnItem(_share([(each.cluster, len(set(each.people)) == 1) for each in shared]), alpha)


def _tool(source: str, members: Sequence[AnsweredItem]) -> ToolOnItem | None:
    """None where the tool answered none of them."""
    both = [(each.cluster, each.tools[source], what_most_say(each.people)) for each in members if source in each.tools]
    if not both:
        return None
    decided = [each for each in both if "not_shown" not in each[1:]]
    tool, people = [NUMBERS[said] for _, said, _ in decided], [NUMBERS[theirs] for _, _, theirs in decided]
    return ToolOnItem(
        source,
        _share([(cluster, said == theirs) for cluster, said, theirs in decided]),
        None if 1 in (len(Counter(tool)), len(Counter(people))) else quadratic_kappa(tool, people),
        _share([(cluster, said == "yes") for cluster, said, theirs in decided if theirs == "no"]),
        _share([(cluster, said == "no") for cluster, said, theirs in decided if theirs == "yes"]),
        len(both) - len(decided),
    )


def _share(hits: Sequence[tuple[str, bool]]) -> Share:
    mean = clustered_mean((cluster, float(hit)) for cluster, hit in hits)
    ends = None if mean is None else mean.interval_within(0.0, 1.0, most=len(hits))
    return Share(sum(hit for _, hit in hits), len(hits), ends)
