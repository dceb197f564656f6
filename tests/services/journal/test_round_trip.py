"""The journal gives back exactly what went into it."""

import asyncio
import json
import sqlite3
from dataclasses import replace
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.records import Cell, NumberToken, Reply, Request, Result, ToolCall, Turn
from evaluation.run import Run
from services.journal import Journal, call_key
from services.journal.reader import Reader
from tests.services.journal import examples
from tests.services.journal.examples import a_run, reply, request, result, stored


def test_results_come_back_equal(tmp_path: Path) -> None:
    runs = count()
    listed = st.lists(examples.results, max_size=4, unique_by=lambda r: (r.exchange.cell, r.exchange.turn))
    with Journal.open(tmp_path / "evals.db") as journal:

        @settings(max_examples=80, deadline=None)
        @given(examples.texts, listed)
        def come_back(run_id: str, results: list[Result]) -> None:
            run_id = f"{next(runs)} {run_id}"

            async def record() -> None:
                await asyncio.gather(*(journal.record_result(run_id, each) for each in results))

            asyncio.run(record())
            position = {(r.exchange.cell.scenario_id, r.exchange.cell.repeat, r.exchange.turn): r for r in results}
            back = list(journal.results(run_id))
            assert len(back) == len(results)
            for each in back:
                expected = position[each.exchange.cell.scenario_id, each.exchange.cell.repeat, each.exchange.turn]
                assert each == expected
                assert type(each.exchange.outcome) is type(expected.exchange.outcome)

        come_back()


def test_the_results_of_some_cells_come_back_by_cell_and_turn(tmp_path: Path) -> None:
    given_turns = [(name, repeat, turn) for name in ("a", "b", "c") for repeat in (1, 2) for turn in (2, 1)]
    with Journal.open(tmp_path / "evals.db") as journal:
        for name, repeat, turn in given_turns:
            asyncio.run(journal.record_result("run-1", result(name, repeat, turn)))
        asyncio.run(journal.record_result("run-2", result("a", 1, 3)))
        wanted = [Cell("c", 2), Cell("a", 1), Cell("missing", 1)]
        assert journal.results_by_cell("run-1", wanted) == {
            Cell("c", 2): [result("c", 2, 1), result("c", 2, 2)],
            Cell("a", 1): [result("a", 1, 1), result("a", 1, 2)],
            Cell("missing", 1): [],
        }
        many = [Cell(f"none-{number}", 1) for number in range(1_200)]
        found = journal.results_by_cell("run-1", [*many, Cell("b", 1)])
        assert found.pop(Cell("b", 1)) == [result("b", 1, 1), result("b", 1, 2)]
        assert not any(found.values())


def test_replies_come_back_equal_also_to_who_opens_the_file_later(tmp_path: Path) -> None:
    runs = count()
    with Journal.open(tmp_path / "evals.db") as journal:

        @settings(max_examples=80, deadline=None)
        @given(examples.texts, examples.requests, examples.replies)
        def come_back(run_id: str, asked: Request, answer: Reply) -> None:
            run_id = f"{next(runs)} {run_id}"
            key = call_key("endpoint", asked, answer.parameters)
            asyncio.run(journal.record_reply(run_id, key, asked, answer))
            assert journal.find_reply(run_id, key, asked) == answer
            later = Reader(journal.path)
            assert later.find_reply(run_id, key, asked) == answer
            later.close()

        come_back()


def test_runs_come_back_equal(tmp_path: Path) -> None:
    runs = count()
    built = st.builds(
        a_run,
        examples.texts.map(lambda text: f"{next(runs)} {text}"),
        group_id=examples.texts,
        parent_run_id=st.none() | examples.texts,
        created_at=examples.numbers,
        inputs=st.dictionaries(examples.texts, examples.texts, max_size=3),
        provenance=st.dictionaries(examples.texts, examples.values, max_size=2),
    )
    with Journal.open(tmp_path / "evals.db") as journal:

        @settings(max_examples=40, deadline=None)
        @given(built)
        def come_back(run: Run) -> None:
            journal.create_run(run)
            assert journal.run(run.run_id) == stored(run)
            assert stored(run) in journal.runs()

        come_back()


def test_each_text_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with Journal.open(path) as journal:
        journal.create_run(a_run("run-1"))
        journal.create_run(a_run("run-2"))

        async def record() -> None:
            for index in range(20):
                asked = request(f"s{index}")
                await journal.record_reply("run-1", f"key-{index}", asked, reply("Hi!"))
                await journal.record_result("run-1", result(f"s{index}", text="Hi!"))

        asyncio.run(record())
    connection = sqlite3.connect(path)
    stored = sorted(text for (text,) in connection.execute("SELECT text FROM bodies"))
    connection.close()
    assert stored == sorted(["Be kind.", "name: companion\n", "[]", "Hello", "Hi!", "Before", "Then"])


