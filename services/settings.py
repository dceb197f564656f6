"""Settings: which there are, what each means, and where it may be said. One declaration for each.

The environment wins over `.env`, which wins over the workspace file.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from services import setting_values as read
from services.embedding_settings import EmbeddingSettings
from services.langfuse_access import LangfuseAccess, langfuse_access
from services.named_endpoints import NamedEndpoint, named_endpoints
from services.night_settings import NightSettings
from services.setting_sources import Sources, check_workspace_file, open_sources
from services.setting_values import Variable, setting, variables_of
from services.workspace import Workspace, find_workspace

PARTS: Mapping[str, type] = {"embedding": EmbeddingSettings, "langfuse": LangfuseAccess, "night": NightSettings}
"""Field of the settings -> the class of those that it holds."""
DEFAULT_LABEL = "production"
"""Of the prompt that is evaluated where none is named."""


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
        key="base_url",
    )
    model: str | None = setting(
        "EVAL_MODEL",
        read.line,
        None,
        "Model that answers as the companion. Needed as soon as a key or a base URL is set; none is built in.",
        key="model",
    )
    judge_models: tuple[str, ...] = setting(
        "EVAL_JUDGE_MODEL",
        read.names,
        (),
        "Model that judges; several with commas between them are a panel, model@name judges at a further endpoint. "
        "Unset: EVAL_MODEL, with a note in every report, as a model prefers its own words.",
        key="judge_models",
    )
    judge_escalate: str | None = setting(
        "EVAL_JUDGE_ESCALATE",
        read.line,
        None,
        "Model that decides where the members of a panel lie too far apart. Unset: such responses are marked for "
        "people.",
        key="judge_escalate",
    )
    judge_prompt: str | None = setting(
        "EVAL_JUDGE_PROMPT",
        read.name_or_path,
        None,
        "The judge's prompt, where the team keeps it itself: name@v3 or name@label in Langfuse (without its keys, in "
        "the prompt folder), or a file. Unset: the rubric's own.",
        key="judge_prompt",
    )
    judge_form: str | None = setting(
        "EVAL_JUDGE_FORM",
        read.line,
        None,
        "Form of the question to the judge, where it is not the rubric's: see docs/judge.md.",
        key="judge_form",
    )
    moderation_model: str | None = setting(
        "EVAL_MODERATION_MODEL",
        read.line,
        None,
        "Model that moderates each response at the endpoint's /moderations, e.g. omni-moderation-latest. Unset: no "
        "response is moderated.",
        key="moderation",
    )
    temperature: float | None = setting(
        "EVAL_TEMPERATURE",
        read.number(0, 2),
        None,
        "Sampling temperature of the answers, from 0 to 2, when neither flag nor prompt gives one. Unset: not sent.",
        key="temperature",
    )
    max_tokens: int | None = setting(
        "EVAL_MAX_TOKENS",
        read.whole(1, 1_000_000),
        None,
        "Longest answer in tokens when neither flag nor prompt gives one. Unset: not sent.",
        key="max_tokens",
    )
    prompt: str = setting(
        "EVAL_PROMPT_NAME",
        read.prompt,
        "penpal-companion",
        "Prompt that a bare version or label (v3, production) belongs to. With a label or version, name@staging, that "
        "is what is evaluated where no prompt is named, and what nights watch; without one, production.",
        heading="Prompts",
        key="prompt",
    )
    prompts_dir: Path = setting(
        "EVAL_PROMPTS_DIR",
        read.path,
        Workspace().prompts,
        "Folder of the prompt files that are used without Langfuse keys. Unset: prompts/ beside the workspace file, "
        "else the shipped ones.",
        key="prompts",
    )
    ignored_config: tuple[str, ...] = setting(
        "EVAL_IGNORE_CONFIG",
        read.names,
        (),
        "Keys of prompts' configs that no answer depends on, such as owner,ticket: they are not sent, and the manifest "
        "says so. Another key that calls are not sent is refused.",
        key="ignore_config",
    )
    rubric: str | None = setting(
        "EVAL_RUBRIC",
        read.reference,
        None,
        "Rubric of the default suite when no --rubric is given: a shipped one (companion-v3) or a file. Unset: "
        "companion; other suites have their own.",
        heading="Rules",
        key="rubric",
    )
    scenarios: tuple[str, ...] = setting(
        "EVAL_SCENARIOS",
        read.references,
        (),
        "Scenario sets of the default suite when no --scenarios is given: shipped names, files or folders. Unset: the "
        "suite's own.",
        key="scenarios",
    )
    suite: str = setting(
        "EVAL_SUITE",
        read.name_or_path,
        "companion",
        "Suite when no --suite is given: a shipped one, one of your own by name, or the folder or file of one.",
        key="suite",
    )
    suites_dir: Path = setting(
        "EVAL_SUITES_DIR",
        read.path,
        Path("suites"),
        "Folder of your own suites, each a folder with suite.yaml or a file NAME.yaml.",
        key="suites",
    )
    cues: Path | None = setting("", read.path, None, "Python file of your own cues, for rubrics.", key="cues")
    languages: Path | None = setting(
        "", read.path, None, "Your own language pack, or a folder of several (docs/languages.md).", key="languages"
    )
    gate: str | None = setting(
        "EVAL_GATE",
        read.one_of("deploy", "ab_test"),
        None,
        "Gate of an evaluation of prompts where no --gate is given: deploy or ab_test. Unset: none.",
        key="gate",
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
        key="langfuse.environment",
    )
    sample_rate: float = setting(
        "LANGFUSE_SAMPLE_RATE",
        read.number(0, 1),
        1.0,
        "Share of traces that Langfuse clients send, from 0 to 1. Below 1 an evaluation would lose results, so it is "
        "refused before anything is paid for.",
        key="langfuse.sample_rate",
    )
    tracing_enabled: bool = setting(
        "LANGFUSE_TRACING_ENABLED",
        read.switch,
        True,
        "false turns delivery to Langfuse off; prompts are still taken from there.",
        key="langfuse.enabled",
    )
    mask: tuple[str, ...] = setting(
        "LANGFUSE_MASK",
        read.masks,
        (),
        "What is blotted out of every text before it leaves for Langfuse: email, phone, or both, with a comma between.",
        key="langfuse.mask",
    )
    mask_pattern: str | None = setting(
        "LANGFUSE_MASK_PATTERN",
        read.pattern,
        None,
        r"A regular expression of your own for the same, e.g. \b[A-Z]{2}[0-9]{6}\b; several are joined with |.",
        key="langfuse.mask_pattern",
    )
    chat_flow_url: str | None = setting(
        "CHAT_FLOW_URL",
        read.address,
        None,
        "Address of the application that is evaluated. Unset: for the recipe suite the embedded sample assistant.",
        secret=True,
        heading="An application under test",
        key="application.url",
    )
    application_call: str | None = setting(
        "",
        read.function,
        None,
        "A Python function in the place of an application over HTTP, as FILE.py:NAME.",
        key="application.call",
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
        read.seconds_of_a_call,
        30.0,
        "Longest time for one call to it, from connecting to the last byte. A call that takes longer is a failed one.",
        key="application.timeout_seconds",
    )
    chat_flow_mapping: Path | None = setting(
        "CHAT_FLOW_MAPPING",
        read.path,
        None,
        "Mapping file (YAML) that says how the application is asked and read: docs/applications.md, for a recipe "
        "assistant docs/evals-and-feedback.md.",
        key="application.mapping",
    )
    runs_dir: Path = setting(
        "EVAL_RUNS_DIR",
        read.path,
        Path("runs"),
        "Folder of the journal and of the files of each run.",
        heading="How it runs",
        key="runs",
        made=True,
    )
    certificates_dir: Path = setting(
        "EVAL_CERTIFICATES_DIR",
        read.path,
        Path("certificates"),
        "Folder of the certificates that promotions leave (docs/promotion.md); keep it under version control.",
        key="certificates",
        made=True,
    )
    concurrency: int = setting(
        "EVAL_CONCURRENCY",
        read.whole(1, 1000),
        16,
        "Calls that may be open at the same time per endpoint, from 1 to 1000.",
        key="concurrency",
    )
    rpm: int | None = setting(
        "EVAL_RPM",
        read.requests_a_minute,
        None,
        "Requests that an endpoint permits a minute: calls are spread evenly under it. Unset means no limit but its "
        "own.",
        key="rpm",
    )
    tpm: int | None = setting(
        "EVAL_TPM",
        read.tokens_a_minute,
        None,
        "Tokens that an endpoint permits a minute, questions and answers together.",
        key="tpm",
    )
    call_timeout_seconds: float = setting(
        "EVAL_CALL_TIMEOUT_SECONDS",
        read.seconds_of_a_call,
        60.0,
        "Longest time for one attempt of one call, from the first byte sent to the last byte read.",
        key="call_timeout_seconds",
    )
    delivery_seconds: float = setting(
        "EVAL_DELIVERY_SECONDS",
        read.number(1, 86_400),
        300.0,
        "Longest wait for Langfuse at the end of a run; what it has not confirmed by then is delivered later.",
        key="langfuse.delivery_seconds",
    )
    human: Path | None = setting(
        "EVAL_HUMAN",
        read.path,
        None,
        "File of people's reviews by which the means of a run are corrected. Unset: all reviews in the runs folder.",
        heading="People's labels (docs/calibration.md)",
        key="human",
    )
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    """Who makes vectors of texts."""
    night: NightSettings = field(default_factory=NightSettings)
    """What the night watch is to do."""
    env_file: Path | None = None
    """The `.env` that was read, if any."""
    workspace: Workspace = field(default_factory=Workspace, compare=False, repr=False)
    """Where everything is found."""

    @property
    def prompt_name(self) -> str:
        """The prompt that a bare version or label belongs to."""
        return self.prompt.rpartition("@")[0].strip() or self.prompt

    @property
    def prompt_reference(self) -> str:
        """What is evaluated where no prompt is named: a version or label of that prompt."""
        return self.prompt.rpartition("@")[2].strip() if "@" in self.prompt else DEFAULT_LABEL

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
            self.night.webhook_url,
            *headers,
            urlsplit(self.chat_flow_url or "").password,
        )
        return tuple(value for value in held if value)


def variables() -> Iterator[Variable]:
    """Every setting that has a variable, in the order in which the documents show them."""
    return (each for each in declared_settings() if each.name)


def declared_settings() -> Iterator[Variable]:
    """Every setting, in the order of the documents."""
    nested = {"endpoints": NamedEndpoint, **PARTS}
    for each in fields(Settings):
        if each.name in nested:
            yield from (variable for _, variable in variables_of(nested[each.name]))
        elif "variable" in each.metadata:
            yield each.metadata["variable"]


def read_settings(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings of this process: `environ` over `.env` over the workspace file.

    `environ` is the process's environment and `folder` the working directory unless given. An empty value is unset.
    Raises UsageError naming the variable, or the file and line, that has to be changed. No key is ever printed.
    """
    return settings_of(read_sources(environ, folder))


def read_sources(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Sources:
    """All that the settings of this process are read from. Raises UsageError as `read_settings` does."""
    workspace = find_workspace(folder)
    if workspace.file is not None:
        check_workspace_file(workspace.file, list(declared_settings()))
    started_in = Path.cwd() if folder is None else folder
    return open_sources(os.environ if environ is None else environ, workspace, started_in)


def settings_of(sources: Sources) -> Settings:
    """Settings from all that they are read from. Raises UsageError for a value that cannot be used."""
    traced = sources.trace(Settings)
    values = {name: value for name, (value, _) in traced.items()}
    if sources.workspace.file is not None and traced["prompts_dir"][1].kind == "default":
        values["prompts_dir"] = sources.workspace.prompts
    return Settings(
        **values,
        endpoints=named_endpoints(sources),
        langfuse=langfuse_access(sources),
        embedding=EmbeddingSettings(**sources.read(EmbeddingSettings)),
        night=NightSettings(**sources.read(NightSettings)),
        env_file=sources.env_file,
        workspace=sources.workspace,
    )
