"""The words with which prompts ask for a length, a form, a reader or a language: one file for each language."""
