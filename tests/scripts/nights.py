"""Nights as a scheduler starts them: the real command, a model on a port that stays, Langfuse and a chat."""

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from services.rehearsal.options import RehearsalOptions
from tests.langfuse_double import LangfuseDouble
from tests.scripts.commands import Finished, Server, run, run_apart, server
from tests.services.scripted_endpoint import Answer, ScriptedEndpoint, scripted_endpoint

FEW = ("--limit", "12", "--conversations", "none", "--quiet")
PROMPT = "penpal-companion"


@dataclass
class Place:
    """One machine: its runs and baselines, Langfuse, and the port on which the model answers."""

    folder: Path
    langfuse: LangfuseDouble
    port: int
    settings: dict[str, str] = field(default_factory=dict)
    apart: bool = False
    """True where commands are processes of their own, as a scheduler starts them: the locks of runs end with them."""

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LANGFUSE_PUBLIC_KEY": self.langfuse.public_key,
            "LANGFUSE_SECRET_KEY": self.langfuse.secret_key,
            "LANGFUSE_BASE_URL": self.langfuse.base_url,
            "EVAL_BASELINES_DIR": str(self.folder / "baselines"),
            **self.settings,
        }

    @contextmanager
    def model(self, options: RehearsalOptions | None = None) -> Iterator[Server]:
        with server(replace(options or RehearsalOptions(), port=self.port)) as endpoint:
            yield endpoint

    def night(self, options: RehearsalOptions | None = None, *arguments: str) -> Finished:
        with self.model(options) as endpoint:
            return self.command("scripts.nightly", *FEW, *arguments, **endpoint.settings)

    def command(self, module: str, *arguments: str, **settings: str) -> Finished:
        given = {**self.environment, **settings}
        started = run_apart if self.apart else run
        return started(*arguments, runs=self.runs, module=module, **given)

    def move_label(self, version: int) -> None:
        """As somebody does it in Langfuse."""
        answer = httpx.patch(
            f"{self.langfuse.base_url}/api/public/v2/prompts/{PROMPT}/versions/{version}",
            json={"newLabels": ["production"]},
            auth=(self.langfuse.public_key, self.langfuse.secret_key),
        )
        assert answer.status_code == 200, answer.text

    def answer(self) -> dict[str, Any]:
        """night.json of the newest night."""
        found: dict[str, Any] = json.loads((self.runs / "nightly" / "latest" / "night.json").read_text())
        return found

    def copied(self, folder: Path) -> "Place":
        """The same machine in another folder."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Place(folder, self.langfuse, self.port, dict(self.settings))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Chat:
    """An incoming webhook."""

    endpoint: ScriptedEndpoint

    @property
    def address(self) -> str:
        return f"{self.endpoint.url}/services/T000/SECRET-PART"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [call.body for call in self.endpoint.calls]


@contextmanager
def chat(status: int = 200) -> Iterator[Chat]:
    """A chat that takes, or refuses, every message."""
    with scripted_endpoint([Answer(status=status)]) as endpoint:
        yield Chat(endpoint)
