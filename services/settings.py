"""Settings: the only place that reads the environment and `.env`. Exported variables win over the file."""

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from evaluation.errors import ParseError, UsageError
from services.setting_values import SettingValues

OPENAI_API_KEY = "OPENAI_API_KEY"
"""Key of the OpenAI-compatible endpoint. Servers that check none (llama.cpp, Ollama) need none."""
OPENAI_BASE_URL = "OPENAI_BASE_URL"
"""Base URL of the endpoint, with its /v1. Unset with a key: OpenAI itself. Unset without a key: rehearsal model."""
EVAL_MODEL = "EVAL_MODEL"
"""Model that answers as the companion. Needed as soon as a key or a base URL is set."""
EVAL_JUDGE_MODEL = "EVAL_JUDGE_MODEL"
"""Model that judges. Unset: EVAL_MODEL, with a note that a model prefers its own words."""
EVAL_JUDGE_PROMPT = "EVAL_JUDGE_PROMPT"
"""The judge's prompt: name@v3 or name@label in Langfuse or the prompt folder, or a file. Unset: the rubric's own."""
EVAL_MODERATION_MODEL = "EVAL_MODERATION_MODEL"
"""Model that moderates each response at the endpoint's /moderations. Unset: no response is moderated."""
EVAL_TEMPERATURE = "EVAL_TEMPERATURE"
"""Sampling temperature of the answers, from 0 to 2, when neither flag nor prompt gives one. Unset: not sent."""
EVAL_MAX_TOKENS = "EVAL_MAX_TOKENS"
"""Longest answer in tokens when neither flag nor prompt gives one. Unset: not sent."""
EVAL_PROMPT_NAME = "EVAL_PROMPT_NAME"
"""Prompt that a bare version or label (v3, production) belongs to."""
EVAL_PROMPTS_DIR = "EVAL_PROMPTS_DIR"
"""Folder of the prompt files that are used without Langfuse keys. Unset: prompts/ of this project."""
LANGFUSE_PUBLIC_KEY = "LANGFUSE_PUBLIC_KEY"
"""Public key of the Langfuse project. Both keys or neither; neither: prompts and results stay local."""
LANGFUSE_SECRET_KEY = "LANGFUSE_SECRET_KEY"
"""Secret key of the Langfuse project."""
LANGFUSE_BASE_URL = "LANGFUSE_BASE_URL"
"""Address of Langfuse: the cloud region of the project, or a server of your own."""
LANGFUSE_HOST = "LANGFUSE_HOST"
"""Older name of LANGFUSE_BASE_URL; read when that is unset."""
LANGFUSE_TRACING_ENVIRONMENT = "LANGFUSE_TRACING_ENVIRONMENT"
"""Environment that traces and scores bear in Langfuse, apart from those of production."""
LANGFUSE_SAMPLE_RATE = "LANGFUSE_SAMPLE_RATE"
"""Share of traces that Langfuse clients send, from 0 to 1. Below 1 an evaluation would lose results, so it is refused
before anything is paid for."""
LANGFUSE_TRACING_ENABLED = "LANGFUSE_TRACING_ENABLED"
"""false turns delivery to Langfuse off; prompts are still taken from there."""
LANGFUSE_MASK = "LANGFUSE_MASK"
"""What is blotted out of every text before it leaves for Langfuse: email, phone, or both, with a comma between."""
LANGFUSE_MASK_PATTERN = "LANGFUSE_MASK_PATTERN"
"""A regular expression of your own for the same; several are joined with |."""
CHAT_FLOW_URL = "CHAT_FLOW_URL"
"""Address of the recipe assistant that the chat flow suite evaluates. Unset: the embedded sample application."""
CHAT_FLOW_HEADERS = "CHAT_FLOW_HEADERS"
"""Headers sent to it, as a JSON object from name to text. The values are never shown."""
CHAT_FLOW_TIMEOUT_SECONDS = "CHAT_FLOW_TIMEOUT_SECONDS"
"""Longest time for one call to it, from connecting to the last byte. A call that takes longer is a failed one."""
CHAT_FLOW_MAPPING = "CHAT_FLOW_MAPPING"
"""Mapping file for an application whose paths and fields have other names."""
EVAL_RUNS_DIR = "EVAL_RUNS_DIR"
"""Folder of the journal and of the files of each run."""
EVAL_CONCURRENCY = "EVAL_CONCURRENCY"
"""Calls that may be open at the same time per endpoint, from 1 to 1000."""
EVAL_RPM = "EVAL_RPM"
"""Requests that an endpoint permits a minute: calls are spread evenly under it. Unset means no limit but its own."""
EVAL_TPM = "EVAL_TPM"
"""Tokens that an endpoint permits a minute, questions and answers together."""
EVAL_CALL_TIMEOUT_SECONDS = "EVAL_CALL_TIMEOUT_SECONDS"
"""Longest time for one attempt of one call, from the first byte sent to the last byte read."""
EVAL_DELIVERY_SECONDS = "EVAL_DELIVERY_SECONDS"
"""Longest wait for Langfuse at the end of a run; what it has not confirmed by then is left to make sync."""
EVAL_BASELINES_DIR = "EVAL_BASELINES_DIR"
"""Folder of the approved baselines, one file per prompt; keep it under version control."""
EVAL_WEBHOOK_URL = "EVAL_WEBHOOK_URL"
"""Incoming webhook of a chat that hears of a night's alarm and of its end. Whoever knows the address can post: it is
kept as a secret."""
EVAL_NIGHTLY_KEEP_NIGHTS = "EVAL_NIGHTLY_KEEP_NIGHTS"
"""How many of the newest nights keep their runs, however old they are."""
EVAL_NIGHTLY_KEEP_DAYS = "EVAL_NIGHTLY_KEEP_DAYS"
"""For how many days every night keeps its runs. The baseline's run always stays."""

