"""Responses that users had already, as a run of its own: planned, judged, and gone on with."""
