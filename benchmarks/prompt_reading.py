"""What is read of prompts that others wrote: a file of IFEval (Zhou and others, 2023) or of its translations.

Each line has a prompt, names of instructions and their values, of which those about words, sentences, paragraphs,
bullet points, JSON and language are compared. The wordings were mended with the lines of odd keys before them, so that
the even ones say what other prompts give: `python -m benchmarks.prompt_reading input_data.jsonl even`.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.metrics.text.asked import INF, Asked, read_request

AT_LEAST = {"at least", "al menos", "por lo menos", "au moins"}
NEAR = 1
"""Units by which a bound may differ: "less than 6" is stored as 6, "at most 150" as less than 151."""
COUNTED = {
    "number_words": ("words", "num_words"),
    "number_sentences": ("sentences", "num_sentences"),
    "number_paragraphs": ("paragraphs", "num_paragraphs"),
    "nth_paragraph_first_word": ("paragraphs", "num_paragraphs"),
    "number_bullet_lists": ("items", "num_bullets"),
}
"""Name of an instruction -> the field of `Asked`, and the value that says how many."""
FIELDS = ("words", "sentences", "paragraphs", "items", "form", "language")


def stated(line: Mapping[str, Any]) -> dict[str, Any]:
    """What a line says of its prompt: a field -> fewest and most, or a form or language."""
    found: dict[str, Any] = {}
    for name, values in zip(line["instruction_id_list"], line["kwargs"], strict=True):
        kind = name.rpartition(":")[2]
        if kind in COUNTED:
            field, key = COUNTED[kind]
            low, high = found.get(field, (1, INF))
            relation, count = values.get("relation"), values[key]
            if relation is None:
                low = high = count
            elif relation in AT_LEAST:
                low = count
            else:
                high = count
            found[field] = (low, high)
        elif kind == "json_format":
            found["form"] = "json"
        elif kind == "response_language":
            found["language"] = values["language"]
    return found


def is_right(read: Any, wanted: Any) -> bool:
    """True where the bounds are the same, or nearly; a form and a language must be the same."""
    if not isinstance(wanted, tuple) or not isinstance(read, tuple):
        return bool(read == wanted)
    return all(a == b or (max(a, b) < INF and abs(a - b) <= NEAR) for a, b in zip(read, wanted, strict=True))


def count(path: Path, keys: str) -> dict[str, Counter[str]]:
    """Field -> how many values were read right, read wrong, not read, and read where the line says nothing."""
    found = {field: Counter[str]() for field in FIELDS}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if keys in ("odd", "even") and ("even" if line["key"] % 2 == 0 else "odd") != keys:
            continue
        asked: Asked = read_request(line["prompt"])
        wanted = stated(line)
        for field in FIELDS:
            read = getattr(asked, field)
            if field in wanted:
                kind = "missed" if read is None else "right" if is_right(read, wanted[field]) else "wrong"
                found[field][kind] += 1
            elif read is not None:
                found[field]["unsaid"] += 1
    return found


def main() -> None:
    """Prints the figures of a file, of all its keys or of the odd or even ones."""
    if len(sys.argv) < 2:
        sys.exit("name a file of IFEval, and odd or even for a half of it")
    found = count(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "all")
    total = sum(found.values(), Counter[str]())
    for field, each in (*found.items(), ("all", total)):
        read, values = each["right"] + each["wrong"], each["right"] + each["wrong"] + each["missed"]
        print(
            f"{field:10} {each['right']:3} right, {each['wrong']:2} wrong, {each['missed']:3} missed, "
            f"{each['unsaid']:3} that the file is silent about: precision {each['right'] / (read or 1):.3f}, "
            f"recall {each['right'] / (values or 1):.3f}"
        )


if __name__ == "__main__":
    main()