DEFAULT_PROMPT_NAME = "penpal-companion"
DEFAULT_LANGFUSE_URL = "https://cloud.langfuse.com"
DEFAULT_TRACING_ENVIRONMENT = "evaluation"
MASKS = ("email", "phone")
DEFAULT_CONCURRENCY = 16
DEFAULT_CALL_TIMEOUT_SECONDS = 60.0
DEFAULT_CHAT_FLOW_TIMEOUT_SECONDS = 30.0
DEFAULT_DELIVERY_SECONDS = 300.0
DEFAULT_KEEP_NIGHTS = 14
DEFAULT_KEEP_DAYS = 30

PROJECT = Path(__file__).resolve().parent.parent
"""The project's own folder: where `.env` is looked for when the working directory has none."""
DEFAULT_PROMPTS_DIR = PROJECT / "prompts"

_ENVIRONMENT = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
_MAX_ENV_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class LangfuseAccess:
    """Where Langfuse is and the pair of keys of one project. `repr` shows no secret."""

    base_url: str = field(repr=False)
    """Without a slash at the end."""
    public_key: str
    secret_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, checked. None means unset. `repr` shows no secret."""

    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = field(default=None, repr=False)
    model: str | None = None
    judge_model: str | None = None
    judge_prompt: str | None = None
    moderation_model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    prompt_name: str = DEFAULT_PROMPT_NAME
    prompts_dir: Path = DEFAULT_PROMPTS_DIR
    langfuse: LangfuseAccess | None = None
    """None where no keys are set."""
    tracing_environment: str = DEFAULT_TRACING_ENVIRONMENT
    sample_rate: float = 1.0
    tracing_enabled: bool = True
    mask: tuple[str, ...] = ()
    """Names of what is masked: email, phone."""
    mask_pattern: str | None = None
    """A regular expression of what else is masked; it compiles."""
    chat_flow_url: str | None = field(default=None, repr=False)
    chat_flow_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    chat_flow_timeout_seconds: float = DEFAULT_CHAT_FLOW_TIMEOUT_SECONDS
    chat_flow_mapping: Path | None = None
    runs_dir: Path = Path("runs")
    concurrency: int = DEFAULT_CONCURRENCY
    rpm: int | None = None
    tpm: int | None = None
    call_timeout_seconds: float = DEFAULT_CALL_TIMEOUT_SECONDS
    delivery_seconds: float = DEFAULT_DELIVERY_SECONDS
    baselines_dir: Path = Path("baselines")
    webhook_url: str | None = field(default=None, repr=False)
    keep_nights: int = DEFAULT_KEEP_NIGHTS
    keep_days: int = DEFAULT_KEEP_DAYS
    env_file: Path | None = None
    """The `.env` that was read, if any."""

    def secrets(self) -> tuple[str, ...]:
        """The values that no output may contain."""
        langfuse = self.langfuse.secret_key if self.langfuse else None
        # A header's value often is a word and the secret proper: "Bearer abc".
        headers = [part for value in self.chat_flow_headers.values() for part in (value, value.split()[-1])]
        held = (self.openai_api_key, langfuse, self.webhook_url, *headers, urlsplit(self.chat_flow_url or "").password)
        return tuple(value for value in held if value)


def read_settings(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings of this process: `environ` over the `.env` in `folder`, or else in the project's folder.

    `environ` is the process's environment and `folder` the working directory unless given. An empty value is unset.
    Raises UsageError naming the variable, or the file and line, that has to be changed. No key is ever printed.
    """
    exported = os.environ if environ is None else environ
    path = _env_file(Path.cwd() if folder is None else folder)
    values = _read_env_file(path) if path else {}
    values.update({name: value for name, value in exported.items() if value.strip()})
    return settings_from(values, path)


