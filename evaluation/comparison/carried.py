"""What a comparison through a bridge between two judges rests on, in figures and in words."""

from dataclasses import asdict, dataclass

from evaluation.records import Json
from evaluation.runspec import JudgePin
from evaluation.text import numbers

LEAST_EXCHANGES = 60
LEAST_SITUATIONS = 20


@dataclass(frozen=True, slots=True)
class Instead:
    """What it takes to need no bridge: all exchanges of the base judged by the new judge."""

    command: str
    calls: int
    cost_usd: float | None
    """None where the price of a model is unknown."""

    def line(self) -> str:
        """In words, with the command."""
        price = "at an unknown price" if self.cost_usd is None else f"about {self.cost_usd:.4f} USD"
        calls = numbers.times(self.calls, "call")
        return (
            f"no bridge is needed against a run in which all of it is judged again ({calls}, {price}): {self.command}"
        )


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """A base whose judged scores are carried over to the judge of the other run."""

    run_id: str
    """Of the run in which the new judge scored the sample."""
    base_run_id: str
    before: str
    """The base's own judge, in words that tell it from the new one."""
    now: str
    exchanges: int
    """Of the sample."""
    situations: int
    of_situations: int
    """Of the whole base."""
    valued: int
    """Exchanges of the sample with a value of the primary metric by both judges and in the other run."""
    valued_situations: int
    instead: Instead | None = None

    @property
    def lacking(self) -> str:
        """How much is missing for a verdict; empty where enough is there, and where nothing was left out."""
        if self.situations == self.of_situations:
            return ""
        found = lacking_in_sample(self.valued, self.valued_situations)
        return found and f"the bridge between the judges lacks {found}"

    def line(self, name: str) -> str:
        """What was done with the base, which `name` names."""
        exchanges = numbers.times(self.exchanges, "exchange")
        return (
            f"{name} is carried over to another judge: {exchanges} of it in {self.situations} of "
            f"{numbers.times(self.of_situations, 'situation')} were judged again by {self.now} in the place of "
            f"{self.before}, as {self.run_id}; differences of judged scores rest on these, and intervals are wider"
        )

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "lacking": self.lacking or None}


def lacking_in_sample(exchanges: int, situations: int) -> str:
    """How many exchanges and situations a bridge of so many lacks, in words; empty where there are enough."""
    missing = [
        numbers.times(least - found, what)
        for least, found, what in (
            (LEAST_EXCHANGES, exchanges, "exchange"),
            (LEAST_SITUATIONS, situations, "situation"),
        )
        if found < least
    ]
    return f"{' and '.join(missing)} of the {LEAST_EXCHANGES} in {LEAST_SITUATIONS} that it takes" if missing else ""


def name_judges(before: JudgePin | None, now: JudgePin | None) -> tuple[str, str]:
    """Two judges in words: by their models, and where these are the same by what else distinguishes them."""
    return _name(before, now), _name(now, before)


def _name(pin: JudgePin | None, other: JudgePin | None) -> str:
    if pin is None:
        return "no judge"
    if other is None or pin.model != other.model:
        return pin.model
    own, theirs = ("the rubric's words" if each.prompt is None else each.prompt.title for each in (pin, other))
    traits = [
        (pin.form != other.form, f"form {pin.form}"),
        (pin.samples != other.samples, numbers.times(pin.samples, "sample")),
        (pin.format != other.format, f"format {pin.format}"),
        (own != theirs, own),
        (pin.endpoint != other.endpoint, f"at {pin.endpoint}"),
    ]
    found = ", ".join(words for differs, words in traits if differs)
    return f"{pin.model} ({found})" if found else pin.model
