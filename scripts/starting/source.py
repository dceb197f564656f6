"""Where another computer can install this tool from, as far as its own installation tells."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from prompt_evaluation import __version__
from prompt_evaluation.launcher import PACKAGE, direct_url, without_password


@dataclass(frozen=True, slots=True)
class Source:
    """What a workflow installs."""

    requirement: str
    """As pip takes it; empty where nothing is known that another computer could reach."""
    said: str
    """A comment that stands above it."""


def find_source() -> Source:
    """The git commit, the address or the version of an index from which this tool was installed."""
    noted = direct_url()
    url, git = without_password(str(noted.get("url", ""))), noted.get("vcs_info")
    if url.startswith("file:") or not (noted or _is_installed()):
        return Source(
            "",
            "SAY BELOW WHAT IS INSTALLED: this file was written by a tool that lies on one computer, where no workflow "
            "can reach it. Write git+https://HOST/REPOSITORY@COMMIT, the address of a wheel, the path of a wheel that "
            f"you commit here (./prompt_evaluation-{__version__}-py3-none-any.whl), or, where an index has it, "
            f"{PACKAGE}==VERSION. Until then this workflow ends with a line that says so.",
        )
    if isinstance(git, dict):
        commit = f"{git['vcs']}+{url}@{git['commit_id']}"
        return Source(commit, "What is installed: the commit from which the tool was installed that wrote this file.")
    if url:
        return Source(url, "What is installed: the file from which the tool was installed that wrote this file.")
    said = "What is installed: the version that wrote this file. The index that pip asks must have it."
    return Source(f"{PACKAGE}=={__version__}", said)


def _is_installed() -> bool:
    try:
        return bool(version(PACKAGE))
    except PackageNotFoundError:
        return False
