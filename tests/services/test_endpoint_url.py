import pytest

from evaluation.errors import UsageError
from services.endpoint_url import parse_endpoint_url


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        (" HTTPS://API.OpenAI.com/v1/ ", "https://api.openai.com/v1"),
        ("https://api.openai.com:443/v1", "https://api.openai.com/v1"),
        ("http://localhost:11434/v1//", "http://localhost:11434/v1"),
        ("http://host", "http://host"),
        ("https://me:pass@gate.example/Team/v1?api-version=2#x", "https://gate.example/Team/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_identity(url: str, identity: str) -> None:
    assert parse_endpoint_url(url).identity == identity


def test_user_info_and_query_are_kept_apart_from_the_url() -> None:
    where = parse_endpoint_url("https://me:p%40ss@gate.example:8443/v1/?api-version=2&x=1")
    assert where.url == "https://gate.example:8443/v1"
    assert where.user_info == ("me", "p@ss")
    assert where.query == {"api-version": "2", "x": "1"}


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("[::1]", True), ("localhost", True), ("10.0.0.1", False), ("localhost.example", False)],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert parse_endpoint_url(f"http://{host}:80/v1").loopback is loopback


@pytest.mark.parametrize(
    "url", ["", "api.openai.com/v1", "ftp://host/v1", "https://", "http://host:port", "http://[::1"]
)
def test_what_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        parse_endpoint_url(url)


def test_a_refused_url_does_not_show_its_password() -> None:
    with pytest.raises(UsageError) as caught:
        parse_endpoint_url("ftp://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)