def test_a_body_that_another_process_removed_is_stored_again(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with Journal.open(path) as journal:
        asyncio.run(journal.record_result("run-1", result("s1")))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("DELETE FROM bodies")
        other.close()
        asyncio.run(journal.record_result("run-2", result("s1")))
        assert list(journal.results("run-2")) == [result("s1")]


def test_readable_texts_are_text_and_broken_ones_are_bytes(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with Journal.open(path) as journal:
        asyncio.run(journal.record_reply("run-1", "a", request(), reply("größer")))
        asyncio.run(journal.record_reply("run-1", "b", request(), reply("half \ud83d")))
    connection = sqlite3.connect(path)
    kinds = dict(connection.execute("SELECT calls.key, typeof(text) FROM calls JOIN bodies ON hash = response"))
    connection.close()
    assert kinds == {"a": "text", "b": "blob"}


def test_the_numbers_of_an_answer_come_back_with_their_odds(tmp_path: Path) -> None:
    numbers = (NumberToken(6, "7", {"7": 0.75, "8": 0.2}), NumberToken(12, "10", {"10": 1.0}))
    answer, asked = replace(reply(), numbers=numbers), request()
    with Journal.open(tmp_path / "evals.db") as journal:
        asyncio.run(journal.record_reply("run-1", "key", asked, answer))
        assert journal.find_reply("run-1", "key", asked) == answer
        assert journal.find_reply_elsewhere("key") == replace(answer, cached=True)
        assert list(journal.answers("run-1", "generation").values()) == [answer]
        journal.copy_calls("run-1", "run-2", ["generation"])
        copied = journal.find_reply("run-2", "key", asked)
        assert copied is not None and copied.numbers == numbers


def test_calls_of_tools_come_back_with_the_reply_the_result_and_the_messages(tmp_path: Path) -> None:
    calls = (ToolCall("c1", "weather", '{"city": "Bern"}'), ToolCall("c2", "clock", "not JSON \ud83d"))
    answer = replace(reply(""), tool_calls=calls)
    before = (Turn("user", "Rain?"), Turn("assistant", "", calls[:1]), Turn("tool", "No.", tool_call_id="c1"))
    asked = replace(request(), messages=before)
    plain = result()
    answered = replace(answer, tool_calls=(replace(calls[0], result=""), replace(calls[1], result="12:40 \ud83d")))
    shown = (before[0], replace(before[1], tool_calls=answered.tool_calls))
    whole = replace(plain, exchange=replace(plain.exchange, context=shown, outcome=answered, words="half \ud83d"))
    path = tmp_path / "evals.db"
    with Journal.open(path) as journal:
        asyncio.run(journal.record_reply("run-1", "key", asked, answer))
        asyncio.run(journal.record_result("run-1", whole))
    with Journal.open(path) as journal:
        assert journal.find_reply("run-1", "key", asked) == answer
        assert list(journal.results("run-1")) == [whole]


def test_what_is_about_a_tool_decides_the_key_of_a_call() -> None:
    asked = replace(request(), messages=(Turn("assistant", "", (ToolCall("c1", "clock", "{}"),)),))
    result_of = replace(request(), messages=(Turn("tool", "", tool_call_id="c1"),))
    bare = [replace(each, messages=(Turn(each.messages[0].role, ""),)) for each in (asked, result_of)]
    assert len({call_key("here", each, {}) for each in (asked, result_of, *bare)}) == 4


def test_calls_without_tools_keep_the_keys_and_rows_of_earlier_versions(tmp_path: Path) -> None:
    assert call_key("http://127.0.0.1/v1", request(), {"temperature": 0.7}) == (
        "ab959389e78eae2b2c8adb4bf4124afb902935eaac8ec754c2cbf4b523989a85"
    )
    with Journal.open(tmp_path / "evals.db") as journal:
        asyncio.run(journal.record_reply("run-1", "key", request(), reply()))
        asyncio.run(journal.record_result("run-1", result()))
    stored_rows = sqlite3.connect(tmp_path / "evals.db")
    ((messages, calls),) = stored_rows.execute("SELECT messages, tool_calls FROM calls")
    assert [len(each) for each in json.loads(messages)] == [2, 2]
    assert calls is None
    ((record,),) = stored_rows.execute("SELECT record FROM results")
    assert [len(each) for each in json.loads(record)["context"]] == [2, 2]
    assert not {"tool_calls", "words"} & json.loads(record).keys()


def test_the_scored_field_stays_where_another_run_is_removed(tmp_path: Path) -> None:
    plain = result()
    field = replace(plain, exchange=replace(plain.exchange, words="of one field"))
    with Journal.open(tmp_path / "evals.db") as journal:
        for name in ("run-1", "run-2"):
            asyncio.run(journal.record_result(name, field))
        journal.remove_runs(["run-1"])
        assert [found.exchange.response for found in journal.results("run-2")] == ["of one field"]
