"""A prompt reference -> one pinned prompt version, from Langfuse, from the prompt folder, or from a file.

A reference is `v3` or `3` (version of the default prompt), a label (`production`, `latest`), `name@v3`, `name@label`,
or the path of a prompt file.
"""

from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError
from services.prompt_versions import (
    CHAT_SUFFIXES,
    TEXT_SUFFIXES,
    DirectoryPrompts,
    FoundPrompt,
    PromptSource,
    prompt_from_file,
)
from services.settings import Settings
from services.text_files import read_text

_LONGEST = 500


@dataclass(frozen=True, slots=True)
class PromptService:
    """The prompts of one source, with the prompt that a bare version or label belongs to."""

    source: PromptSource
    default_name: str

    async def load(self, reference: str) -> FoundPrompt:
        """The one version that the reference means, pinned. A file is read as a file, whatever the source.

        Raises UsageError listing what exists when there is no such version, label, prompt or file.
        """
        parsed = parse_reference(reference, self.default_name)
        if isinstance(parsed, Path):
            return _from_file(parsed)
        return await self.source.find(*parsed)


def open_prompts(settings: Settings, *, use_langfuse: bool = True) -> PromptService:
    """Langfuse where its keys are set and it is wanted, else the prompt folder. Opens no connection yet."""
    if settings.langfuse is None or not use_langfuse:
        return PromptService(DirectoryPrompts(settings.prompts_dir), settings.prompt_name)
    from services.langfuse.prompts import LangfusePrompts

    return PromptService(LangfusePrompts(settings.langfuse), settings.prompt_name)


def parse_reference(reference: str, default_name: str) -> Path | tuple[str, str]:
    """A file, or the name of a prompt and its version (`v3`, `3`) or label.

    Raises UsageError for a reference that is empty, unprintable, or longer than 500 characters.
    """
    text = reference.strip()
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise UsageError(
            f"prompt reference {reference[:80]!r}: write v3, a label, name@v3, name@label or a file's path"
        )
    if _is_path(text):
        return Path(text).expanduser()
    name, at, selector = text.rpartition("@")
    if at and not (name.strip() and selector.strip()):
        raise UsageError(f"prompt reference {text!r}: write the name before the @ and the version or label after it")
    return name.strip() or default_name, selector.strip()


def _is_path(text: str) -> bool:
    """A path has a prompt file's ending, begins like a path, or has a slash that no `name@version` explains."""
    if text.endswith(TEXT_SUFFIXES + CHAT_SUFFIXES) or text.startswith(("./", "../", "/", "~")):
        return True
    return "/" in text and "@" not in text


def _from_file(path: Path) -> FoundPrompt:
    if not path.exists():
        hint = "for a prompt in a folder write folder/name@v3" if not path.suffix else "check the path"
        raise UsageError(f"there is no prompt file {str(path)!r}: {hint}")
    # v3.md says little by itself; its folder bears the prompt's name.
    name = (
        f"{path.resolve().parent.name}/{path.stem}" if path.stem[:1] == "v" and path.stem[1:].isdigit() else path.stem
    )
    file = read_text(path)
    return FoundPrompt(prompt_from_file(file, name, None, None, "file"), f"file {file.place}")
