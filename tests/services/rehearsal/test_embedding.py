"""The stand-in for a model of embeddings: what the real openai client gets, and what words alone can show."""

import asyncio
import math

import pytest

from services.rehearsal.embedding import SIZE, bag_of_words
from services.rehearsal.options import RehearsalOptions
from tests.services.rehearsal.loopback import Server, client, serving

MODEL, PATH = "rehearsal-embedding", "/v1/embeddings"
TEXTS = ["The train to Ghent leaves at nine.", "My cat sleeps.", "My cat sleeps."]


def nearness(one: str, other: str) -> float:
    return math.fsum(a * b for a, b in zip(bag_of_words(one), bag_of_words(other), strict=True))


def test_the_openai_client_gets_the_same_vectors_in_both_forms() -> None:
    async def run() -> None:
        async with serving() as url, client(url) as openai_client:
            usual = await openai_client.embeddings.create(model=MODEL, input=TEXTS)
            numbers = await openai_client.embeddings.create(model=MODEL, input=TEXTS, encoding_format="float")
            short = await openai_client.embeddings.create(model=MODEL, input=TEXTS[0], dimensions=16)
        assert [each.index for each in usual.data] == [0, 1, 2]
        for packed, plain in zip(usual.data, numbers.data, strict=True):
            assert packed.embedding == pytest.approx(plain.embedding, abs=1e-6)
        assert numbers.data[1].embedding == numbers.data[2].embedding == bag_of_words(TEXTS[1])
        assert (usual.model, usual.usage.prompt_tokens) == (MODEL, 9 + 4 + 4)
        assert (len(numbers.data[0].embedding), len(short.data[0].embedding)) == (SIZE, 16)

    asyncio.run(run())


def test_words_in_common_make_texts_near_whatever_they_mean() -> None:
    assert nearness("I love my dog.", "my DOG I love") == pytest.approx(1.0)
    assert nearness("Is the train late?", "The train is not late!") > 0.9, "it knows no negation"
    assert abs(nearness("I feel sad.", "She was unhappy")) < 0.3, "it knows no synonym"
    shared = "Where can I buy a winter coat?"
    assert nearness(shared, "A winter coat? At the market.") > nearness(shared, "The stew needs an hour.") + 0.3


def test_any_text_has_a_direction_of_length_1() -> None:
    for text in (" ", "...", "a", "犬が好きです", "\ud800", "word " * 5000):
        assert math.hypot(*bag_of_words(text)) == pytest.approx(1.0)
        assert math.hypot(*bag_of_words(text, 1)) == pytest.approx(1.0)


def test_bad_requests_are_refused_like_openai_does() -> None:
    server = Server()
    good = {"model": MODEL, "input": "a"}
    cases = [
        ([], 400, None),
        ({**good, "input": []}, 400, "input"),
        ({**good, "input": ""}, 400, "input"),
        ({**good, "input": ["a", ""]}, 400, "input"),
        ({**good, "input": [1]}, 400, "input"),
        ({"model": MODEL}, 400, "input"),
        ({**good, "encoding_format": "binary"}, 400, "encoding_format"),
        ({**good, "dimensions": SIZE + 1}, 400, "dimensions"),
        ({"input": "a"}, 400, "model"),
        ({**good, "model": "rehearsal"}, 404, "model"),
    ]
    for body, status, parameter in cases:
        answered, value = server.post(body, PATH)
        assert (answered, value["error"]["param"]) == (status, parameter), body
    assert server.post(good, PATH)[0] == 200
    assert server.stats()["by_purpose"]["embedding"] == {"200": 1}


def test_faults_hit_embeddings_alone_where_that_is_asked_for() -> None:
    server = Server(RehearsalOptions(rate_500=1.0, faults_on="embedding"))
    assert server.post({"model": MODEL, "input": "a"}, PATH)[0] == 500
    assert server.post({"model": "rehearsal-moderation", "input": "a"}, "/v1/moderations")[0] == 200
