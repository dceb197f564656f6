from pathlib import Path

import pytest

from evaluation.errors import ParseError, UsageError
from evaluation.records import Usage
from services.model.pricing import Price, Prices, load_prices

PRICES = Prices(
    as_of="2026-01-31",
    models={
        "gpt-5-mini": Price(input=0.25, output=2.0),
        "gpt-5": Price(input=1.25, output=10.0),
        "local/free": Price(input=0, output=0),
    },
)


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-5-mini", 0.00125),  # 1000 * 0.25 / 1M + 500 * 2 / 1M
        ("GPT-5-mini", 0.00125),
        ("gpt-5-mini-2026-01-01", 0.00125),
        ("gpt-5-mini-20260101", 0.00125),
        ("gpt-5-mini-0613", 0.00125),
        ("gpt-5-mini-latest", 0.00125),
        ("openai/gpt-5-mini-2026-01-01", 0.00125),
        ("gpt-5", 0.00625),
        ("local/free", 0.0),
        ("gpt-5-nano", None),  # begins like gpt-5 and is another model
        ("gpt-5-mini:free", None),
        ("ft:gpt-5-mini:team", None),
        ("", None),
        ("-" * 100_000, None),
    ],
)
def test_price_of_a_model_and_its_snapshots(model: str, usd: float | None) -> None:
    assert PRICES.price_of(model, Usage(1000, 500)) == pytest.approx(usd)


@pytest.mark.parametrize("usage", [Usage(), Usage(1, None), Usage(None, 1)])
def test_uncounted_tokens_have_no_price(usage: Usage) -> None:
    assert PRICES.price_of("gpt-5", usage) is None


def test_the_built_in_list_is_dated_and_names_a_price_for_each_model() -> None:
    prices = load_prices()
    assert prices.as_of == "2026-08-31"
    assert prices.find("gpt-5-mini-2026-01-01") == Price(input=0.25, output=2.0, cached_input=0.025)
    writing = {name: price for name, price in prices.models.items() if "embedding" not in name}
    assert all(0 < (price.cached_input or 0) < price.input < price.output for price in writing.values())
    vectors = [price for name, price in prices.models.items() if name not in writing]
    assert [price.input for price in vectors] == [0.02, 0.13, 0.1]
    assert {price.output for price in vectors} == {0}


def test_a_file_of_ones_own_adds_and_overrides(tmp_path: Path) -> None:
    own = tmp_path / "prices.yaml"
    mine = "mine: {input: 2, output: 0, cached_input: 0.1, batch: 7}"
    own.write_text(f"as_of: 2026-11-01\nsource: x\nmodels:\n  GPT-5-mini: {{input: 9, output: 9.5}}\n  {mine}\n")
    prices = load_prices(own)
    assert prices.as_of == "2026-11-01"
    assert prices.find("gpt-5-mini") == Price(input=9, output=9.5)
    assert prices.find("mine") == Price(input=2, output=0, cached_input=0.1)
    assert prices.find("gpt-4o") == load_prices().find("gpt-4o")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "holds a list, not a mapping: begin with as_of and, under models"),
        ("as_of: 2026-11-01", "models: is missing"),
        ("models: {}", "as_of: is missing"),
        ("as_of: yesterday\nmodels: {}", "as_of: 'yesterday'"),
        ("schema_version: 2\nas_of: 2026-11-01\nmodels: {}", ":1: schema_version: 2"),
        ("as_of: 2026-11-01\nmodels: {a: 3}", ":2: models.a: 3"),
        ("as_of: 2026-11-01\nmodels: {a: {input: 1}}", ":2: models.a.output: is missing"),
        (
            "as_of: 2026-11-01\nmodels: {a: {input: -1, output: 1}}",
            "models.a.input: -1: input should be greater than or equal to 0",
        ),
        (
            "as_of: 2026-11-01\nmodels: {a: {input: true, output: 1}}",
            "models.a.input: True: input should be a valid number",
        ),
        ("models: {a: 1, a: 2}", "a"),
    ],
)
def test_a_broken_file_is_named_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    own = tmp_path / "prices.yaml"
    own.write_text(text)
    with pytest.raises(ParseError) as caught:
        load_prices(own)
    assert str(caught.value).startswith(str(own))
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.yaml: cannot be read"):
        load_prices(tmp_path / "none.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UsageError, match=r"binary\.yaml: is not UTF-8 text"):
        load_prices(binary)
