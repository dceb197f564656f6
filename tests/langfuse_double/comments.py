"""Comments: made on something that exists, listed by what they are about."""

from uuid import uuid4

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import Store
from tests.langfuse_double.wire import Answer, Call, invalid, iso, missing, page_of

LONGEST = 5000
KINDS = ("TRACE", "OBSERVATION", "SESSION", "PROMPT")


def create(store: Store, call: Call) -> Answer:
    """POST comments: always a new one; 404 for an object that does not exist."""
    body = call.document()
    checked(store, "CreateCommentRequest", body)
    if body.get("projectId") != store.project_id:
        raise invalid("projectId is not that of the keys")
    if body["objectType"] not in KINDS:
        raise invalid(f"objectType must be one of {', '.join(KINDS)}")
    if not 1 <= len(body["content"]) <= LONGEST:
        raise invalid(f"content must have 1 to {LONGEST} characters")
    if not _exists(store, body["objectType"], body["objectId"]):
        raise missing(f"No {body['objectType'].lower()} with id {body['objectId']} in project {store.project_id}")
    now = iso(store.now())
    row = {
        "id": str(uuid4()),
        "projectId": store.project_id,
        "createdAt": now,
        "updatedAt": now,
        "objectType": body["objectType"],
        "objectId": body["objectId"],
        "content": body["content"],
        "authorUserId": body.get("authorUserId"),
    }
    store.comments[row["id"]] = row
    return Answer(200, {"id": row["id"]})


def listing(store: Store, call: Call) -> Answer:
    """GET comments: filtered by objectType, objectId and authorUserId."""
    kind, about, author = call.one("objectType"), call.one("objectId"), call.one("authorUserId")
    if about is not None and kind is None:
        raise invalid("objectType is required when objectId is provided")
    wanted = {"objectType": kind, "objectId": about, "authorUserId": author}
    rows = [
        row
        for row in store.comments.values()
        if all(value is None or row[name] == value for name, value in wanted.items())
    ]
    return page_of(call, rows, lambda row: row)


def fetch(store: Store, call: Call) -> Answer:
    """GET comments/{id}."""
    row = store.comments.get(call.path["id"])
    if row is None:
        raise missing("Comment not found within authorized project")
    return Answer(200, row)


def _exists(store: Store, kind: str, about: str) -> bool:
    if kind == "PROMPT":
        return any(row.id == about for rows in store.prompts.values() for row in rows)
    if kind == "SESSION":
        return any(span.attributes.get("session.id") == about for span in store.spans)
    return any(about == (span.trace_id if kind == "TRACE" else span.id) for span in store.spans)
