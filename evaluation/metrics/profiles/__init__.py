"""Profiles by name: what a good text of one kind looks like, as changes of a rubric. One YAML file for each."""

AUTO, UNKNOWN = "auto", "unknown"
"""Chosen for each prompt; and what is chosen where a prompt says nothing of its kind."""
PROFILES = (
    "essay",
    "short_answer",
    "list",
    "poem",
    "story",
    "code",
    "email",
    "dialogue",
    "summary",
    "how_to",
)
"""Each a file beside this one, in the order of every table."""
OF_FORMS = ("json", "table")
"""Forms of an answer that change a rubric in the same way, over the profile: a file each."""
CHOICES = (AUTO, *PROFILES)
"""What a run may name."""
