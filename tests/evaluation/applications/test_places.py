"""Places in JSON, templates, and streams."""

import shlex

import pytest

from evaluation.applications.events import Stream
from evaluation.applications.mapping import fill, fill_text
from evaluation.applications.places import parse_place, take
from evaluation.applications.raw import curl_of, raw_line
from evaluation.records import Json

ANSWER: Json = {"choices": [{"message": {"content": "first"}}, {"message": {"content": "last"}}], "a.b": {"c": 1}}


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("choices[0].message.content", "first"),
        ("choices[-1].message.content", "last"),
        ('"a.b".c', 1),
        ("choices[2].message", None),
        ("choices.message", None),
        ("nothing.at.all", None),
    ],
)
def test_what_stands_at_a_place(place: str, found: Json) -> None:
    assert take(ANSWER, parse_place(place)) == found


def test_a_list_may_be_the_whole_answer() -> None:
    assert take([{"text": "hi"}], parse_place("[0].text")) == "hi"


@pytest.mark.parametrize("place", ["a..b", ".a", "a.", "a[b]", "a b", "a[0"])
def test_what_is_no_place_is_refused(place: str) -> None:
    with pytest.raises(ValueError, match="write keys and indices"):
        parse_place(place)


def test_a_name_alone_becomes_its_value_and_one_within_a_text_its_words() -> None:
    template = {"m": "{messages}", "t": "turn {turn} of {scenario}", "s": "{session}", "l": ["{session}", 1, "{x"]}
    values: dict[str, Json] = {"messages": [{"role": "user"}], "turn": 2, "scenario": "{turn}"}
    assert fill(template, values) == {"m": [{"role": "user"}], "t": "turn 2 of {turn}", "l": [1, "{x"]}
    assert fill_text("Bearer ${KEY}-{turn}", values) == "Bearer ${KEY}-2"


@pytest.mark.parametrize(
    ("server_sent", "lines", "reply"),
    [
        (True, ['data: {"choices": [{"delta": {"content": "Hi"}}]}', "", "data: [DONE]", "", "data: no"], "Hi"),
        (True, ["event: x", 'data: {"delta":', 'data: "a"}', ""], "a"),
        (True, [": comment", "data: bare words", ""], "bare words"),
        (False, ['{"token": "a"}', "", '{"token": "b"}', '{"other": 1}'], "ab"),
    ],
)
def test_the_pieces_of_a_stream_are_joined(server_sent: bool, lines: list[str], reply: str) -> None:
    stream = Stream(server_sent, None)
    for line in lines:
        stream.take(line)
    stream.finish()
    assert stream.reply == reply


def test_the_command_sends_the_request_that_was_sent() -> None:
    request = {
        "method": "POST", "url": "http://x/ask", "query": {"a b": "c&d", "ü": "=?"}, "body": '{"q": "it\'s"}',
        "headers": {"content-type": "application/json; v=2"},
    }  # fmt: skip
    words = shlex.split(curl_of(request))
    assert words[-1] == "http://x/ask?a%20b=c%26d&%C3%BC=%3D%3F"
    assert "-G" not in words, "with it the body would become a part of the address"
    assert [word for word in words if word.startswith("content-type")] == ["content-type: application/json; v=2"]
    assert "curl" in raw_line("s", 1, 1, {"request": request})
    assert "curl" not in raw_line("s", 1, 1, {"request": {**request, "cut": True}})


def test_a_hostile_text_stays_one_word_of_the_command() -> None:
    request = {
        "method": "POST", "url": "http://x/'; rm -rf /", "query": {}, "body": "$(reboot) '`",
        "headers": {"x-a": 'b"; reboot; $HOME ${KEY} `id`'},
    }  # fmt: skip
    command = curl_of(request)
    assert command.endswith(r"""'http://x/'"'"'; rm -rf /'""")
    assert r'''"x-a: b\"; reboot; \$HOME ${KEY} \`id\`"''' in command
    assert r"""'$(reboot) '"'"'`'""" in command
