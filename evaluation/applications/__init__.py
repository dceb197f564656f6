"""Conversations with an application: the mapping that says how it is asked, and how its answers are read."""
