"""What the night watch is to do, as settings say it: baselines, webhook, how long runs are kept."""

from dataclasses import dataclass
from pathlib import Path

from services import setting_values as read
from services.setting_values import setting


@dataclass(frozen=True, slots=True)
class NightSettings:
    """The settings of nights (docs/nightly.md). `repr` shows no secret."""

    baselines_dir: Path = setting(
        "EVAL_BASELINES_DIR",
        read.path,
        Path("baselines"),
        "Folder of the approved baselines, one file per prompt; keep it under version control.",
        heading="The night watch (docs/nightly.md)",
        key="baselines",
        made=True,
    )
    prompts: tuple[str, ...] = setting(
        "EVAL_NIGHTLY_PROMPTS",
        read.prompts,
        (),
        "Prompts that nights watch, where it is more than one: names with commas between them, or name@label. Unset: "
        "that of EVAL_PROMPT_NAME.",
        key="nightly.prompts",
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
        key="nightly.keep_nights",
    )
    keep_days: int = setting(
        "EVAL_NIGHTLY_KEEP_DAYS",
        read.whole(1, 10_000),
        30,
        "For how many days every night keeps its runs. The baseline's run always stays.",
        key="nightly.keep_days",
    )
