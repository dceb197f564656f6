"""Datasets and their items."""

from uuid import uuid4

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import Answer, Call, JsonObject, Refused, invalid, iso, missing, page_of

MAX_BODY = 4_500_000
KEPT = ("input", "expectedOutput", "metadata", "sourceTraceId", "sourceObservationId")


def create(store: Store, call: Call) -> Answer:
    """POST v2/datasets: a dataset with this name is changed instead of made a second time."""
    body = call.document()
    checked(store, "CreateDatasetRequest", body)
    now = iso(store.now())
    row = store.datasets.setdefault(
        body["name"],
        {"id": str(uuid4()), "name": body["name"], "projectId": store.project_id, "createdAt": now},
    )
    for name in ("description", "metadata", "inputSchema", "expectedOutputSchema"):
        row[name] = body.get(name)
    row["updatedAt"] = now
    return Answer(200, row)


def fetch(store: Store, call: Call) -> Answer:
    return Answer(200, _dataset(store, call.path["name"]))


def listing(store: Store, call: Call) -> Answer:
    return page_of(call, list(store.datasets.values()), dict)


def create_item(store: Store, call: Call) -> Answer:
    """POST dataset-items: upsert on the id, which belongs to one dataset of the project for ever.

    Fields that are absent or null keep what they were, as on the server.
    """
    if len(call.body) > MAX_BODY:
        raise Refused(413, "Body exceeded 4.5mb limit", "PayloadTooLargeError")
    body = call.document()
    checked(store, "CreateDatasetItemRequest", body)
    dataset = _dataset(store, body["datasetName"])
    item_id = body.get("id") or str(uuid4())
    if len(item_id) > 255:
        raise invalid("id has more than 255 characters")
    row = store.items.get(item_id)
    if row is not None and row["datasetId"] != dataset["id"]:
        raise missing(f"The dataset item with id {item_id} already exists in a dataset other than {dataset['name']}")
    now = iso(store.now())
    if row is None:
        row = store.items[item_id] = _new_item(item_id, dataset, now)
    row.update({name: body[name] for name in KEPT if body.get(name) is not None})
    row.update({"status": body.get("status") or row["status"], "updatedAt": now, "version": now})
    store.item_writes[item_id] += 1
    return Answer(200, row)


def fetch_item(store: Store, call: Call) -> Answer:
    return Answer(200, _item(store, call.path["id"]))


def delete_item(store: Store, call: Call) -> Answer:
    del store.items[_item(store, call.path["id"])["id"]]
    return Answer(200, {"message": "Dataset item successfully deleted"})


def list_items(store: Store, call: Call) -> Answer:
    """GET dataset-items: active items, newest first, of one dataset or of all."""
    name = call.one("datasetName")
    if name is not None:
        _dataset(store, name)
    rows = [
        row
        for row in store.items.values()
        if row["status"] == "ACTIVE" and (name is None or row["datasetName"] == name)
    ]
    return page_of(call, rows[::-1], dict)


def _new_item(item_id: str, dataset: JsonObject, now: str) -> JsonObject:
    return {
        "id": item_id,
        "status": "ACTIVE",
        **dict.fromkeys(KEPT),
        "datasetId": dataset["id"],
        "datasetName": dataset["name"],
        "createdAt": now,
        "mediaReferences": [],
    }


def _dataset(store: Store, name: str) -> JsonObject:
    if name not in store.datasets:
        raise missing("Dataset not found")
    return store.datasets[name]


def _item(store: Store, item_id: str) -> JsonObject:
    if item_id not in store.items:
        raise missing("Dataset item not found")
    return store.items[item_id]
