"""What a person types before a subcommand, so that a command that is printed can be pasted where this one was typed."""

import os
import re
import shlex
import sys
from pathlib import Path

from prompt_evaluation.extras import installed_extras

NAME = "prompt-eval"
PACKAGE = "prompt-evaluation"
MODULE_FILE = "__main__.py"
"""What `python -m` starts."""
_NOTED_BY_PIPX = "pipx_metadata.json"
OF_FILES = ("--from", "--with", "--with-editable", "--with-requirements", "--project", "--env-file", "--python", "-p")
"""Flags of uv whose value may be a file or a folder."""
_REQUIREMENT = re.compile(rf"(?P<base>{PACKAGE})(?:\[(?P<extras>[^]]*)\])?(?P<rest>\s*[@=<>!~].*)?")
_PLACE = re.compile(r"(?P<base>.*?)(?:\[(?P<extras>[^]]*)\])?(?P<rest>)", re.DOTALL)


def started_as() -> str:
    """`prompt-eval`, or what stands for it: its path where PATH does not have it, or how uv, pipx or Python runs it."""
    return shlex.join(launcher_words())


def launcher_words() -> list[str]:
    """The words of `started_as`."""
    program = Path(sys.argv[0])
    if typed := _typed_to_uv():
        return typed
    # Both lie in a cache, on a PATH that ends with this process.
    if is_of_uvx():
        return [*_uvx(), "--from", with_extras(origin(), installed_extras()), NAME]
    if is_of_pipx_run():
        return ["pipx", "run", *(_given_to_pipx() or ["--spec", with_extras(origin(), installed_extras())]), NAME]
    module = program.name == MODULE_FILE
    if os.environ.get("UV") and os.environ.get("VIRTUAL_ENV") == sys.prefix:
        return [_uv(), "run", *(["python", "-m", str(__package__)] if module else [NAME])]
    return [_typed(Path(sys.executable)), "-m", str(__package__)] if module else [_typed(program)]


def is_of_uvx() -> bool:
    """True in an environment that uv makes for one command."""
    return Path(sys.prefix).parent.name.startswith(("archive-v", "environments-v"))


def is_of_pipx_run() -> bool:
    """True in an environment that pipx makes for one command."""
    return _is_of_pipx() and Path(sys.prefix).parent.name != "venvs"


def is_of_pipx_install() -> bool:
    """True in an environment that pipx keeps."""
    return _is_of_pipx() and Path(sys.prefix).parent.name == "venvs"


def _is_of_pipx() -> bool:
    return (Path(sys.prefix) / _NOTED_BY_PIPX).is_file()


def origin() -> str:
    """What the package was installed from: a file, a folder, an address, or its name in an index."""
    found = direct_url()
    if not found:
        return PACKAGE
    url, version = str(found["url"]), found.get("vcs_info")
    if isinstance(version, dict):
        return f"{version['vcs']}+{url}@{version.get('requested_revision') or version['commit_id']}"
    if not url.startswith("file://"):
        return url
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(url).path)


def direct_url() -> dict[str, object]:
    """What the installer noted of where the package came from (PEP 610); empty for one of an index, and in a clone."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    found: dict[str, object] = json.loads(text) if text else {}
    return found


def with_extras(source: str, extras: list[str]) -> str:
    """The source, as uv and pipx take it, with these extras on top of those that it names."""
    named = _REQUIREMENT.fullmatch(source) or _PLACE.fullmatch(source)
    assert named is not None
    base, given, rest = named["base"], named["extras"] or "", named["rest"] or ""
    wanted = ",".join(sorted({*filter(None, given.split(",")), *extras}))
    if not wanted:
        return source
    # An address bears no extras: they stand behind the package's name before it.
    return f"{PACKAGE}[{wanted}] @ {base}" if "://" in base else f"{base}[{wanted}]{rest}"


def _typed_to_uv() -> list[str]:
    """What was typed to uvx or `uv run`, where the system shows it: with its --from, its extras and its --with."""
    if not os.environ.get("UV"):
        return []
    given, parent = sys.argv[1:], _words_of_parent()
    words = parent[: len(parent) - len(given)]
    if not words or Path(words[0]).name != "uv" or parent[len(words) :] != given:
        return []
    if words[1:3] in (["tool", "uvx"], ["tool", "run"]):
        begin, words = _uvx(), words[3:]
    else:
        begin, words = [_uv()], words[1:]
    return [
        *begin,
        *(without_password(_whole(word, before)) for before, word in zip(["", *words], words, strict=False)),
    ]


def _words_of_parent() -> list[str]:
    """The words that started the process above; empty where the system does not show them."""
    try:
        return Path(f"/proc/{os.getppid()}/cmdline").read_bytes().decode().split("\0")[:-1]
    except (OSError, UnicodeError):
        return []


def _whole(word: str, before: str) -> str:
    """A word with its file's whole path, so that it holds in every folder: `--with` before it, or in it with `=`."""
    flag, equals, value = word.partition("=")
    if before in OF_FILES:
        flag, equals, value = "", "", word
    elif not equals or flag not in OF_FILES:
        return word
    path, bracket, extras = value.partition("[")
    is_path = path.startswith(".") or os.sep in path or path.endswith((".whl", ".tar.gz", ".txt"))
    whole = Path(path).resolve() if is_path and Path(path).exists() else path
    return f"{flag}{equals}{whole}{bracket}{extras}"


def without_password(word: str) -> str:
    """A word without the password or the token of an address: commands are printed, and stand in reports."""
    scheme, slashes, rest = word.partition("://")
    host, slash, path = rest.partition("/")
    user, at, place = host.rpartition("@")
    return f"{scheme}{slashes}{place}{slash}{path}" if slashes and at and user != "git" else word


def _typed(program: Path) -> str:
    """The program's name where a shell finds it by that, else its whole path."""
    from shutil import which

    name = program.name.removesuffix(".exe")
    found = which(name)
    return name if found and Path(found).absolute() == program.absolute() else str(program.absolute())


def _uvx() -> list[str]:
    from shutil import which

    return ["uvx"] if which("uvx") else [_uv(), "tool", "run"]


def _uv() -> str:
    from shutil import which

    return "uv" if which("uv") else os.environ.get("UV", "uv")


def _given_to_pipx() -> list[str]:
    """What was typed to `pipx run`, as pipx notes it beside the environment that it made; nothing in another form."""
    import json

    try:
        noted = json.loads((Path(sys.prefix) / _NOTED_BY_PIPX).read_text(encoding="utf-8"))
        beside = [str(each["package_or_url"]) for each in noted["injected_packages"].values()]
        spec = str(noted["main_package"]["package_or_url"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [
        without_password(word) for word in (*(word for each in beside for word in ("--with", each)), "--spec", spec)
    ]
