"""The family of a model by its name: the house that made it, whose models write and judge alike."""

import re

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("openai", r"gpt|chatgpt|o[134](?:-|$)|davinci"),
    ("anthropic", r"claude"),
    ("google", r"gemini|gemma|palm"),
    ("meta", r"llama|meta-llama"),
    ("mistral", r"mi[sx]tral|ministral|codestral|magistral|pixtral|open-mi[sx]tral"),
    ("alibaba", r"qwen|qwq"),
    ("deepseek", r"deepseek"),
    ("xai", r"grok"),
    ("cohere", r"command|c4ai|aya"),
    ("microsoft", r"phi-?\d|wizardlm"),
    ("amazon", r"nova|titan"),
    ("zhipu", r"glm|chatglm"),
    ("moonshot", r"kimi|moonshot"),
    ("01-ai", r"yi-"),
    ("nvidia", r"nemotron"),
)
"""(family, how the names of its models begin)."""


def family_of(model: str) -> str:
    """The family of a model's name, with a vendor's folder before it or without; empty where the name says nothing."""
    name = model.lower().rpartition("/")[2].removeprefix("@")
    return next((family for family, begins in _FAMILIES if re.match(begins, name)), "")
