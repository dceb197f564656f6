"""The errors of a judge on questions that yes or no answers: how many there are, and what they alone make fail."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ItemErrors:
    """The answers to questions on exchanges of known quality, counted. One that was not read is none."""

    asked_no: int
    """Questions that no answers rightly."""
    said_no: int
    wrong_yes: int
    asked_yes: int
    """Questions that yes answers rightly."""
    said_yes: int
    wrong_no: int
    misquoted: int
    """Of the right yes, those that quote words of the response which do not show it, or words that it does not hold."""

    @property
    def answered(self) -> int:
        """Questions with a yes or a no."""
        return self.said_no + self.wrong_yes + self.said_yes + self.wrong_no

    @property
    def wrong_yes_rate(self) -> float | None:
        """Share of yes where no is right; None without an answer."""
        return _share(self.wrong_yes, self.said_no + self.wrong_yes)

    @property
    def wrong_no_rate(self) -> float | None:
        """Share of no where yes is right; None without an answer."""
        return _share(self.wrong_no, self.said_yes + self.wrong_no)


def count_failures_of_errors(errors: ItemErrors, asks: int, nevers: int) -> float | None:
    """How many of so many critical items, all of which hold, would fail by the judge's errors alone.

    An item fails by the majority of three answers, taken as independent. `asks` fail by a wrong no, `nevers` by a wrong
    yes. None where an error rate that matters is not known.
    """
    rates = [(asks, errors.wrong_no_rate), (nevers, errors.wrong_yes_rate)]
    known = [(count, rate) for count, rate in rates if rate is not None]
    if any(count and rate is None for count, rate in rates):
        return None
    return sum(count * majority_of_three(rate) for count, rate in known)


def majority_of_three(share: float) -> float:
    """How often at least two of three independent answers are what each is with this share."""
    return share * share * (3 - 2 * share)


def _share(count: int, of: int) -> float | None:
    return count / of if of else None
