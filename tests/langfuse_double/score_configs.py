"""Score configs. Names are not unique: creating one twice makes two."""

import re
from uuid import uuid4

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import Answer, Call, JsonObject, invalid, iso, missing, page_of

NAME = re.compile(r"[A-Za-z0-9_ .()-]{1,35}")
BOOLEAN = [{"label": "True", "value": 1}, {"label": "False", "value": 0}]


def create(store: Store, call: Call) -> Answer:
    body = call.document()
    checked(store, "CreateScoreConfigRequest", body)
    kind, categories = body["dataType"], body.get("categories")
    if kind == "BOOLEAN" and categories is not None:
        raise invalid("categories of a BOOLEAN config are made by the server")
    now = iso(store.now())
    row: JsonObject = {
        "id": str(uuid4()),
        "name": body["name"],
        "projectId": store.project_id,
        "dataType": kind,
        "isArchived": False,
        "minValue": body.get("minValue"),
        "maxValue": body.get("maxValue"),
        "categories": BOOLEAN if kind == "BOOLEAN" else categories,
        "description": body.get("description"),
        "createdAt": now,
        "updatedAt": now,
    }
    _check(row)
    store.configs[row["id"]] = row
    return Answer(200, row)


def listing(store: Store, call: Call) -> Answer:
    return page_of(call, list(store.configs.values())[::-1], dict)


def fetch(store: Store, call: Call) -> Answer:
    return Answer(200, _config(store, call.path["id"]))


def update(store: Store, call: Call) -> Answer:
    body = call.document()
    checked(store, "UpdateScoreConfigRequest", body)
    row = _config(store, call.path["id"])
    changed = {**row, **body, "updatedAt": iso(store.now())}
    _check(changed)
    row.update(changed)
    return Answer(200, row)


def _check(row: JsonObject) -> None:
    if not NAME.fullmatch(row["name"]):
        raise invalid(f"name {row['name']!r} must be 1 to 35 letters, digits, spaces and _ . ( ) -")
    low, high = row["minValue"], row["maxValue"]
    if row["dataType"] != "NUMERIC" and (low is not None or high is not None):
        raise invalid("only a NUMERIC config has minValue and maxValue")
    if low is not None and high is not None and low >= high:
        raise invalid("maxValue must be greater than minValue")
    if row["dataType"] == "CATEGORICAL" and not row["categories"]:
        raise invalid("a CATEGORICAL config needs categories")
    if row["dataType"] in ("NUMERIC", "TEXT") and row["categories"]:
        raise invalid(f"a {row['dataType']} config has no categories")
    labels = [category["label"] for category in row["categories"] or ()]
    if len(set(labels)) != len(labels):
        raise invalid("category labels must differ")


def _config(store: Store, config_id: str) -> JsonObject:
    if config_id not in store.configs:
        raise missing("Score config not found within authorized project")
    return store.configs[config_id]
