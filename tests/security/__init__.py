"""The harm that hostile texts, files and servers can do to a run; docs/security.md names every test of these."""
