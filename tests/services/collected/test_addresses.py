"""What is said and kept of an address: enough to tell files apart, and nothing that opens them."""

from services.collected.addresses import is_remote, kept, shown, without_secrets

SECRETS = ("hunter2", "AKIA", "deadbeef", "sekret")
SIGNED = "X-Amz-Signature=deadbeef&X-Amz-Credential=AKIA"
SHOWN = (
    ("logs/a.jsonl", "logs/a.jsonl"),
    ("logs/what?a=b#c@d.jsonl", "logs/what?a=b#c@d.jsonl"),
    ("https://files.example/a.jsonl", "https://files.example/a.jsonl"),
    (f"https://files.example/a.jsonl?{SIGNED}", "https://files.example/a.jsonl"),
    ("https://ann:hunter2@files.example:8443/a.jsonl#sekret", "https://files.example:8443/a.jsonl"),
    ("https://ann:hunter2@x@files.example/a@b.jsonl?sig=deadbeef", "https://files.example/a@b.jsonl"),
    ("sftp://ann:hunter2@host/logs/*.jsonl", "sftp://host/logs/*.jsonl"),
    ("s3://bucket/2026-1?.jsonl", "s3://bucket/2026-1?.jsonl"),
    ("s3://bucket/a#b.jsonl?versionId=sekret", "s3://bucket/a#b.jsonl"),
    ("abfs://box@account.dfs.core.windows.net/a.csv?sig=sekret", "abfs://box@account.dfs.core.windows.net/a.csv"),
    ("simplecache::https://u:hunter2@h/a.jsonl?sig=a::deadbeef", "simplecache::https://h/a.jsonl"),
    ("zip://in.jsonl::https://h/a.zip?token=sekret", "zip://in.jsonl::https://h/a.zip"),
)


def test_an_address_is_shown_without_what_opens_it() -> None:
    assert [shown(name) for name, _ in SHOWN] == [said for _, said in SHOWN]
    for name, said in SHOWN:
        assert is_remote(name) == ("://" in said)
        assert kept(name).startswith(said)
        assert not [each for each in SECRETS if is_remote(name) and each in kept(name)]


def test_two_files_stay_two_and_a_new_signature_is_no_new_file() -> None:
    base = "https://h/a.jsonl"
    same = (
        (base, f"{base}?X-Amz-Signature=1&X-Amz-Date=2", f"{base}?Signature=x&Expires=3&AWSAccessKeyId=k"),
        (f"{base}?sv=1&se=2&sig=3", f"{base}?sig=4&se=5&sv=1", base),
        (f"{base}?id=1&X-Goog-Signature=a", f"{base}?X-Goog-Signature=b&id=1"),
        ("https://ann:one@h/a.jsonl", "https://ann:two@h/a.jsonl"),
    )
    for names in same:
        assert len({kept(name) for name in names}) == 1, names
    other = (base, f"{base}?id=1", f"{base}?id=2", f"{base}?se=2", f"{base}?token=a", f"{base}?token=b",
             "https://ann@h/a.jsonl", "https://bob@h/a.jsonl")  # fmt: skip
    assert len({kept(name) for name in other}) == len(other)


def test_what_others_say_is_cleaned() -> None:
    said = '403, url=\'https://u:hunter2@h/a?X-Amz-Signature=deadbeef\' sig=deadbeef&x {"token": "sekret"}'
    cleaned = without_secrets(said)
    assert "https://h/a" in cleaned
    assert not [each for each in SECRETS if each in cleaned]
    assert without_secrets("Access Denied: NoSuchKey: a") == "Access Denied: NoSuchKey: a"
