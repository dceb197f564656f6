"""A workspace in which labels are promoted, and what a test wants to know of it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Finished, run

NAME = "penpal-companion"
PROMOTE, VERIFY = "scripts.promote_prompt", "scripts.verify_certificate"


@dataclass(frozen=True)
class Place:
    folder: Path
    langfuse: LangfuseDouble

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def settings(self) -> dict[str, str]:
        """With an endpoint at which nobody answers: promoting asks no model."""
        return {
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "EVAL_MODEL": "model",
            "EVAL_JUDGE_MODEL": "judge",
            "EVAL_SCENARIOS": str(self.folder / "talk.yaml"),
            "EVAL_CERTIFICATES_DIR": str(self.folder / "certificates"),
            "LANGFUSE_PUBLIC_KEY": self.langfuse.public_key,
            "LANGFUSE_SECRET_KEY": self.langfuse.secret_key,
            "LANGFUSE_BASE_URL": self.langfuse.base_url,
        }

    def published(self) -> "Place":
        done = run("--yes", runs=self.runs, module="scripts.push_prompts", **self.settings)
        assert done.code == 0, done.err
        return self

    def promote(self, *arguments: str, **settings: str) -> Finished:
        """Of v3 to production, unless something else is named."""
        words = arguments if (arguments and "--to" in arguments) or "--undo" in arguments else (*V3, *arguments)
        return run(*words, runs=self.runs, module=PROMOTE, **{**self.settings, **settings})

    def verify(self, *arguments: str) -> Finished:
        """Without Langfuse, as a certificate is held against files alone."""
        offline = {name: value for name, value in self.settings.items() if not name.startswith("LANGFUSE")}
        return run(*(arguments or [str(self.certificate)]), runs=self.runs, module=VERIFY, **offline)

    @property
    def certificates(self) -> list[Path]:
        return sorted((self.folder / "certificates").glob("*"))

    @property
    def certificate(self) -> Path:
        (only,) = self.certificates
        return only

    @property
    def content(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.certificate.read_text())
        return found

    @property
    def run(self) -> Path:
        """The folder of the first run of v3."""
        return min(path for path in self.runs.iterdir() if "-v3-" in path.name and "rescored" not in path.name)

    def label(self, name: str = "production") -> int | None:
        """The version that carries a label."""
        rows = self.langfuse.store.prompts[NAME]
        return next((row.version for row in rows if name in row.labels), None)

    def put_label(self, version: int, name: str = "production") -> None:
        """As somebody does in Langfuse."""
        for row in self.langfuse.store.prompts[NAME]:
            row.labels = [label for label in row.labels if label != name] + ([name] if row.version == version else [])

    def comments(self, version: int) -> list[str]:
        (row,) = [row for row in self.langfuse.store.prompts[NAME] if row.version == version]
        return [each["content"] for each in self.langfuse.store.comments.values() if each["objectId"] == row.id]


V3 = ("v3", "--to", "production")
