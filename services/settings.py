"""Settings: the only place that reads the environment and `.env`. Exported variables win over the file."""

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from evaluation.errors import ParseError, UsageError
from services import setting_values as read
from services.catalog import read_text
from services.named_endpoints import NamedEndpoint, named_endpoints
from services.setting_values import Variable, read_values, setting, variables_of

PROJECT = Path(__file__).resolve().parent.parent
"""The project's own folder: where `.env` is looked for when the working directory has none."""
_LARGEST_ENV_FILE = 1_000_000


@dataclass(frozen=True, slots=True)
class LangfuseAccess:
    """The address of Langfuse and the pair of keys of one project. `repr` shows no secret."""

    base_url: str = setting(
        "LANGFUSE_BASE_URL",
        read.address,
        "https://cloud.langfuse.com",
        "Address of Langfuse: https://cloud.langfuse.com (EU), https://us.cloud.langfuse.com (US), or your own server.",
        secret=True,
        heading="Langfuse: prompts come from there and results go there",
        older_name="LANGFUSE_HOST",
    )
    public_key: str = setting(
        "LANGFUSE_PUBLIC_KEY",
        read.key,
        "",
        "Public key of the Langfuse project. Both keys or neither; neither: prompts and results stay local.",
    )
    secret_key: str = setting("LANGFUSE_SECRET_KEY", read.key, "", "Secret key of the Langfuse project.", secret=True)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, checked. None means unset. `repr` shows no secret."""

    openai_api_key: str | None = setting(
        "OPENAI_API_KEY",
        read.key,
        None,
        "Key of the OpenAI-compatible endpoint. Servers that check none (llama.cpp, Ollama) need none.",
        secret=True,
        heading="The model that is evaluated, and the one that judges",
    )
    openai_base_url: str | None = setting(
        "OPENAI_BASE_URL",
        read.address,
        None,
        "Base URL of the endpoint, with its /v1, e.g. http://localhost:11434/v1 for Ollama. Unset with a key: OpenAI "
        "itself. Unset without a key: rehearsal model.",
        secret=True,
    )
    model: str | None = setting(
        "EVAL_MODEL",
        read.line,
        None,
        "Model that answers as the companion. Needed as soon as a key or a base URL is set; none is built in.",
    )
    judge_models: tuple[str, ...] = setting(
        "EVAL_JUDGE_MODEL",
        read.names,
        (),
        "Model that judges; several with commas between them are a panel, model@name judges at a further endpoint. "
        "Unset: EVAL_MODEL, with a note in every report, as a model prefers its own words.",
    )
    judge_escalate: str | None = setting(
        "EVAL_JUDGE_ESCALATE",
        read.line,
        None,
        "Model that decides where the members of a panel lie too far apart. Unset: such responses are marked for "
        "people.",
    )
    judge_prompt: str | None = setting(
        "EVAL_JUDGE_PROMPT",
        read.line,
        None,
        "The judge's prompt, where the team keeps it itself: name@v3 or name@label in Langfuse (without its keys, in "
        "the prompt folder), or a file. Unset: the rubric's own.",
    )
    judge_form: str | None = setting(
        "EVAL_JUDGE_FORM",
        read.line,
        None,
        "Form of the question to the judge, where it is not the rubric's: see docs/judge.md.",
    )
    moderation_model: str | None = setting(
        "EVAL_MODERATION_MODEL",
        read.line,
        None,
        "Model that moderates each response at the endpoint's /moderations, e.g. omni-moderation-latest. Unset: no "
        "response is moderated.",
    )
    temperature: float | None = setting(
        "EVAL_TEMPERATURE",
        read.number(0, 2),
        None,
        "Sampling temperature of the answers, from 0 to 2, when neither flag nor prompt gives one. Unset: not sent.",
    )
    max_tokens: int | None = setting(
        "EVAL_MAX_TOKENS",
        read.whole(1, 1_000_000),
        None,
        "Longest answer in tokens when neither flag nor prompt gives one. Unset: not sent.",
    )
    prompt_name: str = setting(
        "EVAL_PROMPT_NAME",
        read.line,
        "penpal-companion",
        "Prompt that a bare version or label (v3, production) belongs to.",
        heading="Prompts",
    )
    prompts_dir: Path = setting(
        "EVAL_PROMPTS_DIR",
        read.path,
        PROJECT / "prompts",
        "Folder of the prompt files that are used without Langfuse keys. Unset: prompts/ of this project.",
    )
    ignored_config: tuple[str, ...] = setting(
        "EVAL_IGNORE_CONFIG",
        read.names,
        (),
        "Keys of prompts' configs that no answer depends on, such as owner,ticket: they are not sent, and the manifest "
        "says so. Another key that calls are not sent is refused.",
    )
    rubric: str | None = setting(
        "EVAL_RUBRIC",
        read.line,
        None,
        "Rubric of the companion suite when no --rubric is given: a shipped one (companion-v3) or a file. Unset: "
        "companion; other suites have their own.",
        heading="Rules",
    )
    endpoints: Mapping[str, NamedEndpoint] = field(default_factory=dict, repr=False)
    """Further endpoints by name."""
    langfuse: LangfuseAccess | None = None
    """None where no keys are set."""
    tracing_environment: str = setting(
        "LANGFUSE_TRACING_ENVIRONMENT",
        read.environment,
        "evaluation",
        "Environment that traces and scores bear in Langfuse, apart from those of production.",
    )
    sample_rate: float = setting(
        "LANGFUSE_SAMPLE_RATE",
        read.number(0, 1),
        1.0,
        "Share of traces that Langfuse clients send, from 0 to 1. Below 1 an evaluation would lose results, so it is "
        "refused before anything is paid for.",
    )
    tracing_enabled: bool = setting(
        "LANGFUSE_TRACING_ENABLED",
        read.switch,
        True,
        "false turns delivery to Langfuse off; prompts are still taken from there.",
    )
    mask: tuple[str, ...] = setting(
        "LANGFUSE_MASK",
        read.masks,
        (),
        "What is blotted out of every text before it leaves for Langfuse: email, phone, or both, with a comma between.",
    )
    mask_pattern: str | None = setting(
        "LANGFUSE_MASK_PATTERN",
        read.pattern,
        None,
        r"A regular expression of your own for the same, e.g. \b[A-Z]{2}[0-9]{6}\b; several are joined with |.",
    )
    chat_flow_url: str | None = setting(
        "CHAT_FLOW_URL",
        read.address,
        None,
        "Address of the recipe assistant that the chat flow suite evaluates. Unset: the embedded sample application.",
        secret=True,
        heading="Chat flow suite",
    )
    chat_flow_headers: Mapping[str, str] = setting(
        "CHAT_FLOW_HEADERS",
        read.headers,
        {},
        'Headers sent to it, as a JSON object from name to text: {"Authorization": "Bearer ..."}. The values are never '
        "shown.",
        secret=True,
    )
    chat_flow_timeout_seconds: float = setting(
        "CHAT_FLOW_TIMEOUT_SECONDS",
        read.number(0.1, 3600),
        30.0,
        "Longest time for one call to it, from connecting to the last byte. A call that takes longer is a failed one.",
    )
    chat_flow_mapping: Path | None = setting(
        "CHAT_FLOW_MAPPING",
        read.path,
        None,
        "Mapping file (YAML) for an application whose paths and fields have other names: see "
        "docs/evals-and-feedback.md.",
    )
    runs_dir: Path = setting(
        "EVAL_RUNS_DIR",
        read.path,
        Path("runs"),
        "Folder of the journal and of the files of each run.",
        heading="How it runs",
    )
    concurrency: int = setting(
        "EVAL_CONCURRENCY",
        read.whole(1, 1000),
        16,
        "Calls that may be open at the same time per endpoint, from 1 to 1000.",
    )
    rpm: int | None = setting(
        "EVAL_RPM",
        read.whole(1, 10_000_000),
        None,
        "Requests that an endpoint permits a minute: calls are spread evenly under it. Unset means no limit but its "
        "own.",
    )
    tpm: int | None = setting(
        "EVAL_TPM",
        read.whole(1, 10_000_000_000),
        None,
        "Tokens that an endpoint permits a minute, questions and answers together.",
    )
    call_timeout_seconds: float = setting(
        "EVAL_CALL_TIMEOUT_SECONDS",
        read.number(0.1, 3600),
        60.0,
        "Longest time for one attempt of one call, from the first byte sent to the last byte read.",
    )
    delivery_seconds: float = setting(
        "EVAL_DELIVERY_SECONDS",
        read.number(1, 86_400),
        300.0,
        "Longest wait for Langfuse at the end of a run; what it has not confirmed by then is left to make sync.",
    )
    human: Path | None = setting(
        "EVAL_HUMAN",
        read.path,
        None,
        "File of people's reviews by which the means of a run are corrected. Unset: all reviews in the runs folder.",
        heading="People's labels (docs/calibration.md)",
    )
    baselines_dir: Path = setting(
        "EVAL_BASELINES_DIR",
        read.path,
        Path("baselines"),
        "Folder of the approved baselines, one file per prompt; keep it under version control.",
        heading="The night watch (docs/nightly.md)",
    )
    webhook_url: str | None = setting(
        "EVAL_WEBHOOK_URL",
        read.address,
        None,
        "Incoming webhook of a chat that hears of a night's alarm and of its end. Whoever knows the address can post: "
        "it is kept as a secret.",
        secret=True,
    )
    keep_nights: int = setting(
        "EVAL_NIGHTLY_KEEP_NIGHTS",
        read.whole(1, 10_000),
        14,
        "How many of the newest nights keep their runs, however old they are.",
    )
    keep_days: int = setting(
        "EVAL_NIGHTLY_KEEP_DAYS",
        read.whole(1, 10_000),
        30,
        "For how many days every night keeps its runs. The baseline's run always stays.",
    )
    env_file: Path | None = None
    """The `.env` that was read, if any."""

    def secrets(self) -> tuple[str, ...]:
        """The values that no output may contain."""
        langfuse = self.langfuse.secret_key if self.langfuse else None
        # A header's value often is a word and the secret proper: "Bearer abc".
        headers = [part for value in self.chat_flow_headers.values() for part in (value, value.split()[-1])]
        further = [value for endpoint in self.endpoints.values() for value in endpoint.secrets()]
        held = (
            self.openai_api_key,
            *further,
            langfuse,
            self.webhook_url,
            *headers,
            urlsplit(self.chat_flow_url or "").password,
        )
        return tuple(value for value in held if value)


def variables() -> Iterator[Variable]:
    """Every variable that the tool reads, in the order in which the documents show them."""
    nested = {"endpoints": NamedEndpoint, "langfuse": LangfuseAccess}
    for each in fields(Settings):
        if each.name in nested:
            yield from (variable for _, variable in variables_of(nested[each.name]))
        elif "variable" in each.metadata:
            yield each.metadata["variable"]


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
    """Settings from variable -> text. Raises UsageError for a text that cannot be used."""
    return Settings(
        **read_values(Settings, values),
        endpoints=named_endpoints(values),
        langfuse=_langfuse_access(values),
        env_file=env_file,
    )


def _langfuse_access(values: Mapping[str, str]) -> LangfuseAccess | None:
    access = LangfuseAccess(**read_values(LangfuseAccess, values))
    public, secret = access.public_key, access.secret_key
    if not public and not secret:
        return None
    if not public or not secret:
        names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
        given, missing = names if public else reversed(names)
        raise UsageError(f"{given} is set and {missing} is not: set both, or neither to work without Langfuse")
    if public.startswith("sk-lf-") or secret.startswith("pk-lf-"):
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are exchanged: the public one begins with pk-")
    return access


def _env_file(folder: Path) -> Path | None:
    """The first `.env` there is; a named pipe counts too, as secret managers offer one."""
    for candidate in (folder / ".env", PROJECT / ".env"):
        if candidate.exists() and not candidate.is_dir():
            return candidate
    return None


def _read_env_file(path: Path) -> dict[str, str]:
    """Variable -> value. Raises ParseError naming the line, never its text: the text may be a key."""
    text = read_text(path, _LARGEST_ENV_FILE).text
    for binding in parse_stream(io.StringIO(text)):
        if binding.error or (binding.key is not None and binding.value is None):
            original = binding.original
            blank = original.string[: len(original.string) - len(original.string.lstrip())]
            line = original.line + blank.count("\n")
            raise ParseError(f"{path}:{line}", "is not NAME=value: close its quotes, or write # before a comment")
    return {name: value for name, value in dotenv_values(stream=io.StringIO(text)).items() if value}