def settings_from(values: Mapping[str, str], env_file: Path | None = None) -> Settings:
    """Settings from variable -> value. Raises UsageError for a value that cannot be used."""
    read = SettingValues.of(values)
    return Settings(
        openai_api_key=read.key(OPENAI_API_KEY),
        openai_base_url=read.url(OPENAI_BASE_URL),
        model=read.line(EVAL_MODEL),
        judge_model=read.line(EVAL_JUDGE_MODEL),
        judge_prompt=read.line(EVAL_JUDGE_PROMPT),
        moderation_model=read.line(EVAL_MODERATION_MODEL),
        temperature=read.number(EVAL_TEMPERATURE, 0, 2, None),
        max_tokens=read.whole(EVAL_MAX_TOKENS, 1, 1_000_000, None),
        prompt_name=read.line(EVAL_PROMPT_NAME) or DEFAULT_PROMPT_NAME,
        prompts_dir=read.path(EVAL_PROMPTS_DIR) or DEFAULT_PROMPTS_DIR,
        langfuse=_langfuse_access(read),
        tracing_environment=_tracing_environment(read),
        sample_rate=read.number(LANGFUSE_SAMPLE_RATE, 0, 1, 1.0),
        tracing_enabled=read.switch(LANGFUSE_TRACING_ENABLED, True),
        mask=_mask_names(read),
        mask_pattern=_mask_pattern(read),
        chat_flow_url=read.url(CHAT_FLOW_URL),
        chat_flow_headers=read.headers(CHAT_FLOW_HEADERS),
        chat_flow_timeout_seconds=read.number(CHAT_FLOW_TIMEOUT_SECONDS, 0.1, 3600, DEFAULT_CHAT_FLOW_TIMEOUT_SECONDS),
        chat_flow_mapping=read.path(CHAT_FLOW_MAPPING),
        runs_dir=read.path(EVAL_RUNS_DIR) or Path("runs"),
        concurrency=read.whole(EVAL_CONCURRENCY, 1, 1000, DEFAULT_CONCURRENCY),
        rpm=read.whole(EVAL_RPM, 1, 10_000_000, None),
        tpm=read.whole(EVAL_TPM, 1, 10_000_000_000, None),
        call_timeout_seconds=read.number(EVAL_CALL_TIMEOUT_SECONDS, 0.1, 3600, DEFAULT_CALL_TIMEOUT_SECONDS),
        delivery_seconds=read.number(EVAL_DELIVERY_SECONDS, 1, 86_400, DEFAULT_DELIVERY_SECONDS),
        baselines_dir=read.path(EVAL_BASELINES_DIR) or Path("baselines"),
        webhook_url=read.url(EVAL_WEBHOOK_URL),
        keep_nights=read.whole(EVAL_NIGHTLY_KEEP_NIGHTS, 1, 10_000, DEFAULT_KEEP_NIGHTS),
        keep_days=read.whole(EVAL_NIGHTLY_KEEP_DAYS, 1, 10_000, DEFAULT_KEEP_DAYS),
        env_file=env_file,
    )


