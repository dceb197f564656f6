"""Annotation queues and their items, as far as human review needs them."""

from uuid import uuid4

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import Answer, Call, JsonObject, invalid, iso, missing, page_of


def create(store: Store, call: Call) -> Answer:
    body = call.document()
    checked(store, "CreateAnnotationQueueRequest", body)
    unknown = [config for config in body["scoreConfigIds"] if config not in store.configs]
    if unknown or not body["scoreConfigIds"]:
        raise invalid("At least one of the score config IDs cannot be found for the given project")
    if any(row["name"] == body["name"] for row in store.queues.values()):
        raise invalid("A queue with this name already exists in the project")
    now = iso(store.now())
    row = {
        "id": str(uuid4()),
        "name": body["name"],
        "description": body.get("description"),
        "scoreConfigIds": body["scoreConfigIds"],
        "createdAt": now,
        "updatedAt": now,
    }
    store.queues[str(row["id"])] = row
    return Answer(200, row)


def listing(store: Store, call: Call) -> Answer:
    return page_of(call, list(store.queues.values()), dict)


def fetch(store: Store, call: Call) -> Answer:
    return Answer(200, _queue(store, call))


def create_item(store: Store, call: Call) -> Answer:
    body = call.document()
    checked(store, "CreateAnnotationQueueItemRequest", body)
    now = iso(store.now())
    row = {
        "id": str(uuid4()),
        "queueId": _queue(store, call)["id"],
        "objectId": body["objectId"],
        "objectType": body["objectType"],
        "status": body.get("status") or "PENDING",
        "completedAt": None,
        "createdAt": now,
        "updatedAt": now,
    }
    store.queue_items[str(row["id"])] = row
    return Answer(200, row)


def list_items(store: Store, call: Call) -> Answer:
    queue, status = _queue(store, call)["id"], call.one("status")
    rows = [row for row in store.queue_items.values() if row["queueId"] == queue and status in (None, row["status"])]
    return page_of(call, rows, dict)


def fetch_item(store: Store, call: Call) -> Answer:
    return Answer(200, _item(store, call))


def update_item(store: Store, call: Call) -> Answer:
    body = call.document()
    checked(store, "UpdateAnnotationQueueItemRequest", body)
    row, now = _item(store, call), iso(store.now())
    status = body.get("status") or row["status"]
    row.update({"status": status, "updatedAt": now, "completedAt": now if status == "COMPLETED" else None})
    return Answer(200, row)


def delete_item(store: Store, call: Call) -> Answer:
    del store.queue_items[_item(store, call)["id"]]
    return Answer(200, {"success": True, "message": "Annotation queue item deleted successfully"})


def _queue(store: Store, call: Call) -> JsonObject:
    row = store.queues.get(call.path["queue"])
    if row is None:
        raise missing("Annotation queue not found")
    return row


def _item(store: Store, call: Call) -> JsonObject:
    row = store.queue_items.get(call.path["item"])
    if row is None or row["queueId"] != call.path["queue"]:
        raise missing("Annotation queue item not found")
    return row
