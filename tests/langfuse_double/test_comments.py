"""Comments through the SDK's generated client, as the API document describes them."""

import pytest
from langfuse.api.client import LangfuseAPI
from langfuse.api.core import ApiError

from tests.langfuse_double import LangfuseDouble


def prompt_id(double: LangfuseDouble, api: LangfuseAPI) -> str:
    api.prompts.create(request={"name": "greeting", "type": "text", "prompt": "Hello"})
    return double.store.prompts["greeting"][0].id


def test_a_comment_on_a_prompt_is_made_and_listed(double: LangfuseDouble, api: LangfuseAPI) -> None:
    about = prompt_id(double, api)
    project = api.projects.get().data[0].id
    made = api.comments.create(project_id=project, object_type="PROMPT", object_id=about, content="proved")
    assert api.comments.get_by_id(made.id).content == "proved"
    found = api.comments.get(object_type="PROMPT", object_id=about).data
    assert [(each.id, each.object_id, each.content) for each in found] == [(made.id, about, "proved")]
    assert api.comments.get(object_type="TRACE").data == []
    assert double.body_problems() == []


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"object_id": "nothing"}, 404),
        ({"object_type": "DATASET"}, 400),
        ({"project_id": "another"}, 400),
        ({"content": "x" * 5001}, 400),
        ({"content": ""}, 400),
    ],
)
def test_a_comment_that_belongs_nowhere_is_refused(
    double: LangfuseDouble, api: LangfuseAPI, fields: dict[str, str], status: int
) -> None:
    right = {"project_id": double.store.project_id, "object_type": "PROMPT", "object_id": prompt_id(double, api)}
    with pytest.raises(ApiError) as refused:
        api.comments.create(**{**right, "content": "proved", **fields})
    assert refused.value.status_code == status
    assert double.store.comments == {}


def test_an_object_id_alone_says_nothing(double: LangfuseDouble, api: LangfuseAPI) -> None:
    with pytest.raises(ApiError) as refused:
        api.comments.get(object_id="x")
    assert refused.value.status_code == 400
