"""Prompt files, and the one form in which every source gives prompts; `services.prompt_service` is what uses them."""

__all__ = ["files", "found_prompt"]
