"""Files that lie elsewhere: read like those of this machine, and one line where they cannot be."""

from pathlib import Path

import pytest

from evaluation.errors import EvaluationError, UsageError
from services.collected.parts import STREAM, find_files, plan_parts
from services.collected.reaching import at_work, why
from services.collected.reading import read_rows
from tests.services.collected.serving import SECRETS, serving

LINES = b"".join(b'{"id": "r%d", "response": "a"}\n' % number for number in range(200))


def ids(address: str, part_bytes: int = 1_000) -> list[str]:
    parts = plan_parts(find_files([address]), part_bytes)
    with at_work():
        return [row.record["id"] for part in parts for row in read_rows(part, None)]


def test_pieces_are_read_as_those_of_a_local_file() -> None:
    expected = [f"r{number}" for number in range(200)]
    with serving(LINES) as address:
        assert ids(address) == expected


def test_of_a_server_that_gives_no_pieces_a_file_is_one_part() -> None:
    with serving(LINES, {"whole": True}) as address:
        (part,) = plan_parts(find_files([address]), 1_000)
        assert part.uncut == STREAM
        assert len(list(read_rows(part, None))) == 200
        table = address.replace(".jsonl", ".csv")
        (part,) = plan_parts(find_files([table]), 1_000)
        assert len(list(read_rows(part, None))) == 199


def test_a_server_that_sends_the_whole_whatever_it_is_asked_for_is_found_out_before_the_work() -> None:
    with serving(LINES, {"deaf": True}) as address:
        (part,) = plan_parts(find_files([address]), 1_000)
        assert part.uncut == STREAM
        assert len(list(read_rows(part, None))) == 200
        (part,) = plan_parts(find_files([address.replace("jsonl", "csv")]), 1_000)
        assert len(list(read_rows(part, None))) == 199


def test_parquet_is_read_in_pieces(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    rows = [{"id": f"r{number}", "response": "a"} for number in range(50)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "r.parquet", row_group_size=20)
    with serving((tmp_path / "r.parquet").read_bytes()) as address:
        parts = plan_parts(find_files([address.replace(".jsonl", ".parquet")]), part_rows=15)
        assert [row.record for part in parts for row in read_rows(part, None)] == rows


FAULTS = (
    ({"found": 403}, "access is refused (HTTP 403)", 2),
    ({"found": 401}, "access is refused (HTTP 401)", 2),
    ({"found": 404}, "is not there (HTTP 404)", 2),
    ({"found": 503}, "its server cannot answer now (HTTP 503)", 2),
    ({"look": "hang"}, "its server says nothing (for 0.1 s)", 2),
    ({"read": 403}, "access is refused (HTTP 403)", 3),
    ({"read": 500}, "its server cannot answer now (HTTP 500)", 3),
    ({"read": 429}, "its server cannot answer now (HTTP 429)", 3),
    ({"manner": "hang"}, "its server says nothing (for 0.1 s)", 3),
    ({"manner": "disconnect"}, "the connection breaks off", 3),
)


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_what_goes_wrong_is_one_line_without_secrets(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.collected.reaching.SILENCE_S", 0.1)
    for how, said, code in FAULTS:
        with serving(LINES, how) as address, pytest.raises(EvaluationError) as raised:
            ids(address.replace("jsonl", form), 100_000)
        text = str(raised.value)
        # A table of Parquet is read to know its rows, before any work.
        assert raised.value.exit_code == (2 if form == "parquet" else code), (how, text)
        assert text.startswith("http://127.0.0.1:"), text
        assert said in text, (how, text)
        assert "\n" not in text
        assert not [secret for secret in (*SECRETS, "ann:") if secret in text], text


def test_a_file_that_ends_before_its_size_is_no_shorter_file() -> None:
    with serving(LINES, {"gives": LINES[:50]}) as address:
        parts = plan_parts(find_files([address]), 100_000)
        with pytest.raises(UsageError, match=r"r\.jsonl: ends after 50 of 6,\d+ bytes"):
            list(read_rows(parts[0], None))


class ClientError(Exception):
    """As botocore raises it."""

    def __init__(self, status: int) -> None:
        super().__init__("An error occurred (AccessDenied) when calling GetObject: AWSAccessKeyId=AKIA")
        self.response = {"Error": {"Code": "AccessDenied"}, "ResponseMetadata": {"HTTPStatusCode": status}}


class HttpError(Exception):
    """As gcsfs raises it."""

    def __init__(self, code: int | str) -> None:
        super().__init__("Anonymous caller")
        self.code = code


class NoCredentialsError(Exception):
    pass


def test_errors_of_every_back_end_say_what_to_do() -> None:
    wrapped = OSError(5, "Access Denied")
    wrapped.__cause__ = ClientError(403)
    for error, said in (
        (ClientError(403), "access is refused (HTTP 403)"),
        (ClientError(404), "is not there (HTTP 404)"),
        (wrapped, "access is refused (HTTP 403)"),
        (HttpError("401"), "access is refused (HTTP 401)"),
        (HttpError(429), "cannot answer now (HTTP 429)"),
        (PermissionError(13, "Forbidden"), "access is refused:"),
        (FileNotFoundError("bucket/a"), "is not there:"),
        (ConnectionResetError(), "breaks off"),
        (ConnectionRefusedError(), "cannot be reached"),
        (ValueError("The HTTP server doesn't appear to support range requests."), "load it down first"),
        (NoCredentialsError("Unable to locate credentials"), "no keys are found"),
        (RuntimeError("odd\nthing at https://h/a?sig=deadbeef"), "(RuntimeError: odd thing at https://h/a)"),
    ):
        assert said in why(error), why(error)
        assert "AKIA" not in why(error)
        assert "deadbeef" not in why(error)
