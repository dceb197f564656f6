"""What a sentence says that can be right or wrong by itself: an amount, a day, a time of day, or a name."""

from collections.abc import Set
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
Ends: TypeAlias = tuple[float, float]
"""Least and most of an amount or a year, both included; infinite where there is no bound."""
COUNT = "#"
"""Begins the unit of an amount of things: "#bed"."""
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit. "1.200" is 1.2 to some and 1200 to others: what it may mean are its readings."""

    span: Span
    readings: tuple[Ends, ...]
    unit: str = ""
    """What it is counted in: "g", "s", "eur", "%", "#bed"; empty without a unit."""
    per: str = ""
    """What it is for each of: "month"; empty without."""
    spelled: bool = False
    """True for a number in words."""

    @property
    def measured(self) -> bool:
        """True for a unit of measure or money, which no other unit can stand for."""
        return bool(self.unit) and not self.unit.startswith(COUNT)

    def is_like(self, other: "Amount") -> bool:
        """True where both may be the same amount: of one measure, or of things, whatever these are called."""
        return (self.unit == other.unit or not (self.measured and other.measured)) and not (
            self.unit and other.unit and self.measured != other.measured
        )

    def fills_slot_of(self, other: "Amount") -> bool:
        """True where both are amounts of one thing."""
        return self.unit == other.unit and (self.per == other.per or not (self.per and other.per))

    def agrees(self, other: "Amount") -> bool:
        """True where they have a value in common."""
        return any(
            low <= most * (1 + NEAR) and least <= high * (1 + NEAR)
            for low, high in self.readings
            for least, most in other.readings
        )


@dataclass(frozen=True, slots=True)
class Day:
    """A date, as much of it as is said."""

    span: Span
    years: Ends | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    """0 for Monday."""

    @property
    def claims(self) -> bool:
        """True for a day of a month and for a year; a weekday or a month alone is said of much."""
        return (self.day is not None and self.month is not None) or (
            self.years is not None and self.years[0] == self.years[1]
        )

    def is_comparable(self, other: "Day") -> bool:
        """True where both say the year, the month, the day or the weekday, or this follows."""
        mine, others = self._whole, other._whole
        return any(one is not None and two is not None for one, two in zip(mine, others, strict=True))

    def agrees(self, other: "Day") -> bool:
        """True where nothing that both say differs."""
        years, month, day, weekday = self._whole
        other_years, other_month, other_day, other_weekday = other._whole
        if years and other_years and (years[0] > other_years[1] or other_years[0] > years[1]):
            return False
        pairs = ((month, other_month), (day, other_day), (weekday, other_weekday))
        return all(one is None or two is None or one == two for one, two in pairs)

    @property
    def _whole(self) -> tuple[Ends | None, int | None, int | None, int | None]:
        """Years, month, day, and the weekday where it is said or follows from the rest."""
        weekday = self.weekday
        if weekday is None and self.years and self.years[0] == self.years[1] and self.month and self.day:
            try:
                weekday = date(int(self.years[0]), self.month, self.day).weekday()
            except ValueError:
                weekday = None
        return self.years, self.month, self.day, weekday


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes since midnight; two of them where nobody says whether it is morning or evening."""

    span: Span
    minutes: Set[int]

    def agrees(self, other: "Clock") -> bool:
        """True where they have a time in common."""
        return bool(self.minutes & other.minutes)


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a person, a place or a thing."""

    span: Span
    words: tuple[str, ...]
    """In small letters, without titles."""
    role: str = ""
    """Stem of the word that says who or what bears it ("sister"); empty where none does."""
    owner: str = ""
    """Whose sister: "you" for the user, "?" for one of whom nobody says it, or a name in small letters."""
    before: str = ""
    """The preposition just before it."""

    def agrees(self, other: "Name") -> bool:
        """True where one says no other word than the other: "Ursula" and "Ursula Vernon"."""
        return set(self.words) <= set(other.words) or set(other.words) <= set(self.words)


Value: TypeAlias = Amount | Day | Clock | Name


def agree(one: Value, other: Value) -> bool:
    """True for two values of one kind that may be the same."""
    if isinstance(one, Amount) and isinstance(other, Amount):
        return one.is_like(other) and one.agrees(other)
    if isinstance(one, Day) and isinstance(other, Day):
        return one.is_comparable(other) and one.agrees(other)
    if isinstance(one, Clock) and isinstance(other, Clock):
        return one.agrees(other)
    return isinstance(one, Name) and isinstance(other, Name) and one.agrees(other)