def _langfuse_access(read: SettingValues) -> LangfuseAccess | None:
    public, secret = read.key(LANGFUSE_PUBLIC_KEY), read.key(LANGFUSE_SECRET_KEY)
    url = read.url(LANGFUSE_BASE_URL) or read.url(LANGFUSE_HOST) or DEFAULT_LANGFUSE_URL
    if public is None and secret is None:
        return None
    if public is None or secret is None:
        given, missing = (
            (LANGFUSE_SECRET_KEY, LANGFUSE_PUBLIC_KEY) if public is None else (LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY)
        )
        raise UsageError(f"{given} is set and {missing} is not: set both, or neither to work without Langfuse")
    if public.startswith("sk-lf-") or secret.startswith("pk-lf-"):
        raise UsageError(
            f"{LANGFUSE_PUBLIC_KEY} and {LANGFUSE_SECRET_KEY} are exchanged: the public one begins with pk-"
        )
    return LangfuseAccess(base_url=url, public_key=public, secret_key=secret)


def _tracing_environment(read: SettingValues) -> str:
    name = read.line(LANGFUSE_TRACING_ENVIRONMENT) or DEFAULT_TRACING_ENVIRONMENT
    if not _ENVIRONMENT.fullmatch(name):
        raise UsageError(
            f"{LANGFUSE_TRACING_ENVIRONMENT} is {name[:80]!r}: "
            "use at most 40 small letters, digits, - and _, not beginning with langfuse"
        )
    return name


def _mask_names(read: SettingValues) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in (read.line(LANGFUSE_MASK) or "").split(",") if name.strip())
    for name in names:
        if name not in MASKS:
            raise UsageError(f"{LANGFUSE_MASK} is {name[:80]!r}: choose from {', '.join(MASKS)}")
    return names


def _mask_pattern(read: SettingValues) -> str | None:
    pattern = read.line(LANGFUSE_MASK_PATTERN)
    if pattern is not None:
        try:
            empty = re.compile(pattern).match("") is not None
        except re.error as error:
            raise UsageError(f"{LANGFUSE_MASK_PATTERN} is no regular expression ({error}): correct it") from None
        if empty:
            raise UsageError(f"{LANGFUSE_MASK_PATTERN} matches the empty text: make it ask for a character")
    return pattern


def _env_file(folder: Path) -> Path | None:
    """The first `.env` there is; a named pipe counts too, as secret managers offer one."""
    for candidate in (folder / ".env", PROJECT / ".env"):
        if candidate.exists() and not candidate.is_dir():
            return candidate
    return None


def _read_env_file(path: Path) -> dict[str, str]:
    """Variable -> value. Raises ParseError naming the line, never its text: the text may be a key."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_MAX_ENV_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text: save it as such") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): mend its permissions or remove it") from None
    if len(text) > _MAX_ENV_CHARACTERS:
        raise UsageError(f"{path}: is longer than {_MAX_ENV_CHARACTERS:,} characters: this is no settings file")
    for binding in parse_stream(io.StringIO(text)):
        if binding.error or (binding.key is not None and binding.value is None):
            original = binding.original
            blank = original.string[: len(original.string) - len(original.string.lstrip())]
            line = original.line + blank.count("\n")
            raise ParseError(f"{path}:{line}", "is not NAME=value: close its quotes, or write # before a comment")
    return {name: value for name, value in dotenv_values(stream=io.StringIO(text)).items() if value}
