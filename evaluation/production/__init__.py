"""Responses of production: which generations are turns of a chat, which of them are drawn, and what they say of all."""
