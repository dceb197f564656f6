"""Addresses of what a run left in Langfuse."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Links:
    """The pages of one project."""

    base_url: str
    project_id: str

    def experiment(self, experiment: str) -> str:
        """One experiment's items with their scores."""
        return f"{self._project}/experiments/results?baseline={experiment}"

    def comparison(self, baseline: str, candidate: str) -> str:
        """Two experiments side by side, item by item."""
        return f"{self.experiment(baseline)}&c={candidate}"

    def trace(self, trace: str) -> str:
        return f"{self._project}/traces/{trace}"

    @property
    def _project(self) -> str:
        return f"{self.base_url}/project/{quote(self.project_id, safe='')}"


def trace_page(experiment: str | None) -> str:
    """Where traces are shown, up to their id, from the address of an experiment of the same project; else nothing."""
    project, found, _ = (experiment or "").partition("/experiments/")
    return f"{project}/traces/" if found else ""
