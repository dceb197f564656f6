"""Prompts v2: fetch with includes resolved, list, create a version, move labels."""

import re
from typing import Any

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import PromptRow, Store
from tests.langfuse_double.wire import Answer, Call, JsonObject, invalid, iso, missing, page_of

INCLUDE = re.compile(r"@@@langfusePrompt:name=([^|@]+)\|(version|label)=([^@|]+)@@@")
LABEL = re.compile(r"[a-z0-9_.-]{1,36}")
MAX_DEPTH = 5


def fetch(store: Store, call: Call) -> Answer:
    """GET v2/prompts/{name}: by version, by label, else `production`."""
    version, label = call.one("version"), call.one("label")
    if version is not None and label is not None:
        raise invalid("version and label exclude each other")
    if version is not None:
        call.whole("version", 1)
    row = _find(store, call.path["name"], version, label)
    return Answer(200, _shown(store, row, resolve=call.one("resolve") != "false"))


def listing(store: Store, call: Call) -> Answer:
    """GET v2/prompts: one entry per name, filtered by name, label and tag."""
    names = [name for name in sorted(store.prompts) if call.one("name") in (None, name)]
    label, tag = call.one("label"), call.one("tag")
    kept = [
        (name, rows)
        for name in names
        if (rows := [row for row in store.prompts[name] if label is None or label in row.labels])
        and (tag is None or tag in store.prompt_tags[name])
    ]
    return page_of(call, kept, lambda entry: _meta(store, *entry))


def create(store: Store, call: Call) -> Answer:
    """POST v2/prompts: always a new version, which becomes `latest`; given labels move to it."""
    body = call.document()
    kind = "chat" if isinstance(body, dict) and body.get("type") == "chat" else "text"
    checked(store, "CreateChatPromptRequest" if kind == "chat" else "CreateTextPromptRequest", body)
    labels = _labels(body.get("labels") or [])
    rows = store.prompts.setdefault(body["name"], [])
    if rows and rows[-1].kind != kind:
        raise invalid(f"Previous versions have a different prompt type: {rows[-1].kind}")
    row = PromptRow(
        name=body["name"],
        version=len(rows) + 1,
        kind=kind,
        prompt=body["prompt"],
        config=body.get("config") or {},
        labels=[],
        commit_message=body.get("commitMessage"),
        updated_at=store.now(),
    )
    rows.append(row)
    tags = store.prompt_tags.setdefault(row.name, [])
    if body.get("tags") is not None:
        tags[:] = body["tags"]
    _move(rows, row, [*labels, "latest"])
    return Answer(201, _shown(store, row, resolve=False))


def move_labels(store: Store, call: Call) -> Answer:
    """PATCH v2/prompts/{name}/versions/{version}: the version gets the new labels beside those it has."""
    body = call.document()
    new = body.get("newLabels") if isinstance(body, dict) else None
    if not isinstance(new, list):
        raise invalid("newLabels must be a list")
    row = _find(store, call.path["name"], call.path["version"], None)
    _move(store.prompts[row.name], row, _labels(new))
    row.updated_at = store.now()
    return Answer(200, _shown(store, row, resolve=False))


def _labels(labels: list[Any]) -> list[str]:
    for label in labels:
        if not isinstance(label, str) or not LABEL.fullmatch(label):
            raise invalid(f"label {label!r} must be 1 to 36 of a-z 0-9 _ . -")
        if label == "latest":
            raise invalid("Label 'latest' is always assigned to the latest prompt version")
    return list(dict.fromkeys(labels))


def _move(rows: list[PromptRow], target: PromptRow, labels: list[str]) -> None:
    for row in rows:
        if row is not target:
            row.labels = [label for label in row.labels if label not in labels]
    target.labels = list(dict.fromkeys([*target.labels, *labels]))


def _find(store: Store, name: str, version: str | None, label: str | None) -> PromptRow:
    wanted = label or "production"
    for row in store.prompts.get(name, ()):
        if str(row.version) == version or (version is None and wanted in row.labels):
            return row
    how = f"version {version}" if version is not None else f"label '{wanted}'"
    raise missing(f"Prompt not found: '{name}' with {how}")


def _shown(store: Store, row: PromptRow, *, resolve: bool) -> JsonObject:
    used: list[JsonObject] = []
    prompt = _resolved(store, row.prompt, used, 0) if resolve else row.prompt
    graph = {"root": {"name": row.name, "version": row.version, "id": row.id}, "dependencies": {row.id: used}}
    return {
        "id": row.id,
        "type": row.kind,
        "name": row.name,
        "version": row.version,
        "prompt": prompt,
        "config": row.config,
        "labels": row.labels,
        "tags": store.prompt_tags[row.name],
        "commitMessage": row.commit_message,
        "resolutionGraph": graph if used else None,
    }


def _resolved(store: Store, value: Any, used: list[JsonObject], depth: int) -> Any:
    """The prompt with every included text prompt in its place; a chat prompt's messages are resolved one by one."""
    if depth > MAX_DEPTH:
        raise invalid("Maximum nesting depth exceeded")
    if isinstance(value, list):
        return [_resolved(store, part, used, depth) for part in value]
    if isinstance(value, dict):
        return {key: _resolved(store, part, used, depth) if key == "content" else part for key, part in value.items()}
    if not isinstance(value, str):
        return value

    def included(match: re.Match[str]) -> str:
        name, how, which = match.groups()
        row = _find(store, name, which if how == "version" else None, which if how == "label" else None)
        used.append({"name": row.name, "version": row.version, "id": row.id})
        return str(_resolved(store, row.prompt, used, depth + 1))

    return INCLUDE.sub(included, value)


def _meta(store: Store, name: str, rows: list[PromptRow]) -> JsonObject:
    return {
        "name": name,
        "type": rows[-1].kind,
        "versions": [row.version for row in rows],
        "labels": sorted({label for row in rows for label in row.labels}),
        "tags": store.prompt_tags[name],
        "lastUpdatedAt": iso(max(row.updated_at for row in rows)),
        "lastConfig": rows[-1].config,
    }


def delete(store: Store, call: Call) -> Answer:
    """DELETE v2/prompts/{name}: all versions; the choice of one by label or version is not understood."""
    if store.prompts.pop(call.path["name"], None) is None:
        raise missing("Prompt not found")
    return Answer(204, None)
