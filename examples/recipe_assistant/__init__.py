"""A small recipe assistant behind HTTP: ingredients go in, recipe options come out, one is chosen.

It is a sample application, complete in this folder; README.md describes its wire contract. No language model is
involved: everything follows from the messages, so the same request always gets the same answer.
"""

VERSION = "2"
"""Raise it when any answer may change."""
