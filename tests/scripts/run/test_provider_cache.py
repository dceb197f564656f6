"""Input that a provider had in its own cache: counted, priced, journaled, shown; and what a cost limit keeps back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.langfuse_double import LangfuseDouble
from tests.scripts.commands import Finished, document, lines, run
from tests.scripts.judges import Judging, settings
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

FEW = ("--limit", "8", "--quiet", "--concurrency", "4", "--judge-format", "schema")


class Discounting:
    """A provider that had so much of the judge's input in its cache; counts what it said of verdicts."""

    def __init__(self, cached: int = 610) -> None:
        self.cached = cached
        self.judged = 0
        self._judging = Judging()

    def __call__(self, call: Call) -> Answer:
        answer = self._judging(call)
        usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 10}
        if call.body["model"] == "judge":
            self.judged += 1
            usage = {"prompt_tokens": 1000, "completion_tokens": 10}
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached}
        return Answer(body={**answer.body, "usage": usage})


def prices(tmp_path: Path, cached: str = "cached_input: 1, ") -> tuple[str, str]:
    file = tmp_path / "prices.yaml"
    judge = f"{{input: 10, {cached}output: 0}}"
    models = f"models:\n  scripted-1: {{input: 0, output: 0}}\n  model: {{input: 0, output: 0}}\n  judge: {judge}\n"
    file.write_text(f"as_of: 2026-11-01\n{models}  judge-1: {judge}\n")
    return "--prices", str(file)


def evaluate(tmp_path: Path, url: str, *arguments: str, **more: str) -> Finished:
    return run("--prompt", "v3", *FEW, *arguments, runs=tmp_path / "runs", **settings(url), **more)


def said(done: Finished) -> str:
    return " ".join(done.out.split())


def test_cached_input_is_priced_and_shown_also_when_a_limited_run_goes_on(tmp_path: Path) -> None:
    runs, provider = tmp_path / "runs", Discounting()
    with scripted_endpoint(provider) as endpoint:
        # A verdict costs 390 tokens at 10 USD a million and 610 at 1: 0.00451; without the cache it were 0.01.
        stopped = evaluate(tmp_path, endpoint.url, *prices(tmp_path), "--max-cost", "0.1")
        assert stopped.code == 3, stopped.err
        first = provider.judged
        more = ("--resume", "last", "--max-cost", "9", "--quiet")
        done = run(*more, runs=runs, **settings(endpoint.url))
        assert done.code == 0, done.err
    assert provider.judged > first
    saved = provider.judged * 610 * 9e-6
    summary = document(runs / "latest", "summary.json")
    usage = summary["usage"]
    assert usage["cached_input_tokens"] == provider.judged * 610
    assert usage["saved_usd"] == pytest.approx(saved)
    assert summary["cost_usd"] == pytest.approx(provider.judged * 0.00451)
    of_judge = sum(usage[part]["cached_input_tokens"] for part in ("judge", "expectations", "conversations", "checks"))
    assert of_judge == provider.judged * 610
    assert f"61% of the judge's input from cache, {saved:.2f} USD saved" in said(done)
    assert "61% of the judge's input from cache" in (runs / "latest" / "summary.md").read_text("utf-8")
    shown = run("show", "last", runs=runs, module="scripts.manage_runs")
    assert "61% of the judge's input from cache" in said(shown)
    judged = [line["judge"]["usage"] for line in lines(runs / "latest")]
    assert judged == [{"input_tokens": 1000, "output_tokens": 10, "cached_input_tokens": 610}] * len(judged)
    assert {line["usage"]["cached_input_tokens"] for line in lines(runs / "latest")} == {None}


def test_without_a_price_of_cached_input_the_full_price_counts_and_is_said_to(tmp_path: Path) -> None:
    provider = Discounting(500)
    with scripted_endpoint(provider) as endpoint:
        done = evaluate(tmp_path, endpoint.url, *prices(tmp_path, cached=""))
    assert "50% of the judge's input from cache, no discount on it is known" in said(done)
    summary = document(tmp_path / "runs" / "latest", "summary.json")
    assert summary["cost_usd"] == pytest.approx(provider.judged * 0.01)
    assert summary["usage"]["saved_usd"] == 0


def test_an_endpoint_without_a_cache_says_nothing_of_one(tmp_path: Path) -> None:
    with scripted_endpoint(Judging()) as endpoint:
        done = evaluate(tmp_path, endpoint.url, *prices(tmp_path))
    assert "from cache" not in done.out
    assert document(tmp_path / "runs" / "latest", "summary.json")["usage"]["cached_input_tokens"] == 0


def test_langfuse_is_sent_cached_input_apart_from_the_rest(tmp_path: Path) -> None:
    with LangfuseDouble() as double, scripted_endpoint(Discounting()) as endpoint:
        keys = {
            "LANGFUSE_PUBLIC_KEY": double.public_key,
            "LANGFUSE_SECRET_KEY": double.secret_key,
            "LANGFUSE_BASE_URL": double.base_url,
        }
        prompt = tmp_path / "bot.md"
        prompt.write_text("You are Bo.")
        done = run("--prompt", str(prompt), *FEW, runs=tmp_path / "runs", **settings(endpoint.url), **keys)
        assert done.code == 0, done.err
        details = [
            json.loads(span.attributes["langfuse.observation.usage_details"])
            for span in double.generations()
            if span.name.startswith("judge")
        ]
    assert details
    assert all(each == {"input": 390, "input_cached_tokens": 610, "output": 10} for each in details)


def test_a_cost_limit_says_what_is_paid_and_what_is_kept_for_calls_in_flight(tmp_path: Path) -> None:
    def slow(call: Call) -> Answer:
        answer = provider(call)
        return Answer(body=answer.body, delay_s=0.05)

    provider = Discounting(0)
    with scripted_endpoint(slow) as endpoint:
        done = evaluate(tmp_path, endpoint.url, *prices(tmp_path), "--max-cost", "0.205")
    assert done.code == 3
    found = re.search(
        r"the cost limit of 0\.205 USD is reached: (\d\.\d{4}) paid, (\d\.\d{4}) reserved for (\d+) calls in flight, "
        r"(\d\.\d{4}) for the next",
        said(done),
    )
    assert found, done.out
    paid, reserved, calls, following = float(found[1]), float(found[2]), int(found[3]), float(found[4])
    # Calls of the model, which cost nothing, may be among those in flight.
    assert following == 0.01
    assert 0 < reserved <= calls * 0.01 + 1e-9
    assert paid + reserved <= 0.205 < paid + reserved + following
