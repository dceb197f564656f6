"""Streams as servers send them: however their bytes come apart, no piece of a reply is lost without a word."""

import json

import pytest

from evaluation.applications.events import Lines, Stream, stream_within


def said(words: str) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": words}}]}, ensure_ascii=False)


def read(content: bytes, *, server_sent: bool = True, place: str | None = None, size: int = 0) -> Stream:
    stream, lines = Stream(server_sent, place), Lines()
    for start in range(0, len(content), size or len(content)):
        for line in lines.take(content[start : start + (size or len(content))]):
            stream.take(line)
    for line in lines.take(b"", final=True):
        stream.take(line)
    stream.finish()
    return stream


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 0])
def test_a_stream_is_read_alike_wherever_its_bytes_come_apart(end: str, size: int) -> None:
    events = (": comment", "", "id: 1", said("Grüße \u2028"), "", "retry: 5", said("😀 \x85 B"), "", "data: [DONE]", "")
    stream = read("".join(line + end for line in ("\ufeff" + events[0], *events[1:])).encode(), size=size)
    assert (stream.reply, stream.ended, stream.broken) == ("Grüße \u2028😀 \x85 B", True, "")


@pytest.mark.parametrize("size", [1, 5, 0])
def test_only_ends_of_lines_part_the_values_of_ndjson(size: int) -> None:
    content = '{"token": "A\u2028B"}\n\n{"token": " C"}\n{"usage": {"prompt_tokens": 3}}'.encode()
    stream = read(content, server_sent=False, size=size)
    assert (stream.reply, stream.last, stream.broken) == ("A\u2028B C", {"usage": {"prompt_tokens": 3}}, "")


def test_words_that_look_like_json_are_words_in_a_stream_of_words() -> None:
    stream = read(b"data: I have\n\ndata:  \n\ndata: 3\n\ndata:  eggs [1]\n\ndata: [2]\n\ndata: [DONE]\n\n")
    assert stream.reply == "I have 3 eggs [1][2]"


def test_the_whole_text_at_the_end_is_not_said_twice() -> None:
    stream = read(b'data: {"delta": "A"}\n\ndata: {"delta": " B"}\n\ndata: {"text": "A B"}\n\n')
    assert stream.reply == "A B"


@pytest.mark.parametrize(
    ("content", "server_sent"),
    [
        (b'data: {"token": "A"}\n\ndata: {"token": " B', True),
        (b'data: {"token": "A"}\n\ndata: {oops\n\ndata: {"token": "C"}\n\n', True),
        (b'{"token": "A"}\n{oops\n{"token": "C"}\n', False),
    ],
)
def test_an_event_that_is_broken_is_named(content: bytes, server_sent: bool) -> None:
    assert read(content, server_sent=server_sent).broken.startswith("{")


@pytest.mark.parametrize("data", ["overloaded", '{"error": {"message": "overloaded"}}'])
@pytest.mark.parametrize("place", [None, "choices[0].delta.content"])
def test_an_event_that_is_called_an_error_is_no_part_of_the_reply(data: str, place: str | None) -> None:
    stream = read(f"{said('A partial')}\n\nevent: error\ndata: {data}\n\n{said('more')}\n\n".encode(), place=place)
    assert (stream.reply, stream.problem) == ("A partial", data)


def test_a_stream_of_openai_says_that_it_is_over() -> None:
    begun = f"{said('A')}\n\n".encode()
    last = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
    assert read(begun).cut_off
    assert not read(begun + last).cut_off
    assert not read(begun + b"data: [DONE]\n\n").cut_off
    assert not read(begun, place="choices[0].delta.content").cut_off
    assert not read(b'data: {"token": "A"}\n\n').cut_off


def test_events_are_known_within_a_text() -> None:
    found = stream_within(f": hello\n\n{said('A')}\n\ndata: [DONE]\n\n", None)
    assert found is not None
    assert found.reply == "A"
    lines = '{"t": "A"}\n{"t": "B"}\n'
    by_line = stream_within(lines, "t")
    assert by_line is not None
    assert by_line.reply == "AB"
    assert stream_within(lines, None) is None
    for words in ("data: is a word of mine.\nSo is this.", ":)", ":)\n", "data: one line", "", ":-) \n\nSee you."):
        assert stream_within(words, None) is None
