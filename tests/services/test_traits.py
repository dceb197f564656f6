from typing import Any

import pytest

from services.model.call_forms import find_trait, suit_parameters

SENT = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 50, "seed": 1}


@pytest.mark.parametrize(
    ("error", "trait"),
    [
        (
            {"message": "Unsupported value: 'temperature' does not support 0.7", "param": "temperature"},
            "without_temperature",
        ),
        ({"message": "no", "param": "temperature", "code": "unsupported_value"}, "without_temperature"),
        ({"message": "`top_p` is not supported with this model"}, "without_top_p"),
        (
            {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."},
            "max_completion_tokens",
        ),
        ({"message": "Unrecognized request argument supplied: seed"}, "without_seed"),
        ({"message": "seed: Extra inputs are not permitted"}, "without_seed"),
        # The parameter that the error names wins over those that its text mentions.
        (
            {"message": "'seed' is not supported together with temperature", "param": "seed"},
            "without_seed",
        ),
        # A value that is wrong is the user's to mend.
        ({"message": "temperature must be at most 2", "param": "temperature"}, None),
        ({"message": "max_tokens is too large: this model supports at most 16384", "param": "max_tokens"}, None),
        ({"message": "Unsupported parameter: 'logit_bias'", "param": "logit_bias"}, None),
        ({"message": "unknown model seedling"}, None),
        ({"message": ""}, None),
    ],
)
def test_find_trait(error: dict[str, str], trait: str | None) -> None:
    full = {"code": "", "param": "", **error}
    assert find_trait(sent=SENT, **full) == trait


def test_a_trait_is_not_found_in_what_was_not_sent() -> None:
    assert find_trait(code="unsupported_parameter", param="seed", message="seed", sent={"temperature": 1}) is None


@pytest.mark.parametrize(
    ("traits", "sent"),
    [
        (set(), SENT),
        ({"without_temperature", "without_top_p"}, {"max_tokens": 50, "seed": 1}),
        ({"max_completion_tokens", "without_seed"}, {"temperature": 0.7, "top_p": 0.9, "max_completion_tokens": 50}),
        ({"of a later version"}, SENT),
    ],
)
def test_suit_parameters(traits: set[str], sent: dict[str, Any]) -> None:
    before = dict(SENT)
    assert suit_parameters(SENT, traits) == sent
    assert before == SENT


def test_a_length_already_given_under_the_new_name_stays() -> None:
    both = {"max_tokens": 50, "max_completion_tokens": 70}
    assert suit_parameters(both, {"max_completion_tokens"}) == {"max_completion_tokens": 70}


SCHEMA = {"response_format": {"type": "json_schema", "json_schema": {}}}
OBJECT = {"response_format": {"type": "json_object"}}


@pytest.mark.parametrize(
    ("sent", "error", "trait"),
    [
        (SCHEMA, {"message": "no", "param": "response_format"}, "without_json_schema"),
        (SCHEMA, {"message": "This model does not support response_format"}, "without_json_schema"),
        (SCHEMA, {"message": "response_format type is unavailable now"}, "without_json_schema"),
        (SCHEMA, {"message": "Invalid schema for response_format 'verdict'"}, "without_json_schema"),
        (OBJECT, {"message": "'response_format.type' must be 'json_schema' or 'text'"}, "without_json_object"),
        (OBJECT, {"message": "temperature is not supported", "param": "temperature"}, None),
        (SENT, {"message": "response_format is not supported", "param": "response_format"}, None),
    ],
)
def test_a_refused_format(sent: dict[str, Any], error: dict[str, str], trait: str | None) -> None:
    full = {"code": "", "param": "", **error}
    assert find_trait(sent=sent, **full) == trait


def test_a_format_is_never_left_out() -> None:
    assert suit_parameters(SCHEMA, {"without_json_schema", "without_json_object"}) == SCHEMA
