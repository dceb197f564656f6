"""A night as it was asked for."""

from dataclasses import asdict, dataclass, replace

from evaluation.records import Json
from evaluation.request import EvaluationRequest
from scripts.arguments import MAY_CHANGE


@dataclass(frozen=True, slots=True)
class NightRequest:
    """The arguments of a night."""

    run: EvaluationRequest
    """The evaluation of each prompt; it names no prompt, no gate and no cache."""
    rules: str | None = None
    noise_share: float = 0.25
    latest: bool = True
    notify_always: bool = False

    @property
    def of_production(self) -> EvaluationRequest:
        """The evaluation of production: where the judge is checked and fails, nothing else is asked."""
        return replace(self.run, require_judge=self.run.canaries)

    def arguments(self) -> dict[str, Json]:
        """All that decides what is measured, as JSON gives it back."""
        measured = {name: value for name, value in asdict(self.run).items() if name not in MAY_CHANGE}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in measured.items()}
        return {**plain, "noise_share": self.noise_share, "latest": self.latest}
