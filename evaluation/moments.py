"""Moments as they are read and written: ISO 8601, UTC."""

from datetime import UTC, datetime


def moment(text: str) -> datetime:
    """A time in ISO 8601 in UTC; one without a zone is UTC. Raises ValueError for anything else."""
    return in_utc(datetime.fromisoformat(text))


def in_utc(found: datetime) -> datetime:
    """A moment in UTC; one without a zone is UTC already. Raises OverflowError where no calendar has it."""
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def iso(at: datetime) -> str:
    """A moment in UTC as text, to the millisecond: 2026-11-16T08:00:00.000Z."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_seconds(at: float) -> str:
    """The same of seconds since the epoch, to the second: 2026-11-16T08:00:00Z."""
    return datetime.fromtimestamp(int(at), UTC).isoformat().replace("+00:00", "Z")


def week_of(at: datetime) -> str:
    """The week by ISO 8601 that holds a moment: 2026-W47."""
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02d}"
